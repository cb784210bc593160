//! What kvrepo promises, as a suite that every backend runs, and what the tests need to stand up the outside world.

pub mod access;
pub mod chaos;
pub mod conformance;
pub mod fixture;
pub mod harness;
pub mod meter;
#[macro_use]
pub mod suite;
pub mod world;
