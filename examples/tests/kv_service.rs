//! The example `kv-service`, over real HTTP.

#[path = "kv_service/binary.rs"]
mod binary;
#[path = "kv_service/client.rs"]
mod client;
#[path = "kv_service/expired.rs"]
mod expired;
#[path = "kv_service/keys.rs"]
mod keys;
#[path = "kv_service/page.rs"]
mod page;
#[path = "kv_service/real.rs"]
mod real;
#[path = "kv_service/refusal.rs"]
mod refusal;
#[path = "kv_service/service.rs"]
mod service;
