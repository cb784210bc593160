//! What a user has to be allowed on a server: that the page `kvrepo::servers` lists just that, and that just that suffices.
//!
//! `tests/valkey.rs` runs the whole suite as users of that page.

#[path = "access/commands.rs"]
mod commands;
#[path = "access/least.rs"]
mod least;
#[path = "access/source.rs"]
mod source;
#[path = "access/support.rs"]
mod support;
#[path = "access/warning.rs"]
mod warning;
