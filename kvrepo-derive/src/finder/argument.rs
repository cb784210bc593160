//! `(Person, crate = "…")`: what stands behind `repository`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Ident, Lit, Token, Type};

use crate::attr::Krate;
use crate::diag::Diag;

/// What the attribute says.
#[derive(Default)]
pub(super) struct Arguments {
    /// `None` if it is not stated, or stated wrongly.
    pub(super) entity: Option<Type>,
    pub(super) krate: Krate,
}

const EXAMPLE: &str = "`#[kvrepo::repository(Person)]`";

impl Arguments {
    pub(super) fn read(tokens: TokenStream, diag: &mut Diag) -> Self {
        let mut this = Self::default();
        let mut stated = false;
        let parser = |input: ParseStream<'_>| {
            let mut seen = Vec::new();
            while !input.is_empty() {
                if is_key(input) {
                    this.key(input, &mut seen, diag)?;
                } else {
                    let ty = input.parse::<Type>()?;
                    if stated {
                        diag.over(&ty, "the entity is stated already; write a trait for each");
                    } else {
                        stated = true;
                        this.entity = Some(ty);
                    }
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        let span = tokens.span();
        if let Err(error) = parser.parse2(tokens) {
            diag.push(error);
            stated = true;
        }
        if !stated {
            diag.at(span, format!("state the entity: {EXAMPLE}"));
        }
        this
    }

    fn key(&mut self, input: ParseStream<'_>, seen: &mut Vec<Ident>, diag: &mut Diag) -> syn::Result<()> {
        let key = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let value = input.parse::<Lit>()?;
        if key != "crate" {
            diag.at(
                key.span(),
                format!("unknown key `{key}`; `#[repository(…)]` takes the entity and `crate`"),
            );
        } else if seen.contains(&key) {
            diag.at(key.span(), "`crate` is stated twice; keep one");
        } else if let Lit::Str(lit) = &value {
            self.krate = Krate::read(lit, diag);
        } else {
            diag.over(value, "`crate` takes a string: `crate = \"kvrepo\"`");
            self.krate = Krate::Unknown;
        }
        seen.push(key);
        Ok(())
    }
}

/// `key =`, and not a type.
fn is_key(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    fork.call(Ident::parse_any).is_ok() && fork.peek(Token![=])
}
