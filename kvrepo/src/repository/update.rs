//! Changing some fields of an entity where it is stored.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use super::call_term::term_of_the_call;
use super::retry::Retry;
use super::{Repository, codec};
use crate::backend::{self, Change, Condition, Keyspace, Place, WriteTerm, index};
use crate::entity::{IdArg, KvEntity, Versioned};
use crate::error::{Error, Result};
use crate::mapping::{self, Record};
use crate::query::{Amount, Element, Field, FieldHandle, Increment, Nested, Reference};
use crate::term::{self, Term};

/// A field of the entity `E` that can be taken away: one that holds an `Option` or a collection, an entry of a map, or an
/// element of a list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be unset",
    note = "a field without an `Option` would be missing when the entity is read; `set` it, or make it an `Option`"
)]
pub trait Unset<E>: FieldHandle<E> {}

impl<E, V, I> Unset<E> for Element<E, V, I> {}

impl<E: KvEntity, V> Unset<E> for Nested<E, Option<V>> {}

macro_rules! unset {
    ($(<$($param:ident),*> $type:ty),*) => {$(
        impl<E: KvEntity, I, $($param),*> Unset<E> for Field<E, $type, I> {}

        impl<E: KvEntity, I: Copy, $($param),*> Unset<E> for Reference<E, $type, I> {}
    )*};
}

unset! {
    <T> Option<T>, <T> Vec<T>, <T> VecDeque<T>, <T, S> HashSet<T, S>, <T> BTreeSet<T>, <K, V, S> HashMap<K, V, S>,
    <K, V> BTreeMap<K, V>
}

impl<T: KvEntity> Repository<T> {
    /// Changes some fields of a living entity, in one atomic step and without reading it first; awaited, it says whether
    /// there was one. Nothing is brought into being. All changes are done, in the order in which they are written, or
    /// none. What remains of the term stays, unless the request says otherwise; a `#[version]` counts on by one.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// #[derive(Serialize, Deserialize, KvEntity)]
    /// struct Cart {
    ///     #[id]
    ///     id: String,
    ///     items: Vec<String>,
    ///     voucher: Option<String>,
    ///     visits: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let carts = Store::in_memory().repository::<Cart>();
    /// # let mut cart = Cart { id: "1".into(), items: vec![], voucher: Some("x".into()), visits: 1 };
    /// # carts.save(&mut cart).await?;
    /// let cart = Cart::fields();
    /// let there = carts
    ///     .update("1")
    ///     .set(cart.items, vec!["book".into()])
    ///     .unset(cart.voucher)
    ///     .increment(cart.visits, 1)
    ///     .refresh_time_to_live()
    ///     .await?;
    /// assert!(there);
    /// assert_eq!(carts.find_by_id("1").await?.unwrap().visits, 2);
    /// assert!(!carts.update("2").set(cart.visits, 0).await?);
    /// # Ok(()) }
    /// ```
    ///
    /// Two things need the entity to be read first, and then cost a second round trip, and more while others race it:
    /// the increment of a float, and [`refresh_time_to_live`](Update::refresh_time_to_live) of an entity that states its
    /// own term.
    ///
    /// # Errors
    ///
    /// When awaited, and with nothing changed: [`Error::Encode`] if a value cannot be stored, if a field of a nested struct
    /// is set that is `None`, or if a sum is more than its field can hold; [`Error::InvalidTimeToLive`],
    /// [`Error::DeadlinePassed`], [`Error::InvalidId`], [`Error::KeyCollision`]; [`Error::VersionConflict`] after
    /// [`if_version`](Update::if_version), or if others race it for too long; and [`Error::Backend`] or
    /// [`Error::Timeout`], of which [`Error::is_outcome_unknown`] says whether something may have been changed.
    pub fn update(&self, id: impl IdArg<T::Id>) -> Update<'_, T> {
        Update {
            repository: self,
            id: codec::id_to_find::<T>(id),
            steps: Ok(Vec::new()),
            term: Term::Keep,
            version: None,
        }
    }
}

