//! One case as it is tried: a server, a process on it, and the steps.

use kvrepo::{Error, IdArg, KeyspaceEvents, KeyspaceSettings, Repository, Store};
use serde_json::Value;

use super::texts;
use crate::conformance::Check;
use crate::conformance::behaviour::{call, expectation};
use crate::conformance::case::Case;
use crate::conformance::notation::Notated;
use crate::conformance::types::{Changed, Sought};
use crate::demand;
use crate::harness::TestServer;

pub(super) struct Trial<T: Notated> {
    server: TestServer,
    process: Repository<T>,
}

impl<T> Trial<T>
where
    T: Notated + Changed + Sought,
    String: IdArg<T::Id>,
{
    pub(super) async fn run(case: &Case) -> Check {
        let server = TestServer::start().await;
        if let Some(error) = case.get("error") {
            return is_refused(error, open::<T>(&server).await.err());
        }
        let process = start(&server).await?;
        let mut trial = Self { server, process };
        for (number, step) in case.list("steps").iter().enumerate() {
            let op = step["op"].as_str().unwrap_or_default();
            trial
                .step(op, step)
                .await
                .map_err(|fault| format!("step {number}, {op}: {fault}"))?;
        }
        let then = case.get("then").cloned().unwrap_or_default();
        demand!(
            then.is_null() || then.is_object(),
            "the driver cannot read {then}"
        );
        expectation::state(&trial.server, &then, false).await?;
        trial.keys(case).await
    }

    async fn step(&mut self, op: &str, step: &Value) -> Check {
        if op == "new_process" {
            self.process = start(&self.server).await?;
            return Ok(());
        }
        let result = call::call(&self.process, op, step).await?;
        expectation::result(step, result)
    }

    /// Compares what is on the server with all that a case allows to be there.
    async fn keys(&self, case: &Case) -> Check {
        if case.get("all_keys").is_none() {
            return Ok(());
        }
        let mut expected = texts(case.list("all_keys"));
        expected.sort_unstable();
        let mut found: Vec<String> = self.server.query(&["KEYS", "*"]).await;
        found.sort_unstable();
        demand!(found == expected, "the keys are {found:?}, not {expected:?}");
        Ok(())
    }
}

/// Another process on the same server.
async fn start<T: Notated>(server: &TestServer) -> Result<Repository<T>, String> {
    open(server).await.map_err(|error| format!("no store: {error}"))
}

/// With nothing that listens, and without shadow copies.
async fn open<T: Notated>(server: &TestServer) -> kvrepo::Result<Repository<T>> {
    let opened = Store::builder()
        .events(KeyspaceEvents::Off)
        .keyspace::<T>(KeyspaceSettings::new().shadow_copy(false))
        .connect(&server.url())
        .await;
    Ok(opened?.repository())
}

/// Whether a store refused the declaration as wrong.
fn is_refused(error: &Value, refused: Option<Error>) -> Check {
    demand!(
        error["kind"] == "compile-or-config",
        "the driver knows no error {error}"
    );
    demand!(
        matches!(refused, Some(Error::InvalidSetting { what: "index", .. })),
        "it is {refused:?}, but the index should be refused"
    );
    Ok(())
}
