//! Writing the implementation.
//!
//! Every path begins with the crate's `__private`, every call of a trait is fully qualified and every local begins
//! with `__`, so that nothing at the call site can be meant instead: a module `std`, a type `Option`, a method `get`.

mod entity;
mod fallback;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::check;
use crate::diag::Diag;
use crate::model::Entity;

/// `#[derive(KvEntity)]`.
pub(crate) fn kv_entity(input: &DeriveInput) -> TokenStream {
    let mut diag = Diag::new();
    let entity = Entity::read(input, &mut diag);
    let checked = check::entity(&entity, &mut diag);
    let private = entity.private();
    match (diag.finish(), checked, private) {
        (Ok(()), Some(checked), Some(private)) => entity::expand(&entity, &checked, &private),
        (Err(error), _, Some(private)) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(fallback::expand(&entity, &private));
            tokens
        }
        (result, _, _) => result
            .err()
            .map(syn::Error::into_compile_error)
            .unwrap_or_default(),
    }
}
