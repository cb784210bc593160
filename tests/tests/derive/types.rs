//! Every type that an id, a term, a deadline or a version can have.

use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use kvrepo::{FieldTerm, KvEntity, ReadTerm, Versioned};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

fn generated<T: KvEntity>(mut entity: T)
where
    T::Id: PartialEq + Debug,
{
    assert_eq!(entity.id(), None);
    let id = T::generate_id().unwrap();
    entity.set_id(id.clone());
    assert_eq!(entity.id(), Some(&id));
}

macro_rules! ids {
    ($($name:ident: $ty:ty = $value:expr;)*) => {$({
        #[derive(Serialize, Deserialize, KvEntity)]
        struct $name {
            #[id]
            id: $ty,
        }

        let mut entity = $name { id: $value };
        assert_eq!(entity.id(), Some(&$value));
        assert_eq!($name::generate_id(), None);
        entity.set_id($value);
        assert_eq!($name::SCHEMA.id_path, "id");
    })*};
}

macro_rules! terms {
    ($($ty:ty = $value:expr;)*) => {$({
        #[derive(Serialize, Deserialize, KvEntity)]
        struct Plain {
            #[id]
            id: u8,
            #[time_to_live]
            ttl: $ty,
        }

        #[derive(Serialize, Deserialize, KvEntity)]
        struct Optional {
            #[id]
            id: u8,
            #[time_to_live(unit = "h")]
            ttl: Option<$ty>,
        }

        const { assert!(Plain::SCHEMA.reads_remaining && Optional::SCHEMA.reads_remaining) }
        let mut plain = Plain { id: 1, ttl: $value };
        assert_eq!(plain.term(), Ok(FieldTerm::Ttl(Duration::from_secs(2))));
        plain.set_term(&expiring(3));
        assert_eq!(plain.term(), Ok(FieldTerm::Ttl(Duration::from_secs(3))));
        let mut optional = Optional { id: 1, ttl: None };
        assert_eq!(optional.term(), Ok(FieldTerm::Unset));
        optional.set_term(&expiring(7200));
        assert_eq!(optional.term(), Ok(FieldTerm::Ttl(Duration::from_secs(7200))));
        optional.set_term(&ReadTerm::persistent(false));
        assert_eq!(optional.term(), Ok(FieldTerm::Unset));
    })*};
}

fn expiring(seconds: u64) -> ReadTerm {
    let remaining = Duration::from_secs(seconds);
    ReadTerm::expiring(remaining, SystemTime::UNIX_EPOCH + remaining, false)
}

macro_rules! deadlines {
    ($($ty:ty)*) => {$({
        #[derive(Serialize, Deserialize, KvEntity)]
        struct Optional {
            #[id]
            id: u8,
            #[expires_at]
            at: Option<$ty>,
        }

        #[derive(Serialize, Deserialize, KvEntity)]
        struct Plain {
            #[id]
            id: u8,
            #[expires_at]
            at: $ty,
        }

        const { assert!(Plain::SCHEMA.reads_remaining && Plain::SCHEMA.states_term) }
        let mut optional = Optional { id: 1, at: None };
        assert_eq!(optional.term(), Ok(FieldTerm::Unset));
        optional.set_term(&expiring(3));
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(3);
        assert_eq!(optional.term(), Ok(FieldTerm::At(at)));
        let mut plain = Plain { id: 1, at: optional.at.clone().unwrap() };
        plain.set_term(&expiring(5));
        assert_eq!(plain.term(), Ok(FieldTerm::At(at + Duration::from_secs(2))));
        optional.set_term(&ReadTerm::persistent(false));
        assert_eq!(optional.at, None);
    })*};
}

/// Only for what has a version.
fn versions<T: Versioned>(mut entity: T) {
    assert_eq!(entity.version(), Some(0));
    assert_eq!(entity.set_version(7), Ok(()));
    assert_eq!(entity.version(), Some(7));
    assert_eq!(T::SCHEMA.version_path, Some("version"));
}

macro_rules! versions {
    ($($ty:ty = $value:expr;)*) => {$({
        #[derive(Serialize, Deserialize, KvEntity)]
        struct Plain {
            #[id]
            id: u8,
            #[version]
            version: $ty,
        }

        versions(Plain { id: 1, version: $value });
    })*};
}

#[derive(Serialize, Deserialize, KvEntity)]
struct GeneratedUuid {
    #[id]
    id: Option<Uuid>,
}

type Text = String;
type Maybe<T> = std::option::Option<T>;

#[derive(Serialize, Deserialize, KvEntity)]
struct GeneratedText {
    #[id]
    id: Maybe<Text>,
}

#[test]
fn ids_and_terms_of_all_types() {
    generated(GeneratedUuid { id: None });
    generated(GeneratedText { id: None });
    ids! {
        A: String = "a".to_owned(); B: Uuid = Uuid::nil();
        C: u8 = 1; D: u16 = 1; E: u32 = 1; F: u64 = 1; G: u128 = 1; H: usize = 1;
        I: i8 = 1; J: i16 = 1; K: i32 = 1; L: i64 = 1; M: i128 = 1; N: isize = 1;
    }
    terms! {
        u8 = 2; u16 = 2; u32 = 2; u64 = 2; u128 = 2; usize = 2;
        i8 = 2; i16 = 2; i32 = 2; i64 = 2; i128 = 2; isize = 2;
        f32 = 2.0; f64 = 2.0; Duration = Duration::from_secs(2);
    }
    deadlines! {
        SystemTime
        chrono::DateTime<chrono::Utc> chrono::DateTime<chrono::FixedOffset>
    }
    versions! { u64 = 0; u32 = 0; Option<u64> = None; Option<u32> = None; }
    let unversioned = GeneratedText { id: None };
    assert_eq!(
        (unversioned.version(), GeneratedText::SCHEMA.version_path),
        (None, None)
    );
}
