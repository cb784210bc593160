//! Numbers that are added to where they are stored.

/// A number that can be incremented where it is stored: integers of up to 64 bits, floats, and their `Option`s, of
/// which `None` counts as 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be incremented in the store",
    note = "integers of up to 64 bits, `f32`, `f64` and `Option`s of these can; for others use `update_with`"
)]
pub trait Increment {
    /// By how much: `i64`, or `f64` for floats.
    type By: Copy + Send;

    #[doc(hidden)]
    fn increment(by: Self::By) -> Amount;
}

/// By how much, and what the field can hold.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    Integer { by: i64, min: i128, max: i128 },
    Float { by: f64, single: bool },
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        impl Increment for $int {
            type By = i64;

            fn increment(by: i64) -> Amount {
                // Lossless: none of these has more than 64 bits.
                Amount::Integer { by, min: Self::MIN as i128, max: Self::MAX as i128 }
            }
        }
    )*};
}

integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

impl Increment for f64 {
    type By = Self;

    fn increment(by: Self) -> Amount {
        Amount::Float { by, single: false }
    }
}

impl Increment for f32 {
    type By = f64;

    fn increment(by: f64) -> Amount {
        Amount::Float { by, single: true }
    }
}

impl<N: Increment> Increment for Option<N> {
    type By = N::By;

    fn increment(by: N::By) -> Amount {
        N::increment(by)
    }
}
