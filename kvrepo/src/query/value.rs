//! What values an index is asked for, and which of two is the lesser.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use crate::backend::Order;
use crate::mapping;

/// A value that has a place among others of its type, so that `#[indexed(range)]` can stand on it.
///
/// Implemented for integers, floats, `char`, `String` and its like, `Duration` and `SystemTime`; behind features for the times
/// of `chrono`, `jiff` and `time`. For a newtype of one of these say which:
///
/// ```
/// use kvrepo::{Order, RangeValue};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Cents(u64);
///
/// impl RangeValue for Cents {
///     const ORDER: Order = Order::Integer;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order that kvrepo knows",
    label = "cannot be in a range index",
    note = "integers, floats, texts, durations and times have one; for a newtype of these implement `kvrepo::RangeValue`"
)]
pub trait RangeValue {
    /// How its values are put in order, by what is stored of them.
    const ORDER: Order;
}

macro_rules! orders {
    ($($order:ident: $($type:ty),*;)*) => {$($(
        impl RangeValue for $type {
            const ORDER: Order = Order::$order;
        }
    )*)*};
}

orders! {
    Integer: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize;
    Float: f32, f64;
    Text: String, Box<str>, Arc<str>, Rc<str>, Cow<'static, str>, char;
    Duration: Duration;
    Time: SystemTime;
}

#[cfg(feature = "chrono")]
orders! {
    Text: chrono::NaiveDate, chrono::NaiveTime, chrono::NaiveDateTime;
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> RangeValue for chrono::DateTime<Z> {
    const ORDER: Order = Order::Time;
}

#[cfg(feature = "jiff")]
orders! {
    Text: jiff::civil::Date, jiff::civil::Time, jiff::civil::DateTime;
    Time: jiff::Timestamp;
}

#[cfg(feature = "time")]
orders! {
    Time: time::OffsetDateTime;
}

/// A text, of which one can ask how it begins.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no text, so nothing starts with it",
    note = "`starts_with` is for range indexes of `String` and its like"
)]
pub trait TextValue: RangeValue {}

impl TextValue for String {}
impl TextValue for Box<str> {}
impl TextValue for Arc<str> {}
impl TextValue for Rc<str> {}
impl TextValue for Cow<'static, str> {}

/// What a call takes where it asks for a value of type `X`: the value, a reference to it, and for texts a `&str`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of this field, which holds `{X}`",
    label = "not a `{X}`",
    note = "pass a `{X}` or a reference to one; where the field holds a text, a `&str` will do"
)]
pub trait ValueArg<X> {
    /// The value.
    fn into_value(self) -> X;
}

impl<X> ValueArg<X> for X {
    fn into_value(self) -> X {
        self
    }
}

impl<X: Clone> ValueArg<X> for &X {
    fn into_value(self) -> X {
        self.clone()
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl ValueArg<$text> for &str {
            fn into_value(self) -> $text {
                self.to_owned().into()
            }
        }

        impl ValueArg<$text> for &&str {
            fn into_value(self) -> $text {
                (*self).to_owned().into()
            }
        }
    )*};
}

texts! { String, Box<str>, Arc<str>, Rc<str>, Cow<'static, str> }

impl ValueArg<Box<str>> for String {
    fn into_value(self) -> Box<str> {
        self.into()
    }
}

impl ValueArg<Box<str>> for &String {
    fn into_value(self) -> Box<str> {
        self.as_str().into()
    }
}

/// Finds out how the values of a type are put in order, whatever is known of it. Generated code asks a `&&&Probe`, so that of
/// the three traits the first is taken that the type has.
#[doc(hidden)]
pub struct Probe<V>(PhantomData<fn() -> V>);

impl<V> Probe<V> {
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    #[must_use]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<V> fmt::Debug for Probe<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Probe")
    }
}

/// Of what has an order; the error is what the type is, if it is no single value.
#[doc(hidden)]
pub trait ProbeOrder {
    fn order(&self) -> Result<Order, &'static str>;
}

impl<V: RangeValue> ProbeOrder for &&Probe<V> {
    fn order(&self) -> Result<Order, &'static str> {
        Ok(V::ORDER)
    }
}

/// Of what is read by serde, which says whether it is one value.
#[doc(hidden)]
pub trait ProbeShape {
    fn order(&self) -> Result<Order, &'static str>;
}

impl<V: DeserializeOwned> ProbeShape for &Probe<V> {
    fn order(&self) -> Result<Order, &'static str> {
        mapping::single::<V>().map(|()| Order::Text)
    }
}

/// Of anything else.
#[doc(hidden)]
pub trait ProbeNothing {
    fn order(&self) -> Result<Order, &'static str>;
}

impl<V> ProbeNothing for Probe<V> {
    fn order(&self) -> Result<Order, &'static str> {
        Ok(Order::Text)
    }
}

impl<V: RangeValue> RangeValue for Option<V> {
    const ORDER: Order = V::ORDER;
}
