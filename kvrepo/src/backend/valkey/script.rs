//! The scripts, and how they are sent.

use std::sync::LazyLock;

use redis::{Arg, Cmd, Pipeline, RedisError, Value};

use super::connection::{Call, Connection};
use super::fault;
use crate::error::{Error, Result};

/// A Lua script: one atomic step.
#[derive(Debug)]
pub(super) struct Script {
    body: &'static str,
    hash: String,
}

macro_rules! script {
    ($(#[$doc:meta])* $name:ident = $flags:literal, $($file:literal)+) => {
        $(#[$doc])*
        pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!("#!lua ", $flags, "\n", $(include_str!(concat!("scripts/", $file))),+))
        });
    };
}

// With a first line of this form the server checks its memory before a script begins, and not at the first command
// that needs some, when others may have been executed. What gives memory back runs all the same.
script!(SAVE = "", "usual_save.lua" "save_one.lua" "stream.lua" "life.lua" "write.lua" "index.lua" "save.lua");
script!(SAVE_MANY = "", "usual_save.lua" "save_many.lua");
script!(UPDATE = "", "usual_update.lua" "stream.lua" "life.lua" "write.lua" "index.lua" "update.lua");
script!(SELECT = "flags=no-writes,allow-oom", "stream.lua" "life.lua" "write.lua" "index.lua" "plan.lua" "select.lua");
script!(DELETE_WHERE = "flags=allow-oom", "stream.lua" "life.lua" "write.lua" "index.lua" "plan.lua" "delete_where.lua");
script!(DELETE_MANY = "flags=allow-oom", "usual_delete.lua" "delete_many.lua");
script!(DELETE = "flags=allow-oom", "usual_delete.lua" "delete_one.lua" "stream.lua" "life.lua" "write.lua" "delete.lua");
script!(RENEW = "flags=allow-oom", "stream.lua" "life.lua" "write.lua" "renew.lua");
script!(REPAIR = "flags=allow-oom", "stream.lua" "life.lua" "repair.lua");
script!(REAP = "flags=allow-oom", "stream.lua" "life.lua" "reap.lua");
script!(TIDY = "flags=allow-oom", "stream.lua" "life.lua" "write.lua" "index.lua" "plan.lua" "tidy.lua");
script!(INSPECT = "flags=allow-oom", "stream.lua" "life.lua" "write.lua" "index.lua" "inspect.lua");
script!(RESIDUE = "flags=allow-oom", "stream.lua" "life.lua" "write.lua" "residue.lua");
script!(DUE = "flags=no-writes,allow-oom", "due.lua");
script!(COUNT = "flags=no-writes,allow-oom", "count.lua");
script!(RELEASE = "flags=allow-oom", "release.lua");
script!(JOIN_GROUP = "flags=allow-oom", "stream.lua" "group.lua" "join_group.lua");
script!(CLAIM = "flags=allow-oom", "stream.lua" "group.lua" "claim.lua");
script!(ACKNOWLEDGE = "flags=allow-oom", "stream.lua" "group.lua" "acknowledge.lua");
script!(GIVE_BACK = "flags=allow-oom", "stream.lua" "group.lua" "give_back.lua");
script!(LEAVE_GROUP = "flags=allow-oom", "stream.lua" "group.lua" "leave_group.lua");
script!(REPLAY = "flags=allow-oom", "stream.lua" "group.lua" "replay.lua");
script!(DELETE_GROUP = "flags=allow-oom", "stream.lua" "group.lua" "delete_group.lua");

impl Script {
    fn new(body: &'static str) -> Self {
        Self {
            body,
            hash: redis::Script::new(body).get_hash().to_owned(),
        }
    }

    /// The beginning of a call, to which its arguments are added by hand.
    pub(super) fn begin(&self, base: &str) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(&self.hash).arg(1).arg(base);
        command
    }

    /// Sends a call that was [begun](Self::begin): one round trip, two if the server did not know the script.
    pub(super) async fn send(
        &self,
        connection: &Connection,
        call: Call,
        command: &Cmd,
    ) -> Result<Result<Value, RunError>> {
        let reply = match connection.one(call, command).await? {
            Err(error) if fault::is_no_script(&error) => connection.one(call, &self.by_text(command)).await?,
            reply => reply,
        };
        Ok(reply.map_err(RunError::Refused))
    }

    /// The same call with the text, which the server then knows. Only ever sent after it said that it did not run the script.
    fn by_text(&self, by_hash: &Cmd) -> Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(self.body);
        for argument in by_hash.args_iter().skip(2) {
            if let Arg::Simple(bytes) = argument {
                command.arg(bytes);
            }
        }
        command
    }

    /// One call of the script on the keyspace whose keys begin with `base`.
    pub(super) fn on<'a>(&'a self, base: &'a str) -> Invocation<'a> {
        Invocation {
            script: self,
            base,
            arguments: Vec::new(),
        }
    }
}

/// One call of a script.
#[derive(Debug)]
pub(super) struct Invocation<'a> {
    script: &'a Script,
    base: &'a str,
    arguments: Vec<Argument<'a>>,
}

#[derive(Debug)]
enum Argument<'a> {
    Bytes(&'a [u8]),
    Owned(Vec<u8>),
    Number(u64),
    Signed(i128),
}

