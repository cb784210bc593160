//! The implementation of a struct that is right.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::fields::Fields;
use crate::attr::Unit;
use crate::check::{Checked, Term};
use crate::model::{Field, Struct};
use crate::peel::Peeled;
use crate::token::{generated, of_type, pinned};

pub(super) fn expand(entity: &Struct<'_>, checked: &Checked<'_>, p: &TokenStream) -> TokenStream {
    let ident = generated(entity.ident);
    let schema = schema(entity, checked, p);
    let id = id(checked.id, p);
    let term = term(entity, checked, p);
    let version = checked.version.map(|field| version(field, p));
    let versioned = checked
        .version
        .map(|_| quote!(#[automatically_derived] impl #p::Versioned for #ident {}));
    let fields = Fields::new(entity, ident.to_token_stream(), p);
    let gathered = fields.gather(&quote!(__fields));
    let gather = (!gathered.is_empty()).then(|| {
        quote! {
            fn gather(__out: &mut #p::Indexes) {
                let __fields = #ident::fields();
                #gathered
            }
        }
    });
    let fields = fields.of_entity();
    let copied = copied(p);
    quote! {
        #[automatically_derived]
        impl #p::KvEntity for #ident {
            #schema
            #id
            #term
            #version
            #gather
            #copied
        }

        #versioned

        #fields
    }
}

/// A copy, if the type is `Clone`, which only the compiler knows.
fn copied(p: &TokenStream) -> TokenStream {
    quote! {
        fn copied(&self) -> #p::Option<Self> {
            #[allow(unused_imports, reason = "it is used if the type is not `Clone`")]
            use #p::CopyingNothing as _;
            #p::Copying(self).copied()
        }
    }
}

fn schema(entity: &Struct<'_>, checked: &Checked<'_>, p: &TokenStream) -> TokenStream {
    let name = entity.name();
    let keyspace = entity.keyspace();
    let id_path = &checked.id.serde.names.serialize;
    let mut options = TokenStream::new();
    if let Some(ms) = entity.attrs.time_to_live.as_ref().and_then(|term| term.ms) {
        options.extend(quote!(.time_to_live_ms(#ms)));
    }
    if let Some(ms) = entity.attrs.idle.as_ref().and_then(|term| term.ms) {
        options.extend(quote!(.idle_ms(#ms)));
    }
    if let Some(version) = checked.version {
        let path = &version.serde.names.serialize;
        options.extend(quote!(.version_path(#path)));
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
    let optional = entity.all_fields().filter(|field| is_optional(field));
    let optional: Vec<_> = optional.map(|field| &field.serde.names.serialize).collect();
    if !optional.is_empty() {
        options.extend(quote!(.optional_paths(&[#(#optional),*])));
    }
    if entity.all_fields().any(|field| field.serde.flatten) {
        let plain = paths(entity.all_fields().filter(|field| !field.serde.flatten));
        options.extend(quote!(.plain_paths(&[#(#plain),*])));
    }
    quote! {
        const SCHEMA: #p::EntitySchema = #p::EntitySchema::new(#name, #keyspace, #id_path) #options;
    }
}

/// Whether a field is an `Option`, has no role and no index that compares its values.
fn is_optional(field: &Field<'_>) -> bool {
    let attrs = &field.attrs;
    let compared = attrs.indexed.as_ref().is_some_and(|index| !index.geo);
    let role = [attrs.id, attrs.expires_at, attrs.version, attrs.nested];
    Peeled::of(field.ty).optional
        && !compared
        && role.iter().all(Option::is_none)
        && attrs.time_to_live.is_none()
        && field.serde.written
        && !field.serde.flatten
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

fn term(entity: &Struct<'_>, checked: &Checked<'_>, p: &TokenStream) -> TokenStream {
    match checked.term {
        Some((field, Term::Remaining(unit))) => return remaining(field, unit, p),
        Some((field, Term::Deadline)) => return deadline(field, p),
        None => {}
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

fn remaining(field: &Field<'_>, unit: Unit, p: &TokenStream) -> TokenStream {
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

fn deadline(field: &Field<'_>, p: &TokenStream) -> TokenStream {
    let (ident, ty) = (generated(field.ident), field.ty);
    let [deadline, set_deadline] =
        ["deadline", "set_deadline"].map(|item| of_type(ty, p, "DeadlineField", item));
    quote! {
        fn term(&self) -> #p::Result<#p::FieldTerm, #p::String> {
            #deadline(&self.#ident)
        }

        fn set_term(&mut self, __read: &#p::ReadTerm) {
            #set_deadline(&mut self.#ident, __read.deadline);
        }
    }
}

fn version(field: &Field<'_>, p: &TokenStream) -> TokenStream {
    let (ident, ty) = (generated(field.ident), field.ty);
    let [get, put] = ["get", "put"].map(|item| of_type(ty, p, "VersionField", item));
    quote! {
        fn version(&self) -> #p::Option<#p::u64> {
            #p::Option::Some(#get(&self.#ident))
        }

        fn set_version(&mut self, __version: #p::u64) -> #p::Result<(), #p::String> {
            #put(&mut self.#ident, __version)
        }
    }
}
