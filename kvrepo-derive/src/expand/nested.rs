//! The implementation of a nested struct.

use proc_macro2::TokenStream;
use quote::quote;

use super::asked::{Asked, takes};
use super::fields::Fields;
use crate::model::Struct;
use crate::token::generated;

pub(super) fn expand(nested: &Struct<'_>, p: &TokenStream) -> TokenStream {
    let fields = fields(nested, p);
    let codecs = fields.codecs();
    let handles = fields.values(
        |name, others| quote!(#p::FieldPath::child(__path, __optional, #name, &[#(#others),*])),
        |field| quote!(#p::Getter::child(__get, #field)),
    );
    let gather = fields.gather(&quote!(__fields));
    let takes = takes(&fields, &quote!(<__E>), &quote!(__E: #p::KvEntity,));
    implementation(
        nested,
        &fields,
        &quote!(#codecs #handles),
        &gather,
        &Asked::of(&fields, &quote!(__fields)),
        p,
    )
    .into_iter()
    .chain(takes)
    .collect()
}

/// The same for a struct that is wrong: never called.
pub(super) fn expand_wrong(nested: &Struct<'_>, p: &TokenStream) -> TokenStream {
    implementation(
        nested,
        &fields(nested, p),
        &quote!(loop {}),
        &TokenStream::new(),
        &Asked::unknown(p),
        p,
    )
}

fn fields<'a>(nested: &'a Struct<'a>, p: &'a TokenStream) -> Fields<'a> {
    Fields::new(nested, quote!(__E), p)
}

/// The struct of handles, and the trait with these as the bodies of its functions; the first has `__path`, `__optional` and
/// `__get`, the second `__fields` and `__out`. And what finders
/// can ask of the fields.
fn implementation(
    nested: &Struct<'_>,
    fields: &Fields<'_>,
    body: &TokenStream,
    gather: &TokenStream,
    asked: &Asked,
    p: &TokenStream,
) -> TokenStream {
    let ident = generated(nested.ident);
    let handles = &fields.ident;
    let Asked { tables, sort } = asked;
    // Itself is one of the structs that are in each other.
    let [_, three, two, one] = tables;
    let doc = format!("The fields of a `{}` in the entity `__E`.", nested.name());
    let declaration = fields.declaration(&doc, &quote!(<__E>));
    quote! {
        #declaration

        #[automatically_derived]
        impl #p::KvNested for #ident {
            type Fields<__E: #p::KvEntity> = #handles<__E>;

            const FIELDS_3: &'static [#p::FieldInfo] = #three;
            const FIELDS_2: &'static [#p::FieldInfo] = #two;
            const FIELDS_1: &'static [#p::FieldInfo] = #one;

            fn sort_by<__E: #p::KvEntity>(
                __fields: &#handles<__E>,
                __way: &[#p::usize],
                __descending: #p::bool,
            ) -> #p::Sort<__E> {
                #sort
            }

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
