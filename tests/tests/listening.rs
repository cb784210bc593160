//! Listening on a real server: what else happens there, and what happens to the connections.

#[path = "listening/connection.rs"]
mod connection;
#[path = "listening/foreign.rs"]
mod foreign;
#[path = "listening/group.rs"]
mod group;
#[path = "listening/health.rs"]
mod health;
#[path = "listening/lease.rs"]
mod lease;
#[path = "listening/notification.rs"]
mod notification;
#[path = "listening/prompt.rs"]
mod prompt;
#[path = "listening/support.rs"]
mod support;
