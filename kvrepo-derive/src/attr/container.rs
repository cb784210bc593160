//! `#[kv(…)]` on the struct.

use proc_macro2::Span;
use syn::{Attribute, ExprPath, Lit, LitStr, Path};

use super::{Item, Value, generated, items, known};
use crate::diag::Diag;
use crate::duration;

/// What the attributes of a struct say.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) keyspace: Option<LitStr>,
    /// In milliseconds.
    pub(crate) time_to_live: Option<u64>,
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

/// What `time_to_live_fn` names.
pub(crate) struct TermFn {
    /// Where it was stated.
    pub(crate) key: Span,
    pub(crate) path: ExprPath,
}

impl Container {
    pub(crate) fn read(attrs: &[Attribute], diag: &mut Diag) -> Self {
        let mut this = Self::default();
        let mut seen = Vec::new();
        for attr in attrs {
            if attr.path().is_ident("kv") {
                for item in items(attr, "#[kv(keyspace = \"people\")]", diag) {
                    let name = item.name();
                    if seen.contains(&name) {
                        diag.at(item.key.span(), format!("`{name}` is stated twice; keep one"));
                        continue;
                    }
                    this.set(&name, &item, diag);
                    seen.push(name);
                }
            } else if let Some(name) = attr.path().get_ident().map(ToString::to_string) {
                if matches!(name.as_str(), "id" | "time_to_live") {
                    let hint = if name == "id" {
                        ""
                    } else {
                        "; for a default write `#[kv(time_to_live = \"30m\")]`"
                    };
                    diag.over(attr, format!("`#[{name}]` belongs on a field{hint}"));
                } else if known::is_later(&name) {
                    diag.over(attr, known::later(&format!("#[{name}]")));
                }
            }
        }
        this
    }

    fn set(&mut self, name: &str, item: &Item, diag: &mut Diag) {
        match name {
            "keyspace" => self.keyspace = item.string("people", diag),
            "time_to_live" => self.time_to_live = milliseconds(item, diag),
            "time_to_live_fn" => {
                self.time_to_live_fn = item
                    .string("term", diag)
                    .and_then(|lit| path::<ExprPath>(&lit, "term", diag))
                    .map(|path| TermFn {
                        key: item.key.span(),
                        path,
                    });
            }
            "shadow_copy" => self.shadow_copy = item.boolean(diag),
            "type_alias" => self.type_alias = item.string("person", diag),
            "crate" => {
                let path = item
                    .string("kvrepo", diag)
                    .and_then(|lit| path(&lit, "kvrepo", diag));
                self.krate = path.map_or(Krate::Unknown, Krate::At);
            }
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

fn milliseconds(item: &Item, diag: &mut Diag) -> Option<u64> {
    let ms = match &item.value {
        Value::Lit(Lit::Str(lit)) => duration::parse(&lit.value()),
        Value::Lit(Lit::Int(lit)) if lit.base10_digits().starts_with('-') => Err(format!(
            "`{lit}` is negative; leave it out for entities that do not expire"
        )),
        // Only what has more than 38 digits does not parse.
        Value::Lit(Lit::Int(lit)) => duration::seconds(lit.base10_parse().unwrap_or(u128::MAX)),
        _ => Err(
            "`time_to_live` takes a duration or whole seconds: `time_to_live = \"30m\"` or \
                  `time_to_live = 1800`"
                .to_owned(),
        ),
    };
    ms.map_err(|message| diag.push(item.value_error(message))).ok()
}
