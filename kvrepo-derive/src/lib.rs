//! The derive macros of kvrepo. Use them through the crate `kvrepo`, which also documents every attribute.
//!
//! The stages: `attr` reads the attributes, `model` puts them together, `check` says what is wrong, and `expand` writes
//! the implementation. No stage stops at a mistake; `diag` gathers them.

mod attr;
mod check;
mod diag;
mod duration;
mod expand;
mod model;

/// Implements `kvrepo::KvEntity` for a struct with named fields and without parameters.
///
/// On the struct, `#[kv(…)]` with `keyspace`, `time_to_live`, `time_to_live_fn`, `shadow_copy`, `type_alias` and
/// `crate`; on a field, `#[id]` (exactly one), `#[time_to_live]` and `#[kv(json)]`. Serde's attributes are honoured.
/// A struct that cannot be an entity does not compile, and every mistake is named in one run.
#[proc_macro_derive(
    KvEntity,
    attributes(
        kv, id, time_to_live, // and those of later versions, to say so:
        expires_at, geo_indexed, indexed, nested, reference, version,
    )
)]
pub fn kv_entity(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    expand::kv_entity(&input).into()
}
