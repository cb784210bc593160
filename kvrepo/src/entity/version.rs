//! What can be the version of an entity.

use super::KvEntity;

/// A field that `#[version]` can stand on: `u32`, `u64`, or an `Option` of these.
///
/// 0 and `None` are the version of an entity that has not been saved; the first save makes it 1.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the version of an entity",
    label = "not a version",
    note = "a version is a `u32`, a `u64`, or an `Option` of one of these"
)]
pub trait VersionField {
    /// The version; 0 is that of an entity which has not been saved.
    fn get(&self) -> u64;

    /// Replaces the version.
    ///
    /// # Errors
    ///
    /// Why it cannot be held: it is greater than the type's greatest value.
    fn put(&mut self, version: u64) -> Result<(), String>;
}

impl VersionField for u64 {
    fn get(&self) -> u64 {
        *self
    }

    fn put(&mut self, version: u64) -> Result<(), String> {
        *self = version;
        Ok(())
    }
}

impl VersionField for u32 {
    fn get(&self) -> u64 {
        u64::from(*self)
    }

    fn put(&mut self, version: u64) -> Result<(), String> {
        *self = Self::try_from(version).map_err(|_| {
            format!("the version {version} is more than a `u32` holds; make the field a `u64`")
        })?;
        Ok(())
    }
}

macro_rules! optional {
    ($($int:ty)*) => {$(
        impl VersionField for Option<$int> {
            fn get(&self) -> u64 {
                self.as_ref().map_or(0, VersionField::get)
            }

            fn put(&mut self, version: u64) -> Result<(), String> {
                if version == 0 {
                    *self = None;
                    return Ok(());
                }
                self.insert(0).put(version)
            }
        }
    )*};
}

optional! { u32 u64 }

/// An entity with a `#[version]` field. Implemented by the derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no version",
    note = "put `#[version]` on a field of type `u64`"
)]
pub trait Versioned: KvEntity {}
