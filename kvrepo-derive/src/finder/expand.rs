//! Writing the trait, and its implementation.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, FnArg, ItemTrait, Signature, TraitItem, Type};

use super::argument::Arguments;
use super::method::{Method, Parameter, Returns};
use super::model::Finders;
use crate::attr::generated;
use crate::diag::Diag;
use crate::token::pinned;

/// `#[kvrepo::repository(…)]`.
pub(crate) fn repository(arguments: TokenStream, of: &ItemTrait) -> TokenStream {
    let mut diag = Diag::new();
    let arguments = Arguments::read(arguments, &mut diag);
    let finders = Finders::read(of, &mut diag);
    let mut tokens = TokenStream::new();
    let result = diag.finish();
    let is_right = result.is_ok();
    if let Err(error) = result {
        tokens.extend(error.into_compile_error());
    }
    // What is wrong is said; the rest is for what uses the trait.
    match (arguments.krate.private(), &arguments.entity) {
        (Some(p), Some(entity)) => {
            declaration(&finders, &p).to_tokens(&mut tokens);
            if finders.is_whole {
                tokens.extend(implementation(&finders, entity, is_right, &p));
            }
        }
        (Some(p), None) => declaration(&finders, &p).to_tokens(&mut tokens),
        (None, _) => of.to_tokens(&mut tokens),
    }
    tokens
}

