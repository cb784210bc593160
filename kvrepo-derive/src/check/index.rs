//! Indexed fields: what of them can be indexed, and how.

use super::term;
use crate::diag::Diag;
use crate::model::Field;
use crate::peel::{Holder, Peeled};

/// What is wrong with a field because it is indexed.
pub(super) fn field(field: &Field<'_>, diag: &mut Diag) {
    let Some(index) = &field.attrs.indexed else { return };
    let attr = index.attr;
    let nouns = [
        field.attrs.id.map(|_| ("the id", "`find_by_id` finds it")),
        field.attrs.version.map(|_| ("the version", "it counts changes")),
        term::of_field(field).next().map(|(_, term)| {
            (
                term.noun(),
                "the server keeps what remains of it, and not the field",
            )
        }),
    ];
    for (noun, reason) in nouns.into_iter().flatten() {
        diag.over(
            attr,
            format!("{noun} cannot be indexed, since {reason}; remove the index"),
        );
    }
    if field.attrs.nested.is_some() {
        diag.over(
            attr,
            "a struct is indexed by its fields; put the attribute on those, in the struct that derives `KvNested`",
        );
    }
    if field.attrs.json.is_some() {
        diag.over(
            attr,
            "what is stored as JSON cannot be indexed; keep either the index or `#[kv(json)]`",
        );
    }
    if field.serde.flatten {
        diag.over(
            attr,
            "a flattened field has no path of its own; keep either the index or serde's `flatten`",
        );
    }
    if let Some(skip) = field.serde.skip.as_ref().filter(|_| !field.serde.written) {
        diag.over(
            attr,
            format!("the field is not stored, because of serde's `{skip}`; remove the index"),
        );
    }
    let peeled = Peeled::of(field.ty);
    if peeled.goes_on() {
        diag.over(
            field.ty,
            "what is indexed is a value, or a list, set or map of values; an `Option` stands around these, and not in \
             them",
        );
        return;
    }
    if let Some(with) = field.serde.with.as_ref().filter(|_| peeled.holder != Holder::One) {
        diag.over(
            attr,
            format!(
                "what is stored of the list or map is up to serde's `{with}`; keep either it or the index"
            ),
        );
    }
    if peeled.holder == Holder::Map {
        for (span, kind) in [(index.range, "range"), (index.unique, "unique")] {
            if let Some(span) = span {
                diag.at(
                    span,
                    format!("the values of a map are indexed by equality alone, each key by itself; remove `{kind}`"),
                );
            }
        }
    }
}
