//! The event logs, read as they stand on the server.

use std::collections::BTreeMap;

use kvrepo::Position;
use kvrepo_tests::chaos::entity::{Nonce, Subject, Visit};
use kvrepo_tests::harness::TestServer;

/// How many entries are read at once.
const PAGE: usize = 5_000;

/// An entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub position: Position,
    pub id: String,
    pub deadline: u64,
    pub nonce: Option<Nonce>,
}

/// What stands in the logs, by keyspace, and what is wrong with it for itself.
#[derive(Debug, Default)]
pub struct Logs {
    pub entries: BTreeMap<&'static str, Vec<Logged>>,
    pub findings: Vec<String>,
}

type Raw = (String, Vec<String>);

impl Logs {
    pub async fn read(server: &TestServer) -> Self {
        let mut logs = Self::default();
        let mut spaces = Spaces::default();
        kvrepo_tests::chaos::entity::each(&mut spaces);
        for (space, judge) in spaces.0 {
            let log = format!("{space}#expired");
            let mut from = "-".to_owned();
            loop {
                let page: Vec<Raw> = server
                    .query(&["XRANGE", &log, &from, "+", "COUNT", &PAGE.to_string()])
                    .await;
                let Some((last, _)) = page.last() else { break };
                from = format!("({last}");
                for (position, fields) in page {
                    judge(&mut logs, &position, fields);
                }
            }
        }
        logs
    }

    /// Takes an entry in, and looks whether its value is one that was ever written.
    fn add<T: Subject>(&mut self, position: &str, fields: Vec<String>) {
        let mut fields: BTreeMap<String, String> = fields
            .chunks_exact(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect();
        // The entity's own id comes after the entry's, and is the same.
        let id = fields.get("id").cloned().unwrap_or_default();
        let deadline = fields
            .remove("deadline")
            .and_then(|at| at.parse().ok())
            .unwrap_or(u64::MAX);
        if !T::VALUED {
            fields.remove("id");
        }
        let nonce = fields.get("nonce").and_then(|nonce| nonce.parse().ok());
        let space = T::SCHEMA.keyspace;
        if fields != nonce.map_or_else(BTreeMap::new, |nonce| T::fields(&id, nonce))
            || nonce.is_some() != T::VALUED
        {
            self.findings.push(format!(
                "a value that was never written: {space}:{id} at {position}: {fields:?}"
            ));
        }
        self.entries.entry(space).or_default().push(Logged {
            position: position.parse().expect("a position"),
            id,
            deadline,
            nonce,
        });
    }
}

type Judge = fn(&mut Logs, &str, Vec<String>);

#[derive(Default)]
struct Spaces(Vec<(&'static str, Judge)>);

impl Visit for Spaces {
    fn subject<T: Subject>(&mut self) {
        self.0.push((T::SCHEMA.keyspace, Logs::add::<T>));
    }
}
