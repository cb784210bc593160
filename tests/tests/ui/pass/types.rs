//! Every type that an id or a term can have.

use std::fmt::Debug;
use std::time::Duration;

use kvrepo::{FieldTerm, KvEntity};
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
        plain.set_remaining(Some(Duration::from_secs(3)), false);
        assert_eq!(plain.term(), Ok(FieldTerm::Ttl(Duration::from_secs(3))));
        let mut optional = Optional { id: 1, ttl: None };
        assert_eq!(optional.term(), Ok(FieldTerm::Unset));
        optional.set_remaining(Some(Duration::from_secs(7200)), false);
        assert_eq!(optional.term(), Ok(FieldTerm::Ttl(Duration::from_secs(7200))));
        optional.set_remaining(None, false);
        assert_eq!(optional.term(), Ok(FieldTerm::Unset));
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

fn main() {
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
}
