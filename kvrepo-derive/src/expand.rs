//! Writing the implementation.
//!
//! Every path begins with the crate's `__private`, every call of a trait is fully qualified and every local begins
//! with `__`, so that nothing at the call site can be meant instead: a module `std`, a type `Option`, a method `get`.

mod asked;
mod entity;
mod fallback;
mod fields;
mod indexed;
mod nested;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::attr::Kind;
use crate::check;
use crate::diag::Diag;
use crate::model::Struct;

/// `#[derive(KvEntity)]`.
pub(crate) fn kv_entity(input: &DeriveInput) -> TokenStream {
    let mut diag = Diag::new();
    let entity = Struct::read(input, Kind::Entity, &mut diag);
    let checked = check::entity(&entity, &mut diag);
    let private = entity.private();
    match (diag.finish(), checked, private) {
        (Ok(()), Some(checked), Some(private)) => entity::expand(&entity, &checked, &private),
        (Err(error), _, Some(private)) => with(error, fallback::entity(&entity, &private)),
        (result, _, _) => with_nothing(result),
    }
}

/// `#[derive(KvNested)]`.
pub(crate) fn kv_nested(input: &DeriveInput) -> TokenStream {
    let mut diag = Diag::new();
    let nested = Struct::read(input, Kind::Nested, &mut diag);
    check::nested(&nested, &mut diag);
    let private = nested.private();
    match (diag.finish(), private) {
        (Ok(()), Some(private)) => nested::expand(&nested, &private),
        (Err(error), Some(private)) => with(error, fallback::nested(&nested, &private)),
        (result, None) => with_nothing(result),
    }
}

fn with(error: syn::Error, instead: TokenStream) -> TokenStream {
    let mut tokens = error.into_compile_error();
    tokens.extend(instead);
    tokens
}

fn with_nothing(result: syn::Result<()>) -> TokenStream {
    result
        .err()
        .map(syn::Error::into_compile_error)
        .unwrap_or_default()
}
