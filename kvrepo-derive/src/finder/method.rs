//! The signature of a finder.

use syn::spanned::Spanned;
use syn::{
    FnArg, GenericParam, ReceiverKind, ReturnType, Safety, Signature, TraitItemFn, Type, TypeParamBound,
};

use crate::diag::Diag;

/// A method without a body.
pub(super) struct Method<'a> {
    pub(super) of: &'a TraitItemFn,
    pub(super) values: Vec<&'a Type>,
    pub(super) parameters: Vec<Parameter<'a>>,
    pub(super) returns: Returns<'a>,
}

/// What one parameter is.
pub(super) enum Parameter<'a> {
    /// The value of this number.
    Value(usize),
    Sort(&'a Type),
    Page(&'a Type),
}

/// What the method returns.
pub(super) enum Returns<'a> {
    /// `async fn … -> R`
    Awaited(&'a Type),
    /// `fn … -> impl Stream`
    Stream,
    /// Neither.
    Wrong,
}

impl<'a> Method<'a> {
    pub(super) fn read(of: &'a TraitItemFn, diag: &mut Diag) -> Self {
        let sig = &of.sig;
        no_parameters(sig, diag);
        takes_self(sig, diag);
        let mut this = Self {
            of,
            values: Vec::new(),
            parameters: Vec::new(),
            returns: returns(sig, diag),
        };
        for input in &sig.inputs {
            if let FnArg::Typed(input) = input {
                this.parameter(&input.ty, diag);
            }
        }
        this
    }

    fn parameter(&mut self, ty: &'a Type, diag: &mut Diag) {
        if let Type::ImplTrait(ty) = ty {
            diag.over(
                ty,
                "a finder's parameters have one type each; write it in the place of `impl`",
            );
        }
        let parameter = match last_name(ty).as_deref() {
            Some("Sort") => Parameter::Sort(ty),
            Some("PageRequest") => Parameter::Page(ty),
            _ => {
                self.values.push(ty);
                Parameter::Value(self.values.len() - 1)
            }
        };
        let ends = |other: &Parameter<'_>| !matches!(other, Parameter::Value(_));
        if let Some(last) = self.parameters.iter().find(|other| ends(other)) {
            let (same, shown) = match (last, &parameter) {
                (Parameter::Sort(_), Parameter::Sort(_)) => (true, "Sort"),
                (Parameter::Page(_), Parameter::Page(_)) => (true, "PageRequest"),
                (Parameter::Sort(_), _) => (false, "Sort"),
                _ => (false, "PageRequest"),
            };
            if same {
                diag.over(ty, format!("there is a `{shown}` already; keep one"));
            } else if !ends(&parameter) {
                diag.over(ty, format!("values come before `{shown}`; put it behind them"));
            }
        }
        self.parameters.push(parameter);
    }

    pub(super) fn has_sort(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| matches!(parameter, Parameter::Sort(_)))
    }

    pub(super) fn has_page(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| matches!(parameter, Parameter::Page(_)))
    }
}

fn no_parameters(sig: &Signature, diag: &mut Diag) {
    for parameter in &sig.generics.params {
        if !matches!(parameter, GenericParam::Lifetime(_)) {
            diag.over(
                parameter,
                "a finder has no parameters of its own; write the type where it is used",
            );
        }
    }
    if !matches!(sig.safety, Safety::Default) {
        diag.over(&sig.safety, "nothing of a finder is unsafe; remove it");
    }
    if let Some(abi) = &sig.abi {
        diag.over(abi, "a finder is a method of Rust; remove `extern`");
    }
}

fn takes_self(sig: &Signature, diag: &mut Diag) {
    match sig.receiver() {
        Some(receiver) if matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) => {}
        Some(receiver) => diag.over(receiver, "a finder takes `&self`"),
        None => diag.at(
            sig.ident.span(),
            format!("a finder takes `&self`: `{}(&self, …)`", sig.ident),
        ),
    }
}

fn returns<'a>(sig: &'a Signature, diag: &mut Diag) -> Returns<'a> {
    let ReturnType::Type(_, ty) = &sig.output else {
        diag.at(
            sig.ident.span(),
            "a finder returns a `Result`, or a stream of them; or else the method has a body",
        );
        return Returns::Wrong;
    };
    match (&**ty, sig.asyncness.is_some()) {
        (Type::ImplTrait(of), false) if is_stream(&of.bounds) => Returns::Stream,
        (Type::ImplTrait(of), true) if is_stream(&of.bounds) => {
            diag.over(
                sig.asyncness,
                "a stream is awaited an item at a time; remove `async`",
            );
            Returns::Wrong
        }
        (Type::ImplTrait(of), _) => {
            diag.over(
                of,
                "a finder returns a `Result`, or `impl Stream<Item = Result<…>> + Send`",
            );
            Returns::Wrong
        }
        (_, true) => Returns::Awaited(ty),
        (_, false) => {
            diag.at(
                sig.fn_token.span(),
                "a finder asks the store: write `async fn`, or return `impl Stream<Item = Result<…>> + Send`",
            );
            Returns::Wrong
        }
    }
}

fn is_stream<'a>(bounds: impl IntoIterator<Item = &'a TypeParamBound>) -> bool {
    bounds.into_iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "Stream"),
        _ => false,
    })
}

/// The last name of a type's path: `Sort` of `kvrepo::Sort<Person>`.
fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(ty) => ty.path.segments.last().map(|segment| segment.ident.to_string()),
        Type::Group(ty) => last_name(&ty.elem),
        Type::Paren(ty) => last_name(&ty.elem),
        _ => None,
    }
}
