//! The implementation of a nested struct.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::Fields;
use super::token::generated;
use crate::model::Struct;

pub(super) fn expand(nested: &Struct<'_>, p: &TokenStream) -> TokenStream {
    let fields = fields(nested, p);
    let codecs = fields.codecs();
    let handles = fields.values(
        |name, others| quote!(#p::FieldPath::child(__path, __optional, #name, &[#(#others),*])),
        |field| quote!(#p::Getter::child(__get, #field)),
    );
    let gather = fields.gather(&quote!(__fields));
    implementation(nested, &fields, &quote!(#codecs #handles), &gather, p)
}

/// The same for a struct that is wrong: never called.
pub(super) fn expand_wrong(nested: &Struct<'_>, p: &TokenStream) -> TokenStream {
    implementation(
        nested,
        &fields(nested, p),
        &quote!(loop {}),
        &TokenStream::new(),
        p,
    )
}

fn fields<'a>(nested: &'a Struct<'a>, p: &'a TokenStream) -> Fields<'a> {
    Fields::new(nested, quote!(__E), p)
}

/// The struct of handles, and the trait with these as the bodies of its functions; the first has `__path`, `__optional` and
/// `__get`, the second `__fields` and `__out`.
fn implementation(
    nested: &Struct<'_>,
    fields: &Fields<'_>,
    body: &TokenStream,
    gather: &TokenStream,
    p: &TokenStream,
) -> TokenStream {
    let ident = generated(nested.ident);
    let handles = &fields.ident;
    let doc = format!("The fields of a `{}` in the entity `__E`.", nested.name());
    let declaration = fields.declaration(&doc, &quote!(<__E>));
    quote! {
        #declaration

        #[automatically_derived]
        impl #p::KvNested for #ident {
            type Fields<__E: #p::KvEntity> = #handles<__E>;

            fn fields<__E: #p::KvEntity>(
                __path: &'static #p::FieldPath,
                __optional: #p::bool,
                __get: #p::Getter<__E, Self>,
            ) -> #handles<__E> {
                #body
            }

            fn gather<__E: #p::KvEntity>(__fields: &#handles<__E>, __out: &mut #p::Indexes) {
                #gather
            }
        }
    }
}
