//! `#[indexed]`, `#[indexed(…)]` and `#[geo_indexed]` on a field.

use proc_macro2::Span;
use syn::{Attribute, Lit, LitStr, Meta};

use super::{Value, items_of};
use crate::diag::Diag;

/// How a field is indexed.
pub(crate) struct IndexAttr<'a> {
    /// What says so.
    pub(crate) attr: &'a Attribute,
    pub(crate) equality: bool,
    /// Where it is stated.
    pub(crate) range: Option<Span>,
    /// Where it is stated.
    pub(crate) unique: Option<Span>,
    pub(crate) geo: bool,
    pub(crate) name: Option<LitStr>,
}

impl<'a> IndexAttr<'a> {
    /// Reads `#[indexed]`.
    pub(super) fn read(attr: &'a Attribute, diag: &mut Diag) -> Self {
        let mut this = Self {
            attr,
            equality: false,
            range: None,
            unique: None,
            geo: false,
            name: None,
        };
        this.keys(
            "indexed",
            "`equality`, `range`, `unique` and `name = \"…\"`",
            &["equality", "range", "unique"],
            diag,
        );
        this.equality |= this.range.is_none() && this.unique.is_none();
        this
    }

    /// Reads `#[geo_indexed]`.
    pub(super) fn read_geo(attr: &'a Attribute, diag: &mut Diag) -> Self {
        let mut this = Self {
            attr,
            equality: false,
            range: None,
            unique: None,
            geo: true,
            name: None,
        };
        this.keys("geo_indexed", "`name = \"…\"`", &[], diag);
        this
    }

    fn keys(&mut self, attribute: &str, takes: &str, kinds: &[&str], diag: &mut Diag) {
        let tokens = match &self.attr.meta {
            Meta::Path(_) => return,
            Meta::List(list) => list.tokens.clone(),
            Meta::NameValue(meta) => {
                diag.over(
                    &meta.value,
                    format!("`#[{attribute}]` takes {takes} in brackets: `#[{attribute}(name = \"…\")]`"),
                );
                return;
            }
        };
        let (items, errors) = items_of(tokens);
        errors.into_iter().for_each(|error| diag.push(error));
        let mut seen = Vec::new();
        for item in items {
            let (name, span) = (item.name(), item.key.span());
            if seen.contains(&name) {
                diag.at(span, format!("`{name}` is stated twice; keep one"));
                continue;
            }
            match (name.as_str(), &item.value) {
                ("name", Value::Lit(Lit::Str(lit))) => {
                    if let Some(reason) = flaw(&lit.value()) {
                        diag.at(
                            lit.span(),
                            format!("`{}` cannot be an index's name: {reason}", lit.value()),
                        );
                    }
                    self.name = Some(lit.clone());
                }
                ("name", _) => {
                    diag.push(item.value_error("`name` takes a string: `name = \"by_city\"`".to_owned()));
                }
                (kind, Value::None) if kinds.contains(&kind) => match kind {
                    "equality" => self.equality = true,
                    "range" => self.range = Some(span),
                    _ => self.unique = Some(span),
                },
                (kind, _) if kinds.contains(&kind) => {
                    diag.push(item.value_error(format!("`{kind}` takes nothing: `#[{attribute}({kind})]`")));
                }
                _ => diag.at(span, super::known::unknown_of(&name, attribute, takes, kinds)),
            }
            seen.push(name);
        }
    }
}

fn flaw(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty; leave it out for the field's own");
    }
    let odd =
        |c: char| matches!(c, ':' | '#' | '*' | '?' | '[' | ']' | '.') || c.is_whitespace() || c.is_control();
    name.contains(odd)
        .then_some("it is part of keys; use letters, digits, `-` and `_`")
}
