//! Names at the call site do not get into generated code.
#![allow(dead_code, non_camel_case_types, non_snake_case)]

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
struct Field;
struct FieldPath;
struct Fields;
struct OnceLock;
struct Ref;
struct Reference;
struct Getter;
struct V;
struct __Codec;

trait KvEntity {}
trait KvNested {}
trait NestedField {}
trait ReferenceField {}
trait Clone {}
trait Copy {}
trait Debug {}
trait IdField {}
trait TermField {}

/// Inherent methods win over those of a trait, where the call is not fully qualified.
#[derive(::std::fmt::Debug, ::std::clone::Clone, PartialEq, Serialize, Deserialize)]
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

/// Not `Copy`, nor anything else but stored.
#[derive(Serialize, Deserialize)]
struct S;

#[derive(Serialize, Deserialize, ::kvrepo::KvEntity)]
struct r#type {
    #[id]
    r#match: Id,
    #[time_to_live]
    r#fn: Term,
    #[version]
    r#loop: ::std::primitive::u64,
    __id: ::std::primitive::u64,
    #[serde(with = "r#mod")]
    r#as: ::std::primitive::u64,
    #[nested]
    r#struct: ::std::option::Option<r#enum>,
    r#dyn: ::std::vec::Vec<Self>,
    #[reference]
    r#ref: ::std::vec::Vec<::kvrepo::Ref<Self>>,
    path: ::std::primitive::u8,
    fields: ::std::primitive::u8,
}

#[derive(Serialize, Deserialize, ::kvrepo::KvNested)]
struct r#enum {
    __whole: S,
    __path: S,
    r#type: (S, [S; 2]),
    #[serde(serialize_with = "r#mod::serialize")]
    __optional: ::std::primitive::u64,
    #[nested]
    r#in: ::std::option::Option<E>,
    #[reference]
    __get: ::std::option::Option<::kvrepo::Ref<r#type>>,
    field: S,
}

/// Named as what is generated names things.
#[derive(Serialize, Deserialize, ::kvrepo::KvNested)]
struct E {
    __FIELDS: S,
    whereabouts: S,
}

impl r#enum {
    fn fields() {}
}

mod r#mod {
    pub use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> ::std::result::Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> ::std::result::Result<::std::primitive::u64, D::Error> {
        Deserialize::deserialize(deserializer)
    }
}

impl r#type {
    const SCHEMA: () = ();
    fn version(&self) {}
    fn set_version(&self) {}
    fn set_term(&self) {}
    fn id(&self) {}
    fn set_id(&self) {}
    fn generate_id() {}
    fn term(&self) {}
    fn set_remaining(&self) {}
}

#[derive(Serialize, Deserialize)]
struct Local;

#[derive(Serialize, Deserialize, ::kvrepo::KvNested)]
struct Part {
    local: Local,
}

macro_rules! entity {
    ($name:ident, $keyspace:literal, $ttl:literal, $id:ident: $ty:ty) => {
        #[derive(Serialize, Deserialize, ::kvrepo::KvEntity)]
        #[kv(keyspace = $keyspace, time_to_live = $ttl, time_to_live_fn = "own")]
        struct $name {
            #[id]
            $id: $ty,
            local: $crate::hostile::Local,
            own: ::std::vec::Vec<Self>,
            #[nested]
            part: $crate::hostile::Part,
            #[reference]
            other: ::kvrepo::Ref<$crate::hostile::r#type>,
        }

        impl $name {
            fn own(&self) -> ::std::primitive::u32 {
                5
            }
        }
    };
}

entity!(ByMacro, "by:macro", "5s", r#type: ::std::primitive::u8);

#[test]
fn names_at_the_call_site_do_not_get_in() {
    let mut it = r#type {
        r#match: Id(1),
        r#fn: Term(2),
        r#loop: 0,
        __id: 3,
        r#as: 4,
        r#struct: ::std::option::Option::None,
        r#dyn: ::std::vec::Vec::new(),
        r#ref: ::std::vec::Vec::new(),
        path: 5,
        fields: 6,
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
    let remaining = ::std::time::Duration::from_secs(9);
    <r#type as ::kvrepo::KvEntity>::set_term(
        &mut it,
        &::kvrepo::ReadTerm::expiring(remaining, ::std::time::SystemTime::UNIX_EPOCH + remaining, false),
    );
    assert_eq!(it.r#fn.0, 9);
    <r#type as ::kvrepo::KvEntity>::set_version(&mut it, 8).unwrap();
    assert_eq!(it.r#loop, 8);

    let fields = r#type::fields();
    let paths = [
        fields.r#fn.path(),
        fields.r#as.path(),
        fields.fields.path(),
        fields.r#struct.__whole.path(),
        fields.r#struct.r#type.path(),
        fields.r#struct.field.path(),
        fields.r#struct.__get.path(),
        fields.r#struct.r#in.__FIELDS.path(),
    ];
    assert_eq!(
        paths,
        [
            "fn",
            "as",
            "fields",
            "struct.__whole",
            "struct.type",
            "struct.field",
            "struct.__get",
            "struct.in.__FIELDS"
        ]
    );

    let schema = <ByMacro as ::kvrepo::KvEntity>::SCHEMA;
    assert_eq!((schema.keyspace, schema.id_path), ("by:macro", "type"));
}