impl Argument<'_> {
    /// How many bytes it has at most.
    fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Owned(bytes) => bytes.len(),
            Self::Number(_) => 20,
            Self::Signed(_) => 40,
        }
    }
}

impl<'a> Invocation<'a> {
    pub(super) fn bytes(mut self, bytes: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.arguments.push(Argument::Bytes(bytes.as_ref()));
        self
    }

    pub(super) fn owned(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.arguments.push(Argument::Owned(bytes.into()));
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        self.arguments.push(Argument::Number(number));
        self
    }

    pub(super) fn signed(mut self, number: i128) -> Self {
        self.arguments.push(Argument::Signed(number));
        self
    }

    pub(super) fn flag(self, flag: bool) -> Self {
        self.bytes(if flag { "1" } else { "0" })
    }

    pub(super) fn fields(mut self, fields: impl ExactSizeIterator<Item = (&'a str, &'a [u8])>) -> Self {
        self.arguments.reserve(2 * fields.len());
        for (path, value) in fields {
            self.arguments.push(Argument::Bytes(path.as_bytes()));
            self.arguments.push(Argument::Bytes(value));
        }
        self
    }

    /// The arguments of another call behind those of this, and before them how many they are.
    pub(super) fn counted(mut self, other: Self) -> Self {
        self.arguments
            .push(Argument::Number(other.arguments.len() as u64));
        self.arguments.extend(other.arguments);
        self
    }

    /// How many bytes the arguments have at most.
    pub(super) fn size(&self) -> usize {
        self.arguments.iter().map(Argument::size).sum()
    }

    /// Adds the arguments to a command, and before them how many they are.
    pub(super) fn count_into(&self, command: &mut Cmd) {
        command.arg(self.arguments.len());
        self.write(command);
    }

    fn write(&self, command: &mut Cmd) {
        for argument in &self.arguments {
            match argument {
                Argument::Bytes(bytes) => command.arg(*bytes),
                Argument::Owned(bytes) => command.arg(bytes),
                Argument::Number(number) => command.arg(*number),
                Argument::Signed(number) => command.arg(number.to_string()),
            };
        }
    }

    fn by_hash(&self) -> Cmd {
        let mut command = self.script.begin(self.base);
        self.write(&mut command);
        command
    }
}

impl Connection {
    /// Runs a script: one round trip, two if the server did not know it.
    pub(super) async fn run(
        &self,
        call: Call,
        invocation: &Invocation<'_>,
    ) -> Result<Result<Value, RunError>> {
        invocation.script.send(self, call, &invocation.by_hash()).await
    }

    /// Runs scripts in one pipeline. The inner results are those of the calls, in their order; only those that the
    /// server did not know, and so did not run, are sent again.
    pub(super) async fn run_all(
        &self,
        call: Call,
        invocations: &[Invocation<'_>],
    ) -> Result<Vec<Result<Value, RunError>>> {
        if let [invocation] = invocations {
            return Ok(vec![self.run(call, invocation).await?]);
        }
        let first = self
            .pipeline(call, &pipeline(invocations.iter().map(Invocation::by_hash)))
            .await?;
        let mut results: Vec<_> = first
            .into_iter()
            .map(|result| result.map_err(RunError::Refused))
            .collect();
        loop {
            let unknown = results.iter().enumerate().filter(
                |(_, result)| matches!(result, Err(RunError::Refused(error)) if fault::is_no_script(error)),
            );
            let again: Vec<usize> = unknown.map(|(i, _)| i).collect();
            if again.is_empty() {
                return Ok(results);
            }
            // The first brings the text, and the others find it known; but for a server that forgets it in between,
            // and still one call more is done each time around.
            let calls = again.iter().filter_map(|i| invocations.get(*i)).enumerate();
            let commands = calls.map(|(nth, invocation)| {
                let by_hash = invocation.by_hash();
                if nth == 0 {
                    invocation.script.by_text(&by_hash)
                } else {
                    by_hash
                }
            });
            match self.pipeline(call, &pipeline(commands)).await {
                Ok(second) => {
                    for (i, result) in again.into_iter().zip(second) {
                        if let Some(slot) = results.get_mut(i) {
                            *slot = result.map_err(RunError::Refused);
                        }
                    }
                }
                // What the first pipeline has done is done.
                Err(error) if again.len() < results.len() => {
                    for i in again {
                        if let Some(slot) = results.get_mut(i) {
                            *slot = Err(RunError::Lost(error.again()));
                        }
                    }
                    return Ok(results);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Why one call of several has no reply.
#[derive(Debug)]
pub(super) enum RunError {
    /// The server refused it.
    Refused(RedisError),
    /// It was sent again, or with others, and that failed.
    Lost(Error),
}

impl RunError {
    /// The same for another call that was sent with this one.
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Refused(error) => Self::Refused(error.clone()),
            Self::Lost(error) => Self::Lost(error.again()),
        }
    }
}

fn pipeline(commands: impl Iterator<Item = Cmd>) -> Pipeline {
    let mut pipeline = redis::pipe();
    pipeline.ignore_errors();
    for command in commands {
        pipeline.add_command(command);
    }
    pipeline
}
