//! The backend on a standalone Valkey or Redis server.
//!
//! The client crate is touched below this module and nowhere else.

mod answer;
mod batch;
mod connection;
mod deleting;
mod endpoint;
mod fault;
mod finding;
mod gathering;
mod group;
mod indexing;
mod inspection;
mod listener;
mod notification;
mod renewal;
mod reply;
mod request;
mod saving;
mod script;
mod server;
mod stream;
mod tracking;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use redis::Value;

pub(crate) use self::endpoint::Certificates;
#[cfg(feature = "tls")]
pub(crate) use self::endpoint::ClientCertificate;

use self::batch::CHUNK;
use self::connection::{Call, Connection};
use self::deleting::Deletes;
use self::endpoint::Endpoint;
use self::finding::Finds;
use self::gathering::Gathering;
use self::listener::Flags;
use self::renewal::Renewals;
use self::request::lives;
use self::saving::Saves;
use self::server::Hello;
use self::stream::Follower;
use self::tracking::Tracking;
use super::status::Board;
use super::{
    Backend, BackendStatus, Delete, Due, Guard, Inspect, Inspected, InvalidationSink, Keyspace, Loaded,
    LogEntry, LogPage, Plan, Position, Read, Reap, Reaped, Repaired, Saved, ScanPage, Select, Selected,
    TimeToLive, TrackedReads, TriggerSink, Update, Write,
};
use crate::error::{Error, Result};

/// One server.
#[derive(Debug)]
pub(crate) struct Valkey {
    endpoint: Endpoint,
    flags: Flags,
    board: Arc<Board>,
    /// For what callers ask.
    commands: Arc<Connection>,
    saves: Gathering<Saves>,
    deletes: Gathering<Deletes>,
    finds: Gathering<Finds>,
    /// For what the listener does, so that neither waits for the other.
    reaping: Arc<Connection>,
    renewals: Arc<Renewals>,
    follower: Follower,
    watcher: Follower,
}

impl Valkey {
    /// Connects, and checks that the server will do.
    pub(crate) async fn connect(
        url: &str,
        deadline: Duration,
        leave_flags: bool,
        certificates: &Certificates,
    ) -> Result<Self> {
        let endpoint = Endpoint::new(url, deadline, certificates)?;
        let flags = if leave_flags { Flags::Leave } else { Flags::Add };
        let board = Arc::new(Board::default());
        let commands = Connection::new(endpoint.clone(), "commands", Arc::clone(&board));
        server::check(&commands).await?;
        let commands = Arc::new(commands);
        let reaping = Arc::new(Connection::new(endpoint.clone(), "reaping", Arc::clone(&board)));
        let renewals = Arc::new(Renewals::new(Arc::clone(&reaping), Arc::clone(&board)));
        let follower = Follower::new(endpoint.clone(), Arc::clone(&board));
        let watcher = Follower::new(endpoint.clone(), Arc::clone(&board));
        Ok(Self {
            endpoint,
            flags,
            board,
            saves: Gathering::new(Arc::clone(&commands)),
            deletes: Gathering::new(Arc::clone(&commands)),
            finds: Gathering::new(Arc::clone(&commands)),
            commands,
            reaping,
            renewals,
            follower,
            watcher,
        })
    }

    async fn repair_or_look(
        &self,
        call: Call,
        keyspace: &Keyspace,
        repair: &str,
        ids: &[String],
    ) -> Result<Value> {
        let invocation = lives(&script::REPAIR, keyspace).bytes(repair);
        let invocation = ids.iter().fold(invocation, |call, id| call.bytes(id));
        let reply = self.reaping.run(call, &invocation).await?;
        reply.map_err(|error| answer::script_error(call, keyspace, error))
    }
}

#[async_trait]
impl Backend for Valkey {
    async fn save(&self, keyspace: &Keyspace, writes: &[Write]) -> Result<Vec<Result<Saved>>> {
        self.save_all(keyspace, writes).await
    }

    async fn update(&self, keyspace: &Keyspace, updates: &[Update]) -> Result<Vec<Result<Option<Saved>>>> {
        let call = Call::write("update");
        self.each(
            call,
            CHUNK,
            updates,
            |update| request::update(keyspace, update),
            |update, reply| match reply {
                Ok(reply) => answer::updated(&reply),
                Err(error) => Err(answer::refused(call, keyspace, update.into(), error)),
            },
        )
        .await
    }

    async fn load(&self, keyspace: &Keyspace, ids: &[String], read: Read) -> Result<Vec<Option<Loaded>>> {
        self.find(keyspace, ids, read).await
    }

