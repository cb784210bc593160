//! One case as it is played: a server, the processes on it, and the steps.

use std::future::Future;
use std::time::{Duration, Instant};

use kvrepo::IdArg;
use serde_json::Value;

use super::process::Process;
use super::{call, expectation, string};
use crate::conformance::Check;
use crate::conformance::case::Case;
use crate::conformance::notation::Notated;
use crate::conformance::types::{Changed, City, Sought};
use crate::demand;
use crate::harness::TestServer;
use crate::world::PATIENCE;

/// How the driver makes a key expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expiry {
    /// As time would: its deadline is moved to now, wherever it stands.
    ByDeadline,
    /// As another client would, with `PEXPIRE`.
    ByAnotherClient,
}

/// Lets KEYS[1] expire in a millisecond. ARGV[1] is the base of its keyspace; ARGV[2] its id, if it has one and its
/// deadline is to be moved, or made. Replies when.
const EXPIRE: &str = "
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000) + 1
local function text(n) return string.format('%.0f', n) end
redis.call('PEXPIREAT', KEYS[1], text(at))
if ARGV[2] ~= '' and redis.call('SISMEMBER', ARGV[1], ARGV[2]) == 1 then
  redis.call('ZADD', ARGV[1] .. '#deadlines', text(at), ARGV[2])
  redis.call('PEXPIREAT', KEYS[1] .. ':phantom', text(at + 300000))
end
return at";

pub(super) struct Scene<'c, T: Notated> {
    case: &'c Case,
    config: Value,
    expiry: Expiry,
    server: TestServer,
    /// None while its listener is down.
    process: Option<Process<T>>,
    second: Option<Process<T>>,
}

