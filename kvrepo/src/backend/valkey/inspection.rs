//! Looking at everything that a keyspace has on the server, step by step: first all ids that are listed, then all keys.

use redis::{Cmd, Value};

use super::connection::Call;
use super::request::writes;
use super::script::Invocation;
use super::{CHUNK, Valkey, answer, indexing, reply, script};
use crate::backend::{Disagreement, Finding, Inspect, Inspected, Keyspace, PAGE};
use crate::error::{Error, Result};

/// Where a walk goes on.
enum Place {
    /// Among the ids.
    Ids(String),
    /// Among the keys.
    Keys(String),
}

const CALL: Call = Call::write("inspect");

impl Place {
    fn read(cursor: Option<&str>) -> Result<Self> {
        let Some(cursor) = cursor else {
            return Ok(Self::Ids("0".to_owned()));
        };
        let number = |text: &str| text.parse::<u64>().is_ok().then(|| text.to_owned());
        let place = match cursor.split_once(':') {
            Some(("ids", rest)) => number(rest).map(Self::Ids),
            Some(("keys", rest)) => number(rest).map(Self::Keys),
            _ => None,
        };
        place.ok_or_else(|| Error::InvalidSetting {
            what: "cursor",
            name: cursor.to_owned(),
            reason: "it is not one of an inspection; begin without one".into(),
        })
    }
}

impl Valkey {
    /// One step of the walk.
    pub(super) async fn look(&self, keyspace: &Keyspace, inspect: &Inspect) -> Result<Inspected> {
        let count = inspect.count.clamp(1, 10 * PAGE).to_string();
        let mut inspected = Inspected {
            total: self.size(keyspace).await?,
            ..Inspected::default()
        };
        match Place::read(inspect.cursor.as_deref())? {
            Place::Ids(cursor) => {
                let mut command = redis::cmd("SSCAN");
                command.arg(keyspace.base()).arg(cursor).arg("COUNT").arg(count);
                let (next, ids) = self.page(&command).await?;
                let ids = texts(ids);
                inspected.looked = ids.len() as u64;
                self.look_at(keyspace, inspect, &ids, &mut inspected).await?;
                inspected.next = Some(match next.as_str() {
                    "0" => "keys:0".to_owned(),
                    _ => format!("ids:{next}"),
                });
            }
            Place::Keys(cursor) => {
                let mut command = redis::cmd("SCAN");
                command.arg(cursor).arg("COUNT").arg(&count);
                let (next, keys) = self.page(&command).await?;
                inspected.looked = keys.len() as u64;
                self.look_behind(keyspace, inspect, texts(keys), &mut inspected)
                    .await?;
                inspected.next = Some(format!("keys:{next}")).filter(|_| next != "0");
            }
        }
        Ok(inspected)
    }

    /// How many ids and keys there are to look at.
    async fn size(&self, keyspace: &Keyspace) -> Result<u64> {
        let ids = self
            .reaping
            .command(CALL, redis::cmd("SCARD").arg(keyspace.base()))
            .await
            .map_err(|error| answer::id_set_collision(keyspace, error))?;
        let keys = self.reaping.command(CALL, &redis::cmd("DBSIZE")).await?;
        let number = |value: &Value| reply::integer(value).map_or(0, i64::unsigned_abs);
        Ok(number(&ids) + number(&keys))
    }

    /// A page of a scan, and where the next begins.
    async fn page(&self, command: &Cmd) -> Result<(String, Vec<Value>)> {
        reply::page(CALL.operation, self.reaping.command(CALL, command).await?)
    }

    /// What a script finds is told.
    async fn tell(
        &self,
        keyspace: &Keyspace,
        invocation: &Invocation<'_>,
        inspected: &mut Inspected,
    ) -> Result<()> {
        let reply = self.reaping.run(CALL, invocation).await?;
        let reply = reply.map_err(|error| answer::script_error(CALL, keyspace, error))?;
        inspected.findings.extend(findings(reply)?);
        Ok(())
    }

    /// Looks at ids.
    async fn look_at(
        &self,
        keyspace: &Keyspace,
        inspect: &Inspect,
        ids: &[String],
        inspected: &mut Inspected,
    ) -> Result<()> {
        for chunk in ids.chunks(CHUNK) {
            let invocation = writes(&script::INSPECT, keyspace)
                .flag(inspect.mend)
                .bytes(inspect.id_path);
            let invocation = indexing::indexes(invocation, keyspace.indexes().iter());
            let invocation = chunk.iter().fold(invocation, |call, id| call.bytes(id));
            self.tell(keyspace, &invocation, inspected).await?;
        }
        Ok(())
    }

