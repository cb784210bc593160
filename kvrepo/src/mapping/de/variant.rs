//! An enum's variant with content: the child of its name.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::place::De;
use super::tree::Id;
use crate::mapping::fault::Fault;

/// A variant, and where its content stands.
pub(super) struct Variant<'x, 't, 'a> {
    de: De<'x, 't, 'a>,
    name: &'a str,
    at: Id,
}

impl<'x, 't, 'a> Variant<'x, 't, 'a> {
    /// The variant of `variants` of which something is stored, or else the only thing that is stored at all.
    pub(super) fn new(de: De<'x, 't, 'a>, variants: &'static [&'static str]) -> Result<Self, Fault> {
        let tree = de.tree();
        let known = variants.iter().find_map(|name| {
            let at = tree.named(de.at, name, 0);
            tree.is_live(at).then_some((*name, at))
        });
        if let Some((name, at)) = known {
            return Ok(Self { de, name, at });
        }
        let mut children = tree.children(de.at);
        match (children.next(), children.next()) {
            (Some((at, node)), None) => Ok(Self {
                de,
                name: node.segment().text(),
                at,
            }),
            _ => Err(Fault::expected(format_args!(
                "one of the variants `{}`",
                variants.join("`, `")
            ))),
        }
    }

    fn content(&self) -> Result<De<'x, 't, 'a>, Fault> {
        self.de.field(self.at, self.name)
    }
}

impl<'a> de::EnumAccess<'a> for Variant<'_, '_, 'a> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'a>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        Ok((seed.deserialize(BorrowedStrDeserializer::new(self.name))?, self))
    }
}

impl<'a> de::VariantAccess<'a> for Variant<'_, '_, 'a> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'a>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self.content()?)
            .map_err(|fault| fault.in_name(self.name))
    }

    fn tuple_variant<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content()?
            .elements(Some(len), false, visitor)
            .map_err(|fault| fault.in_name(self.name))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.content()?
            .fields(fields, visitor)
            .map_err(|fault| fault.in_name(self.name))
    }
}