impl<'c, T> Scene<'c, T>
where
    T: Notated + Changed + Sought,
    String: IdArg<T::Id>,
{
    pub(super) async fn run(case: &'c Case, expiry: Expiry) -> Check {
        let given = case.object("given");
        let config = given.get("config").cloned().unwrap_or_default();
        let server = TestServer::start().await;
        let mut scene = Self {
            case,
            config,
            expiry,
            server,
            process: None,
            second: None,
        };
        scene.prepare(given.get("raw").unwrap_or(&Value::Null)).await?;
        let mut process = scene.start().await?;
        if expiry == Expiry::ByAnotherClient {
            process.settle_in().await?;
        }
        scene.process = Some(process);
        for (number, step) in case.list("when").iter().enumerate() {
            let op = step["op"].as_str().unwrap_or_default();
            scene
                .step(op, step)
                .await
                .map_err(|fault| format!("step {number}, {op}: {fault}"))?;
        }
        scene.end().await
    }

    /// Creates the keys that are there before.
    async fn prepare(&self, raw: &Value) -> Check {
        for (kind, keys) in raw.as_object().into_iter().flatten() {
            for (key, value) in keys.as_object().into_iter().flatten() {
                let mut command = vec![match kind.as_str() {
                    "hash" => "HSET",
                    "set" => "SADD",
                    "string" => "SET",
                    other => return Err(format!("the driver makes no {other}")),
                }];
                command.push(key);
                match value {
                    Value::Object(fields) => {
                        command.extend(
                            fields.iter().flat_map(|(path, value)| {
                                [path.as_str(), value.as_str().unwrap_or_default()]
                            }),
                        );
                    }
                    Value::Array(members) => command.extend(members.iter().filter_map(Value::as_str)),
                    text => command.extend(text.as_str()),
                }
                self.server.command(&command).await;
            }
        }
        Ok(())
    }

    /// Another process on the same server. It subscribes if the case says anything of events.
    async fn start(&self) -> Result<Process<T>, String> {
        let asked = self.case.object("then").contains_key("events");
        Process::start(&self.server.url(), self.case.type_name(), &self.config, asked).await
    }

    fn process(&self) -> Result<&Process<T>, String> {
        self.process
            .as_ref()
            .ok_or_else(|| "the process is down".to_owned())
    }

    async fn step(&mut self, op: &str, step: &Value) -> Check {
        match op {
            "expire" => self.expire(&string(&step["key"], "key")?).await,
            "set_ttl" => {
                self.command(&[
                    "EXPIRE",
                    &string(&step["key"], "key")?,
                    &step["seconds"].to_string(),
                ])
                .await
            }
            "message" => {
                self.command(&[
                    "PUBLISH",
                    "__keyevent@0__:expired",
                    &string(&step["body"], "body")?,
                ])
                .await
            }
            "raw" => {
                let command: Vec<_> = step["cmd"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                self.command(&command).await
            }
            "assert" => self.state(&step["then"]).await,
            "second_listener" => {
                self.second = Some(self.start().await?);
                Ok(())
            }
            "listener" if step["state"] == "down" => {
                self.process = None;
                until("the process has gone", || async { self.is_alone().await }).await
            }
            "listener" => {
                self.process = Some(self.start().await?);
                until("what is due is reaped", || async { self.nothing_is_due().await }).await
            }
            _ => {
                let people = &self.process()?.repository;
                let result = match step["type"].as_str() {
                    Some("City") => call::call::<City>(&people.store().repository(), op, step).await?,
                    Some(other) => return Err(format!("the driver calls no repository of `{other}`")),
                    None => call::call(people, op, step).await?,
                };
                expectation::result(step, result)
            }
        }
    }

    async fn command(&self, command: &[&str]) -> Check {
        self.server.command(command).await;
        Ok(())
    }

    /// The keyspace's name.
    fn base(&self) -> &str {
        self.config["keyspace"][self.case.type_name()]
            .as_str()
            .unwrap_or(T::SCHEMA.keyspace)
    }

    /// Makes a key expire, and waits until it has.
    async fn expire(&self, key: &str) -> Check {
        let base = self.config["keyspace"][self.case.type_name()]
            .as_str()
            .unwrap_or(T::SCHEMA.keyspace);
        let id = key.strip_prefix(base).and_then(|rest| rest.strip_prefix(':'));
        let id = id
            .filter(|id| self.expiry == Expiry::ByDeadline && !id.ends_with(":phantom"))
            .unwrap_or_default();
        let at: u64 = self.server.query(&["EVAL", EXPIRE, "1", key, base, id]).await;
        until("the key has expired", || async {
            let [seconds, micros]: [u64; 2] = self.server.query(&["TIME"]).await;
            // Asking for the key also makes the server take note.
            !self.server.query::<bool, _>(&["EXISTS", key]).await && seconds * 1000 + micros / 1000 > at
        })
        .await
    }

    /// Whether the driver's own connection is the only one.
    async fn is_alone(&self) -> bool {
        self.server
            .query::<String, _>(&["CLIENT", "LIST"])
            .await
            .lines()
            .count()
            == 1
    }

    async fn nothing_is_due(&self) -> bool {
        let [seconds, micros]: [u64; 2] = self.server.query(&["TIME"]).await;
        let (deadlines, now) = (
            format!("{}#deadlines", self.base()),
            seconds * 1000 + micros / 1000,
        );
        self.server
            .query::<u64, _>(&["ZCOUNT", &deadlines, "-inf", &format!("({now}")])
            .await
            == 0
    }

    /// Compares the server with what is expected of it, once it has had the time to come to it where a listener or a
    /// start in the background has a hand in it.
    async fn state(&self, then: &Value) -> Check {
        let approximately = self.case.get("approx").is_some();
        let patience = if self.config["events"].is_string() {
            PATIENCE / 4
        } else {
            Duration::ZERO
        };
        let start = Instant::now();
        loop {
            let check = expectation::state(&self.server, then, approximately).await;
            if check.is_ok() || start.elapsed() >= patience {
                return check;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn end(mut self) -> Check {
        let then = self.case.get("then").cloned().unwrap_or_default();
        let mut listeners = [(&mut self.process, "events"), (&mut self.second, "events_second")];
        let mut marked = false;
        for (process, which) in &mut listeners {
            let Some(expected) = then[*which].as_array() else {
                continue;
            };
            let process = process.as_mut().ok_or("the process is down")?;
            process.events(expected).await?;
            if !marked {
                process.save_marker().await?;
                marked = true;
            }
            process.marker_is_next().await?;
        }
        demand!(
            then.is_null() || then.is_object(),
            "the driver cannot read {then}"
        );
        self.state(&then).await
    }
}

/// Waits until something is so.
async fn until<F: Future<Output = bool>>(what: &str, mut so: impl FnMut() -> F) -> Check {
    let start = Instant::now();
    while !so().await {
        demand!(start.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}
