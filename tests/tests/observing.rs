//! What is said to subscribers of `tracing` and to recorders of `metrics`. Both are global, hence a target of its own.

#[path = "observing/metrics.rs"]
mod metrics;
#[path = "observing/secret.rs"]
mod secret;
#[path = "observing/spans.rs"]
mod spans;
#[path = "observing/witness.rs"]
mod witness;
