//! What the attributes say arrives in the schema, under serde's names.

use std::collections::HashMap;

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct HTTPServer {
    #[id]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[serde(rename_all = "camelCase")]
#[kv(keyspace = "{eu}:servers", shadow_copy = false)]
#[kv(time_to_live = 45, type_alias = "com.acme.Server")]
struct Server {
    #[id]
    server_id: u32,
    #[kv(json)]
    open_ports: Vec<u16>,
    #[serde(rename(serialize = "host", deserialize = "name"), alias = "host")]
    #[kv(json)]
    host_name: String,
    #[serde(flatten)]
    labels: HashMap<String, String>,
    #[serde(skip)]
    #[time_to_live]
    remaining: Option<u64>,
    r#type: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[serde(rename_all(serialize = "UPPERCASE", deserialize = "lowercase"))]
struct Forms {
    #[id]
    #[serde(rename = "key")]
    id: u32,
    #[kv(json)]
    list: Vec<u8>,
}

#[test]
fn the_schema_says_what_was_derived() {
    let schema = HTTPServer::SCHEMA;
    assert_eq!(
        (schema.entity, schema.keyspace, schema.id_path),
        ("HTTPServer", "http_server", "id")
    );
    assert!(schema.shadow_copy && !schema.reads_remaining);
    assert_eq!((schema.time_to_live, schema.type_alias), (None, None));
    assert!(schema.json_paths.is_empty() && schema.plain_paths.is_empty());

    let schema = Server::SCHEMA;
    assert_eq!(
        (schema.entity, schema.keyspace, schema.id_path),
        ("Server", "{eu}:servers", "serverId")
    );
    assert!(!schema.shadow_copy && schema.reads_remaining);
    assert_eq!(schema.time_to_live.map(|term| term.as_secs()), Some(45));
    assert_eq!(schema.type_alias, Some("com.acme.Server"));
    assert_eq!(schema.json_paths, ["openPorts", "host", "name"]);
    assert_eq!(
        schema.plain_paths,
        ["serverId", "openPorts", "host", "name", "type"]
    );

    assert_eq!(Forms::SCHEMA.id_path, "key");
    assert_eq!(Forms::SCHEMA.json_paths, ["LIST", "list"]);
}