/// A change of some fields to be awaited. See [`Repository::update`].
#[must_use = "nothing is changed until this is awaited"]
pub struct Update<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    id: Result<String>,
    steps: Result<Vec<Step>>,
    term: Term,
    version: Option<u64>,
}

/// One of its changes.
#[derive(Debug, Clone)]
enum Step {
    Change(Change),
    /// The addition to a float, which only this side can do exactly as it is stored.
    Add(Place, FloatSum),
}

/// What a float and its sum are read and written with.
#[derive(Debug, Clone, Copy)]
struct FloatSum {
    by: f64,
    single: bool,
}

impl<T: KvEntity> fmt::Debug for Update<'_, T> {
    /// Without values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update")
            .field("entity", &T::SCHEMA.entity)
            .field("id", &self.id)
            .field("steps", &self.steps.as_ref().map(Vec::len))
            .field("term", &self.term)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl<T: KvEntity> Update<'_, T> {
    /// Puts a value into a field, in the place of all that stood there: a struct, list or map leaves nothing behind.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what is stored is the caller's no more"
    )]
    pub fn set<F: FieldHandle<T>>(self, field: F, value: F::Value) -> Self {
        let encoded = field.target().encode(T::SCHEMA.entity, &value);
        self.step(encoded.map(|(place, fields)| Step::Change(Change::Put { place, fields })))
    }

    /// Takes away what stands in a field, so that it reads as `None`, or as empty; or takes an entry out of a map, or an
    /// element out of a list.
    pub fn unset<F: Unset<T>>(self, field: F) -> Self {
        self.step(field.target().place().map(|place| {
            let fields = Record::new();
            Step::Change(Change::Put { place, fields })
        }))
    }

    /// Adds to a number; a `None` counts as 0. To subtract, add what is negative.
    pub fn increment<F: FieldHandle<T>>(self, field: F, by: <F::Value as Increment>::By) -> Self
    where
        F::Value: Increment,
    {
        self.step(field.target().place().map(|place| match F::Value::increment(by) {
            Amount::Integer { by, min, max } => Step::Change(Change::Add { place, by, min, max }),
            Amount::Float { by, single } => Step::Add(place, FloatSum { by, single }),
        }))
    }

    /// Lets the term begin anew: the one that the entity's field or method states, as it is stored after these changes,
    /// or else that of the settings, or else that of the attribute; without any, the entity never expires.
    pub fn refresh_time_to_live(mut self) -> Self {
        self.term = Term::Declared;
        self
    }

    fn step(mut self, step: Result<Step>) -> Self {
        match (&mut self.steps, step) {
            (Ok(steps), Ok(step)) => steps.push(step),
            (Ok(_), Err(error)) => self.steps = Err(error),
            // The first mistake is the one that is told.
            (Err(_), _) => {}
        }
        self
    }
}

term_of_the_call! { Update<T: KvEntity> }

impl<T: Versioned> Update<'_, T> {
    /// Only if the entity has this version; else, and also if it is not there, [`Error::VersionConflict`].
    pub fn if_version(mut self, version: u64) -> Self {
        self.version = Some(version);
        self
    }
}

impl<'a, T: KvEntity> IntoFuture for Update<'a, T> {
    type Output = Result<bool>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<T: KvEntity> Update<'_, T> {
    async fn run(self) -> Result<bool> {
        let Self {
            repository,
            id,
            steps,
            term,
            version,
        } = self;
        let (id, steps) = (id?, steps?);
        let registered = repository.registered()?;
        let schema = T::SCHEMA;
        // Declared by the entity, which then has to be asked.
        let asked = term == Term::Declared && schema.states_term;
        let term = match term::of_call(schema.entity, term)? {
            None if term == Term::Declared && !asked => Some(registered.default_term.resolve(schema.entity)?),
            term => term,
        };
        let mut update = backend::Update::new(id);
        update.term = term;
        update.condition = schema
            .version_path
            .zip(version)
            .map(|(path, expected)| Condition::Version { path, expected });
        update.version_path = schema.version_path.filter(|_| !steps.is_empty());
        for step in &steps {
            step.check(&registered.keyspace)?;
        }
        let changes: Option<Vec<Change>> = steps.iter().map(Step::change).collect();
        if let Some(changes) = changes
            && !asked
        {
            update.changes = changes;
            return repository.change(update).await;
        }
        repository.change_what_is_read(update, &steps, asked).await
    }
}

