//! The derive macros of kvrepo. Use them through the crate `kvrepo`, which also documents every attribute.
//!
//! The stages: `attr` reads the attributes, `model` puts them together, `check` says what is wrong, and `expand` writes
//! the implementation. No stage stops at a mistake; `diag` gathers them.

mod attr;
mod check;
mod diag;
mod duration;
mod expand;
mod finder;
mod model;
mod peel;
mod token;

/// Implements `kvrepo::KvEntity` for a struct with named fields and without parameters, and gives it `fields()`.
///
/// On the struct, `#[kv(…)]` with `keyspace`, `time_to_live` or `idle`, `time_to_live_fn`, `shadow_copy`, `type_alias`
/// and `crate`; on a field, `#[id]` (exactly one), `#[time_to_live]` or `#[expires_at]`, `#[version]`, `#[indexed]`,
/// `#[geo_indexed]`, `#[nested]`, `#[reference]` and `#[kv(json)]`. Serde's attributes are honoured. A struct that cannot be
/// an entity does not compile, and every mistake is named in one run.
#[proc_macro_derive(
    KvEntity,
    attributes(
        kv,
        id,
        time_to_live,
        expires_at,
        version,
        nested,
        reference,
        indexed,
        geo_indexed
    )
)]
pub fn kv_entity(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    expand::kv_entity(&input).into()
}

/// Implements `kvrepo::KvNested` for a struct with named fields and without parameters, so that an entity's `#[nested]`
/// field can hold it.
///
/// On the struct, `#[kv(crate = "…")]`; on a field, `#[indexed]`, `#[geo_indexed]`, `#[nested]` and `#[reference]`. Serde's
/// attributes are honoured, but for `flatten`. What belongs on an entity is refused.
#[proc_macro_derive(
    KvNested,
    attributes(
        kv, nested, reference, indexed, geo_indexed, // and what is refused, to say so:
        id, time_to_live, expires_at, version,
    )
)]
pub fn kv_nested(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    expand::kv_nested(&input).into()
}

/// Implements a trait of derived finders for the repository of an entity: `#[kvrepo::repository(Person)]`.
///
/// Each method without a body says by its name what it finds, which is read when compiling; methods with one are left
/// alone. With `crate = "…"`, where kvrepo is.
#[proc_macro_attribute]
pub fn repository(
    arguments: proc_macro::TokenStream,
    input: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as syn::ItemTrait);
    finder::repository(arguments.into(), &input).into()
}
