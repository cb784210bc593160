//! Reading attributes: `key`, `key = literal` and `key(…)`, separated by commas.

mod container;
mod field;
mod index;
mod known;
mod serde;

pub(crate) use container::{Container, Krate};
pub(crate) use field::{FieldAttrs, Unit};
pub(crate) use index::IndexAttr;
pub(crate) use serde::{SerdeField, SerdeStruct};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, Lit, LitStr, Meta, Token};

use crate::diag::Diag;

/// What a struct is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `#[derive(KvEntity)]`
    Entity,
    /// `#[derive(KvNested)]`
    Nested,
}

/// One entry of an attribute's list.
struct Item {
    key: Ident,
    value: Value,
}

enum Value {
    /// `key`
    None,
    /// `key = literal`
    Lit(Lit),
    /// `key = anything else`
    Other(TokenStream),
    /// `key(…)`
    List(TokenStream),
}

impl Item {
    fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// Where the value stands, or the key if there is none.
    fn value_error(&self, message: String) -> syn::Error {
        match &self.value {
            Value::Lit(lit) => syn::Error::new(lit.span(), message),
            Value::Other(tokens) | Value::List(tokens) if !tokens.is_empty() => {
                syn::Error::new_spanned(tokens, message)
            }
            _ => syn::Error::new(self.key.span(), message),
        }
    }

    /// The string of `key = "…"`; `example` shows how it is written.
    fn string(&self, example: &str, diag: &mut Diag) -> Option<LitStr> {
        match &self.value {
            Value::Lit(Lit::Str(lit)) => Some(lit.clone()),
            _ => {
                let key = self.name();
                diag.push(self.value_error(format!("`{key}` takes a string: `{key} = \"{example}\"`")));
                None
            }
        }
    }

    fn boolean(&self, diag: &mut Diag) -> Option<bool> {
        match &self.value {
            Value::Lit(Lit::Bool(lit)) => Some(lit.value),
            _ => {
                let key = self.name();
                diag.push(self.value_error(format!("`{key}` takes `true` or `false`: `{key} = false`")));
                None
            }
        }
    }
}

/// The entries of one attribute's list. What cannot be read is left out and reported; the rest is read nevertheless.
fn items(attr: &Attribute, example: &str, diag: &mut Diag) -> Vec<Item> {
    match &attr.meta {
        Meta::List(list) => {
            let (items, errors) = items_of(list.tokens.clone());
            errors.into_iter().for_each(|error| diag.push(error));
            items
        }
        Meta::Path(_) | Meta::NameValue(_) => {
            diag.over(&attr.meta, format!("write it with a list: `{example}`"));
            Vec::new()
        }
    }
}

fn items_of(tokens: TokenStream) -> (Vec<Item>, Vec<syn::Error>) {
    let mut items = Vec::new();
    let mut errors = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let item = item(input);
            let rest = until_comma(input)?;
            match item {
                Ok(item) => {
                    items.push(item);
                    if !rest.is_empty() {
                        errors.push(syn::Error::new_spanned(rest, "expected `,`"));
                    }
                }
                Err(error) => errors.push(error),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        errors.push(error);
    }
    (items, errors)
}

fn item(input: ParseStream<'_>) -> syn::Result<Item> {
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            return Err(syn::Error::new(key.span(), format!("`{key} =` has no value")));
        }
        let fork = input.fork();
        match fork.parse::<Lit>() {
            Ok(lit) if fork.is_empty() || fork.peek(Token![,]) => {
                until_comma(input)?;
                Value::Lit(lit)
            }
            _ => Value::Other(until_comma(input)?),
        }
    } else if input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        Value::List(content.parse()?)
    } else {
        Value::None
    };
    Ok(Item { key, value })
}

fn until_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// The span of what the user wrote, for code that is made of it. Lints leave alone what resolves at the derive.
pub(crate) fn generated(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}
