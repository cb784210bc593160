//! Structs of any visibility, wherever they stand, and with fields of types that are less visible.
#![deny(warnings)]
#![warn(unreachable_pub, unnameable_types, missing_debug_implementations)]

pub mod inner {
    use kvrepo::{KvEntity, KvNested};
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Serialize, Deserialize, KvEntity)]
    pub struct Public {
        #[id]
        pub id: u32,
        secret: Secret,
        count: u32,
        #[nested]
        nested: Hidden,
    }

    #[derive(Debug, Default, Clone, Serialize, Deserialize)]
    struct Secret {
        text: String,
    }

    #[derive(Debug, Default, Serialize, Deserialize, KvNested)]
    struct Hidden {
        secret: Secret,
        #[nested]
        deeper: Deeper,
    }

    #[derive(Debug, Default, Serialize, Deserialize, KvNested)]
    pub(super) struct Deeper {
        secret: Secret,
    }

    #[derive(Debug, Serialize, Deserialize, KvEntity)]
    pub(super) struct Middle {
        #[id]
        id: u32,
        count: u32,
        secret: Secret,
    }

    #[derive(Debug, Serialize, Deserialize, KvEntity)]
    pub(in crate::scopes::inner) struct Here {
        #[id]
        id: u32,
        secret: Secret,
    }

    impl Public {
        pub fn sample() -> Self {
            let here = Here {
                id: 1,
                secret: Secret::default(),
            };
            assert_eq!(Here::fields().secret.path(), "secret");
            assert_eq!(here.secret.text, "");
            assert_eq!(Self::fields().secret.path(), "secret");
            assert_eq!(Self::fields().nested.deeper.secret.path(), "nested.deeper.secret");
            Self {
                id: 1,
                secret: here.secret,
                count: 0,
                nested: Hidden::default(),
            }
        }

        pub fn texts(&self) -> [&str; 2] {
            [&self.secret.text, &self.nested.deeper.secret.text]
        }
    }

    pub(super) fn middle() -> Middle {
        Middle {
            id: 1,
            count: 0,
            secret: Secret::default(),
        }
    }
}

#[test]
fn visibility_is_kept() {
    use kvrepo::{KvEntity, KvNested};
    use serde::{Deserialize, Serialize};

    // In a function, where nothing outside can name them.
    #[derive(Serialize, Deserialize, KvEntity)]
    struct Local {
        #[id]
        id: u32,
        #[nested]
        part: Part,
        #[nested]
        nothing: Option<Nothing>,
    }

    #[derive(Serialize, Deserialize, KvNested)]
    struct Nothing {}

    #[derive(Serialize, Deserialize, KvNested)]
    struct Part {
        count: u32,
    }

    let local = Local {
        id: 1,
        part: Part { count: 1 },
        nothing: Some(Nothing {}),
    };
    assert_eq!(Local::fields().nothing.path(), "nothing");
    let _ = *Local::fields().nothing;
    assert!(local.nothing.is_some());
    assert_eq!(local.id, local.part.count);
    assert_eq!(inner::Public::sample().texts(), ["", ""]);
    assert_eq!(inner::Public::fields().count.path(), "count");
    assert_eq!(inner::Middle::fields().count.path(), "count");
    assert_eq!(inner::middle().id(), Some(&1));
}
