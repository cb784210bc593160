//! The handles of fields that are indexed: what they can be asked, and how it is encoded.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::model::Field;
use crate::peel::{Holder, Peeled, is_bytes};
use crate::token::{of_type, pinned};

/// The marker of a field's handle.
pub(super) fn marker(
    field: &Field<'_>,
    outside: impl Fn(&Type) -> TokenStream,
    p: &TokenStream,
) -> TokenStream {
    let Some(index) = &field.attrs.indexed else {
        return quote!(#p::NotIndexed);
    };
    if index.geo {
        return quote!(#p::Located);
    }
    let peeled = Peeled::of(field.ty);
    let value = outside(peeled.value);
    match (peeled.holder, index.range) {
        (Holder::Map, _) => quote!(#p::ByKey<#value>),
        (_, Some(_)) => quote!(#p::Ranged<#value>),
        (_, None) => quote!(#p::Indexed<#value>),
    }
}

/// How the values of a type sort, or what it is if it is none.
pub(super) fn order(ty: &TokenStream, p: &TokenStream) -> TokenStream {
    quote!({
        #[allow(unused_imports, reason = "one of them is used")]
        use #p::{ProbeNothing as _, ProbeOrder as _, ProbeShape as _};
        (&&&#p::Probe::<#ty>::new()).order()
    })
}

/// The handle `whole`, with the field's indexes.
pub(super) fn value(
    field: &Field<'_>,
    whole: TokenStream,
    codec: &TokenStream,
    outside: impl Fn(&Type) -> TokenStream,
    p: &TokenStream,
) -> TokenStream {
    let Some(index) = &field.attrs.indexed else {
        return whole;
    };
    let peeled = Peeled::of(field.ty);
    let value = outside(peeled.value);
    let marker = marker(field, &outside, p);
    let holder = match peeled.holder {
        Holder::One => quote!(One),
        Holder::List => quote!(List),
        Holder::Map => quote!(Map),
    };
    let range = match index.range {
        None => quote!(#p::Option::None),
        Some(_) => {
            let order = of_type(peeled.value, p, "RangeValue", "ORDER");
            quote!(#p::Option::Some(#order))
        }
    };
    let with = field.serde.serialize.is_some();
    let shape = if index.geo || with || is_bytes(peeled.value) {
        quote!(#p::Result::Ok(#p::Order::Text))
    } else {
        order(&value, p)
    };
    let name = match &index.name {
        None => quote!(#p::Option::None),
        Some(name) => quote!(#p::Option::Some(#name)),
    };
    let (equality, unique, geo) = (index.equality, index.unique.is_some(), index.geo);
    let spec = quote! {
        #p::IndexSpec {
            equality: #equality,
            unique: #unique,
            range: #range,
            geo: #geo,
            name: #name,
            holder: #p::Holder::#holder,
            value: #shape,
            with: #with,
        }
    };
    let bound = index.geo.then(|| {
        let ty = field.ty;
        let check = pinned(ty, quote!(#p::geo_field::<#ty>));
        quote!(#check();)
    });
    let indexed = if with {
        quote!(indexed_with::<#value, #marker, #codec>)
    } else {
        quote!(indexed::<#value, #marker>)
    };
    quote!({
        #bound
        #whole.#indexed(#spec)
    })
}
