//! What finders can ask of a struct's fields: a table that is read when compiling, what each field takes, and its order.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{GenericArgument, PathArguments, Type};

use super::fields::{Fields, has_handle, is_id, is_nested};
use super::indexed;
use crate::model::Field;
use crate::peel::{Holder, Peeled};
use crate::token::{generated, of_type, outside};

/// What stands in the trait that knows the fields.
pub(super) struct Asked {
    /// The table of the fields: with the structs in them and in those, three deep; two deep; one; none.
    pub(super) tables: [TokenStream; 4],
    /// The body of the function that sorts by one of them, whose number is the first in `__way`.
    pub(super) sort: TokenStream,
}

impl Asked {
    /// Of these, whose handles are `handles`.
    pub(super) fn of(fields: &Fields<'_>, handles: &TokenStream) -> Self {
        let p = fields.p;
        let sorts = fields
            .all()
            .enumerate()
            .filter(|(_, field)| is_sortable(field) || is_nested(field) && has_handle(field))
            .map(|(i, field)| {
                let name = generated(field.ident);
                if is_id(field) {
                    quote!([#i, ..] => #p::Sort::by_id(),)
                } else if is_nested(field) {
                    let sort = of_type(field.ty, p, "NestedField", "sort_by");
                    quote!([#i, __way @ ..] => #sort(&#handles.#name, __way, __descending),)
                } else {
                    quote!([#i, ..] => #p::finder::sort(&#handles.#name, __descending),)
                }
            });
        Self {
            tables: [3, 2, 1, 0].map(|depth| table(fields, depth)),
            sort: quote! {
                let _ = (#handles, __descending);
                match __way {
                    #(#sorts)*
                    _ => #p::Sort::by_id(),
                }
            },
        }
    }

    /// Of a struct that is wrong, whose finders are no mistakes besides.
    pub(super) fn unknown(p: &TokenStream) -> Self {
        Self {
            tables: [(); 4].map(|()| quote!(#p::FieldInfo::UNKNOWN)),
            sort: quote!(loop {}),
        }
    }
}

/// The table of the fields, so deep: a struct can be nested in itself.
fn table(fields: &Fields<'_>, depth: usize) -> TokenStream {
    let p = fields.p;
    let rows = fields.all().map(|field| {
        let name = field.ident.unraw().to_string();
        let uses = uses(field, depth, p);
        quote!(#p::FieldInfo::new(#name) #uses)
    });
    quote!(&[#(#rows),*])
}

/// What the fields take that finders can name, each by its number in the table.
pub(super) fn takes(fields: &Fields<'_>, parameters: &TokenStream, bounds: &TokenStream) -> TokenStream {
    let (p, ident, entity) = (fields.p, &fields.ident, &fields.entity);
    let taking = fields.all().enumerate().filter(|(_, field)| has_handle(field));
    let takes = taking.map(|(i, field)| {
        let (name, ty) = (generated(field.ident), fields.ty(field));
        if is_nested(field) {
            return quote! {
                #[automatically_derived]
                #[allow(private_bounds, reason = "the type of a private field")]
                impl<#bounds const __1: #p::usize, const __2: #p::usize, const __3: #p::usize, const __R: #p::usize, __A>
                    #p::finder::Takes<#i, __1, __2, __3, __R, __A> for #ident #parameters
                where
                    #p::Nested<#entity, #ty>: #p::finder::Within<__1, __2, __3, __R, __A>,
                {
                    fn operand(__handles: &Self, __argument: __A) -> #p::finder::Operand {
                        #p::finder::Within::operand(&__handles.#name, __argument)
                    }
                }
            };
        }
        let handle = if is_id(field) {
            quote!(#p::IdHandle<#entity>)
        } else if field.attrs.indexed.is_some() && Peeled::of(field.ty).holder != Holder::Map {
            let marker = indexed::marker(field, |ty| outside(fields.of.ident, ty), p);
            quote!(#p::Field<#entity, #ty, #marker>)
        } else {
            return TokenStream::new();
        };
        quote! {
            #[automatically_derived]
            #[allow(private_bounds, reason = "the type of a private field")]
            impl<#bounds const __R: #p::usize, __A>
                #p::finder::Takes<
                    #i,
                    { #p::finder::NONE },
                    { #p::finder::NONE },
                    { #p::finder::NONE },
                    __R,
                    __A,
                > for #ident #parameters
            where
                #handle: #p::finder::Accept<__A, __R>,
            {
                fn operand(__handles: &Self, __argument: __A) -> #p::finder::Operand {
                    <#handle as #p::finder::Accept<__A, __R>>::accept(&__handles.#name, __argument)
                }
            }
        }
    });
    takes.collect()
}

/// What finders can ask a field for, as calls of its entry in the table.
fn uses(field: &Field<'_>, depth: usize, p: &TokenStream) -> TokenStream {
    if !has_handle(field) {
        return TokenStream::new();
    }
    if is_id(field) {
        return quote!(.id());
    }
    if is_nested(field) {
        let nested = match depth {
            0 => return TokenStream::new(),
            depth => format!("FIELDS_{depth}"),
        };
        let [nested, holder] = [&nested, "HOLDER"].map(|item| of_type(field.ty, p, "NestedField", item));
        return quote!(.nested(#nested).holder(#holder));
    }
    let peeled = Peeled::of(field.ty);
    let mut uses = match peeled.holder {
        Holder::One => TokenStream::new(),
        Holder::List => quote!(.holder(#p::Holder::List)),
        Holder::Map => quote!(.holder(#p::Holder::Map)),
    };
    if is_sortable(field) {
        uses.extend(quote!(.sortable()));
    }
    let Some(index) = &field.attrs.indexed else {
        return uses;
    };
    if index.geo {
        uses.extend(quote!(.geo()));
        return uses;
    }
    uses.extend(quote!(.equality()));
    let shape = Shape::of(peeled.value);
    if index.range.is_some() {
        uses.extend(quote!(.range()));
        if matches!(shape, Shape::Text | Shape::Unknown) {
            uses.extend(quote!(.text()));
        }
    }
    if matches!(shape, Shape::Truth | Shape::Unknown) {
        uses.extend(quote!(.boolean()));
    }
    uses
}

/// Whether entities can be put into the order of a field, as far as can be told.
fn is_sortable(field: &Field<'_>) -> bool {
    let is_place = field.attrs.indexed.as_ref().is_some_and(|index| index.geo);
    has_handle(field) && !is_nested(field) && !is_place && Peeled::of(field.ty).holder == Holder::One
}

/// What a value is, as far as its type says.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Truth,
    Other,
    /// The type decides when what is asked is compiled.
    Unknown,
}

/// Types of the standard library that are no text, and neither true nor false.
const OTHERS: [&str; 18] = [
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "char",
    "Duration",
    "SystemTime",
    "Uuid",
];

impl Shape {
    fn of(ty: &Type) -> Self {
        let Type::Path(path) = ty else {
            return Self::Unknown;
        };
        let Some(segment) = path.path.segments.last() else {
            return Self::Unknown;
        };
        let name = segment.ident.to_string();
        match name.as_str() {
            "String" => Self::Text,
            "bool" => Self::Truth,
            "Box" | "Arc" | "Rc" | "Cow" if has_str(&segment.arguments) => Self::Text,
            name if OTHERS.contains(&name) => Self::Other,
            _ => Self::Unknown,
        }
    }
}

fn has_str(arguments: &PathArguments) -> bool {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return false;
    };
    arguments.args.iter().any(
        |argument| matches!(argument, GenericArgument::Type(Type::Path(path)) if path.path.is_ident("str")),
    )
}
