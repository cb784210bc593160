//! `T::fields()`: a struct with a handle for each field of an entity, or of a nested struct.
//!
//! A handle knows where its field stands, under serde's names, and how its value is written.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;

use super::asked::{Asked, takes};
use super::indexed;
use crate::attr::Kind;
use crate::model::{Field, Struct};
use crate::token::{generated, of_type, outside, pinned};

/// The struct of handles that goes with a struct.
pub(super) struct Fields<'a> {
    pub(super) of: &'a Struct<'a>,
    pub(super) p: &'a TokenStream,
    /// Its name: `SessionFields`.
    pub(super) ident: Ident,
    /// The entity whose fields they are: its name, or a parameter.
    pub(super) entity: TokenStream,
    fields: Vec<&'a Field<'a>>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(of: &'a Struct<'a>, entity: TokenStream, p: &'a TokenStream) -> Self {
        let fields = of.all_fields().filter(|field| has_handle(field));
        Self {
            of,
            p,
            ident: format_ident!("{}Fields", generated(of.ident)),
            entity,
            // Else serde stores the fields of something else.
            fields: if of.serde.written_as.is_none() {
                fields.collect()
            } else {
                Vec::new()
            },
        }
    }

    /// The struct, with this documentation and these parameters.
    pub(super) fn declaration(&self, doc: &str, parameters: &TokenStream) -> TokenStream {
        let (p, ident, entity) = (self.p, &self.ident, &self.entity);
        let vis = outside(self.of.ident, self.of.vis);
        let handles = self.fields.iter().map(|field| {
            let (name, ty, doc) = (generated(field.ident), self.ty(field), doc_of(field));
            let handle = if is_id(field) {
                quote!(IdHandle<#entity>)
            } else if is_nested(field) {
                quote!(Nested<#entity, #ty>)
            } else if is_reference(field) {
                let marker = indexed::marker(field, |ty| outside(self.of.ident, ty), p);
                quote!(Reference<#entity, #ty, #marker>)
            } else {
                let marker = indexed::marker(field, |ty| outside(self.of.ident, ty), p);
                quote!(Field<#entity, #ty, #marker>)
            };
            quote! {
                #[doc = #doc]
                pub #name: #p::#handle
            }
        });
        let text = ident.unraw().to_string();
        let parameter = self.unused_parameter(&quote!(: #p::PhantomData<fn() -> #entity>));
        quote! {
            #[doc = #doc]
            #vis struct #ident #parameters {
                #(#handles,)*
                #parameter
            }

            #[automatically_derived]
            impl #parameters #p::Clone for #ident #parameters {
                fn clone(&self) -> Self {
                    *self
                }
            }

            #[automatically_derived]
            impl #parameters #p::Copy for #ident #parameters {}

            #[automatically_derived]
            impl #parameters #p::fmt::Debug for #ident #parameters {
                fn fmt(&self, __f: &mut #p::fmt::Formatter<'_>) -> #p::fmt::Result {
                    #p::fmt::Formatter::write_str(__f, #text)
                }
            }
        }
    }

    /// The struct's value; `path` makes the expression of a field's path from its name and its other names, and `get` that
    /// of its getter from a function that returns it.
    pub(super) fn values(
        &self,
        path: impl Fn(&str, &[&str]) -> TokenStream,
        get: impl Fn(TokenStream) -> TokenStream,
    ) -> TokenStream {
        let (p, ident, entity) = (self.p, &self.ident, &self.entity);
        let handles = self.fields.iter().enumerate().map(|(i, field)| {
            let (name, ty, names) = (generated(field.ident), self.ty(field), &field.serde.names);
            if is_id(field) {
                return quote!(#name: #p::IdHandle::new());
            }
            let others: Vec<_> = names.all().into_iter().skip(1).collect();
            let path = path(&names.serialize, &others);
            let codec = if field.serde.serialize.is_some() {
                codec(i).to_token_stream()
            } else {
                quote!(#p::Own)
            };
            let at = pinned(field.ty, quote!(#p::Field::<#entity, #ty>::at::<#codec>));
            let order = indexed::order(&ty, p);
            let whole = quote!(#at(#path, #order));
            let whole = indexed::value(field, whole, &codec, |ty| outside(self.of.ident, ty), p);
            let role = [
                (is_nested(field), "NestedField"),
                (is_reference(field), "ReferenceField"),
            ];
            let handle = match role.into_iter().find(|(is, _)| *is) {
                Some((_, role)) => {
                    let handle = of_type(field.ty, p, role, "handle");
                    let get = get(quote!(|__of: &Self| &__of.#name));
                    quote!(#handle(#whole, #get))
                }
                None => whole,
            };
            quote!(#name: #handle)
        });
        let parameter = self.unused_parameter(&quote!(: #p::PhantomData));
        quote!(#ident { #(#handles,)* #parameter })
    }

    /// What adds the indexes of the fields to `__out`, where `fields` are the handles.
    pub(super) fn gather(&self, fields: &TokenStream) -> TokenStream {
        let gathered = self.fields.iter().filter_map(|field| {
            let name = generated(field.ident);
            if is_nested(field) {
                let gather = of_type(field.ty, self.p, "NestedField", "gather");
                return Some(quote!(#gather(&#fields.#name, __out);));
            }
            field
                .attrs
                .indexed
                .as_ref()
                .map(|_| quote!(#fields.#name.gather(__out);))
        });
        gathered.collect()
    }

    /// A field for the parameter of a nested struct, where there is no handle that has it.
    fn unused_parameter(&self, is: &TokenStream) -> Option<TokenStream> {
        let unused = self.fields.is_empty() && self.of.kind == Kind::Nested;
        unused.then(|| quote!(__entity #is))
    }

    /// The struct's own fields, of which only some have handles.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Field<'a>> {
        let is_its_own = self.of.serde.written_as.is_none();
        self.of.all_fields().filter(move |_| is_its_own)
    }

    /// The types that stand for the functions by which serde writes fields.
    pub(super) fn codecs(&self) -> TokenStream {
        let p = self.p;
        let codecs = self.fields.iter().enumerate().filter_map(|(i, field)| {
            let (codec, ty) = (codec(i), self.ty(field));
            let serialize = field.serde.serialize.as_ref()?;
            Some(quote! {
                struct #codec;

                #[automatically_derived]
                impl #p::FieldCodec<#ty> for #codec {
                    fn serialize<__S: #p::Serializer>(
                        __value: &#ty,
                        __serializer: __S,
                    ) -> #p::Result<__S::Ok, __S::Error> {
                        #serialize(__value, __serializer)
                    }
                }
            })
        });
        codecs.collect()
    }

    /// The struct of an entity, and the function that returns it.
    pub(super) fn of_entity(&self) -> TokenStream {
        let (p, ident) = (self.p, &self.ident);
        let codecs = self.codecs();
        let handles = self.values(
            |name, others| quote!(#p::FieldPath::root(#name, &[#(#others),*])),
            |field| quote!(#p::Getter::root(#field)),
        );
        let body = quote! {
            #codecs
            static __FIELDS: #p::OnceLock<#ident> = #p::OnceLock::new();
            *#p::OnceLock::get_or_init(&__FIELDS, || #handles)
        };
        let takes = takes(self, &TokenStream::new(), &TokenStream::new());
        self.with_function(&body, &Asked::of(self, &quote!(__fields)), &takes)
    }

    /// The same for an entity that is wrong: never called.
    pub(super) fn of_wrong_entity(&self) -> TokenStream {
        self.with_function(&quote!(loop {}), &Asked::unknown(self.p), &TokenStream::new())
    }

    fn with_function(&self, body: &TokenStream, asked: &Asked, takes: &TokenStream) -> TokenStream {
        let Asked { tables, sort } = asked;
        let [table, ..] = tables;
        let (p, ident, entity) = (self.p, &self.ident, &self.entity);
        let vis = outside(self.of.ident, self.of.vis);
        let name = self.of.name();
        let doc = format!("The fields of `{name}`, as `{name}::fields()` returns them.");
        let declaration = self.declaration(&doc, &TokenStream::new());
        let doc = format!("The fields of `{name}`, to be named in calls.");
        quote! {
            #declaration

            impl #entity {
                #[doc = #doc]
                #[must_use]
                #vis fn fields() -> #ident {
                    #body
                }
            }

            #[automatically_derived]
            impl #p::finder::HasFields for #entity {
                type Fields = #ident;

                const ENTITY: &'static #p::str = #name;
                const TABLE: &'static [#p::FieldInfo] = #table;

                fn all_fields() -> #ident {
                    <#entity>::fields()
                }

                fn sort_by(__way: &[#p::usize], __descending: #p::bool) -> #p::Sort<#entity> {
                    let __fields = &<#entity>::fields();
                    #sort
                }
            }

            #takes
        }
    }

    pub(super) fn ty(&self, field: &Field<'_>) -> TokenStream {
        outside(self.of.ident, field.ty)
    }
}

/// Whether a field is stored under a path of its own, and by those who save it.
pub(super) fn has_handle(field: &Field<'_>) -> bool {
    let (attrs, serde) = (&field.attrs, &field.serde);
    attrs.version.is_none() && serde.written && !serde.flatten
}

/// Whether a field is the id, of which only equality can be asked.
pub(super) fn is_id(field: &Field<'_>) -> bool {
    field.attrs.id.is_some()
}

/// Whether a field's own fields have handles.
pub(super) fn is_nested(field: &Field<'_>) -> bool {
    field.attrs.nested.is_some()
}

/// Whether a field refers to other entities.
pub(super) fn is_reference(field: &Field<'_>) -> bool {
    field.attrs.reference.is_some()
}

fn codec(i: usize) -> Ident {
    format_ident!("__Codec{i}")
}

fn doc_of(field: &Field<'_>) -> String {
    let (name, stored) = (field.ident.unraw().to_string(), &field.serde.names.serialize);
    if name == *stored {
        format!("The field `{name}`.")
    } else {
        format!("The field `{name}`, stored as `{stored}`.")
    }
}
