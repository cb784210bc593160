//! Groups: the stream's own, with what they lack done in scripts.

use async_trait::async_trait;
use redis::Value;

use super::connection::Call;
use super::script::{self, Invocation, Script};
use super::{CHUNK, Valkey, answer, fault, reply, stream};
use crate::backend::{Claim, Claimed, Delivered, Groups, Keyspace, Member, ParkedEntry, Position, Receipt};
use crate::error::{Error, Result};

/// The stream of the events that were put aside for a group.
fn aside_key(keyspace: &Keyspace, group: &str) -> String {
    format!("{}#parked:{group}", keyspace.base())
}

impl Valkey {
    /// Runs a script about a group.
    async fn about_group(
        &self,
        call: Call,
        keyspace: &Keyspace,
        invocation: Invocation<'_>,
    ) -> Result<Value> {
        let reply = self.reaping.run(call, &invocation).await?;
        reply.map_err(|error| answer::script_error(call, keyspace, error))
    }

    /// Runs a script about a group that replies a number, in portions; the sum.
    async fn each_portion<'a, I: Sync>(
        &self,
        call: Call,
        keyspace: &'a Keyspace,
        items: &'a [I],
        invocation: impl Fn(&'a [I]) -> Invocation<'a> + Send + Sync,
    ) -> Result<u64> {
        let mut sum = 0;
        for portion in items.chunks(CHUNK) {
            let reply = self.about_group(call, keyspace, invocation(portion)).await?;
            let count = reply::integer(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
            sum += count.unsigned_abs();
        }
        Ok(sum)
    }
}

fn of<'a>(script: &'a Script, keyspace: &'a Keyspace, group: &'a str) -> Invocation<'a> {
    script.on(keyspace.base()).bytes(group)
}

fn receipts<'a>(call: Invocation<'a>, receipts: &[Receipt]) -> Invocation<'a> {
    receipts.iter().fold(call, |call, receipt| {
        let (aside, position) = match receipt {
            Receipt::Log(position) => (false, position),
            Receipt::Parked(place) => (true, place),
        };
        call.flag(aside).owned(position.to_string())
    })
}

fn places<'a>(call: Invocation<'a>, places: &[Position]) -> Invocation<'a> {
    places
        .iter()
        .fold(call, |call, place| call.owned(place.to_string()))
}

