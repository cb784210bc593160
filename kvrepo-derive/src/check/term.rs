//! Where an entity's term comes from: one field, or one function; and one default.

use syn::Attribute;

use crate::attr::Unit;
use crate::diag::Diag;
use crate::model::{Field, Struct};

/// What the field that holds the term says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    /// `#[time_to_live]`: what remains, in this unit.
    Remaining(Unit),
    /// `#[expires_at]`: when it ends.
    Deadline,
}

impl Term {
    fn attribute(self) -> &'static str {
        match self {
            Self::Remaining(_) => "#[time_to_live]",
            Self::Deadline => "#[expires_at]",
        }
    }

    /// What such a field is called in a message.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Remaining(_) => "the time to live",
            Self::Deadline => "the deadline",
        }
    }
}

/// A field's attributes that state the term.
pub(super) fn of_field<'a>(field: &Field<'a>) -> impl Iterator<Item = (&'a Attribute, Term)> + use<'a> {
    let remaining = field
        .attrs
        .time_to_live
        .map(|(attr, unit)| (attr, Term::Remaining(unit)));
    let deadline = field.attrs.expires_at.map(|attr| (attr, Term::Deadline));
    remaining.into_iter().chain(deadline)
}

/// The default term is fixed, or idle.
pub(super) fn one_default(entity: &Struct<'_>, diag: &mut Diag) {
    let (Some(fixed), Some(idle)) = (&entity.attrs.time_to_live, &entity.attrs.idle) else {
        return;
    };
    for term in [fixed, idle] {
        diag.at(
            term.key,
            "entities expire after a fixed time or when they are idle; keep either `time_to_live` or `idle`",
        );
    }
}

/// The field that states the term, if one does.
pub(super) fn one<'a>(entity: &'a Struct<'a>, diag: &mut Diag) -> Option<(&'a Field<'a>, Term)> {
    let stated: Vec<_> = entity
        .all_fields()
        .flat_map(|field| of_field(field).map(move |(attr, term)| (field, attr, term)))
        .collect();
    let (first, first_attr, first_term) = *stated.first()?;
    let mixed = stated
        .iter()
        .any(|(_, _, term)| term.attribute() != first_term.attribute());
    for (field, attr, term) in &stated {
        if mixed {
            diag.over(
                attr,
                "an entity states how long it lives or when it ends; keep either `#[time_to_live]` or \
                 `#[expires_at]`, on one field",
            );
        } else if !std::ptr::eq(*field, first) {
            let (first, attribute) = (first.ident, term.attribute());
            diag.over(attr, format!("`{first}` is the `{attribute}` already; keep one"));
        }
    }
    if let Some(term_fn) = &entity.attrs.time_to_live_fn {
        let message = format!(
            "{} comes from a field or from a function; keep either `{}` or `time_to_live_fn`",
            first_term.noun(),
            first_term.attribute()
        );
        diag.at(term_fn.key, &message);
        diag.over(first_attr, message);
    }
    Some((first, first_term))
}
