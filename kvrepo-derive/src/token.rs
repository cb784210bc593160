//! Tokens of the user's in code that is the derive's: where errors point, and what lints leave alone.

use proc_macro2::{Group, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Ident, Type};

use crate::attr;

/// `<ty as p::trait>::item`, where `ty` is the type of a field.
pub(crate) fn of_type(ty: &Type, p: &TokenStream, r#trait: &str, item: &str) -> TokenStream {
    let [r#trait, item] = [r#trait, item].map(|name| Ident::new(name, Span::call_site()));
    pinned(ty, quote!(<#ty as #p::#r#trait>::#item))
}

/// Code that begins and ends, for the compiler, where a field's type does. So it points there, and only there, if the
/// type is not what it has to be. All between is the derive's own, and of no interest to lints.
pub(crate) fn pinned(ty: &Type, code: TokenStream) -> TokenStream {
    let mut spans = ty.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    let last = spans.last().unwrap_or(first);
    let mut code: Vec<TokenTree> = code.into_iter().collect();
    for token in &mut code {
        token.set_span(first);
        // The first colon of `::` is half of a token.
        if !matches!(token, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint) {
            break;
        }
    }
    if let Some(token) = code.last_mut() {
        token.set_span(last);
    }
    code.into_iter().collect()
}

/// A name that is meant where it stands, in code that is the derive's: it is not a use that `deprecated` would tell of.
pub(crate) fn generated(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(attr::generated(ident.span()));
    ident
}

/// What stands in the struct `ident`, a type or a visibility, for use outside of it: `Self` is the struct by its name,
/// and nothing is a use that a lint would tell of.
pub(crate) fn outside(ident: &Ident, tokens: impl ToTokens) -> TokenStream {
    fn rewrite(ident: &Ident, tokens: TokenStream) -> TokenStream {
        tokens.into_iter().map(|token| one(ident, token)).collect()
    }

    fn one(ident: &Ident, token: TokenTree) -> TokenTree {
        let span = attr::generated(token.span());
        match token {
            TokenTree::Group(group) => {
                let mut group = Group::new(group.delimiter(), rewrite(ident, group.stream()));
                group.set_span(span);
                TokenTree::Group(group)
            }
            TokenTree::Ident(own) if own == "Self" => {
                let mut name = ident.clone();
                name.set_span(span);
                TokenTree::Ident(name)
            }
            // Whose crate this is, only its own span says.
            TokenTree::Ident(own) if own == "$crate" => TokenTree::Ident(own),
            mut token => {
                token.set_span(span);
                token
            }
        }
    }

    rewrite(ident, tokens.to_token_stream())
}
