//! The scripts, and how they are sent.

use std::sync::LazyLock;

use redis::{Cmd, Pipeline, RedisResult, Value};

use super::connection::{Call, Connection};
use super::fault;
use crate::error::Result;

/// A Lua script: one atomic step.
#[derive(Debug)]
pub(super) struct Script {
    body: &'static str,
    hash: String,
}

macro_rules! script {
    ($(#[$doc:meta])* $name:ident = $($file:literal)+) => {
        $(#[$doc])*
        pub(super) static $name: LazyLock<Script> =
            LazyLock::new(|| Script::new(concat!($(include_str!(concat!("scripts/", $file))),+)));
    };
}

script!(SAVE = "life.lua" "save.lua");
script!(DELETE = "life.lua" "delete.lua");
script!(REPAIR = "life.lua" "repair.lua");
script!(REAP = "life.lua" "reap.lua");
script!(COUNT = "count.lua");
script!(RELEASE = "release.lua");

impl Script {
    fn new(body: &'static str) -> Self {
        Self {
            body,
            hash: redis::Script::new(body).get_hash().to_owned(),
        }
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
    Number(u64),
}

impl<'a> Invocation<'a> {
    pub(super) fn bytes(mut self, bytes: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        self.arguments.push(Argument::Bytes(bytes.as_ref()));
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        self.arguments.push(Argument::Number(number));
        self
    }

    pub(super) fn fields(mut self, fields: impl ExactSizeIterator<Item = (&'a str, &'a [u8])>) -> Self {
        self.arguments.reserve(2 * fields.len());
        for (path, value) in fields {
            self.arguments.push(Argument::Bytes(path.as_bytes()));
            self.arguments.push(Argument::Bytes(value));
        }
        self
    }

    fn command(&self, name: &str, script: &str) -> Cmd {
        let mut command = redis::cmd(name);
        command.arg(script).arg(1).arg(self.base);
        for argument in &self.arguments {
            match argument {
                Argument::Bytes(bytes) => command.arg(*bytes),
                Argument::Number(number) => command.arg(*number),
            };
        }
        command
    }

    fn by_hash(&self) -> Cmd {
        self.command("EVALSHA", &self.script.hash)
    }

    /// With the text, which the server then knows. Only ever sent after it said that it did not run the script.
    fn by_text(&self) -> Cmd {
        self.command("EVAL", self.script.body)
    }
}

impl Connection {
    /// Runs a script: one round trip, two if the server did not know it.
    pub(super) async fn run(&self, call: Call, invocation: &Invocation<'_>) -> Result<RedisResult<Value>> {
        let mut results = self.run_all(call, std::slice::from_ref(invocation)).await?;
        // One call has one result; the client would have failed as a whole otherwise.
        Ok(results.pop().unwrap_or(Ok(Value::Nil)))
    }

    /// Runs scripts in one pipeline. The inner results are those of the calls, in their order; only those that the
    /// server did not know, and so did not run, are sent again.
    pub(super) async fn run_all(
        &self,
        call: Call,
        invocations: &[Invocation<'_>],
    ) -> Result<Vec<RedisResult<Value>>> {
        let mut results = self
            .pipeline(call, &pipeline(invocations.iter().map(Invocation::by_hash)))
            .await?;
        let unknown =
            |result: &RedisResult<Value>| matches!(result, Err(error) if fault::is_no_script(error));
        let again: Vec<usize> = (0..results.len())
            .filter(|i| results.get(*i).is_some_and(unknown))
            .collect();
        if again.is_empty() {
            return Ok(results);
        }
        let commands = again
            .iter()
            .filter_map(|i| invocations.get(*i))
            .map(Invocation::by_text);
        let second = self.pipeline(call, &pipeline(commands)).await?;
        for (i, result) in again.into_iter().zip(second) {
            if let Some(slot) = results.get_mut(i) {
                *slot = result;
            }
        }
        Ok(results)
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
