//! Gathering mistakes, so that one run of the compiler names all of them.

use proc_macro2::Span;
use quote::ToTokens;

/// The mistakes that were found so far. Whoever makes one has to [`finish`](Self::finish) it.
pub(crate) struct Diag {
    error: Option<syn::Error>,
    finished: bool,
}

impl Diag {
    pub(crate) fn new() -> Self {
        Self {
            error: None,
            finished: false,
        }
    }

    /// A mistake at one place.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// A mistake that all of these tokens make.
    pub(crate) fn over(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.error {
            Some(first) => first.combine(error),
            None => self.error = Some(error),
        }
    }

    /// All mistakes as one error, or none.
    pub(crate) fn finish(mut self) -> syn::Result<()> {
        self.finished = true;
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Drop for Diag {
    fn drop(&mut self) {
        // Mistakes that nobody reports would make the macro accept them.
        debug_assert!(
            self.finished || std::thread::panicking(),
            "a `Diag` was dropped without `finish`"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_kept() {
        let mut diag = Diag::new();
        diag.at(Span::call_site(), "one");
        diag.over(quote::quote!(a b), "two");
        let messages: Vec<_> = diag
            .finish()
            .unwrap_err()
            .into_iter()
            .map(|e| e.to_string())
            .collect();
        assert_eq!(messages, ["one", "two"]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "without `finish`")]
    fn a_dropped_collector_is_a_bug() {
        drop(Diag::new());
    }
}
