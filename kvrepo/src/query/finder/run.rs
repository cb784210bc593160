//! Running a finder: what its name says and its arguments, put together as a query.

use futures_core::Stream;

use super::operand::{HasFields, Kind, Operand};
use super::operator::Operator;
use super::plan::{Condition, Finder, NONE, Verb};
use crate::entity::KvEntity;
use crate::error::Result;
use crate::query::comparison::{Comparison, between};
use crate::query::{Circle, Filter, GeoIndex, PageRequest, Sort};
use crate::repository::{Find, Repository};

/// What a method takes besides its values.
pub struct Options<E> {
    sort: Option<Sort<E>>,
    page: Option<PageRequest>,
}

impl<E> Options<E> {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            sort: None,
            page: None,
        }
    }

    /// An order; what the name says of it weighs more.
    #[must_use]
    pub fn sort(mut self, sort: Sort<E>) -> Self {
        self.sort = Some(sort);
        self
    }

    /// A page.
    #[must_use]
    pub fn page(mut self, page: PageRequest) -> Self {
        self.page = Some(page);
        self
    }
}

impl<E> Default for Options<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> std::fmt::Debug for Options<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("sort", &self.sort)
            .field("page", &self.page)
            .finish()
    }
}

/// A finder with its arguments, and the repository in which it looks.
pub struct Query<E> {
    repository: Repository<E>,
    filter: Filter<E>,
    sort: Option<Sort<E>>,
    limit: Option<u32>,
    pub(super) page: PageRequest,
    pub(super) verb: Verb,
}

impl<E> std::fmt::Debug for Query<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query")
            .field("verb", &self.verb)
            .finish_non_exhaustive()
    }
}

impl<E: KvEntity + HasFields> Query<E> {
    pub(super) fn new(
        repository: &Repository<E>,
        finder: &Finder,
        operands: Vec<Operand>,
        options: Options<E>,
    ) -> Self {
        let orders = finder.orders().iter().map(|order| {
            let way: Vec<usize> = order
                .way
                .iter()
                .copied()
                .take_while(|step| *step != NONE)
                .collect();
            E::sort_by(&way, order.descending)
        });
        Self {
            repository: repository.clone(),
            filter: filter(finder, operands),
            // What is ordered by first weighs most.
            sort: orders.chain(options.sort).reduce(Sort::then),
            limit: finder.limit(),
            page: options.page.unwrap_or(PageRequest::first(usize::MAX)),
            verb: finder.verb(),
        }
    }
}

impl<E: KvEntity> Query<E> {
    /// Whether the name says how many.
    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// What is looked for. Takes it out: it is asked for once.
    pub(super) fn find(&mut self) -> Find<'_, E> {
        let filter = std::mem::replace(&mut self.filter, Filter::nothing());
        let mut find = self.repository.find(filter);
        if let Some(sort) = self.sort.take() {
            find = find.sort(sort);
        }
        match self.limit {
            Some(limit) => find.limit(usize::try_from(limit).unwrap_or(usize::MAX)),
            None => find,
        }
    }
}

/// Runs a finder that streams.
pub fn stream<E: KvEntity + HasFields>(
    repository: &Repository<E>,
    finder: &'static Finder,
    operands: Vec<Operand>,
    options: Options<E>,
) -> impl Stream<Item = Result<E>> + Send + use<E> {
    Query::new(repository, finder, operands, options).find().stream()
}

/// Of the groups what one finds, and of a group what all of it find.
fn filter<E>(finder: &Finder, operands: Vec<Operand>) -> Filter<E> {
    let mut operands: Vec<Option<Operand>> = operands.into_iter().map(Some).collect();
    // Each is taken once.
    let mut take = |at: usize| match operands.get_mut(at).and_then(Option::take) {
        Some(Operand(kind)) => kind,
        None => Kind::Nothing,
    };
    let groups = finder.conditions().chunk_by(|a, b| a.group == b.group);
    let alternatives = groups.map(|group| {
        let (mut found, mut left_out) = (Vec::new(), Vec::new());
        for condition in group {
            let part = one(condition, &mut take);
            match condition.operator {
                Operator::NotEqual => left_out.push(part),
                _ => found.push(part),
            }
        }
        let found = found
            .into_iter()
            .reduce(Filter::and)
            .unwrap_or_else(Filter::nothing);
        left_out
            .into_iter()
            .fold(found, |found, part| found.and(part.not()))
    });
    alternatives.reduce(Filter::or).unwrap_or_else(Filter::nothing)
}

/// What one condition finds; of [`Operator::NotEqual`] what it leaves out.
fn one<E>(condition: &Condition, take: &mut impl FnMut(usize) -> Kind) -> Filter<E> {
    let first = take(condition.first);
    match (first, condition.operator) {
        (Kind::Found(plan), _) => Filter::new(plan),
        (Kind::Point(located, point), _) => match take(condition.first + 1) {
            Kind::Distance(distance) => located.within(&Circle::new(point, distance), true),
            _ => Filter::nothing(),
        },
        (Kind::Bound(least), Operator::Between) => match take(condition.first + 1) {
            Kind::Bound(greatest) => {
                let bounds = least.and_then(|least| Ok((least, greatest?)));
                Filter::new(bounds.map(|(least, greatest)| between(least, greatest)))
            }
            _ => Filter::nothing(),
        },
        (Kind::Bound(bound), operator) => {
            let comparison = match operator {
                Operator::LessThan => Comparison::Less,
                Operator::LessThanEqual => Comparison::LessOrEqual,
                Operator::GreaterThan => Comparison::Greater,
                Operator::GreaterThanEqual => Comparison::GreaterOrEqual,
                _ => Comparison::StartsWith,
            };
            Filter::new(bound.map(|bound| comparison.plan(bound)))
        }
        (Kind::Nothing | Kind::Distance(_), _) => Filter::nothing(),
    }
}
