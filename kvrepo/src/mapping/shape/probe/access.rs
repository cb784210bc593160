//! What the probe offers of containers.

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::fake::Fake;
use super::{ELEMENTS, stop};
use crate::mapping::fault::Fault;

/// Elements: quick ones, and then the one that is walked.
pub(super) struct FakeSeq<'p> {
    fake: Fake<'p>,
    next: usize,
    len: usize,
    /// The element that is walked, in quick mode none.
    target: Option<usize>,
    /// Whether each has a type of its own.
    tuple: bool,
}

impl<'p> FakeSeq<'p> {
    pub(super) fn empty(fake: Fake<'p>) -> Self {
        Self {
            fake,
            next: 0,
            len: 0,
            target: None,
            tuple: false,
        }
    }

    /// A list of one element.
    pub(super) fn one(fake: Fake<'p>) -> Self {
        Self {
            fake,
            next: 0,
            len: 1,
            target: Some(0),
            tuple: false,
        }
    }

    pub(super) fn tuple(fake: Fake<'p>, len: usize) -> Self {
        if fake.quick || len == 0 {
            return Self {
                fake,
                next: 0,
                len,
                target: None,
                tuple: true,
            };
        }
        let (_, target) = fake.probe.choose(len.min(ELEMENTS.len()));
        Self {
            fake,
            next: 0,
            len: target + 1,
            target: Some(target),
            tuple: true,
        }
    }
}

impl<'de> de::SeqAccess<'de> for FakeSeq<'_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if self.next >= self.len {
            return Ok(None);
        }
        let at = self.next;
        self.next += 1;
        if self.target != Some(at) {
            return seed.deserialize(self.fake.child(self.fake.node, true)?).map(Some);
        }
        let node = match ELEMENTS.get(at).filter(|_| self.tuple) {
            Some(name) => self.fake.probe.field(self.fake.node, name),
            None => self.fake.probe.each(self.fake.node),
        };
        seed.deserialize(self.fake.child(node, false)?).map(Some)
    }
}

/// One field, or in quick mode all of them.
pub(super) struct FakeStruct<'p> {
    fake: Fake<'p>,
    fields: &'static [&'static str],
    next: usize,
    end: usize,
}

impl<'p> FakeStruct<'p> {
    pub(super) fn of(fake: Fake<'p>, name: &'static str, fields: &'static [&'static str]) -> Self {
        if fake.quick || fields.is_empty() {
            return Self {
                fake,
                fields,
                next: 0,
                end: fields.len(),
            };
        }
        let (_, target) = fake.probe.choose(fields.len());
        // The content of an adjacently tagged enum is known only once its tag is.
        let tagged = match fields {
            [tag, _] if target == 1 => {
                let tag = fake.probe.field(fake.node, tag);
                fake.probe.enums.borrow().contains(&(tag, name))
            }
            _ => false,
        };
        Self {
            fake,
            fields,
            next: if tagged { 0 } else { target },
            end: target + 1,
        }
    }
}

impl<'de> de::MapAccess<'de> for FakeStruct<'_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        match self.fields.get(self.next) {
            Some(name) if self.next < self.end => seed.deserialize(StrDeserializer::new(name)).map(Some),
            _ => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let name = self.fields.get(self.next).ok_or_else(stop)?;
        self.next += 1;
        let quick = self.fake.quick;
        let node = if quick {
            self.fake.node
        } else {
            self.fake.probe.field(self.fake.node, name)
        };
        seed.deserialize(self.fake.child(node, quick)?)
    }
}

/// One entry: at the root maybe a field beside a flattened one, else one with whatever key is accepted.
pub(super) struct FakeMap<'p> {
    fake: Fake<'p>,
    plain: Option<&'static str>,
    left: bool,
}

impl<'p> FakeMap<'p> {
    pub(super) fn of(fake: Fake<'p>) -> Self {
        let plain = fake.probe.plain;
        if fake.quick {
            return Self {
                fake,
                plain: None,
                left: false,
            };
        }
        if fake.depth > 0 || plain.is_empty() {
            return Self {
                fake,
                plain: None,
                left: true,
            };
        }
        let (_, chosen) = fake.probe.choose(plain.len() + 1);
        Self {
            fake,
            plain: plain.get(chosen).copied(),
            left: true,
        }
    }
}

impl<'de> de::MapAccess<'de> for FakeMap<'_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if !std::mem::take(&mut self.left) {
            return Ok(None);
        }
        match self.plain {
            Some(name) => seed.deserialize(StrDeserializer::new(name)).map(Some),
            None => seed.deserialize(self.fake.child(self.fake.node, true)?).map(Some),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let probe = self.fake.probe;
        let node = match self.plain {
            Some(name) => probe.field(self.fake.node, name),
            None => probe.each(self.fake.node),
        };
        seed.deserialize(self.fake.child(node, false)?)
    }
}

/// One variant.
pub(super) struct FakeEnum<'p> {
    pub(super) fake: Fake<'p>,
    pub(super) name: &'static str,
    pub(super) variant: &'static str,
}

impl<'p> FakeEnum<'p> {
    fn content(&self) -> Result<Fake<'p>, Fault> {
        let quick = self.fake.quick;
        let node = if quick {
            self.fake.node
        } else {
            self.fake.probe.field(self.fake.node, self.variant)
        };
        self.fake.child(node, quick)
    }
}

impl<'de> de::EnumAccess<'de> for FakeEnum<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        Ok((seed.deserialize(StrDeserializer::new(self.variant))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for FakeEnum<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content()?.tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.content()?.fields(self.name, fields, visitor)
    }
}
