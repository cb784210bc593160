//! What is looked for, put together of what fields are asked.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

use crate::backend::{Plan, Sorting};
use crate::error::Result;

/// Which entities of type `E` are looked for. Made by the handles of `E::fields()`, and put together with
/// [`and`](Self::and), [`or`](Self::or) and [`not`](Self::not), or with `&`, `|` and `!`, which bind as they do elsewhere.
///
/// ```
/// # use kvrepo::{KvEntity, Store};
/// # use serde::{Serialize, Deserialize};
/// #[derive(Serialize, Deserialize, KvEntity)]
/// struct Person {
///     #[id]
///     id: u32,
///     #[indexed]
///     city: String,
///     #[indexed(range)]
///     age: u8,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// # let people = Store::in_memory().repository::<Person>();
/// # for (id, city, age) in [(1, "Oslo", 17), (2, "Oslo", 30), (3, "Bergen", 40)] {
/// #     people.save(&mut Person { id, city: city.into(), age }).await?;
/// # }
/// let person = Person::fields();
/// let adults = people.find(person.city.eq("Oslo") & person.age.ge(18)).ids().await?;
/// assert_eq!(adults, [2]);
/// let others = people.find(person.age.ge(18) & !person.city.eq("Oslo")).ids().await?;
/// assert_eq!(others, [3]);
/// # Ok(()) }
/// ```
#[must_use = "it says what is looked for; hand it to `find`"]
pub struct Filter<E> {
    plan: Result<Plan>,
    /// What the finds are sorted by if nothing else is said.
    near: Option<Sorting>,
    entity: PhantomData<fn() -> E>,
}

impl<E> fmt::Debug for Filter<E> {
    /// Without values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter").finish_non_exhaustive()
    }
}

/// Which entities are *not* looked for: a part of an [`and`](Filter::and), since all others would be everything there is.
#[must_use = "it says what is not looked for; hand it to `and`"]
pub struct Negated<E>(Filter<E>);

impl<E> fmt::Debug for Negated<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Negated").finish_non_exhaustive()
    }
}

/// What [`Filter::and`] takes: a [`Filter`], or a [`Negated`] one.
pub trait Conjunct<E> {
    #[doc(hidden)]
    fn join(self, to: Filter<E>) -> Filter<E>;
}

impl<E> Filter<E> {
    pub(crate) fn new(plan: Result<Plan>) -> Self {
        Self {
            plan,
            near: None,
            entity: PhantomData,
        }
    }

    /// Nothing.
    pub(super) fn nothing() -> Self {
        Self::new(Ok(Plan::nothing()))
    }

    pub(super) fn near(plan: Result<Plan>, near: Sorting) -> Self {
        Self {
            near: Some(near),
            ..Self::new(plan)
        }
    }

    /// What both find; or what this finds and a negated one does not.
    pub fn and(self, other: impl Conjunct<E>) -> Self {
        other.join(self)
    }

    /// What one of the two finds. Entities that both find are found once.
    pub fn or(self, other: Self) -> Self {
        let plan = both(self.plan, other.plan, |a, b| {
            let (mut any, other) = (alternatives(a), alternatives(b));
            any.extend(other);
            Plan::Or(any)
        });
        Self::new(plan)
    }

    /// Those that this does not find, for an [`and`](Self::and).
    #[expect(
        clippy::should_implement_trait,
        reason = "it does, and calls read better in a row"
    )]
    pub fn not(self) -> Negated<E> {
        Negated(self)
    }

    /// The plan, and what its finds are sorted by if nothing else is said.
    pub(crate) fn into_plan(self) -> Result<(Plan, Option<Sorting>)> {
        Ok((self.plan?, self.near))
    }
}

fn both(a: Result<Plan>, b: Result<Plan>, join: impl FnOnce(Plan, Plan) -> Plan) -> Result<Plan> {
    // The first mistake is the one that is told.
    Ok(join(a?, b?))
}

fn alternatives(plan: Plan) -> Vec<Plan> {
    match plan {
        Plan::Or(any) => any,
        plan => vec![plan],
    }
}

fn parts(plan: Plan) -> (Vec<Plan>, Vec<Plan>) {
    match plan {
        Plan::And(all, none) => (all, none),
        plan => (vec![plan], Vec::new()),
    }
}

impl<E> Conjunct<E> for Filter<E> {
    fn join(self, to: Self) -> Self {
        let plan = both(to.plan, self.plan, |a, b| {
            let ((mut all, mut none), (others, not)) = (parts(a), parts(b));
            all.extend(others);
            none.extend(not);
            Plan::And(all, none)
        });
        Self {
            near: to.near.or(self.near),
            ..Self::new(plan)
        }
    }
}

impl<E> Conjunct<E> for Negated<E> {
    fn join(self, to: Filter<E>) -> Filter<E> {
        let plan = both(to.plan, self.0.plan, |a, b| {
            let (all, mut none) = parts(a);
            none.push(b);
            Plan::And(all, none)
        });
        Filter {
            near: to.near,
            ..Filter::new(plan)
        }
    }
}

impl<E, C: Conjunct<E>> BitAnd<C> for Filter<E> {
    type Output = Self;

    fn bitand(self, other: C) -> Self {
        self.and(other)
    }
}

impl<E> BitAnd<Filter<E>> for Negated<E> {
    type Output = Filter<E>;

    fn bitand(self, other: Filter<E>) -> Filter<E> {
        other.and(self)
    }
}

impl<E> BitOr for Filter<E> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl<E> Not for Filter<E> {
    type Output = Negated<E>;

    fn not(self) -> Negated<E> {
        Negated(self)
    }
}

impl<E> Not for Negated<E> {
    type Output = Filter<E>;

    fn not(self) -> Filter<E> {
        self.0
    }
}
