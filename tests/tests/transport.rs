//! How a server is reached: over TCP, TLS and unix sockets, in RESP2 and RESP3, with a password; and what is said when it
//! cannot be reached so.

#[path = "transport/certificate.rs"]
mod certificate;
#[path = "transport/everywhere.rs"]
mod everywhere;
#[path = "transport/machine.rs"]
mod machine;
#[path = "transport/outage.rs"]
mod outage;
#[path = "transport/refusal.rs"]
mod refusal;
#[path = "transport/support.rs"]
mod support;
#[path = "transport/traced.rs"]
mod traced;
