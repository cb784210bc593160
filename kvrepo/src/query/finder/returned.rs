//! What finders return.

use std::future::Future;
use std::pin::Pin;

use futures_core::Stream;

use super::operand::{HasFields, Operand};
use super::plan::{Finder, Verb};
use super::run::{Options, Query};
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::query::{Near, Page};
use crate::repository::Repository;

/// The kind of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Returns {
    /// `Vec<T>`
    Many,
    /// `Option<T>`
    Optional,
    /// `Page<T>`
    Page,
    /// `Vec<Near<T>>`
    Near,
    /// `u64`
    Number,
    /// `bool`
    Truth,
    /// `impl Stream<Item = Result<T>>`
    Stream,
}

impl Returns {
    pub(super) const fn shown(self) -> &'static str {
        match self {
            Self::Many => "a `Vec`",
            Self::Optional => "an `Option`",
            Self::Page => "a `Page`",
            Self::Near => "a `Vec` of `Near`",
            Self::Number => "`u64`",
            Self::Truth => "`bool`",
            Self::Stream => "a stream",
        }
    }
}

/// What a finder makes of its query, in the end.
type Running<R> = Pin<Box<dyn Future<Output = Result<R>> + Send>>;

/// What a finder of the entity `E` returns when nothing has failed.
#[diagnostic::on_unimplemented(
    message = "a finder of `{E}` does not return `{Self}`",
    label = "not what a finder of `{E}` returns",
    note = "it returns `Vec<{E}>`, `Option<{E}>`, `Page<{E}>`, `Vec<Near<{E}>>`, `u64` or `bool`, in a `Result`"
)]
pub trait Returned<E>: Send + Sized + 'static {
    /// Its kind.
    const RETURNS: Returns;

    /// Runs a query for it.
    fn run(query: Query<E>) -> Running<Self>;
}

#[diagnostic::do_not_recommend]
impl<E: KvEntity> Returned<E> for Vec<E> {
    const RETURNS: Returns = Returns::Many;

    fn run(mut query: Query<E>) -> Running<Self> {
        Box::pin(async move { query.find().await })
    }
}

#[diagnostic::do_not_recommend]
impl<E: KvEntity> Returned<E> for Option<E> {
    const RETURNS: Returns = Returns::Optional;

    fn run(mut query: Query<E>) -> Running<Self> {
        Box::pin(async move {
            if query.is_limited() {
                query.find().first().await
            } else {
                query.find().one().await
            }
        })
    }
}

#[diagnostic::do_not_recommend]
impl<E: KvEntity> Returned<E> for Page<E> {
    const RETURNS: Returns = Returns::Page;

    fn run(mut query: Query<E>) -> Running<Self> {
        Box::pin(async move {
            let page = query.page;
            query.find().page(page).await
        })
    }
}

#[diagnostic::do_not_recommend]
impl<E: KvEntity> Returned<E> for Vec<Near<E>> {
    const RETURNS: Returns = Returns::Near;

    fn run(mut query: Query<E>) -> Running<Self> {
        Box::pin(async move { query.find().with_distance().await })
    }
}

impl<E: KvEntity> Returned<E> for u64 {
    const RETURNS: Returns = Returns::Number;

    fn run(mut query: Query<E>) -> Running<Self> {
        Box::pin(async move {
            match query.verb {
                Verb::Delete => query.find().delete().await,
                _ => query.find().count().await,
            }
        })
    }
}

impl<E: KvEntity> Returned<E> for bool {
    const RETURNS: Returns = Returns::Truth;

    fn run(mut query: Query<E>) -> Running<Self> {
        Box::pin(async move { query.find().exists().await })
    }
}

/// What a finder of the entity `E` returns.
#[diagnostic::on_unimplemented(
    message = "a finder returns a `Result`, and not `{Self}`",
    label = "not a `Result`",
    note = "what can go wrong is `kvrepo::Error`, or an error that is `From` it"
)]
pub trait Outcome<E>: Sized {
    /// The kind of what it returns when nothing has failed.
    const RETURNS: Returns;

    /// Runs a finder that returns this.
    fn run(
        repository: &Repository<E>,
        finder: &'static Finder,
        operands: Vec<Operand>,
        options: Options<E>,
    ) -> Pin<Box<dyn Future<Output = Self> + Send>>;
}

impl<E: KvEntity + HasFields, R: Returned<E>, X: From<Error> + 'static> Outcome<E> for Result<R, X> {
    const RETURNS: Returns = R::RETURNS;

    fn run(
        repository: &Repository<E>,
        finder: &'static Finder,
        operands: Vec<Operand>,
        options: Options<E>,
    ) -> Pin<Box<dyn Future<Output = Self> + Send>> {
        let found = R::run(Query::new(repository, finder, operands, options));
        Box::pin(async move { Ok(found.await?) })
    }
}

/// A stream for a method that does not compile.
pub fn never<T>() -> impl Stream<Item = T> + Send {
    futures_util::stream::poll_fn(|_| std::task::Poll::Ready(None))
}
