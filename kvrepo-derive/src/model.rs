//! A struct with what its attributes say, put together; not yet known to be right.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Generics, Ident, Type, Visibility};

use crate::attr::{Container, FieldAttrs, Kind, SerdeField, SerdeStruct};
use crate::diag::Diag;

/// A struct that is to be an entity, or nested in one.
pub(crate) struct Struct<'a> {
    pub(crate) kind: Kind,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) generics: &'a Generics,
    pub(crate) is_union: bool,
    pub(crate) attrs: Container,
    pub(crate) serde: SerdeStruct,
    /// `None` if it is not a struct with named fields.
    pub(crate) fields: Option<Vec<Field<'a>>>,
}

/// One of its fields.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) attrs: FieldAttrs<'a>,
    pub(crate) serde: SerdeField,
}

impl<'a> Struct<'a> {
    pub(crate) fn read(input: &'a DeriveInput, kind: Kind, diag: &mut Diag) -> Self {
        let attrs = Container::read(&input.attrs, kind, diag);
        let of_struct = SerdeStruct::read(&input.attrs);
        let fields = named_fields(input, kind, diag).map(|fields| {
            fields
                .named
                .iter()
                .filter_map(|field| {
                    let ident = field.ident.as_ref()?;
                    let serde = SerdeField::read(ident, &field.attrs, &of_struct);
                    Some(Field {
                        ident,
                        ty: &field.ty,
                        attrs: FieldAttrs::read(&field.attrs, kind, diag),
                        serde,
                    })
                })
                .collect()
        });
        Self {
            kind,
            ident: &input.ident,
            vis: &input.vis,
            generics: &input.generics,
            is_union: matches!(input.data, Data::Union(_)),
            attrs,
            serde: of_struct,
            fields,
        }
    }

    /// The type's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The keyspace that is stated, or else the type's name in snake case.
    pub(crate) fn keyspace(&self) -> String {
        self.attrs
            .keyspace
            .as_ref()
            .map_or_else(|| snake_case(&self.name()), syn::LitStr::value)
    }

    /// The module that generated code takes everything from; `None` if it was stated wrongly.
    pub(crate) fn private(&self) -> Option<TokenStream> {
        self.attrs.krate.private()
    }

    pub(crate) fn all_fields(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().flatten()
    }
}

fn named_fields<'a>(input: &'a DeriveInput, kind: Kind, diag: &mut Diag) -> Option<&'a syn::FieldsNamed> {
    let (what, found): (_, &dyn ToTokens) = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => return Some(fields),
            Fields::Unnamed(fields) => ("this struct's fields have no names", fields),
            Fields::Unit => ("this struct has no fields", &input.ident),
        },
        Data::Enum(data) => ("this is an enum", &data.enum_token),
        Data::Union(data) => ("this is a union", &data.union_token),
    };
    let is = match kind {
        Kind::Entity => "an entity is a struct with named fields",
        Kind::Nested => "a nested struct has named fields",
    };
    diag.over(found, format!("{is}, and {what}"));
    None
}

/// `HTTPServer` as `http_server`.
fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (i, c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let after = chars.get(i + 1);
        let word_begins = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if word_begins {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn a_keyspace_is_the_name_in_snake_case() {
        for (name, snake) in [
            ("Person", "person"),
            ("HTTPServer", "http_server"),
            ("MyHTTP", "my_http"),
            ("OrderLine2", "order_line2"),
            ("Http2Server", "http2_server"),
            ("ABTest", "ab_test"),
            ("A", "a"),
            ("Snake_Case", "snake_case"),
            ("person", "person"),
            ("ÄrgerÖl", "ärger_öl"),
        ] {
            assert_eq!(snake_case(name), snake);
        }
    }
}
