//! Near caches on real servers: what other clients do, connections that break or fall silent, and who may have one.
//!
//! What a store does by itself is in the suite.

#[path = "near/broken.rs"]
mod broken;
#[path = "near/foreign.rs"]
mod foreign;
#[path = "near/refused.rs"]
mod refused;
#[path = "near/support.rs"]
mod support;
