//! What is to be changed, and how values are written there.

use std::borrow::Cow;
use std::fmt;

use super::field::Encode;
use super::path::FieldPath;
use crate::backend::Place;
use crate::error::{Error, Result};
use crate::mapping::Record;

/// A place in an entity, and how values are written there; or why it is none.
pub struct Target<V>(pub(super) Result<Spot<V>>);

pub(super) struct Spot<V> {
    pub(super) path: Cow<'static, FieldPath>,
    pub(super) encode: Encode<V>,
    /// Whether it is in a list or a map, in which nothing can be absent.
    pub(super) element: bool,
}

impl<V> fmt::Debug for Target<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target")
            .field(&self.0.as_ref().map(|target| &target.path.path))
            .finish()
    }
}

impl<V> Target<V> {
    pub(crate) fn place(self) -> Result<Place> {
        Ok(self.0?.path.place())
    }

    /// The place, and the fields of the hash that hold `value`; none, if it is an absent option.
    pub(crate) fn encode(self, entity: &'static str, value: &V) -> Result<(Place, Record)> {
        let Spot {
            path,
            encode,
            element,
        } = self.0?;
        let fields = encode(&path, value)?;
        if element && fields.is_empty() {
            return Err(Error::Encode {
                entity,
                path: path.path.clone(),
                reason:
                    "a list or a map with a `None` in it is stored as JSON in one field; set it as a whole"
                        .into(),
            });
        }
        Ok((path.place(), fields))
    }
}
