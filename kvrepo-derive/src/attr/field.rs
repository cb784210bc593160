//! The attributes of a field: `#[id]`, `#[time_to_live]`, `#[expires_at]`, `#[version]`, `#[nested]`, `#[reference]`,
//! `#[indexed]`, `#[geo_indexed]` and `#[kv(…)]`.

use syn::{Attribute, Ident, Lit, Meta};

use super::{IndexAttr, Kind, Value, items, items_of, known};
use crate::diag::Diag;

/// What the attributes of a field say. Each keeps what it was read from, so that a later stage can point there.
#[derive(Default)]
pub(crate) struct FieldAttrs<'a> {
    pub(crate) id: Option<&'a Attribute>,
    pub(crate) time_to_live: Option<(&'a Attribute, Unit)>,
    pub(crate) expires_at: Option<&'a Attribute>,
    pub(crate) version: Option<&'a Attribute>,
    pub(crate) nested: Option<&'a Attribute>,
    pub(crate) indexed: Option<IndexAttr<'a>>,
    pub(crate) reference: Option<&'a Attribute>,
    pub(crate) json: Option<Ident>,
}

/// What a plain number of a `#[time_to_live]` field counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
}

impl Unit {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ms" => Self::Milliseconds,
            "s" => Self::Seconds,
            "min" | "m" => Self::Minutes,
            "h" => Self::Hours,
            "d" => Self::Days,
            _ => return None,
        })
    }
}

impl<'a> FieldAttrs<'a> {
    pub(crate) fn read(attrs: &'a [Attribute], kind: Kind, diag: &mut Diag) -> Self {
        let mut this = Self::default();
        for attr in attrs {
            let Some(name) = attr.path().get_ident().map(ToString::to_string) else {
                continue;
            };
            match name.as_str() {
                "id" => mark(&mut this.id, attr, &name, diag),
                "time_to_live" => this.time_to_live(attr, diag),
                "expires_at" => mark(&mut this.expires_at, attr, &name, diag),
                "version" => mark(&mut this.version, attr, &name, diag),
                "nested" => mark(&mut this.nested, attr, &name, diag),
                "indexed" => this.index(IndexAttr::read(attr, diag), diag),
                "geo_indexed" => this.index(IndexAttr::read_geo(attr, diag), diag),
                "reference" => mark(&mut this.reference, attr, &name, diag),
                "kv" => this.kv(attr, kind, diag),
                _ => {}
            }
        }
        this
    }

    fn time_to_live(&mut self, attr: &'a Attribute, diag: &mut Diag) {
        let unit = unit(attr, diag);
        if self.time_to_live.replace((attr, unit)).is_some() {
            diag.over(attr, "`#[time_to_live]` stands twice on this field; keep one");
        }
    }

    fn index(&mut self, index: IndexAttr<'a>, diag: &mut Diag) {
        let attr = index.attr;
        if self.indexed.replace(index).is_some() {
            diag.over(
                attr,
                "this field is indexed already; say all in one attribute, as in `#[indexed(range, unique)]`",
            );
        }
    }

    fn kv(&mut self, attr: &Attribute, kind: Kind, diag: &mut Diag) {
        for item in items(attr, "#[kv(json)]", diag) {
            match (item.name().as_str(), &item.value) {
                ("json", Value::None) => {
                    if self.json.is_some() {
                        diag.at(item.key.span(), "`json` is stated twice; keep one");
                    }
                    self.json = Some(item.key);
                }
                ("json", _) => {
                    diag.push(item.value_error("`json` takes nothing; write `#[kv(json)]`".to_owned()));
                }
                (name, _) => diag.at(item.key.span(), known::unknown_on_field(name, kind)),
            }
        }
    }
}

/// Reads an attribute that takes nothing.
fn mark<'a>(slot: &mut Option<&'a Attribute>, attr: &'a Attribute, name: &str, diag: &mut Diag) {
    if !matches!(attr.meta, Meta::Path(_)) {
        diag.over(
            &attr.meta,
            format!("`#[{name}]` takes nothing; write `#[{name}]`"),
        );
    }
    if slot.replace(attr).is_some() {
        diag.over(attr, format!("`#[{name}]` stands twice on this field; keep one"));
    }
}

/// The unit that the attribute states; seconds if none, or where it is wrong.
fn unit(attr: &Attribute, diag: &mut Diag) -> Unit {
    const UNITS: &str = "`\"ms\"`, `\"s\"`, `\"min\"`, `\"h\"` or `\"d\"`";
    let mut unit = None;
    let tokens = match &attr.meta {
        Meta::Path(_) => return Unit::Seconds,
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(meta) => {
            diag.over(
                &meta.value,
                "the field itself holds the time to live; for a default write `#[kv(time_to_live = \"30m\")]` on the \
                 struct",
            );
            return Unit::Seconds;
        }
    };
    let (items, errors) = items_of(tokens);
    errors.into_iter().for_each(|error| diag.push(error));
    for item in items {
        match (item.name().as_str(), &item.value) {
            ("unit", _) if unit.is_some() => diag.at(item.key.span(), "`unit` is stated twice; keep one"),
            ("unit", Value::Lit(Lit::Str(lit))) => {
                let named = Unit::named(&lit.value());
                if named.is_none() {
                    diag.at(lit.span(), format!("unknown unit `{}`; it is {UNITS}", lit.value()));
                }
                unit = named.or(Some(Unit::Seconds));
            }
            ("unit", _) => diag.push(item.value_error(format!("`unit` takes a string: {UNITS}"))),
            (name, _) => diag.at(
                item.key.span(),
                format!("unknown key `{name}`; `#[time_to_live(…)]` takes `unit`: `#[time_to_live(unit = \"ms\")]`"),
            ),
        }
    }
    unit.unwrap_or(Unit::Seconds)
}
