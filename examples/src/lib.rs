//! The examples that are more than one file; `src/bin` has the rest, and what starts these.

pub mod kv_service;
