//! What is wrong with a struct as a whole. What is wrong with one attribute was said when it was read.

use crate::attr::Unit;
use crate::diag::Diag;
use crate::model::{Entity, Field};

/// What `expand` needs to know, once it is known to be right.
pub(crate) struct Checked<'a> {
    pub(crate) id: &'a Field<'a>,
    pub(crate) term: Option<(&'a Field<'a>, Unit)>,
}

/// Reports every mistake. `None` if there is no id to go on with.
pub(crate) fn entity<'a>(entity: &'a Entity<'a>, diag: &mut Diag) -> Option<Checked<'a>> {
    no_parameters(entity, diag);
    keyspace(entity, diag);
    type_alias(entity, diag);
    let term = one_term(entity, diag);
    let id = one_id(entity, diag);
    for field in entity.all_fields() {
        id_is_stored(field, diag);
        id_is_nothing_else(field, diag);
        json_is_stored(field, diag);
    }
    id.map(|id| Checked { id, term })
}

fn no_parameters(entity: &Entity<'_>, diag: &mut Diag) {
    for param in &entity.generics.params {
        diag.over(
            param,
            match param {
                syn::GenericParam::Lifetime(_) => {
                    "an entity owns what it holds, since it is read back; remove the lifetime"
                }
                syn::GenericParam::Type(_) | syn::GenericParam::Const(_) => {
                    "an entity has no parameters, since one type is one keyspace; write a struct for each"
                }
            },
        );
    }
}

fn keyspace(entity: &Entity<'_>, diag: &mut Diag) {
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

fn type_alias(entity: &Entity<'_>, diag: &mut Diag) {
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

fn one_term<'a>(entity: &'a Entity<'a>, diag: &mut Diag) -> Option<(&'a Field<'a>, Unit)> {
    let mut fields = entity
        .all_fields()
        .filter_map(|field| field.attrs.time_to_live.map(|(attr, unit)| (field, attr, unit)));
    let (first, attr, unit) = fields.next()?;
    for (_, attr, _) in fields {
        diag.over(
            attr,
            format!("`{}` is the `#[time_to_live]` already; keep one", first.ident),
        );
    }
    if let Some(term_fn) = &entity.attrs.time_to_live_fn {
        let message = "the time to live comes from a field or from a function; keep either \
                       `#[time_to_live]` or `time_to_live_fn`";
        diag.at(term_fn.key, message);
        diag.over(attr, message);
    }
    Some((first, unit))
}

fn one_id<'a>(entity: &'a Entity<'a>, diag: &mut Diag) -> Option<&'a Field<'a>> {
    let mut ids = entity
        .all_fields()
        .filter_map(|field| field.attrs.id.map(|attr| (field, attr)));
    let Some((id, _)) = ids.next() else {
        if entity.fields.is_some() {
            diag.at(
                entity.ident.span(),
                format!("`{}` has no id; put `#[id]` on one field", entity.name()),
            );
        }
        return None;
    };
    for (_, attr) in ids {
        diag.over(attr, format!("`{}` is the `#[id]` already; keep one", id.ident));
    }
    let names = &id.serde.names;
    if names.serialize != names.deserialize {
        diag.at(
            id.ident.span(),
            format!(
                "the id is written as `{}` and read as `{}`; serde's `serialize` and `deserialize` names must agree",
                names.serialize, names.deserialize
            ),
        );
    }
    Some(id)
}

fn id_is_stored(field: &Field<'_>, diag: &mut Diag) {
    if field.attrs.id.is_none() {
        return;
    }
    if let Some(skip) = &field.serde.skip {
        diag.at(
            skip.span(),
            format!("the id is stored with the entity; remove serde's `{skip}`"),
        );
    }
    if field.serde.flatten {
        diag.at(
            field.ident.span(),
            "the id stands in one field of the hash; remove serde's `flatten`",
        );
    }
}

fn id_is_nothing_else(field: &Field<'_>, diag: &mut Diag) {
    let Some(id) = field.attrs.id else { return };
    if let Some(json) = &field.attrs.json {
        diag.at(
            json.span(),
            "the id is stored as it stands in the key; remove `#[kv(json)]`",
        );
    }
    if field.attrs.time_to_live.is_some() {
        diag.over(id, "the id cannot be the time to live as well; use two fields");
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
