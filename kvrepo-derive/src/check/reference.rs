//! References: what `#[reference]` may not stand beside.

use super::term;
use crate::diag::Diag;
use crate::model::{Field, Struct};

/// What is wrong with a field because it is a reference.
pub(super) fn field(field: &Field<'_>, diag: &mut Diag) {
    let Some(reference) = field.attrs.reference else {
        return;
    };
    let roles = [
        field.attrs.id.map(|_| "the id"),
        field.attrs.version.map(|_| "the version"),
        term::of_field(field).next().map(|(_, term)| term.noun()),
    ];
    for noun in roles.into_iter().flatten() {
        diag.over(
            reference,
            format!("{noun} is the entity's own, and no reference to another; remove `#[reference]`"),
        );
    }
    if field.attrs.nested.is_some() {
        diag.over(
            reference,
            "a field holds a struct or refers to an entity; keep either `#[nested]` or `#[reference]`",
        );
    }
    if field.attrs.json.is_some() {
        diag.over(
            reference,
            "a reference is stored as `keyspace:id`, and not as JSON; keep either `#[reference]` or `#[kv(json)]`",
        );
    }
    if field.serde.flatten {
        diag.over(
            reference,
            "a flattened field has no field of its own to hold a reference; keep either `#[reference]` or serde's \
             `flatten`",
        );
    }
    if let Some(skip) = &field.serde.skip {
        diag.over(
            reference,
            format!(
                "the field is not stored, or not read, because of serde's `{skip}`; remove `#[reference]`"
            ),
        );
    }
    if let Some(with) = &field.serde.with {
        diag.over(
            reference,
            format!("what is stored is up to serde's `{with}`; keep either it or `#[reference]`"),
        );
    }
}

/// An entity that is stored as something else has no fields that could refer to others.
pub(super) fn stands_for_itself(entity: &Struct<'_>, diag: &mut Diag) {
    let Some(key) = entity.serde.written_as.as_ref().or(entity.serde.read_as.as_ref()) else {
        return;
    };
    for reference in entity.all_fields().filter_map(|field| field.attrs.reference) {
        diag.over(
            reference,
            format!("what is stored are not this struct's fields, because of serde's `{key}`; remove `#[reference]`"),
        );
    }
}
