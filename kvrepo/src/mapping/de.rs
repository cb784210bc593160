//! Record to serde value.
//!
//! The record is [put in order](order) if it is large, taken apart [once](tree) and then read by what the type asks
//! for. A field that is required though nothing is stored of it is missed by serde, not by us; it is then offered as
//! an [`absent`] place and the value is read again. What was offered is remembered for the type, so that it happens
//! once.

mod absent;
mod entries;
mod order;
mod own;
mod place;
mod tree;
mod variant;

use serde::de::DeserializeOwned;

use self::place::De;
use self::tree::Tree;
use super::Record;
use super::fault::Offer;
use super::shape::Shape;
use crate::{EntitySchema, Result};

/// What does not change while a record is read.
struct Source<'t, 'a> {
    schema: &'t EntitySchema,
    tree: &'t Tree<'a>,
    /// The fields that are required though nothing may be stored of them.
    offers: &'t [Offer],
}

impl Source<'_, '_> {
    fn offers(&self, owner: &'static str, field: &str) -> bool {
        self.offers
            .iter()
            .any(|offer| offer.field == field && offer.owner == owner)
    }
}

/// Reads a record.
pub(super) fn decode<T: DeserializeOwned>(
    schema: &EntitySchema,
    shape: &Shape,
    record: &Record,
) -> Result<T> {
    let ordered = order::ordered(record);
    let tree = Tree::new(ordered.as_ref().unwrap_or(record));
    let mut offers = shape.offers();
    loop {
        let source = Source {
            schema,
            tree: &tree,
            offers: &offers,
        };
        let root = De::root(&source, shape.root());
        let fault = match T::deserialize(root) {
            Ok(value) => {
                tree.keep_room();
                return Ok(value);
            }
            Err(fault) => fault,
        };
        let missed = fault.offer().filter(|missed| !offers.contains(missed));
        match missed.and_then(|missed| shape.remember(missed)) {
            Some(more) => offers = more,
            None => return Err(fault.into_decode(schema.entity)),
        }
    }
}