impl<T: KvEntity> Repository<T> {
    /// Does an update that depends on what is stored: reads it, and changes it if it is still that.
    async fn change_what_is_read(
        &self,
        update: backend::Update,
        steps: &[Step],
        asked: bool,
    ) -> Result<bool> {
        let registered = self.registered()?;
        let mut retry = Retry::new();
        let _turn = registered.turns.take(&update.id).await;
        loop {
            let ids = std::slice::from_ref(&update.id);
            let loaded = self.load_raw(registered, ids, false, false).await?;
            let loaded = loaded.into_iter().next().flatten();
            let record = loaded.as_ref().map(|loaded| &loaded.record);
            if let Some(condition) = &update.condition
                && !condition.holds(record)
            {
                return Err(registered.keyspace.conflict(&update.id, condition));
            }
            let Some(loaded) = loaded else {
                return Ok(false);
            };
            match self.once(&update, steps, asked, loaded.record).await {
                Err(Error::VersionConflict { .. }) if retry.again().await => {}
                done => return done,
            }
        }
    }

    async fn once(
        &self,
        update: &backend::Update,
        steps: &[Step],
        asked: bool,
        stored: Record,
    ) -> Result<bool> {
        let registered = self.registered()?;
        let (mut changed, mut changes) = (stored.clone(), Vec::with_capacity(steps.len()));
        for step in steps {
            let change = step.change_of::<T>(&changed)?;
            changed = backend::apply(&changed, [&change])
                .map_err(|refusal| registered.keyspace.refused(refusal))?;
            changes.push(change);
        }
        let mut update = backend::Update {
            changes,
            condition: Some(Condition::Unchanged(stored)),
            ..update.clone()
        };
        if asked {
            update.term = Some(self.declared(&update.id, &changed)?);
        }
        self.change(update).await
    }

    /// The term that a stored entity states, or else the default.
    fn declared(&self, id: &str, record: &Record) -> Result<WriteTerm> {
        let entity: T = codec::decode(id, record)?;
        term::of_entity(&entity, self.registered()?.default_term)
    }
}

impl Step {
    /// Refuses a value that cannot be in the index of its field.
    fn check(&self, keyspace: &Keyspace) -> Result<()> {
        match self {
            Self::Change(Change::Put { fields, .. }) => index::entries(keyspace.indexes(), fields)
                .map(drop)
                .map_err(|misfit| keyspace.misfit(misfit)),
            Self::Change(Change::Add { .. }) | Self::Add(..) => Ok(()),
        }
    }

    /// The change, if it does not depend on what is stored.
    fn change(&self) -> Option<Change> {
        match self {
            Self::Change(change) => Some(change.clone()),
            Self::Add(..) => None,
        }
    }

    fn change_of<T: KvEntity>(&self, record: &Record) -> Result<Change> {
        let (place, sum) = match self {
            Self::Change(change) => return Ok(change.clone()),
            Self::Add(place, sum) => (place, sum),
        };
        let unfit = |reason: &str| Error::Encode {
            entity: T::SCHEMA.entity,
            path: place.path.clone(),
            reason: reason.to_owned(),
        };
        let paths = std::iter::once(&place.path).chain(&place.others);
        let stored = paths.into_iter().find_map(|path| record.get(path));
        let sum = sum
            .add_to(stored)
            .ok_or_else(|| unfit("what is stored is no number, so nothing can be added; set it"))?;
        let mut fields = Record::new();
        fields.add(&place.path, &sum);
        Ok(Change::Put {
            place: place.clone(),
            fields,
        })
    }
}

impl FloatSum {
    /// The sum as it is stored; `None` if there is something that is no number.
    fn add_to(self, stored: Option<&[u8]>) -> Option<Vec<u8>> {
        let before = match stored {
            Some(stored) => std::str::from_utf8(stored).ok()?.parse().ok()?,
            None => 0.0,
        };
        mapping::float_text(before + self.by, self.single).ok()
    }
}
