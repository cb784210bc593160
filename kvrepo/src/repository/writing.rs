//! What saving and inserting, of one and of many, have in common.

use std::time::Duration;

use super::{Repository, SaveOutcome, codec};
use crate::backend::{Condition, Saved, Write, WriteTerm};
use crate::entity::KvEntity;
use crate::error::{Error, ItemFailure, Result};
use crate::mapping::Record;
use crate::store::Registered;
use crate::term::{self, Term};

/// How an entity is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    pub(super) term: Term,
    pub(super) insert: bool,
    /// The version that has to be there, instead of the entity's own.
    pub(super) version: Option<u64>,
}

impl Options {
    pub(super) fn saving(term: Term) -> Self {
        Self {
            term,
            insert: false,
            version: None,
        }
    }

    pub(super) fn inserting(term: Term) -> Self {
        Self {
            insert: true,
            ..Self::saving(term)
        }
    }
}

/// How many entities of a batch are encoded at one time.
const PORTION: usize = 1024;

/// A write, and the version that its entity has when it is done.
struct Prepared {
    write: Write,
    version: Option<u64>,
}

/// All that can be refused without asking the server is refused here.
fn prepare<T: KvEntity>(registered: &Registered, entity: &mut T, options: Options) -> Result<Prepared> {
    let term = term::resolve(options.term, entity, registered.default_term)?;
    if entity.id().is_none()
        && let Some(id) = T::generate_id()
    {
        entity.set_id(id);
    }
    let id = codec::id_to_save(entity, &registered.keyspace)?;
    let absent = options.insert.then_some(Condition::Absent);
    let (record, condition, version) = match (T::SCHEMA.version_path, entity.version()) {
        (Some(path), Some(own)) => {
            let expected = if options.insert {
                0
            } else {
                options.version.unwrap_or(own)
            };
            let (record, next) = encode_at_next(entity, path, own, expected)?;
            let condition = absent.unwrap_or(Condition::Version { path, expected });
            (record, Some(condition), Some(next))
        }
        _ => (codec::encode(entity)?, absent, None),
    };
    let mut write = Write::new(&registered.keyspace, id, record, term)?;
    write.keep = options.term == Term::Keep;
    write.condition = condition;
    Ok(Prepared { write, version })
}

/// The entity as it is written behind the version `expected`. It keeps its own as long as it has not been written.
pub(super) fn encode_at_next<T: KvEntity>(
    entity: &mut T,
    path: &'static str,
    own: u64,
    expected: u64,
) -> Result<(Record, u64)> {
    let unfit = |reason| Error::Encode {
        entity: T::SCHEMA.entity,
        path: path.to_owned(),
        reason,
    };
    let next = expected
        .checked_add(1)
        .ok_or_else(|| unfit("there is no version after it".to_owned()))?;
    entity.set_version(next).map_err(unfit)?;
    let record = codec::encode(entity);
    entity.set_version(own).map_err(unfit)?;
    Ok((record?, next))
}

/// Tells an entity that was written what its version is now.
pub(super) fn advance<T: KvEntity>(entity: &mut T, version: Option<u64>) {
    if let Some(version) = version {
        // It could hold it when it was encoded.
        let _ = entity.set_version(version);
    }
}

pub(super) fn unanswered() -> Error {
    Error::Unsupported {
        what: "a backend that answers with fewer results than it was given items".into(),
    }
}

impl<T: KvEntity> Repository<T> {
    pub(super) async fn write_one(&self, entity: &mut T, options: Options) -> Result<SaveOutcome> {
        let registered = self.registered()?;
        let Prepared { write, version } = prepare(registered, entity, options)?;
        let mut results = self.write(registered, &[write]).await?;
        let saved = results.pop().unwrap_or_else(|| Err(unanswered()))?;
        advance(entity, version);
        Ok(saved.into())
    }

    pub(super) async fn write_many(&self, entities: &mut [T], options: Options) -> Result<Vec<SaveOutcome>> {
        let registered = self.registered()?;
        let total = entities.len();
        let mut outcomes = Vec::with_capacity(total);
        let mut failures = Vec::new();
        // In portions, so that what is encoded at one time is bounded.
        for (portion, entities) in entities.chunks_mut(PORTION).enumerate() {
            let (mut writes, mut written) = (
                Vec::with_capacity(entities.len()),
                Vec::with_capacity(entities.len()),
            );
            for (i, entity) in entities.iter_mut().enumerate() {
                let index = portion * PORTION + i;
                match prepare(registered, entity, options) {
                    Ok(prepared) => {
                        writes.push(prepared.write);
                        written.push((index, entity, prepared.version));
                    }
                    Err(error) => failures.push(ItemFailure::new(index, error)),
                }
            }
            let results = match self.write(registered, &writes).await {
                Ok(results) => results,
                Err(error) if portion == 0 && failures.is_empty() && total <= PORTION => return Err(error),
                Err(error) => written.iter().map(|_| Err(error.again())).collect(),
            };
            for ((index, entity, version), result) in written.into_iter().zip(results) {
                match result {
                    Ok(saved) => {
                        advance(entity, version);
                        outcomes.push(saved.into());
                    }
                    Err(error) => failures.push(ItemFailure::new(index, error)),
                }
            }
        }
        if failures.is_empty() {
            return Ok(outcomes);
        }
        failures.sort_by_key(|failure| failure.index);
        Err(Error::Batch { total, failures })
    }

    pub(super) async fn write(
        &self,
        registered: &Registered,
        writes: &[Write],
    ) -> Result<Vec<Result<Saved>>> {
        self.before_terms(registered, writes.iter().map(|write| write.term));
        let results = self.store.backend().save(&registered.keyspace, writes).await?;
        after_terms(registered, results.iter().flatten());
        Ok(results)
    }

    /// To be called before terms are given to entities: somebody has to listen, and to expect them.
    pub(super) fn before_terms(&self, registered: &Registered, terms: impl Iterator<Item = WriteTerm>) {
        let mut expire = false;
        for term in terms {
            expire |= term != WriteTerm::Persistent;
            if matches!(term, WriteTerm::Idle(_)) {
                registered.saw_idle();
            }
        }
        if expire {
            self.store.listen_in_background();
        }
    }
}

/// To be called after terms were given: the listener has to know when to come.
pub(super) fn after_terms<'s>(registered: &Registered, saved: impl Iterator<Item = &'s Saved>) {
    let nearest = saved
        .filter_map(|saved| Some(saved.deadline?.saturating_sub(saved.now)))
        .min();
    if let Some(nearest) = nearest {
        registered.space.expires_in(Duration::from_millis(nearest));
    }
}
