//! What a caller is told, and what is left on the server, when the connection or the server fails.

#[path = "faults/loading.rs"]
mod loading;
#[path = "faults/outage.rs"]
mod outage;
#[path = "faults/refusal.rs"]
mod refusal;
#[path = "faults/secret.rs"]
mod secret;
#[path = "faults/support.rs"]
mod support;
#[path = "faults/torn.rs"]
mod torn;
