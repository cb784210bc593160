//! The implementation of a struct that is wrong: it stands in for the real one, so that the compiler names the
//! mistakes and not, besides, every place where the struct is used.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::fields::Fields;
use super::nested;
use crate::model::Struct;
use crate::token::{generated, of_type};

/// With parameters it would be wrong in turn, since an entity is `'static`, `Send` and `Sync`; and a union, since
/// serde derives nothing for it.
fn is_hopeless(of: &Struct<'_>) -> bool {
    !of.generics.params.is_empty() || of.is_union
}

pub(super) fn entity(entity: &Struct<'_>, p: &TokenStream) -> TokenStream {
    if is_hopeless(entity) {
        return TokenStream::new();
    }
    let ident = generated(entity.ident);
    let mut ids = entity.all_fields().filter(|field| field.attrs.id.is_some());
    let id = match (ids.next(), ids.next()) {
        (Some(field), None) => of_type(field.ty, p, "IdField", "Id"),
        _ => quote!(#p::String),
    };
    let versioned = entity
        .all_fields()
        .any(|field| field.attrs.version.is_some())
        .then(|| quote!(#[automatically_derived] impl #p::Versioned for #ident {}));
    let fields = Fields::new(entity, ident.to_token_stream(), p).of_wrong_entity();
    quote! {
        #[automatically_derived]
        impl #p::KvEntity for #ident {
            type Id = #id;

            const SCHEMA: #p::EntitySchema = #p::EntitySchema::new("", "", "");

            fn id(&self) -> #p::Option<&#id> {
                #p::Option::None
            }

            fn set_id(&mut self, _: #id) {}

            fn generate_id() -> #p::Option<#id> {
                #p::Option::None
            }

            fn term(&self) -> #p::Result<#p::FieldTerm, #p::String> {
                #p::Result::Ok(#p::FieldTerm::Unset)
            }

            fn set_term(&mut self, _: &#p::ReadTerm) {}
        }

        #versioned

        #fields
    }
}

pub(super) fn nested(of: &Struct<'_>, p: &TokenStream) -> TokenStream {
    if is_hopeless(of) {
        return TokenStream::new();
    }
    nested::expand_wrong(of, p)
}
