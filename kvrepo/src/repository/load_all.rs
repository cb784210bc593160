//! Loading what references refer to.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};

use super::{Repository, codec};
use crate::entity::{KvEntity, KvId, Ref, ReferenceField};
use crate::error::{Error, Result};
use crate::query::Reference;

impl<T: KvEntity> Ref<T> {
    /// A reference to this entity, saved or not.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`](crate::Error::InvalidId) if it has no id yet, or one under which it could not be saved.
    pub fn to(entity: &T) -> Result<Self> {
        codec::id_of(entity)?;
        entity.id().cloned().map(Self::new).ok_or_else(codec::no_id::<T>)
    }

    /// The living entity that this refers to, by [`Repository::find_by_id`]: its idle term, if it has one, begins anew.
    /// Many are loaded at once by [`Repository::load_all`].
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound) if the reference dangles: its entity was deleted, has expired or was
    /// never saved. Those of [`Repository::find_by_id`].
    pub async fn load(&self, repository: &Repository<T>) -> Result<T> {
        match repository.find_by_id(self.id()).await? {
            Some(entity) => Ok(entity),
            None => Err(Error::NotFound {
                keyspace: repository.registered()?.keyspace.name().to_owned(),
                id: self.id().to_key().into_owned(),
            }),
        }
    }
}

impl<T: KvEntity> Repository<T> {
    /// The living entities that these references refer to, each once however many refer to it, in the order in which they
    /// are first referred to; and the references that dangle. One round trip for each 1,024 entities. Renews no idle terms.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, Ref, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # struct Company { #[id] id: u32, name: String }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let companies = Store::in_memory().repository::<Company>();
    /// companies.save(&mut Company { id: 1, name: "Acme".into() }).await?;
    /// let (acme, gone) = (Ref::new(1), Ref::new(2));
    /// let loaded = companies.load_all([&acme, &gone, &acme]).await?;
    ///
    /// assert_eq!(loaded.entities().len(), 1);
    /// assert_eq!(loaded.get(&acme).unwrap().name, "Acme");
    /// assert_eq!(loaded.dangling, [gone]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`find_by_id`](Self::find_by_id). That a reference dangles is none.
    pub async fn load_all<R: Borrow<Ref<T>>>(
        &self,
        references: impl IntoIterator<Item = R>,
    ) -> Result<LoadedRefs<T>> {
        let mut seen = HashSet::new();
        let (mut distinct, mut ids) = (Vec::new(), Vec::new());
        for reference in references {
            let reference: &Ref<T> = reference.borrow();
            let id = codec::id_to_find::<T>(reference.id())?;
            if seen.insert(id.clone()) {
                distinct.push(reference.clone());
                ids.push(id);
            }
        }
        let found = self.load(&ids, false).await?;
        let mut loaded = LoadedRefs {
            entities: Vec::with_capacity(ids.len()),
            places: HashMap::with_capacity(ids.len()),
            dangling: Vec::new(),
        };
        for ((reference, id), entity) in distinct.into_iter().zip(ids).zip(found) {
            match entity {
                Some(entity) => {
                    loaded.places.insert(id, loaded.entities.len());
                    loaded.entities.push(entity?);
                }
                None => loaded.dangling.push(reference),
            }
        }
        Ok(loaded)
    }
}

impl<E: KvEntity, V: ReferenceField, I> Reference<E, V, I> {
    /// What this field refers to in all of these entities, by [`Repository::load_all`]: one round trip for each 1,024, and not
    /// one for each entity.
    ///
    /// ```
    /// use kvrepo::{KvEntity, Ref, Store};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize, KvEntity)]
    /// struct Company {
    ///     #[id]
    ///     id: u32,
    ///     name: String,
    /// }
    ///
    /// #[derive(Serialize, Deserialize, KvEntity)]
    /// struct Person {
    ///     #[id]
    ///     id: u32,
    ///     #[reference]
    ///     employer: Ref<Company>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let store = Store::in_memory();
    /// let (people, companies) = (store.repository::<Person>(), store.repository::<Company>());
    /// companies.save(&mut Company { id: 1, name: "Acme".into() }).await?;
    /// for id in 1..=3 {
    ///     people.save(&mut Person { id, employer: Ref::new(1) }).await?;
    /// }
    ///
    /// let all = people.find_all().await?;
    /// let employers = Person::fields().employer.load_all(&companies, &all).await?;
    /// for person in &all {
    ///     assert_eq!(employers.get(&person.employer).unwrap().name, "Acme");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Repository::find_by_id`]. That a reference dangles is none.
    pub async fn load_all<'e>(
        &self,
        repository: &Repository<V::Entity>,
        entities: impl IntoIterator<Item = &'e E>,
    ) -> Result<LoadedRefs<V::Entity>> {
        let references = entities.into_iter().flat_map(|entity| self.references(entity));
        repository.load_all(references).await
    }
}

/// What references referred to. See [`Repository::load_all`].
#[derive(Debug)]
#[non_exhaustive]
pub struct LoadedRefs<T: KvEntity> {
    entities: Vec<T>,
    /// Where in `entities` each is, by its id's key.
    places: HashMap<String, usize>,
    /// The references whose entities are not there, each once, in the order in which they first came.
    pub dangling: Vec<Ref<T>>,
}

impl<T: KvEntity> LoadedRefs<T> {
    /// The entity that this refers to; `None` if it dangles, or was not among the references.
    #[must_use]
    pub fn get(&self, reference: &Ref<T>) -> Option<&T> {
        let place = self.places.get(&*reference.id().to_key())?;
        self.entities.get(*place)
    }

    /// The entities, each once, in the order in which they were first referred to.
    #[must_use]
    pub fn entities(&self) -> &[T] {
        &self.entities
    }

    /// The same, to keep.
    #[must_use]
    pub fn into_entities(self) -> Vec<T> {
        self.entities
    }
}
