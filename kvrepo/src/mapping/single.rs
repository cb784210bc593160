//! Whether a type is one value, to be stored in one field.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::fault::Fault;

/// What the type is, if it is no single value.
pub(crate) fn single<'de, V: Deserialize<'de>>() -> Result<(), &'static str> {
    let mut asked = None;
    let _ = V::deserialize(Sniff(&mut asked));
    asked.map_or(Ok(()), Err)
}

/// Takes note of what a type asks for, and has nothing to give.
struct Sniff<'a>(&'a mut Option<&'static str>);

fn nothing<T>() -> Result<T, Fault> {
    Err(Fault::new("there is nothing"))
}

impl<'de> Deserializer<'de> for Sniff<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
        nothing()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
        *self.0 = Some("nothing at all");
        nothing()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Result<V::Value, Fault> {
        *self.0 = Some("nothing at all");
        nothing()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
        *self.0 = Some("a list");
        nothing()
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        *self.0 = Some("a list");
        nothing()
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value, Fault> {
        *self.0 = Some("a list");
        nothing()
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
        *self.0 = Some("a map");
        nothing()
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Fault> {
        *self.0 = Some("a struct");
        nothing()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::IpAddr;
    use std::time::Duration;

    use serde::Deserialize;

    use super::single;

    #[derive(Deserialize)]
    enum Kind {
        A,
    }

    #[derive(Deserialize)]
    struct Name(String);

    #[test]
    fn single_values_are_told_from_others() {
        let _ = (Kind::A, Name(String::new()).0);
        for is in [
            single::<u8>(),
            single::<Option<String>>(),
            single::<Kind>(),
            single::<Name>(),
            single::<uuid::Uuid>(),
            single::<IpAddr>(),
        ] {
            assert_eq!(is, Ok(()));
        }
        assert_eq!(single::<Vec<u8>>(), Err("a list"));
        assert_eq!(single::<Option<Vec<String>>>(), Err("a list"));
        assert_eq!(single::<(u8, u8)>(), Err("a list"));
        assert_eq!(single::<BTreeMap<u8, u8>>(), Err("a map"));
        assert_eq!(single::<Duration>(), Err("a struct"));
        assert_eq!(single::<()>(), Err("nothing at all"));
    }
}
