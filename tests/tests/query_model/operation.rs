//! What a sequence is made of, and running it.

use std::fmt;
use std::time::Duration;

use kvrepo::{Error, Repository};

use crate::call::call;
use crate::change::Change;
use crate::oracle::Oracle;
use crate::query::{Part, Query, Source};
use crate::site::Site;
use crate::thing::Thing;

/// Each operation with who does it, of two processes.
#[derive(Debug, Clone)]
pub(crate) struct Sequence(pub(crate) Vec<(usize, Operation)>);

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Find(Query),
    Save(Thing, Term),
    Insert(Thing, Term),
    SaveAll(Vec<Thing>, Term),
    Update(&'static str, Vec<Change>, Term),
    UpdateWith(&'static str, Vec<Change>),
    Delete(&'static str),
    Expire(&'static str, Duration),
    Persist(&'static str),
    Pass(Duration),
    Sweep,
    Verify,
    Rebuild,
    DeleteAll,
}

/// What a call says of the term.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    Unset,
    Ttl(Duration),
    Persistent,
    Keep,
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, (who, operation)) in self.0.iter().enumerate() {
            writeln!(f, "{step:>4}  {} {operation:?}", ["A", "B"][*who])?;
        }
        Ok(())
    }
}

/// Runs a sequence, and holds each answer against the oracle. The error says what went wrong, and where.
pub(crate) async fn run(site: &Site<'_>, sequence: &Sequence) -> Result<(), String> {
    let failed = |error: Error| format!("{error:?}");
    let processes = [
        site.open().await.map_err(failed)?.repository(),
        site.open().await.map_err(failed)?.repository(),
    ];
    let mut oracle = Oracle::default();
    for (step, (who, operation)) in sequence.0.iter().enumerate() {
        answer(site, &processes[*who], &mut oracle, operation)
            .await
            .map_err(|wrong| format!("at step {step}, {operation:?}:\n{wrong}"))?;
    }
    let everything = Query {
        source: Source::All,
        sort: None,
        limit: None,
        part: Part::All,
    };
    // What is left of anything would be found by looking at all of it, and is on the server when nothing else is.
    for operation in [
        Operation::Find(everything),
        Operation::Rebuild,
        Operation::DeleteAll,
        Operation::Sweep,
        Operation::Verify,
    ] {
        answer(site, &processes[0], &mut oracle, &operation)
            .await
            .map_err(|wrong| format!("at the end, {operation:?}:\n{wrong}"))?;
    }
    match &site.left().await[..] {
        [] => Ok(()),
        left => Err(format!("when all was deleted, there was left {left:?}")),
    }
}

async fn answer(
    site: &Site<'_>,
    things: &Repository<Thing>,
    oracle: &mut Oracle,
    operation: &Operation,
) -> Result<(), String> {
    if let Operation::Pass(time) = operation {
        site.pass(*time).await;
    }
    oracle.pass(site.now());
    let expected = oracle.answer(operation);
    let answer = call(things, operation).await;
    if site.is_too_slow() {
        return Err("this machine is too slow: the sequence proves nothing".to_owned());
    }
    if !answer.agrees(&expected) {
        return Err(format!("it answered\n    {answer:?}\nand not\n    {expected:?}"));
    }
    Ok(())
}
