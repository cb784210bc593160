//! The implementation of a struct that is right.

use proc_macro2::{Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

use crate::attr::Unit;
use crate::check::Checked;
use crate::model::{Entity, Field};

pub(super) fn expand(entity: &Entity<'_>, checked: &Checked<'_>, p: &TokenStream) -> TokenStream {
    let ident = generated(entity.ident);
    let (impl_generics, ty_generics, where_clause) = entity.generics.split_for_impl();
    let schema = schema(entity, checked, p);
    let id = id(checked.id, p);
    let term = term(entity, checked, p);
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::KvEntity for #ident #ty_generics #where_clause {
            #schema
            #id
            #term
        }
    }
}

/// `<ty as p::trait>::item`, where `ty` is the type of a field.
pub(super) fn of_type(ty: &Type, p: &TokenStream, r#trait: &str, item: &str) -> TokenStream {
    let [r#trait, item] = [r#trait, item].map(|name| Ident::new(name, Span::call_site()));
    pinned(ty, quote!(<#ty as #p::#r#trait>::#item))
}

/// Code that begins and ends, for the compiler, where a field's type does. So it points there, and only there, if the
/// type is not what it has to be. All between is the derive's own, and of no interest to lints.
fn pinned(ty: &Type, code: TokenStream) -> TokenStream {
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
pub(super) fn generated(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(ident.span().resolved_at(Span::call_site()));
    ident
}

fn schema(entity: &Entity<'_>, checked: &Checked<'_>, p: &TokenStream) -> TokenStream {
    let name = entity.name();
    let keyspace = entity.keyspace();
    let id_path = &checked.id.serde.names.serialize;
    let mut options = TokenStream::new();
    if let Some(ms) = entity.attrs.time_to_live {
        options.extend(quote!(.time_to_live_ms(#ms)));
    }
    if checked.term.is_some() {
        options.extend(quote!(.reads_remaining()));
    }
    if entity.attrs.time_to_live_fn.is_some() {
        options.extend(quote!(.states_term()));
    }
    if let Some(on) = entity.attrs.shadow_copy {
        options.extend(quote!(.shadow_copy(#on)));
    }
    if let Some(alias) = &entity.attrs.type_alias {
        options.extend(quote!(.type_alias(#alias)));
    }
    let json = paths(entity.all_fields().filter(|field| field.attrs.json.is_some()));
    if !json.is_empty() {
        options.extend(quote!(.json_paths(&[#(#json),*])));
    }
    if entity.all_fields().any(|field| field.serde.flatten) {
        let plain = paths(entity.all_fields().filter(|field| !field.serde.flatten));
        options.extend(quote!(.plain_paths(&[#(#plain),*])));
    }
    quote! {
        const SCHEMA: #p::EntitySchema = #p::EntitySchema::new(#name, #keyspace, #id_path) #options;
    }
}

/// All names under which these fields are written or read.
fn paths<'a>(fields: impl Iterator<Item = &'a Field<'a>>) -> Vec<&'a str> {
    fields
        .filter(|field| field.serde.skip.as_ref().is_none_or(|skip| skip != "skip"))
        .flat_map(|field| field.serde.names.all())
        .collect()
}

fn id(field: &Field<'_>, p: &TokenStream) -> TokenStream {
    let (ident, ty) = (generated(field.ident), field.ty);
    let [id, get, put, generate] =
        ["Id", "get", "put", "generate"].map(|item| of_type(ty, p, "IdField", item));
    let optional = pinned(ty, quote!(#p::Option<#id>));
    let optional_ref = pinned(ty, quote!(#p::Option<&#id>));
    // Not `Self::Id`: it holds only if serde's traits are there, and the compiler would say so again.
    let id_fn = pinned(ty, quote!(fn id(&self) -> #optional_ref { #get(&self.#ident) }));
    let set_args = pinned(ty, quote!((&mut self, __id: #id)));
    let set_fn = pinned(ty, quote!(fn set_id #set_args { #put(&mut self.#ident, __id); }));
    let generate_fn = pinned(ty, quote!(fn generate_id() -> #optional { #generate() }));
    quote! {
        type Id = #id;
        #id_fn
        #set_fn
        #generate_fn
    }
}

fn term(entity: &Entity<'_>, checked: &Checked<'_>, p: &TokenStream) -> TokenStream {
    if let Some((field, unit)) = checked.term {
        return term_of_field(field, unit, p);
    }
    let term = match &entity.attrs.time_to_live_fn {
        None => quote!(#p::Result::Ok(#p::FieldTerm::Unset)),
        Some(term_fn) => {
            let path = &term_fn.path;
            // A single name is a method of the struct; a longer path is called as it is written.
            let span = Span::call_site().located_at(path.span());
            let method = path
                .path
                .get_ident()
                .filter(|_| path.qself.is_none())
                .map(|_| quote_spanned!(span=> Self::));
            quote_spanned!(span=> #p::TermField::term(&#method #path(self), #p::TermUnit::Seconds))
        }
    };
    quote! {
        fn term(&self) -> #p::Result<#p::FieldTerm, #p::String> {
            #term
        }

        fn set_term(&mut self, _: &#p::ReadTerm) {}
    }
}

fn term_of_field(field: &Field<'_>, unit: Unit, p: &TokenStream) -> TokenStream {
    let (ident, ty) = (generated(field.ident), field.ty);
    let unit = match unit {
        Unit::Milliseconds => quote!(#p::TermUnit::Milliseconds),
        Unit::Seconds => quote!(#p::TermUnit::Seconds),
        Unit::Minutes => quote!(#p::TermUnit::Minutes),
        Unit::Hours => quote!(#p::TermUnit::Hours),
        Unit::Days => quote!(#p::TermUnit::Days),
    };
    let [term, set_remaining] = ["term", "set_remaining"].map(|item| of_type(ty, p, "TermField", item));
    quote! {
        fn term(&self) -> #p::Result<#p::FieldTerm, #p::String> {
            #term(&self.#ident, #unit)
        }

        fn set_term(&mut self, __read: &#p::ReadTerm) {
            #set_remaining(&mut self.#ident, #unit, __read.remaining, __read.has_default);
        }
    }
}