    async fn exists(&self, keyspace: &Keyspace, id: &str, renew: bool) -> Result<bool> {
        let call = Call::read("exists");
        let key = keyspace.entity_key(id);
        if !renew {
            let reply = self.commands.command(call, redis::cmd("EXISTS").arg(key)).await?;
            return Ok(reply::integer(&reply).ok_or_else(|| reply::unexpected(call.operation))? == 1);
        }
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        pipeline
            .cmd("HGET")
            .arg(&key)
            .arg(reply::IDLE)
            .cmd("PTTL")
            .arg(&key);
        let replies = self.commands.pipeline(call, &pipeline).await?;
        let [span, left] = <[_; 2]>::try_from(replies).map_err(|_| reply::unexpected(call.operation))?;
        let span = span.map_err(|error| answer::collision(call, keyspace, id, error))?;
        let left = left.map_err(|error| call.fault(error))?;
        let left = reply::integer(&left).ok_or_else(|| reply::unexpected(call.operation))?;
        let left = answer::time_to_live(left);
        if let Some(span) = reply::span(&span)
            && left != TimeToLive::Missing
        {
            self.renewals.used(keyspace, id, span, Some(left)).await;
        }
        Ok(left != TimeToLive::Missing)
    }

    async fn time_to_live(&self, keyspace: &Keyspace, id: &str) -> Result<TimeToLive> {
        let call = Call::read("time to live");
        let reply = self
            .commands
            .command(call, redis::cmd("PTTL").arg(keyspace.entity_key(id)))
            .await?;
        Ok(answer::time_to_live(
            reply::integer(&reply).ok_or_else(|| reply::unexpected(call.operation))?,
        ))
    }

