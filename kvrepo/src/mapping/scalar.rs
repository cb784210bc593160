//! Scalars as text. The hash field, the index value and a map's key are always these bytes.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use serde::Serialize;

use super::fault::Fault;

/// Writes a whole number, or one that has digits anyhow.
pub(super) fn write_number<T: Serialize>(out: &mut Vec<u8>, number: T) -> Result<(), Fault> {
    serde_json::to_writer(out, &number).map_err(|_| Fault::new("a number cannot be written"))
}

/// Writes a finite float in its shortest exact form.
///
/// `serde_json` is fast, but how it writes an exponent depends on its version, and these bytes are also index values.
fn write_finite<T: Serialize + fmt::Debug + Into<f64> + Copy>(
    out: &mut Vec<u8>,
    number: T,
) -> Result<(), Fault> {
    let size: f64 = number.into().abs();
    if size == 0.0 || (1e-3..1e15).contains(&size) {
        return write_number(out, number);
    }
    write!(out, "{number:?}").map_err(|_| Fault::new("a number cannot be written"))
}

/// Writes a float: `10.0`, `1e300`, and `NaN`, `Infinity`, `-Infinity` as Java spells them.
pub(super) fn write_f64(out: &mut Vec<u8>, number: f64) -> Result<(), Fault> {
    match not_finite(number) {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => write_finite(out, number)?,
    }
    Ok(())
}

/// Writes a float in the shortest form that is exact for 32 bits.
pub(super) fn write_f32(out: &mut Vec<u8>, number: f32) -> Result<(), Fault> {
    match not_finite(f64::from(number)) {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => write_finite(out, number)?,
    }
    Ok(())
}

/// The name of a float that is not a number with digits.
pub(super) fn not_finite(number: f64) -> Option<&'static str> {
    if number.is_finite() {
        None
    } else if number.is_nan() {
        Some("NaN")
    } else if number > 0.0 {
        Some("Infinity")
    } else {
        Some("-Infinity")
    }
}

/// A bool is `1` or `0`.
pub(super) fn bool_text(value: bool) -> &'static str {
    if value { "1" } else { "0" }
}

/// Reads `1`, `0`, `true` and `false`, the words in any case.
pub(super) fn parse_bool(text: &str) -> Result<bool, Fault> {
    match text {
        "1" => Ok(true),
        "0" => Ok(false),
        _ if text.eq_ignore_ascii_case("true") => Ok(true),
        _ if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(Fault::new("expected a boolean: `1`, `0`, `true` or `false`")),
    }
}

/// Reads a number; `name` is its type, for the message.
pub(super) fn parse<T: FromStr>(text: &str, name: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| Fault::expected(name))
}

/// Reads exactly one character.
pub(super) fn parse_char(text: &str) -> Result<char, Fault> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(Fault::expected("a character")),
    }
}

/// Reads one byte of a list: Java's bytes are signed.
pub(super) fn parse_byte(text: &str) -> Result<u8, Fault> {
    let byte: i16 = parse(text, "u8")?;
    u8::try_from(byte)
        .or_else(|_| i8::try_from(byte).map(|signed| signed.to_ne_bytes()[0]))
        .map_err(|_| Fault::expected("u8"))
}
