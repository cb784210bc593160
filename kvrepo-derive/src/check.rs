//! What is wrong with a struct as a whole. What is wrong with one attribute was said when it was read.

mod index;
mod nested;
mod reference;
mod role;
mod term;

use crate::attr::Kind;
use crate::diag::Diag;
use crate::model::{Field, Struct};

pub(crate) use nested::nested;
pub(crate) use term::Term;

/// What `expand` needs to know, once it is known to be right.
pub(crate) struct Checked<'a> {
    pub(crate) id: &'a Field<'a>,
    /// The field that holds the term.
    pub(crate) term: Option<(&'a Field<'a>, Term)>,
    pub(crate) version: Option<&'a Field<'a>>,
}

/// Reports every mistake of an entity. `None` if there is no id to go on with.
pub(crate) fn entity<'a>(entity: &'a Struct<'a>, diag: &mut Diag) -> Option<Checked<'a>> {
    no_parameters(entity, diag);
    keyspace(entity, diag);
    type_alias(entity, diag);
    term::one_default(entity, diag);
    let term = term::one(entity, diag);
    let id = role::one_id(entity, diag);
    let version = role::one_version(entity, diag);
    reference::stands_for_itself(entity, diag);
    for field in entity.all_fields() {
        role::check(field, diag);
        nested::field(field, diag);
        index::field(field, diag);
        reference::field(field, diag);
        json_is_stored(field, diag);
    }
    id.map(|id| Checked { id, term, version })
}

fn no_parameters(of: &Struct<'_>, diag: &mut Diag) {
    for param in &of.generics.params {
        diag.over(
            param,
            match (param, of.kind) {
                (syn::GenericParam::Lifetime(_), Kind::Entity) => {
                    "an entity owns what it holds, since it is read back; remove the lifetime"
                }
                (syn::GenericParam::Lifetime(_), Kind::Nested) => {
                    "a nested struct owns what it holds, since it is read back; remove the lifetime"
                }
                (_, Kind::Entity) => {
                    "an entity has no parameters, since one type is one keyspace; write a struct for each"
                }
                (_, Kind::Nested) => "a nested struct has no parameters; write a struct for each",
            },
        );
    }
}

fn keyspace(entity: &Struct<'_>, diag: &mut Diag) {
    let Some(lit) = &entity.attrs.keyspace else { return };
    let name = lit.value();
    if name.is_empty() {
        diag.at(
            lit.span(),
            "`keyspace` is empty; leave it out for the type's name in snake case",
        );
        return;
    }
    let reason = if let Some(c) = name.chars().find(|c| matches!(c, '#' | '*' | '?' | '[')) {
        format!("it contains `{c}`")
    } else if name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        "it contains white space or a control character".to_owned()
    } else if name.starts_with(':') {
        "it begins with `:`, which kvrepo puts between keyspace and id".to_owned()
    } else if name.ends_with(':') {
        "it ends with `:`, which kvrepo puts between keyspace and id".to_owned()
    } else {
        return;
    };
    diag.at(
        lit.span(),
        format!("`{}` cannot be a keyspace: {reason}", name.escape_debug()),
    );
}

fn type_alias(entity: &Struct<'_>, diag: &mut Diag) {
    if let Some(lit) = entity
        .attrs
        .type_alias
        .as_ref()
        .filter(|lit| lit.value().is_empty())
    {
        diag.at(
            lit.span(),
            "`type_alias` is empty; leave it out to write no `_class`",
        );
    }
}

fn json_is_stored(field: &Field<'_>, diag: &mut Diag) {
    let Some(json) = &field.attrs.json else { return };
    if field.serde.flatten {
        diag.at(
            json.span(),
            "a flattened field has no field of its own to hold JSON; remove serde's `flatten` or `json`",
        );
    }
    if let Some(skip) = field.serde.skip.as_ref().filter(|skip| *skip == "skip") {
        diag.at(
            json.span(),
            format!("the field is not stored, because of serde's `{skip}`; remove `json`"),
        );
    }
}
