//! Serde's attributes, as far as they decide what a field is called and whether it is stored.
//!
//! They are read, never judged: serde's own derive does that.

use syn::ext::IdentExt;
use syn::{Attribute, Ident, Lit, Meta};

use super::{Item, Value, items_of};

/// What a field is called where it is written and where it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) serialize: String,
    pub(crate) deserialize: String,
    /// Other names under which it is read.
    pub(crate) aliases: Vec<String>,
}

impl Names {
    /// All names, each once.
    pub(crate) fn all(&self) -> Vec<&str> {
        let mut all = vec![self.serialize.as_str()];
        for name in std::iter::once(&self.deserialize).chain(&self.aliases) {
            if !all.contains(&name.as_str()) {
                all.push(name);
            }
        }
        all
    }
}

/// `#[serde(rename_all = "…")]` of the struct.
#[derive(Default)]
pub(crate) struct RenameAll {
    serialize: Rule,
    deserialize: Rule,
}

impl RenameAll {
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut this = Self::default();
        for item in serde_items(attrs)
            .into_iter()
            .filter(|item| item.name() == "rename_all")
        {
            let (serialize, deserialize) = both_forms(&item);
            this.serialize = serialize
                .and_then(|name| Rule::named(&name))
                .unwrap_or(this.serialize);
            this.deserialize = deserialize
                .and_then(|name| Rule::named(&name))
                .unwrap_or(this.deserialize);
        }
        this
    }
}

/// What serde's attributes say of a field.
pub(crate) struct SerdeField {
    pub(crate) names: Names,
    pub(crate) flatten: bool,
    /// The attribute by which the field is not stored, or not read: `skip`, `skip_serializing`, `skip_deserializing`.
    pub(crate) skip: Option<Ident>,
}

impl SerdeField {
    pub(crate) fn read(field: &Ident, attrs: &[Attribute], all: &RenameAll) -> Self {
        let field = field.unraw().to_string();
        let mut this = Self {
            names: Names {
                serialize: all.serialize.apply(&field),
                deserialize: all.deserialize.apply(&field),
                aliases: Vec::new(),
            },
            flatten: false,
            skip: None,
        };
        for item in serde_items(attrs) {
            match (item.name().as_str(), &item.value) {
                ("rename", _) => {
                    let (serialize, deserialize) = both_forms(&item);
                    this.names.serialize = serialize.unwrap_or(this.names.serialize);
                    this.names.deserialize = deserialize.unwrap_or(this.names.deserialize);
                }
                ("alias", Value::Lit(Lit::Str(lit))) => this.names.aliases.push(lit.value()),
                ("flatten", _) => this.flatten = true,
                ("skip" | "skip_serializing" | "skip_deserializing", _) => this.skip = Some(item.key),
                _ => {}
            }
        }
        this
    }
}

fn serde_items(attrs: &[Attribute]) -> Vec<Item> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("serde"))
        .filter_map(|attr| match &attr.meta {
            Meta::List(list) => Some(items_of(list.tokens.clone()).0),
            Meta::Path(_) | Meta::NameValue(_) => None,
        })
        .flatten()
        .collect()
}

/// The strings of `key = "both"` or `key(serialize = "one", deserialize = "other")`.
fn both_forms(item: &Item) -> (Option<String>, Option<String>) {
    match &item.value {
        Value::Lit(Lit::Str(lit)) => (Some(lit.value()), Some(lit.value())),
        Value::List(tokens) => {
            let (items, _) = items_of(tokens.clone());
            let find = |key| {
                items
                    .iter()
                    .find(|item| item.name() == key)
                    .and_then(|item| match &item.value {
                        Value::Lit(Lit::Str(lit)) => Some(lit.value()),
                        _ => None,
                    })
            };
            (find("serialize"), find("deserialize"))
        }
        _ => (None, None),
    }
}

/// How a struct's fields are renamed. Field names are taken to be in snake case, as serde does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Rule {
    #[default]
    None,
    Upper,
    Pascal,
    Camel,
    Kebab,
    ScreamingKebab,
}

impl Rule {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            // Which is what a field has already.
            "lowercase" | "snake_case" => Self::None,
            "UPPERCASE" | "SCREAMING_SNAKE_CASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    fn apply(self, field: &str) -> String {
        match self {
            Self::None => field.to_owned(),
            Self::Upper => field.to_ascii_uppercase(),
            Self::Pascal => capitalized(field),
            Self::Camel => {
                let mut name = capitalized(field);
                if let Some(first) = name.get_mut(..1) {
                    first.make_ascii_lowercase();
                }
                name
            }
            Self::Kebab => field.replace('_', "-"),
            Self::ScreamingKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn capitalized(field: &str) -> String {
    let mut name = String::with_capacity(field.len());
    let mut capital = true;
    for c in field.chars() {
        if c == '_' {
            capital = true;
        } else {
            name.push(if capital { c.to_ascii_uppercase() } else { c });
            capital = false;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn names(all: &[Attribute], attrs: &[Attribute], field: &Ident) -> Names {
        SerdeField::read(field, attrs, &RenameAll::read(all)).names
    }

    #[test]
    fn a_field_is_renamed_by_serdes_rules() {
        for (rule, name) in [
            ("lowercase", "first_name2"),
            ("snake_case", "first_name2"),
            ("UPPERCASE", "FIRST_NAME2"),
            ("SCREAMING_SNAKE_CASE", "FIRST_NAME2"),
            ("PascalCase", "FirstName2"),
            ("camelCase", "firstName2"),
            ("kebab-case", "first-name2"),
            ("SCREAMING-KEBAB-CASE", "FIRST-NAME2"),
        ] {
            let all: Attribute = parse_quote!(#[serde(deny_unknown_fields, rename_all = #rule)]);
            assert_eq!(
                names(&[all], &[], &parse_quote!(first_name2)).all(),
                [name],
                "{rule}"
            );
        }
        assert_eq!(Rule::Camel.apply("_"), "");
        assert_eq!(Rule::Camel.apply("__a_b"), "aB");
        assert_eq!(Rule::Camel.apply("ärger"), "ärger");
    }

    #[test]
    fn the_two_forms_are_told_apart() {
        let all: Attribute = parse_quote!(#[serde(rename_all(serialize = "UPPERCASE"))]);
        let all = [all];
        assert_eq!(names(&all, &[], &parse_quote!(r#type)).all(), ["TYPE", "type"]);
        let own: Attribute =
            parse_quote!(#[serde(rename(deserialize = "kind"), alias = "sort", alias = "kind")]);
        assert_eq!(
            names(&all, &[own], &parse_quote!(r#type)).all(),
            ["TYPE", "kind", "sort"]
        );
        let own: Attribute =
            parse_quote!(#[serde(default, rename = "kind", with = "a::b", bound(serialize = "T: X"))]);
        assert_eq!(names(&all, &[own], &parse_quote!(r#type)).all(), ["kind"]);
    }

    #[test]
    fn what_is_not_stored_is_seen() {
        let field: Ident = parse_quote!(a);
        let read = |attr: Attribute| SerdeField::read(&field, &[attr], &RenameAll::default());
        assert!(read(parse_quote!(#[serde(flatten)])).flatten);
        for attr in [
            parse_quote!(#[serde(skip)]),
            parse_quote!(#[serde(default, skip_serializing)]),
            parse_quote!(#[serde(skip_deserializing)]),
        ] {
            assert!(read(attr).skip.is_some());
        }
        assert!(
            read(parse_quote!(#[serde(skip_serializing_if = "Option::is_none", default)]))
                .skip
                .is_none()
        );
    }
}
