//! Names at the call site do not get into generated code.
#![allow(dead_code, non_camel_case_types)]

use serde::{Deserialize, Serialize};

mod core {}
mod std {}
mod kvrepo {}
mod serde_json {}

struct Option;
struct Result;
struct String;
struct Duration;
struct Some;
struct None;
struct Ok;
struct bool;

trait KvEntity {}
trait IdField {}
trait TermField {}

/// Inherent methods win over those of a trait, where the call is not fully qualified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Id(::std::primitive::u64);

impl Id {
    fn get(&self) {}
    fn put(&mut self, _: ()) {}
    fn generate() {}
    fn to_key(&self) {}
    fn term(&self) {}
}

impl ::kvrepo::KvId for Id {
    fn to_key(&self) -> ::std::borrow::Cow<'_, ::std::primitive::str> {
        ::std::borrow::Cow::Owned(::std::string::ToString::to_string(&self.0))
    }

    fn from_key(key: &::std::primitive::str) -> ::std::option::Option<Self> {
        <::std::primitive::u64 as ::kvrepo::KvId>::from_key(key).map(Self)
    }
}

/// A term of one's own.
#[derive(Serialize, Deserialize)]
struct Term(::std::primitive::u64);

impl Term {
    fn term(&self) {}
    fn set_remaining(&mut self) {}
}

impl ::kvrepo::TermField for Term {
    fn term(
        &self,
        unit: ::kvrepo::TermUnit,
    ) -> ::std::result::Result<::kvrepo::FieldTerm, ::std::string::String> {
        ::kvrepo::TermField::term(&self.0, unit)
    }

    fn set_remaining(
        &mut self,
        unit: ::kvrepo::TermUnit,
        remaining: ::std::option::Option<::std::time::Duration>,
        has_default: ::std::primitive::bool,
    ) {
        ::kvrepo::TermField::set_remaining(&mut self.0, unit, remaining, has_default);
    }
}

#[derive(Serialize, Deserialize, ::kvrepo::KvEntity)]
struct r#type {
    #[id]
    r#match: Id,
    #[time_to_live]
    r#fn: Term,
    __id: ::std::primitive::u64,
}

impl r#type {
    const SCHEMA: () = ();
    fn id(&self) {}
    fn set_id(&self) {}
    fn generate_id() {}
    fn term(&self) {}
    fn set_remaining(&self) {}
}

macro_rules! entity {
    ($name:ident, $keyspace:literal, $ttl:literal, $id:ident: $ty:ty) => {
        #[derive(Serialize, Deserialize, ::kvrepo::KvEntity)]
        #[kv(keyspace = $keyspace, time_to_live = $ttl, time_to_live_fn = "own")]
        struct $name {
            #[id]
            $id: $ty,
        }

        impl $name {
            fn own(&self) -> ::std::primitive::u32 {
                5
            }
        }
    };
}

entity!(ByMacro, "by:macro", "5s", r#type: ::std::primitive::u8);

fn main() {
    let mut it = r#type {
        r#match: Id(1),
        r#fn: Term(2),
        __id: 3,
    };
    <r#type as ::kvrepo::KvEntity>::set_id(&mut it, Id(7));
    assert_eq!(
        <r#type as ::kvrepo::KvEntity>::id(&it),
        ::std::option::Option::Some(&Id(7))
    );
    let schema = <r#type as ::kvrepo::KvEntity>::SCHEMA;
    assert_eq!(
        (schema.entity, schema.keyspace, schema.id_path),
        ("type", "type", "match")
    );
    <r#type as ::kvrepo::KvEntity>::set_remaining(
        &mut it,
        ::std::option::Option::Some(::std::time::Duration::from_secs(9)),
        false,
    );
    assert_eq!(it.r#fn.0, 9);

    let schema = <ByMacro as ::kvrepo::KvEntity>::SCHEMA;
    assert_eq!((schema.keyspace, schema.id_path), ("by:macro", "type"));
}