/// `1700000000000-0 1700000000001-0`
fn gap(text: &str) -> Option<(Position, Position)> {
    let (from, to) = text.split_once(' ')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// An event of `claim.lua`'s reply.
fn delivered(value: Value) -> Option<Delivered> {
    let Value::Array(parts) = value else { return None };
    let [aside, count, entry] = <[Value; 3]>::try_from(parts).ok()?;
    let deliveries = u32::try_from(reply::integer(&count)?).ok()?;
    if reply::integer(&aside)? == 1 {
        let parked = reply::parked(entry)?;
        let receipt = Receipt::Parked(parked.place);
        return Some(Delivered::new(parked.entry, deliveries, receipt));
    }
    let entry = reply::entry(entry)?;
    let receipt = Receipt::Log(entry.position);
    Some(Delivered::new(entry, deliveries, receipt))
}

fn claimed(value: Value) -> Option<Claimed> {
    let Value::Array(parts) = value else { return None };
    let mut parts = parts.into_iter();
    let [lost, parked, more] = [parts.next()?, parts.next()?, parts.next()?];
    Some(Claimed {
        lost: gap(&reply::text(lost)?),
        parked: reply::integer(&parked)?.unsigned_abs(),
        more: reply::integer(&more)? == 1,
        events: parts.map(delivered).collect::<Option<_>>()?,
    })
}

#[async_trait]
impl Groups for Valkey {
    async fn join_group(&self, keyspace: &Keyspace, group: &str, from: Option<Position>) -> Result<bool> {
        let call = Call::write("join a group");
        let from = from.map_or_else(String::new, |position| position.to_string());
        let invocation = of(&script::JOIN_GROUP, keyspace, group).owned(from);
        let reply = self.about_group(call, keyspace, invocation).await?;
        Ok(reply::integer(&reply) == Some(1))
    }

    async fn read_group(
        &self,
        keyspace: &Keyspace,
        member: &Member,
        limit: usize,
    ) -> Result<Option<Vec<Delivered>>> {
        let call = Call::write("read events");
        let mut command = redis::cmd("XREADGROUP");
        command
            .arg("GROUP")
            .arg(&member.group)
            .arg(&member.consumer)
            .arg("COUNT")
            .arg(limit)
            .arg("STREAMS")
            .arg(stream::log_key(keyspace))
            .arg(">");
        let reply = match self.reaping.command(call, &command).await {
            Ok(reply) => reply,
            Err(Error::Backend { source, .. }) if source.downcast_ref().is_some_and(fault::is_no_group) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let streams = reply::streams(reply).ok_or_else(|| reply::unexpected(call.operation))?;
        let entries = streams.into_iter().flat_map(|(_, entries)| entries);
        let first = |entry: crate::backend::LogEntry| {
            let receipt = Receipt::Log(entry.position);
            Delivered::new(entry, 1, receipt)
        };
        Ok(Some(entries.map(first).collect()))
    }

    async fn claim(&self, keyspace: &Keyspace, member: &Member, claim: &Claim) -> Result<Option<Claimed>> {
        let call = Call::write("claim events");
        let invocation = of(&script::CLAIM, keyspace, &member.group)
            .bytes(&member.consumer)
            .number(claim.after)
            .number(claim.max_deliveries.into())
            .number(claim.limit as u64)
            .flag(claim.tidy);
        match self.about_group(call, keyspace, invocation).await? {
            Value::Nil => Ok(None),
            reply => {
                let claimed = claimed(reply).ok_or_else(|| reply::unexpected(call.operation))?;
                Ok(Some(claimed))
            }
        }
    }

    async fn acknowledge(&self, keyspace: &Keyspace, group: &str, noted: &[Receipt]) -> Result<u64> {
        let call = Call::write("acknowledge events");
        let in_log = noted.iter().map(|receipt| match receipt {
            Receipt::Log(position) => Some(position.to_string()),
            Receipt::Parked(_) => None,
        });
        if let Some(positions) = in_log.collect::<Option<Vec<_>>>()
            && !positions.is_empty()
        {
            let mut command = redis::cmd("XACK");
            command.arg(stream::log_key(keyspace)).arg(group).arg(positions);
            let reply = self.reaping.command(call, &command).await?;
            let count = reply::integer(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
            return Ok(count.unsigned_abs());
        }
        self.each_portion(call, keyspace, noted, |portion| {
            receipts(of(&script::ACKNOWLEDGE, keyspace, group), portion)
        })
        .await
    }

    async fn give_back(&self, keyspace: &Keyspace, member: &Member, given: &[Receipt]) -> Result<()> {
        let call = Call::write("give events back");
        self.each_portion(call, keyspace, given, |portion| {
            let invocation = of(&script::GIVE_BACK, keyspace, &member.group).bytes(&member.consumer);
            receipts(invocation, portion)
        })
        .await
        .map(drop)
    }

    async fn leave_group(&self, keyspace: &Keyspace, member: &Member) -> Result<()> {
        let call = Call::write("leave a group");
        let invocation = of(&script::LEAVE_GROUP, keyspace, &member.group).bytes(&member.consumer);
        self.about_group(call, keyspace, invocation).await.map(drop)
    }

    async fn parked(
        &self,
        keyspace: &Keyspace,
        group: &str,
        after: Position,
        limit: usize,
    ) -> Result<Vec<ParkedEntry>> {
        let call = Call::read("list events put aside");
        let mut command = redis::cmd("XRANGE");
        command
            .arg(aside_key(keyspace, group))
            .arg(format!("({after}"))
            .arg("+")
            .arg("COUNT")
            .arg(limit);
        let reply = self.commands.command(call, &command).await?;
        let Value::Array(entries) = reply else {
            return Err(reply::unexpected(call.operation));
        };
        let parked: Option<Vec<_>> = entries.into_iter().map(reply::parked).collect();
        parked.ok_or_else(|| reply::unexpected(call.operation))
    }

    async fn replay(&self, keyspace: &Keyspace, group: &str, replayed: &[Position]) -> Result<u64> {
        let call = Call::write("replay events");
        self.each_portion(call, keyspace, replayed, |portion| {
            places(of(&script::REPLAY, keyspace, group).flag(true), portion)
        })
        .await
    }

    async fn discard(&self, keyspace: &Keyspace, group: &str, dropped: &[Position]) -> Result<u64> {
        let call = Call::write("discard events");
        self.each_portion(call, keyspace, dropped, |portion| {
            places(of(&script::REPLAY, keyspace, group).flag(false), portion)
        })
        .await
    }

    async fn pending(&self, keyspace: &Keyspace, group: &str) -> Result<u64> {
        let call = Call::read("count events of a group");
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        for stream in [stream::log_key(keyspace), aside_key(keyspace, group)] {
            pipeline.cmd("XPENDING").arg(stream).arg(group);
        }
        let mut pending = 0;
        for reply in self.commands.pipeline(call, &pipeline).await? {
            match reply {
                // How many, the first, the last, and by whom.
                Ok(Value::Array(summary)) => {
                    let count = summary.first().and_then(reply::integer);
                    pending += count
                        .ok_or_else(|| reply::unexpected(call.operation))?
                        .unsigned_abs();
                }
                Ok(_) => return Err(reply::unexpected(call.operation)),
                Err(error) if fault::is_no_group(&error) => {}
                Err(error) => return Err(call.fault(error)),
            }
        }
        Ok(pending)
    }

    async fn delete_group(&self, keyspace: &Keyspace, group: &str) -> Result<bool> {
        let call = Call::write("delete a group");
        let invocation = of(&script::DELETE_GROUP, keyspace, group).number(keyspace.retention());
        let reply = self.about_group(call, keyspace, invocation).await?;
        Ok(reply::integer(&reply) == Some(1))
    }
}
