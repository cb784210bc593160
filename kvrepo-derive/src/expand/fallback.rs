//! The implementation of a struct that is wrong: it stands in for the real one, so that the compiler names the
//! mistakes and not, besides, every place where the entity is used.

use proc_macro2::TokenStream;
use quote::quote;

use super::entity::{generated, of_type};
use crate::model::Entity;

pub(super) fn expand(entity: &Entity<'_>, p: &TokenStream) -> TokenStream {
    // With parameters it would be wrong in turn, since an entity is `'static`, `Send` and `Sync`; and a union, since
    // serde derives nothing for it.
    if !entity.generics.params.is_empty() || entity.is_union {
        return TokenStream::new();
    }
    let ident = generated(entity.ident);
    let mut ids = entity.all_fields().filter(|field| field.attrs.id.is_some());
    let id = match (ids.next(), ids.next()) {
        (Some(field), None) => of_type(field.ty, p, "IdField", "Id"),
        _ => quote!(#p::String),
    };
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
    }
}