    async fn count(&self, keyspace: &Keyspace) -> Result<u64> {
        let call = Call::read("count");
        let reply = self
            .commands
            .run(call, &script::COUNT.on(keyspace.base()))
            .await?;
        let reply = reply.map_err(|error| answer::script_error(call, keyspace, error))?;
        let count = reply::integer(&reply).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| reply::unexpected(call.operation))
    }

    async fn select(&self, keyspace: &Keyspace, select: &Select) -> Result<Selected> {
        let call = Call::read("find");
        if select.loose
            && Selected::is_unordered(select)
            && let Some(command) = indexing::sets(keyspace, &select.plan)
        {
            let reply = self.commands.command(call, &command).await;
            return answer::members(reply.map_err(|error| answer::id_set_collision(keyspace, error))?);
        }
        let reply = self
            .commands
            .run(call, &indexing::select(keyspace, select))
            .await?;
        let reply = reply.map_err(|error| answer::script_error(call, keyspace, error))?;
        answer::selected(reply, select)
    }

    async fn delete_where(&self, keyspace: &Keyspace, plan: &Plan, ids: &[String]) -> Result<u64> {
        let call = Call::write("delete");
        let mut deleted = 0;
        for chunk in ids.chunks(CHUNK) {
            let invocation = indexing::of_plan(&script::DELETE_WHERE, keyspace, plan, chunk);
            let reply = self.commands.run(call, &invocation).await?;
            let reply = reply.map_err(|error| answer::script_error(call, keyspace, error))?;
            let count = reply::integer(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
            deleted += count.unsigned_abs();
        }
        Ok(deleted)
    }

    async fn tidy(&self, keyspace: &Keyspace, plan: &Plan, ids: &[String]) -> Result<()> {
        let call = Call::write("repair");
        for chunk in ids.chunks(CHUNK) {
            let invocation = indexing::of_plan(&script::TIDY, keyspace, plan, chunk);
            let reply = self.reaping.run(call, &invocation).await?;
            reply.map_err(|error| answer::script_error(call, keyspace, error))?;
        }
        Ok(())
    }

    async fn inspect(&self, keyspace: &Keyspace, inspect: &Inspect) -> Result<Inspected> {
        self.look(keyspace, inspect).await
    }

    async fn scan(&self, keyspace: &Keyspace, cursor: Option<&str>, count: usize) -> Result<ScanPage> {
        let call = Call::read("find all");
        if let Some(cursor) = cursor.filter(|cursor| cursor.parse::<u64>().is_err()) {
            return Err(Error::InvalidSetting {
                what: "cursor",
                name: cursor.to_owned(),
                reason: "it is not one that was returned with an earlier slice; begin without one".into(),
            });
        }
        let mut command = redis::cmd("SSCAN");
        command
            .arg(keyspace.base())
            .arg(cursor.unwrap_or("0"))
            .arg("COUNT")
            .arg(count.max(1));
        let reply = self
            .commands
            .command(call, &command)
            .await
            .map_err(|error| answer::id_set_collision(keyspace, error))?;
        let (next, ids) = reply::page(call.operation, reply)?;
        // An id that is no text cannot be one of ours, nor can it be asked for.
        let ids = ids.into_iter().filter_map(reply::text).collect();
        Ok(ScanPage::new(ids, Some(next).filter(|next| next != "0")))
    }

    async fn delete(&self, keyspace: &Keyspace, deletes: &[Delete]) -> Result<Vec<Result<bool>>> {
        self.delete_all(keyspace, deletes).await
    }

    async fn take(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Loaded>> {
        let call = Call::write("take");
        let reply = self.commands.run(call, &request::take(keyspace, id)).await?;
        let reply = reply.map_err(|error| answer::script_error(call, keyspace, error))?;
        answer::with_term(reply, keyspace, id)
    }

    async fn gone(&self, keyspace: &Keyspace, ids: &[String]) -> Result<Vec<String>> {
        let call = Call::read("look for what is gone");
        let mut gone = Vec::new();
        for chunk in ids.chunks(CHUNK) {
            let Value::Array(found) = self.repair_or_look(call, keyspace, "0", chunk).await? else {
                return Err(reply::unexpected(call.operation));
            };
            gone.extend(found.into_iter().filter_map(reply::text));
        }
        Ok(gone)
    }

    async fn repair(&self, keyspace: &Keyspace, ids: &[String]) -> Result<Repaired> {
        let call = Call::write("repair");
        let mut repaired = Repaired::default();
        for chunk in ids.chunks(CHUNK) {
            let reply = self.repair_or_look(call, keyspace, "1", chunk).await?;
            let [events, cleaned] =
                reply::integers(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
            repaired.events += events.unsigned_abs();
            repaired.cleaned += cleaned.unsigned_abs();
        }
        Ok(repaired)
    }

    async fn reap(&self, keyspace: &Keyspace, reap: &Reap) -> Result<Reaped> {
        let call = Call::write("reap");
        let (token, length) = reap
            .lease
            .as_ref()
            .map_or(("", 0), |lease| (lease.token.as_str(), lease.length));
        let invocation = lives(&script::REAP, keyspace).number(reap.limit as u64);
        let invocation = invocation
            .bytes(if reap.trim { "1" } else { "0" })
            .bytes(token)
            .number(length);
        let invocation = reap.expired.iter().fold(invocation, |call, id| call.bytes(id));
        let reply = self
            .reaping
            .run(call, &invocation)
            .await?
            .map_err(|error| answer::script_error(call, keyspace, error))?;
        let [leader, events, due, wait, named, now] =
            reply::integers(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
        let wait = u64::try_from(wait).ok().map(Duration::from_millis);
        let reaped = Reaped::new(leader == 1, events.unsigned_abs(), due > 0, wait);
        Ok(reaped
            .counting(named.unsigned_abs(), due.unsigned_abs())
            .at(now.unsigned_abs()))
    }

    async fn release(&self, keyspace: &Keyspace, token: &str) -> Result<()> {
        let call = Call::write("release");
        let reply = self
            .reaping
            .run(call, &script::RELEASE.on(keyspace.base()).bytes(token))
            .await?;
        reply
            .map(drop)
            .map_err(|error| answer::script_error(call, keyspace, error))
    }

    async fn log_end(&self, keyspace: &Keyspace) -> Result<Position> {
        stream::end(&self.commands, keyspace).await
    }

    async fn read_log(&self, keyspace: &Keyspace, after: Position, limit: usize) -> Result<LogPage> {
        stream::read(&self.reaping, keyspace, after, limit).await
    }

    async fn follow_log(&self, tails: &[(Arc<Keyspace>, Position)]) -> Result<Vec<(usize, LogEntry)>> {
        self.follower.follow(tails, stream::EVENTS).await
    }

    async fn watch_log(&self, tails: &[(Arc<Keyspace>, Position)]) -> Result<Vec<(usize, Position)>> {
        stream::watch(&self.watcher, &self.reaping, tails).await
    }

    async fn listen(&self, sink: Arc<dyn TriggerSink>) -> Result<Guard> {
        listener::start(self.endpoint.clone(), self.flags, sink, Arc::clone(&self.board)).await
    }

    fn track(self: Arc<Self>, sink: Arc<dyn InvalidationSink>) -> Result<Arc<dyn TrackedReads>> {
        let (endpoint, board) = (self.endpoint.clone(), Arc::clone(&self.board));
        let reads = Tracking::new(endpoint, board, Arc::clone(&self.renewals), sink)?;
        Ok(Arc::new(reads))
    }

    async fn ping(&self) -> Result<()> {
        // The one question that no user can be forbidden to ask.
        let answer = self
            .commands
            .command(Call::read("ping"), &Hello::question())
            .await;
        answer.map(drop)
    }

    fn status(&self) -> BackendStatus {
        self.board.read()
    }

    async fn due(&self, keyspaces: &[Arc<Keyspace>]) -> Result<Due> {
        let call = Call::read("ask what is due");
        let invocations: Vec<_> = keyspaces
            .iter()
            .map(|keyspace| script::DUE.on(keyspace.base()))
            .collect();
        if invocations.is_empty() {
            return Ok(Due::default());
        }
        let replies = self.commands.run_all(call, &invocations).await?;
        keyspaces
            .iter()
            .zip(replies)
            .try_fold(Due::default(), |sum, (keyspace, reply)| {
                let reply = reply.map_err(|error| answer::script_error(call, keyspace, error))?;
                let [entities, longest] =
                    reply::integers(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
                let longest = Duration::from_millis(longest.unsigned_abs());
                Ok(sum.and(Due::new(entities.unsigned_abs(), longest)))
            })
    }
}