    /// Looks at what these keys are of: ids that are not listed, and what stands in indexes.
    async fn look_behind(
        &self,
        keyspace: &Keyspace,
        inspect: &Inspect,
        mut keys: Vec<String>,
        inspected: &mut Inspected,
    ) -> Result<()> {
        let base = keyspace.base();
        keys.retain(|key| {
            key.strip_prefix(base)
                .is_some_and(|rest| rest.starts_with([':', '#']))
        });
        let mut pipeline = redis::pipe();
        for key in &keys {
            pipeline.cmd("TYPE").arg(key);
        }
        let kinds = if keys.is_empty() {
            Vec::new()
        } else {
            self.reaping.pipeline(CALL, &pipeline).await?
        };
        let mut ids = Vec::new();
        for (key, kind) in keys.iter().zip(kinds) {
            let kind = kind.ok().and_then(reply::text).unwrap_or_default();
            let rest = key.strip_prefix(base).unwrap_or_default();
            match (kind.as_str(), rest) {
                ("hash", _) if rest.starts_with("#unique:") => {
                    self.look_into(keyspace, inspect, "hash", key, inspected).await?;
                }
                ("zset", "#deadlines") => self.deadlines(keyspace, inspect, key, inspected).await?,
                ("zset", _) if rest.starts_with("#range:") || rest.starts_with(':') => {
                    self.look_into(keyspace, inspect, "zset", key, inspected).await?;
                }
                ("hash" | "set", _) if rest.starts_with(':') => {
                    let id = rest.get(1..).unwrap_or_default();
                    let helper = id.strip_suffix(":idx").filter(|_| kind == "set");
                    match helper.or_else(|| keyspace.id_of_key(key).map(|(id, _)| id)) {
                        Some(id) if helper.is_some() || kind == "hash" => ids.push(id.to_owned()),
                        _ if kind == "set" => {
                            self.look_into(keyspace, inspect, "set", key, inspected).await?;
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        self.look_at_unlisted(keyspace, inspect, ids, inspected).await
    }

    /// Looks at those of the ids that are not listed: the others were looked at before.
    async fn look_at_unlisted(
        &self,
        keyspace: &Keyspace,
        inspect: &Inspect,
        mut ids: Vec<String>,
        inspected: &mut Inspected,
    ) -> Result<()> {
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(());
        }
        let mut command = redis::cmd("SMISMEMBER");
        command.arg(keyspace.base()).arg(&ids);
        let Value::Array(listed) = self.reaping.command(CALL, &command).await? else {
            return Err(reply::unexpected(CALL.operation));
        };
        let mut listed = listed.iter().map(|is| reply::integer(is) == Some(1));
        ids.retain(|_| !listed.next().unwrap_or(true));
        self.look_at(keyspace, inspect, &ids, inspected).await
    }

    /// Looks at the ids that have a deadline.
    async fn deadlines(
        &self,
        keyspace: &Keyspace,
        inspect: &Inspect,
        key: &str,
        inspected: &mut Inspected,
    ) -> Result<()> {
        let mut cursor = "0".to_owned();
        loop {
            let mut command = redis::cmd("ZSCAN");
            command.arg(key).arg(&cursor).arg("COUNT").arg(PAGE);
            let (next, found) = self.page(&command).await?;
            let ids = texts(found.into_iter().step_by(2));
            self.look_at_unlisted(keyspace, inspect, ids, inspected).await?;
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }

    /// Looks at what stands in an index.
    async fn look_into(
        &self,
        keyspace: &Keyspace,
        inspect: &Inspect,
        kind: &str,
        key: &str,
        inspected: &mut Inspected,
    ) -> Result<()> {
        let scan = match kind {
            "set" => "SSCAN",
            "zset" => "ZSCAN",
            _ => "HSCAN",
        };
        let mut cursor = "0".to_owned();
        loop {
            let mut command = redis::cmd(scan);
            command.arg(key).arg(&cursor).arg("COUNT").arg(CHUNK);
            let (next, found) = self.page(&command).await?;
            // Of a sorted set every second is a score.
            let step = if kind == "zset" { 2 } else { 1 };
            let members: Vec<Vec<u8>> = found
                .into_iter()
                .step_by(step)
                .filter_map(reply::into_bytes)
                .collect();
            for chunk in members.chunks(2 * CHUNK) {
                let invocation = writes(&script::RESIDUE, keyspace)
                    .flag(inspect.mend)
                    .bytes(kind)
                    .bytes(key);
                let invocation = chunk.iter().fold(invocation, |call, member| call.bytes(member));
                self.tell(keyspace, &invocation, inspected).await?;
            }
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}

/// What is no text is none of ours.
fn texts(values: impl IntoIterator<Item = Value>) -> Vec<String> {
    values.into_iter().filter_map(reply::text).collect()
}

fn findings(reply: Value) -> Result<Vec<Finding>> {
    let unexpected = || reply::unexpected(CALL.operation);
    let Value::Array(items) = reply else {
        return Err(unexpected());
    };
    let texts: Option<Vec<String>> = items
        .into_iter()
        .map(|item| reply::into_bytes(item).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        .collect();
    let texts = texts.ok_or_else(unexpected)?;
    let (found, _) = texts.as_chunks::<3>();
    let found = found.iter().map(|[id, what, index]| {
        let disagreement = match what.as_str() {
            "gone" => Disagreement::Gone,
            "left" => Disagreement::Left,
            "unlisted" => Disagreement::Unlisted,
            "deadline" => Disagreement::Deadline,
            "phantom" => Disagreement::Phantom,
            "missing" => Disagreement::Missing(index.clone()),
            "stale" => Disagreement::Stale(index.clone()),
            "taken" => Disagreement::Taken(index.clone()),
            _ => return Err(unexpected()),
        };
        Ok(Finding::new(id.clone(), disagreement))
    });
    found.collect()
}