/// The trait, whose finders return futures that are `Send`.
fn declaration(finders: &Finders<'_>, p: &TokenStream) -> ItemTrait {
    let mut declared = finders.of.clone();
    for item in &mut declared.items {
        if let TraitItem::Fn(function) = item {
            if function.default.is_none() {
                awaitable(&mut function.sig, p);
            } else if function.sig.asyncness.is_some() {
                function
                    .attrs
                    .push(syn::parse_quote!(#[allow(async_fn_in_trait, reason = "it is as it was written")]));
            }
        }
    }
    declared
}

/// `async fn f() -> R` as `fn f() -> impl Future<Output = R> + Send`.
fn awaitable(sig: &mut Signature, p: &TokenStream) {
    if sig.asyncness.take().is_none() {
        return;
    }
    let output = match &sig.output {
        syn::ReturnType::Type(_, ty) => ty.to_token_stream(),
        syn::ReturnType::Default => quote!(()),
    };
    sig.output = syn::parse_quote!(-> impl #p::Future<Output = #output> + #p::Send);
}

fn implementation(finders: &Finders<'_>, entity: &Type, is_right: bool, p: &TokenStream) -> TokenStream {
    let of = finders.of;
    let ident = &of.ident;
    let cfg = of.attrs.iter().filter(|attr| is_cfg(attr));
    let methods = finders
        .methods
        .iter()
        .map(|method| implemented(method, entity, is_right, p));
    quote! {
        #(#cfg)*
        #[automatically_derived]
        impl #ident for #p::Repository<#entity> {
            #(#methods)*
        }
    }
}

fn implemented(method: &Method<'_>, entity: &Type, is_right: bool, p: &TokenStream) -> TokenStream {
    let cfg = method.of.attrs.iter().filter(|attr| is_cfg(attr));
    let mut sig = method.of.sig.clone();
    awaitable(&mut sig, p);
    // As they are called here, whatever pattern they are there.
    let mut number = 0;
    for input in &mut sig.inputs {
        if let FnArg::Typed(input) = input {
            let name = argument(number, &input.ty);
            input.attrs.clear();
            *input.pat = syn::parse_quote!(#name);
            number += 1;
        }
    }
    let body = match &method.returns {
        _ if !is_right => stub(&method.returns, p),
        Returns::Wrong => stub(&method.returns, p),
        Returns::Awaited(ty) => {
            // The same tokens at the same place, so that they are one mistake if the type is wrong.
            let [outcome, run] = [quote!(RETURNS), quote!(run)]
                .map(|item| pinned(ty, quote!(<#ty as #p::finder::Outcome<#entity>>::#item)));
            body(
                method,
                entity,
                &outcome,
                |arguments| called(ty, &run, arguments),
                p,
            )
        }
        Returns::Stream => body(
            method,
            entity,
            &quote!(#p::finder::Returns::Stream),
            |arguments| quote!(#p::finder::stream::<#entity>(#arguments)),
            p,
        ),
    };
    quote! {
        #(#cfg)*
        #sig {
            #body
        }
    }
}

/// The name is read when compiling, once. If it is wrong, that is the one error: the finder that is used has no values.
fn body(
    method: &Method<'_>,
    entity: &Type,
    returns: &TokenStream,
    run: impl FnOnce(TokenStream) -> TokenStream,
    p: &TokenStream,
) -> TokenStream {
    let ident = &method.of.sig.ident;
    let name = ident.unraw().to_string();
    let (values, sort, page) = (method.values.len(), method.has_sort(), method.has_page());
    let refuse = at(ident.span(), quote!(#p::finder::refuse(&__READ)));
    let operands = method.parameters.iter().enumerate().filter_map(|(i, parameter)| {
        let Parameter::Value(value) = parameter else {
            return None;
        };
        let ty = method.values.get(*value)?;
        let argument = argument(i, ty);
        Some(operand(*value, ty, &argument.to_token_stream(), entity, p))
    });
    // What the name itself states. It can say no more of them than it has these words.
    let words = name.split('_').filter(|word| matches!(*word, "true" | "false"));
    let stated = words.enumerate().map(|(i, _)| {
        let value = values + i;
        let ty = syn::parse_quote_spanned!(generated(ident.span())=> #p::bool);
        operand(value, &ty, &quote!(__FINDER.says_true(#value)), entity, p)
    });
    let options = method.parameters.iter().enumerate().filter_map(|(i, parameter)| {
        let (set, ty) = match parameter {
            Parameter::Value(_) => return None,
            Parameter::Sort(ty) => (quote!(.sort), ty),
            Parameter::Page(ty) => (quote!(.page), ty),
        };
        let argument = argument(i, ty);
        Some(called(ty, &set, quote!(#argument)))
    });
    let run = run(quote!(self, &__FINDER, __operands, #p::finder::Options::new() #(#options)*));
    let [of, table] = [quote!(ENTITY), quote!(TABLE)]
        .map(|item| pinned(entity, quote!(<#entity as #p::finder::HasFields>::#item)));
    quote! {
        const __READ: #p::Result<#p::finder::Finder, #p::finder::Message> =
            #p::finder::parse(#of, #table, &#p::finder::Signature {
                method: #name,
                values: #values,
                returns: #returns,
                sort: #sort,
                page: #page,
            });
        const __FINDER: #p::finder::Finder = #p::finder::or_none(&__READ);
        const _: () = #refuse;
        let __operands = #p::Vec::from([#(#operands,)* #(#stated,)*]);
        #run
    }
}

/// An argument, if the field that has the value of this number takes its type.
fn operand(value: usize, ty: &Type, argument: &TokenStream, entity: &Type, p: &TokenStream) -> TokenStream {
    // All of it stands where the type does, and so needs no local of another place.
    let all = quote!(<#entity as #p::finder::HasFields>);
    // It is where the compiler points.
    let of = pinned(ty, quote!(#all::Fields));
    let step = (0..4_usize).map(|depth| quote!({ __FINDER.step(#value, #depth) }));
    let takes = pinned(
        ty,
        quote!(<#of as #p::finder::Takes<#(#step,)* { __FINDER.role(#value) }, #ty>>::operand),
    );
    let argument = called(ty, &quote!(#p::identity), argument.clone());
    let fields = called(ty, &quote!(#all::all_fields), TokenStream::new());
    let fields = pinned(ty, quote!(&#fields));
    called(ty, &takes, quote!(#fields, #argument))
}

/// A call that stands, for the compiler, where a type does.
fn called(ty: &Type, function: &TokenStream, arguments: TokenStream) -> TokenStream {
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(end(ty));
    pinned(ty, quote!(#function #arguments))
}

fn end(ty: &Type) -> Span {
    let tokens = ty.to_token_stream().into_iter();
    tokens.last().map_or_else(Span::call_site, |token| token.span())
}

/// For a method that is wrong: never called.
fn stub(returns: &Returns<'_>, p: &TokenStream) -> TokenStream {
    match returns {
        Returns::Stream => quote!(#p::finder::never()),
        Returns::Awaited(_) => quote!(async { loop {} }),
        Returns::Wrong => quote!(loop {}),
    }
}

/// A parameter's name, which stands where its type does.
fn argument(number: usize, ty: &Type) -> syn::Ident {
    format_ident!("__argument{number}", span = end(ty))
}

fn is_cfg(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
}

/// This code, as if it stood there.
fn at(span: Span, code: TokenStream) -> TokenStream {
    let code = code.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    code.collect()
}
