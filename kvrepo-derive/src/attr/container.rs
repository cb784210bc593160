//! `#[kv(…)]` on the struct.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, ExprPath, Lit, LitStr, Path};

use super::{Item, Kind, Value, generated, items, known};
use crate::diag::Diag;
use crate::duration;

/// What the attributes of a struct say.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) keyspace: Option<LitStr>,
    pub(crate) time_to_live: Option<DefaultTerm>,
    pub(crate) idle: Option<DefaultTerm>,
    pub(crate) time_to_live_fn: Option<TermFn>,
    pub(crate) shadow_copy: Option<bool>,
    pub(crate) type_alias: Option<LitStr>,
    pub(crate) krate: Krate,
}

/// Where kvrepo is.
#[derive(Default)]
pub(crate) enum Krate {
    /// `::kvrepo`
    #[default]
    Default,
    At(Path),
    /// It was stated, but not as a path.
    Unknown,
}

impl Krate {
    /// What a string states.
    pub(crate) fn read(lit: &LitStr, diag: &mut Diag) -> Self {
        path(lit, "kvrepo", diag).map_or(Self::Unknown, Self::At)
    }

    /// The module that generated code takes everything from; `None` if it was stated wrongly.
    pub(crate) fn private(&self) -> Option<TokenStream> {
        match self {
            Self::Default => Some(quote!(::kvrepo::__private)),
            Self::At(path) => Some(quote!(#path::__private)),
            Self::Unknown => None,
        }
    }
}

/// The term of entities that state none.
pub(crate) struct DefaultTerm {
    /// Where it was stated.
    pub(crate) key: Span,
    /// In milliseconds; `None` if it was stated wrongly.
    pub(crate) ms: Option<u64>,
}

/// What `time_to_live_fn` names.
pub(crate) struct TermFn {
    /// Where it was stated.
    pub(crate) key: Span,
    pub(crate) path: ExprPath,
}

impl Container {
    pub(crate) fn read(attrs: &[Attribute], kind: Kind, diag: &mut Diag) -> Self {
        let example = match kind {
            Kind::Entity => "#[kv(keyspace = \"people\")]",
            Kind::Nested => "#[kv(crate = \"kvrepo\")]",
        };
        let mut this = Self::default();
        let mut seen = Vec::new();
        for attr in attrs {
            if attr.path().is_ident("kv") {
                for item in items(attr, example, diag) {
                    let name = item.name();
                    if seen.contains(&name) {
                        diag.at(item.key.span(), format!("`{name}` is stated twice; keep one"));
                        continue;
                    }
                    this.set(&name, &item, kind, diag);
                    seen.push(name);
                }
            } else if let Some(name) = attr.path().get_ident().map(ToString::to_string)
                && let Some(message) = known::attribute_on_struct(&name, kind)
            {
                diag.over(attr, message);
            }
        }
        this
    }

    fn set(&mut self, name: &str, item: &Item, kind: Kind, diag: &mut Diag) {
        match (name, kind) {
            ("crate", _) => {
                let path = item.string("kvrepo", diag);
                self.krate = path.map_or(Krate::Unknown, |lit| Krate::read(&lit, diag));
            }
            (_, Kind::Nested) => diag.at(item.key.span(), known::unknown_on_nested(name)),
            ("keyspace", _) => self.keyspace = item.string("people", diag),
            ("time_to_live", _) => self.time_to_live = Some(default_term(item, "30m", 1_800, diag)),
            ("idle", _) => self.idle = Some(default_term(item, "30d", 2_592_000, diag)),
            ("time_to_live_fn", _) => {
                self.time_to_live_fn = item
                    .string("term", diag)
                    .and_then(|lit| path::<ExprPath>(&lit, "term", diag))
                    .map(|path| TermFn {
                        key: item.key.span(),
                        path,
                    });
            }
            ("shadow_copy", _) => self.shadow_copy = item.boolean(diag),
            ("type_alias", _) => self.type_alias = item.string("person", diag),
            _ => diag.at(item.key.span(), known::unknown_on_struct(name)),
        }
    }
}

fn path<P: syn::parse::Parse>(lit: &LitStr, example: &str, diag: &mut Diag) -> Option<P> {
    let mut text = lit.clone();
    text.set_span(generated(lit.span()));
    let path = text.parse().ok();
    if path.is_none() {
        diag.at(
            lit.span(),
            format!("`{}` is not a path; write one as in `\"{example}\"`", lit.value()),
        );
    }
    path
}

/// The term that a key states; the examples say how it is written, as a duration and in seconds.
fn default_term(item: &Item, example: &str, seconds: u32, diag: &mut Diag) -> DefaultTerm {
    let ms = match &item.value {
        Value::Lit(Lit::Str(lit)) => duration::parse(&lit.value()),
        Value::Lit(Lit::Int(lit)) if lit.base10_digits().starts_with('-') => Err(format!(
            "`{lit}` is negative; leave it out for entities that do not expire"
        )),
        // Only what has more than 38 digits does not parse.
        Value::Lit(Lit::Int(lit)) => duration::seconds(lit.base10_parse().unwrap_or(u128::MAX)),
        _ => {
            let key = item.name();
            Err(format!(
                "`{key}` takes a duration or whole seconds: `{key} = \"{example}\"` or `{key} = {seconds}`"
            ))
        }
    };
    DefaultTerm {
        key: item.key.span(),
        ms: ms.map_err(|message| diag.push(item.value_error(message))).ok(),
    }
}
