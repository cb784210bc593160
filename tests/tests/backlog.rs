//! Ten thousand expirations, of which not one is lost: while all listeners are down, and while the server restarts.

#[path = "backlog/down.rs"]
mod down;
#[path = "backlog/restart.rs"]
mod restart;
#[path = "backlog/support.rs"]
mod support;
