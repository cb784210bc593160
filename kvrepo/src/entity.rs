//! What `#[derive(KvEntity)]` implements: an entity's schema, its id, its term and its version.
//!
//! Nothing in here knows keys, hashes or servers.

mod deadline;
mod id;
mod nested;
mod reference;
mod schema;
mod term;
mod version;

pub use deadline::DeadlineField;

#[doc(hidden)]
pub use id::GenerateId;
pub use id::{IdArg, IdField, KvId};
pub use nested::KvNested;
#[doc(hidden)]
pub use nested::NestedField;
pub use reference::{Ref, ReferenceField};
pub use schema::EntitySchema;
pub use term::{FieldTerm, ReadTerm, TermField, TermUnit};
pub use version::{VersionField, Versioned};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::query::Indexes;

/// A struct that is stored as one hash.
///
/// Derive it; the macro's page ([`derive@crate::KvEntity`]) lists the attributes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    note = "derive it: `#[derive(Serialize, Deserialize, KvEntity)]`, with `#[id]` on one field"
)]
pub trait KvEntity: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The type of the id, without `Option`.
    type Id: KvId;

    /// The names and defaults that the attributes state.
    const SCHEMA: EntitySchema;

    /// The id, or `None` while it has not been generated.
    fn id(&self) -> Option<&Self::Id>;

    /// Replaces the id. The repository calls it with generated ids, and with the key's id after reading.
    fn set_id(&mut self, id: Self::Id);

    /// A new id, or `None` if ids of this entity are not generated.
    fn generate_id() -> Option<Self::Id>;

    /// The term that the entity itself states, by a field or a method.
    ///
    /// # Errors
    ///
    /// Why the stated term is none: zero, negative, not a number, too great.
    fn term(&self) -> Result<FieldTerm, String>;

    /// Puts what was read of the term into the `#[time_to_live]` or `#[expires_at]` field, where there is one.
    fn set_term(&mut self, read: &ReadTerm);

    /// Adds what entities are found by to the indexes of the type.
    #[doc(hidden)]
    fn gather(_out: &mut Indexes) {}

    /// A copy, if the type is `Clone`.
    #[doc(hidden)]
    fn copied(&self) -> Option<Self> {
        None
    }

    /// The version; `None` without a `#[version]` field.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Replaces the version. Does nothing without a `#[version]` field.
    ///
    /// # Errors
    ///
    /// Why the field cannot hold it.
    fn set_version(&mut self, _version: u64) -> Result<(), String> {
        Ok(())
    }
}
