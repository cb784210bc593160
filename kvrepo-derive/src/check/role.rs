//! The fields that kvrepo itself reads in the hash, the id and the version: each is one, and stands there as it is.

use syn::{Attribute, Ident};

use super::term;
use crate::diag::Diag;
use crate::model::{Field, Struct};

/// The field with `#[id]`; the first, if there are several.
pub(super) fn one_id<'a>(entity: &'a Struct<'a>, diag: &mut Diag) -> Option<&'a Field<'a>> {
    let id = first(entity, |field| field.attrs.id, "#[id]", diag);
    if id.is_none() && entity.fields.is_some() {
        diag.at(
            entity.ident.span(),
            format!("`{}` has no id; put `#[id]` on one field", entity.name()),
        );
    }
    one_name(id?, "the id", diag);
    id
}

/// The field with `#[version]`; the first, if there are several.
pub(super) fn one_version<'a>(entity: &'a Struct<'a>, diag: &mut Diag) -> Option<&'a Field<'a>> {
    let version = first(entity, |field| field.attrs.version, "#[version]", diag)?;
    one_name(version, "the version", diag);
    if let Some(alias) = &version.serde.alias {
        diag.at(
            alias.span(),
            "the version is compared under one name; remove serde's `alias`",
        );
    }
    if let Some(with) = &version.serde.with {
        diag.at(
            with.span(),
            format!("the version is a plain number in the hash; remove serde's `{with}`"),
        );
    }
    Some(version)
}

/// What is wrong with the id, or the version, if this field is one.
pub(super) fn check(field: &Field<'_>, diag: &mut Diag) {
    if let Some(id) = field.attrs.id {
        is_stored(field, "the id", diag);
        is_not_json(field, "the id is stored as it stands in the key", diag);
        for (_, term) in term::of_field(field) {
            is_not_both(id, "the id", term.noun(), diag);
        }
        if field.attrs.version.is_some() {
            is_not_both(id, "the id", "the version", diag);
        }
    }
    if let Some(version) = field.attrs.version {
        is_stored(field, "the version", diag);
        is_not_json(field, "the version is a plain number in the hash", diag);
        for (_, term) in term::of_field(field) {
            is_not_both(version, "the version", term.noun(), diag);
        }
    }
}

fn first<'a>(
    entity: &'a Struct<'a>,
    attribute: impl Fn(&Field<'a>) -> Option<&'a Attribute>,
    shown: &str,
    diag: &mut Diag,
) -> Option<&'a Field<'a>> {
    let mut marked = entity
        .all_fields()
        .filter_map(|field| attribute(field).map(|attr| (field, attr)));
    let (first, _) = marked.next()?;
    for (_, attr) in marked {
        diag.over(
            attr,
            format!("`{}` is the `{shown}` already; keep one", first.ident),
        );
    }
    Some(first)
}

fn one_name(field: &Field<'_>, noun: &str, diag: &mut Diag) {
    let names = &field.serde.names;
    if names.serialize != names.deserialize {
        diag.at(
            field.ident.span(),
            format!(
                "{noun} is written as `{}` and read as `{}`; serde's `serialize` and `deserialize` names must agree",
                names.serialize, names.deserialize
            ),
        );
    }
}

fn is_stored(field: &Field<'_>, noun: &str, diag: &mut Diag) {
    if let Some(skip) = &field.serde.skip {
        diag.at(
            skip.span(),
            format!("{noun} is stored with the entity; remove serde's `{skip}`"),
        );
    }
    if field.serde.flatten {
        diag.at(
            field.ident.span(),
            format!("{noun} stands in one field of the hash; remove serde's `flatten`"),
        );
    }
}

fn is_not_json(field: &Field<'_>, reason: &str, diag: &mut Diag) {
    if let Some(json) = field.attrs.json.as_ref().map(Ident::span) {
        diag.at(json, format!("{reason}; remove `#[kv(json)]`"));
    }
}

fn is_not_both(attr: &Attribute, noun: &str, other: &str, diag: &mut Diag) {
    diag.over(attr, format!("{noun} cannot be {other} as well; use two fields"));
}
