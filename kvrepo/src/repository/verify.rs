//! Verifying that all that belongs together agrees, and mending what does not.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use futures_core::Stream;
use futures_util::{StreamExt, stream};

use super::Repository;
use crate::backend::{Finding, Inspect, PAGE};
use crate::entity::KvEntity;
use crate::error::Result;

impl<T: KvEntity> Repository<T> {
    /// Looks for everything that disagrees: between hashes, ids, indexes, phantoms and deadlines. Changes nothing.
    ///
    /// Awaited, all findings; as a stream, the progress step by step, in constant memory. On a server it looks at all ids and
    /// then at all keys of the database, a page at a time, so that others are served in between; what changes meanwhile is
    /// compared as it is in that moment.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # struct Person { #[id] id: u32, #[indexed] city: String }
    /// use futures_util::TryStreamExt;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let people = Store::in_memory().repository::<Person>();
    /// people.save(&mut Person { id: 1, city: "Oslo".into() }).await?;
    /// assert_eq!(people.verify().await?, []);
    ///
    /// let mut steps = people.rebuild_indexes().stream();
    /// while let Some(progress) = steps.try_next().await? {
    ///     println!("{} of {}, {} mended", progress.done, progress.total, progress.findings.len());
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting) if it is resumed at what is no cursor,
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub fn verify(&self) -> Verify<'_, T> {
        Verify::new(self, false)
    }

    /// Mends what [`verify`](Self::verify) finds, while others read and write: each entity in one atomic step. Also puts entities
    /// into an index that their type has been given since they were saved. Of unique values that several have, one keeps its
    /// entry and the others are told.
    ///
    /// # Errors
    ///
    /// Those of [`verify`](Self::verify).
    pub fn rebuild_indexes(&self) -> Verify<'_, T> {
        Verify::new(self, true)
    }
}

/// A verification, or a rebuild, to be awaited or streamed. See [`Repository::verify`].
#[derive(Debug)]
#[must_use = "nothing is looked at until this is awaited or streamed"]
pub struct Verify<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    mend: bool,
    cursor: Option<String>,
}

/// How far a verification is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How much has been looked at: ids, and on a server keys.
    pub done: u64,
    /// How much there is to look at, as far as that can be told: it can grow, and shrink.
    pub total: u64,
    /// What was found in this step, and mended if that was asked for.
    pub findings: Vec<Finding>,
    /// Where a later one can go on, after this step; `None` after the last.
    pub cursor: Option<String>,
}

impl<'a, T: KvEntity> Verify<'a, T> {
    fn new(repository: &'a Repository<T>, mend: bool) -> Self {
        Self {
            repository,
            mend,
            cursor: None,
        }
    }

    /// Goes on where another one was stopped: at [`Progress::cursor`]. What was done before is not counted again.
    pub fn resume(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// Step by step. Dropped, it stops; what was mended stays.
    pub fn stream(self) -> impl Stream<Item = Result<Progress>> + Send + Unpin + use<T> {
        let repository = self.repository.clone();
        let mend = self.mend;
        let begin = Some((repository, self.cursor, 0_u64));
        Box::pin(stream::unfold(begin, move |state| async move {
            let (repository, cursor, done) = state?;
            match repository.inspect(cursor, mend, done).await {
                Ok(progress) => {
                    let next = progress.cursor.clone();
                    let done = progress.done;
                    Some((Ok(progress), next.map(|next| (repository, Some(next), done))))
                }
                Err(error) => Some((Err(error), None)),
            }
        }))
    }
}

impl<T: KvEntity> Repository<T> {
    async fn inspect(&self, cursor: Option<String>, mend: bool, done: u64) -> Result<Progress> {
        let registered = self.registered()?;
        let inspect = Inspect::new(cursor, PAGE, mend, T::SCHEMA.id_path);
        let inspected = self
            .store
            .backend()
            .inspect(&registered.keyspace, &inspect)
            .await?;
        let done = done + inspected.looked;
        Ok(Progress {
            done,
            // Keys come and go meanwhile.
            total: if inspected.next.is_none() {
                done
            } else {
                inspected.total.max(done)
            },
            findings: inspected.findings,
            cursor: inspected.next,
        })
    }
}

impl<'a, T: KvEntity> IntoFuture for Verify<'a, T> {
    type Output = Result<Vec<Finding>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let mut steps = self.stream();
        Box::pin(async move {
            let mut findings = Vec::new();
            while let Some(progress) = steps.next().await {
                findings.extend(progress?.findings);
            }
            Ok(findings)
        })
    }
}
