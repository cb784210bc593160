//! Structs within entities: what `#[nested]` may stand on, and what a struct that derives `KvNested` may not have.

use syn::Attribute;

use super::{index, no_parameters, reference, term};
use crate::diag::Diag;
use crate::model::{Field, Struct};

/// What is wrong with an entity's field because it is nested.
pub(super) fn field(field: &Field<'_>, diag: &mut Diag) {
    let Some(nested) = field.attrs.nested else { return };
    let single = [
        field.attrs.id.map(|_| "the id"),
        field.attrs.version.map(|_| "the version"),
        term::of_field(field).next().map(|(_, term)| term.noun()),
    ];
    for noun in single.into_iter().flatten() {
        diag.over(
            nested,
            format!("{noun} stands in one field of the hash; remove `#[nested]`"),
        );
    }
    if field.attrs.json.is_some() {
        diag.over(
            nested,
            "in JSON the fields of a struct have no paths; keep either `#[nested]` or `#[kv(json)]`",
        );
    }
    if field.serde.flatten {
        diag.over(
            nested,
            "a flattened field has no path for others to stand below; keep either `#[nested]` or serde's `flatten`",
        );
    }
    has_one_path(field, nested, diag);
}

/// What stands in a nested field is what its type's own serialization stores, below one path.
fn has_one_path(field: &Field<'_>, nested: &Attribute, diag: &mut Diag) {
    if let Some(skip) = &field.serde.skip {
        diag.over(
            nested,
            format!("the field is not stored, or not read, because of serde's `{skip}`; remove `#[nested]`"),
        );
    }
    if let Some(with) = &field.serde.with {
        diag.over(
            nested,
            format!("what is stored is up to serde's `{with}`; keep either it or `#[nested]`"),
        );
    }
    let names = &field.serde.names;
    if names.serialize != names.deserialize {
        diag.over(
            nested,
            format!(
                "the struct is written as `{}` and read as `{}`, but its fields have one path each; make serde's \
                 `serialize` and `deserialize` names agree, or remove `#[nested]`",
                names.serialize, names.deserialize
            ),
        );
    }
    if field.serde.alias.is_some() {
        diag.over(
            nested,
            "the fields of a nested struct have one path each; remove serde's `alias`, or `#[nested]`",
        );
    }
}

/// Reports every mistake of a struct that is to be nested.
pub(crate) fn nested(nested: &Struct<'_>, diag: &mut Diag) {
    no_parameters(nested, diag);
    stands_for_itself(nested, diag);
    for of in nested.all_fields() {
        if let Some(attr) = of.attrs.nested {
            has_one_path(of, attr, diag);
        }
        index::field(of, diag);
        reference::field(of, diag);
        has_no_role(of, diag);
    }
}

/// Its fields are what serde stores.
fn stands_for_itself(nested: &Struct<'_>, diag: &mut Diag) {
    let (written, read) = (&nested.serde.written_as, &nested.serde.read_as);
    let keys = written
        .iter()
        .chain(read.iter().filter(|read| Some(*read) != written.as_ref()));
    for key in keys {
        diag.at(
            key.span(),
            format!("what is stored are not this struct's fields, because of serde's `{key}`; remove it, or `KvNested`"),
        );
    }
}

fn has_no_role(field: &Field<'_>, diag: &mut Diag) {
    if let Some(id) = field.attrs.id {
        diag.over(
            id,
            "`#[id]` belongs on a field of the entity, and a nested struct has none; remove it",
        );
    }
    for (attr, term) in term::of_field(field) {
        diag.over(
            attr,
            format!("{} is the entity's, whole; put the field there", term.noun()),
        );
    }
    if let Some(version) = field.attrs.version {
        diag.over(version, "the version is the entity's, whole; put the field there");
    }
    if let Some(json) = &field.attrs.json {
        diag.at(
            json.span(),
            "only a field of the entity itself is stored as JSON; put `#[kv(json)]` in the place of its `#[nested]`, \
             or remove it",
        );
    }
    if field.serde.flatten {
        diag.at(
            field.ident.span(),
            "a flattened field has no path of its own; remove serde's `flatten`, or `KvNested` with the entity's \
             `#[nested]`",
        );
    }
}
