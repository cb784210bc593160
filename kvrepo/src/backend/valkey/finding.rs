//! Reads by id: those of callers who come at the same moment are sent as one.

use redis::{Pipeline, RedisResult, Value};

use super::batch::ended;
use super::connection::{Call, Connection};
use super::gathering::Batch;
use super::{Valkey, answer, request};
use crate::backend::{Keyspace, Loaded, Read};
use crate::error::Result;

const FIND: Call = Call::read("find");

/// How many entities are read in one pipeline: their commands are cheap for the server, which answers others in between.
const LOADED: usize = 1024;

/// What several callers look for.
#[derive(Default)]
pub(super) struct Finds(Vec<Wanted>);

/// An entity that is looked for.
struct Wanted {
    key: String,
    /// Whether its term is asked for as well.
    with_term: bool,
}

impl Wanted {
    fn ask(&self, pipeline: &mut Pipeline) {
        if self.with_term {
            request::with_term(pipeline, &self.key);
        } else {
            pipeline.cmd("HGETALL").arg(&self.key);
        }
    }

    /// Its own of the replies to a pipeline: the last of so many.
    fn take(&self, replies: &mut impl Iterator<Item = RedisResult<Value>>) -> RedisResult<Value> {
        let count = if self.with_term { request::WITH_TERM } else { 1 };
        replies.take(count).last().unwrap_or(Ok(Value::Nil))
    }
}

/// The replies to what is wanted, in one round trip.
async fn replies(connection: &Connection, wanted: &[Wanted]) -> Result<Vec<RedisResult<Value>>> {
    if let [
        Wanted {
            key,
            with_term: false,
        },
    ] = wanted
    {
        let mut command = redis::cmd("HGETALL");
        return Ok(vec![connection.one(FIND, command.arg(key)).await?]);
    }
    let mut pipeline = redis::pipe();
    pipeline.ignore_errors();
    for one in wanted {
        one.ask(&mut pipeline);
    }
    let mut replies = connection.pipeline(FIND, &pipeline).await?.into_iter();
    Ok(wanted.iter().map(|one| one.take(&mut replies)).collect())
}

impl Batch for Finds {
    type Answer = Result<RedisResult<Value>>;

    async fn send(self, connection: &Connection) -> Vec<Self::Answer> {
        match replies(connection, &self.0).await {
            Ok(replies) => replies.into_iter().map(Ok).collect(),
            Err(error) => self.0.iter().map(|_| Err(error.again())).collect(),
        }
    }
}

impl Valkey {
    pub(super) async fn find(
        &self,
        keyspace: &Keyspace,
        ids: &[String],
        read: Read,
    ) -> Result<Vec<Option<Loaded>>> {
        let with_term = read.term || (read.renew && read.idle);
        let wanted = |id: &String| Wanted {
            key: keyspace.entity_key(id),
            with_term,
        };
        let mut found = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(LOADED) {
            let replies = match chunk {
                [id] => vec![self.find_one(wanted(id)).await?],
                _ => {
                    let wanted: Vec<_> = chunk.iter().map(wanted).collect();
                    replies(&self.commands, &wanted).await?
                }
            };
            for (id, reply) in chunk.iter().zip(replies) {
                let reply = reply.map_err(|error| answer::collision(FIND, keyspace, id, error))?;
                let loaded = if with_term {
                    answer::with_term(reply, keyspace, id)
                } else {
                    answer::without_term(&reply)
                }?;
                if read.renew
                    && let Some(loaded) = &loaded
                    && let Some(span) = loaded.idle
                {
                    let left = with_term.then_some(loaded.remaining);
                    self.renewals.used(keyspace, id, span, left).await;
                }
                found.push(loaded);
            }
        }
        Ok(found)
    }

    async fn find_one(&self, wanted: Wanted) -> Result<RedisResult<Value>> {
        let answer = self
            .finds
            .ask(|_| true, Finds::default, |finds| finds.0.push(wanted));
        answer.await.unwrap_or_else(|| Err(ended(FIND)))
    }
}
