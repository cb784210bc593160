//! Serde's attributes, as far as they decide what a field is called and whether it is stored.
//!
//! They are read, never judged: serde's own derive does that.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, ExprPath, Ident, Lit, LitStr, Meta};

use super::{Item, Value, generated, items_of};

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

/// What serde's attributes say of the struct.
#[derive(Default)]
pub(crate) struct SerdeStruct {
    serialize: Rule,
    deserialize: Rule,
    /// The attribute by which something else than its fields is written: `into`, `transparent`.
    pub(crate) written_as: Option<Ident>,
    /// The attribute by which something else than its fields is read: `from`, `try_from`, `transparent`.
    pub(crate) read_as: Option<Ident>,
}

impl SerdeStruct {
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut this = Self::default();
        for item in serde_items(attrs) {
            match item.name().as_str() {
                "rename_all" => {
                    let (serialize, deserialize) = both_forms(&item);
                    this.serialize = serialize
                        .and_then(|name| Rule::named(&name))
                        .unwrap_or(this.serialize);
                    this.deserialize = deserialize
                        .and_then(|name| Rule::named(&name))
                        .unwrap_or(this.deserialize);
                }
                "into" => this.written_as = Some(item.key),
                "from" | "try_from" => this.read_as = Some(item.key),
                "transparent" => {
                    this.written_as = Some(item.key.clone());
                    this.read_as = Some(item.key);
                }
                _ => {}
            }
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
    /// Whether it is stored.
    pub(crate) written: bool,
    /// The first `alias`.
    pub(crate) alias: Option<Ident>,
    /// The attribute by which functions write it, or read it: `with`, `serialize_with`, `deserialize_with`.
    pub(crate) with: Option<Ident>,
    /// The function that writes it.
    pub(crate) serialize: Option<TokenStream>,
}

impl SerdeField {
    pub(crate) fn read(field: &Ident, attrs: &[Attribute], all: &SerdeStruct) -> Self {
        let field = field.unraw().to_string();
        let mut this = Self {
            names: Names {
                serialize: all.serialize.apply(&field),
                deserialize: all.deserialize.apply(&field),
                aliases: Vec::new(),
            },
            flatten: false,
            skip: None,
            written: true,
            alias: None,
            with: None,
            serialize: None,
        };
        for item in serde_items(attrs) {
            match (item.name().as_str(), &item.value) {
                ("rename", _) => {
                    let (serialize, deserialize) = both_forms(&item);
                    this.names.serialize = serialize.unwrap_or(this.names.serialize);
                    this.names.deserialize = deserialize.unwrap_or(this.names.deserialize);
                }
                ("alias", Value::Lit(Lit::Str(lit))) => {
                    this.names.aliases.push(lit.value());
                    this.alias.get_or_insert(item.key);
                }
                ("flatten", _) => this.flatten = true,
                ("skip" | "skip_serializing" | "skip_deserializing", _) => {
                    this.written &= item.name() == "skip_deserializing";
                    this.skip = Some(item.key);
                }
                ("with" | "serialize_with" | "deserialize_with", Value::Lit(Lit::Str(lit))) => {
                    match item.name().as_str() {
                        "with" => {
                            let span = generated(lit.span());
                            this.serialize =
                                path(lit).map(|module| quote_spanned!(span=> #module::serialize));
                        }
                        "serialize_with" => this.serialize = path(lit),
                        _ => {}
                    }
                    this.with = Some(item.key);
                }
                _ => {}
            }
        }
        this
    }
}

/// The path in a string; `None` if it is none, of which serde tells.
fn path(lit: &LitStr) -> Option<TokenStream> {
    let mut text = lit.clone();
    text.set_span(generated(lit.span()));
    let path: ExprPath = text.parse().ok()?;
    Some(quote!(#path))
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
        SerdeField::read(field, attrs, &SerdeStruct::read(all)).names
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
    fn the_function_that_writes_a_field_is_found() {
        let read = |attr: Attribute| {
            let field = SerdeField::read(&parse_quote!(a), &[attr], &SerdeStruct::default());
            let serialize = field.serialize.map(|path| path.to_string().replace(' ', ""));
            (field.with.map(|key| key.to_string()), serialize)
        };
        for (attr, key, function) in [
            (
                parse_quote!(#[serde(with = "a::b")]),
                "with",
                Some("a::b::serialize"),
            ),
            (
                parse_quote!(#[serde(with = "<A as B<C>>::D")]),
                "with",
                Some("<AasB<C>>::D::serialize"),
            ),
            (
                parse_quote!(#[serde(deserialize_with = "a", serialize_with = "b")]),
                "serialize_with",
                Some("b"),
            ),
            (
                parse_quote!(#[serde(deserialize_with = "a")]),
                "deserialize_with",
                None,
            ),
        ] {
            let found = read(attr);
            assert_eq!((found.0.as_deref(), found.1.as_deref()), (Some(key), function));
        }
    }

    #[test]
    fn a_struct_that_is_stored_as_another_is_seen() {
        let read = |attr: Attribute| SerdeStruct::read(&[attr]);
        let into = read(parse_quote!(#[serde(into = "A", try_from = "B")]));
        assert!(into.written_as.is_some_and(|key| key == "into"));
        assert!(into.read_as.is_some_and(|key| key == "try_from"));
        assert!(read(parse_quote!(#[serde(transparent)])).written_as.is_some());
        let plain = read(parse_quote!(#[serde(rename_all = "camelCase", default)]));
        assert!(plain.written_as.is_none() && plain.read_as.is_none());
    }

    #[test]
    fn what_is_not_stored_is_seen() {
        let field: Ident = parse_quote!(a);
        let read = |attr: Attribute| SerdeField::read(&field, &[attr], &SerdeStruct::default());
        assert!(read(parse_quote!(#[serde(flatten)])).flatten);
        for attr in [
            parse_quote!(#[serde(skip)]),
            parse_quote!(#[serde(default, skip_serializing)]),
            parse_quote!(#[serde(skip_serializing, skip_deserializing)]),
        ] {
            let field = read(attr);
            assert!(field.skip.is_some() && !field.written);
        }
        let field = read(parse_quote!(#[serde(skip_deserializing)]));
        assert!(field.skip.is_some() && field.written);
        assert!(
            read(parse_quote!(#[serde(skip_serializing_if = "Option::is_none", default)]))
                .skip
                .is_none()
        );
    }
}
