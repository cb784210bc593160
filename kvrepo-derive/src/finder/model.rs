//! The trait, with its finders told from what is left alone.

use syn::{ItemTrait, TraitItem};

use super::method::Method;
use crate::diag::Diag;

/// A trait of finders.
pub(super) struct Finders<'a> {
    pub(super) of: &'a ItemTrait,
    /// The methods without a body, in the order of the trait.
    pub(super) methods: Vec<Method<'a>>,
    /// Whether nothing but they has to be implemented.
    pub(super) is_whole: bool,
}

impl<'a> Finders<'a> {
    pub(super) fn read(of: &'a ItemTrait, diag: &mut Diag) -> Self {
        if !of.generics.params.is_empty() {
            diag.over(
                &of.generics.params,
                "the trait is implemented for one repository; remove its parameters",
            );
        }
        if let Some(unsafety) = &of.unsafety {
            diag.over(unsafety, "nothing of a finder is unsafe; remove `unsafe`");
        }
        let mut methods = Vec::new();
        let mut is_whole = of.generics.params.is_empty() && of.unsafety.is_none();
        for item in &of.items {
            match item {
                TraitItem::Fn(function) if function.default.is_none() => {
                    methods.push(Method::read(function, diag));
                }
                TraitItem::Fn(_) => {}
                TraitItem::Const(constant) if constant.default.is_some() => {}
                TraitItem::Const(constant) => {
                    is_whole = false;
                    diag.over(
                        constant,
                        "only finders are implemented; give the constant a value, or remove it",
                    );
                }
                other => {
                    is_whole = false;
                    diag.over(other, "only finders are implemented; remove this");
                }
            }
        }
        Self {
            of,
            methods,
            is_whole,
        }
    }
}
