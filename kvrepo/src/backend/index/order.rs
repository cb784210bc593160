//! How values are put in order, by what is stored of them. `index.lua` does the same.
//!
//! Each value has a key, and the keys sort by their bytes as the values do: exactly, however great a number is.

use crate::mapping::Record;

/// What decides which of two values is the lesser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The bytes of the text.
    Text,
    /// The whole number, of up to 39 digits.
    Integer,
    /// The number, by 64 bits. `NaN` has no place in it.
    Float,
    /// The span: serde's two fields of seconds and nanoseconds, ISO 8601 of hours and less (`PT1.5S`), or a whole number.
    Duration,
    /// The moment: serde's two fields of seconds and nanoseconds since 1970, RFC 3339, or a whole number.
    Time,
}

/// The key of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    /// The bytes to sort by.
    At(Vec<u8>),
    /// It is neither less nor more than others.
    Nowhere,
    /// What is stored is no such value.
    Misfit,
}

impl Key {
    pub(crate) fn found(self) -> Option<Vec<u8>> {
        match self {
            Self::At(key) => Some(key),
            Self::Nowhere | Self::Misfit => None,
        }
    }

    fn of(key: Option<Vec<u8>>) -> Self {
        key.map_or(Self::Misfit, Self::At)
    }
}

impl Order {
    /// How a script is told of it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Duration => "duration",
            Self::Time => "time",
        }
    }

    /// What the values are called in a message.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Integer => "a whole number",
            Self::Float => "a number",
            Self::Duration => "a duration",
            Self::Time => "a time",
        }
    }

    /// Below the value's path, the two fields in which serde stores it.
    pub(crate) fn parts(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Duration => Some([".secs", ".nanos"]),
            Self::Time => Some([".secs_since_epoch", ".nanos_since_epoch"]),
            Self::Text | Self::Integer | Self::Float => None,
        }
    }

    /// The key of the value that is stored as this text.
    pub(crate) fn key(self, text: &[u8]) -> Key {
        if self == Self::Text {
            return Key::At(text.to_vec());
        }
        let Ok(text) = std::str::from_utf8(text) else {
            return Key::Misfit;
        };
        match self {
            Self::Text => Key::Misfit,
            Self::Integer => Key::of(integer(text)),
            Self::Float => float(text),
            Self::Duration => Key::of(integer(text).or_else(|| iso_duration(text))),
            Self::Time => Key::of(integer(text).or_else(|| moment(text))),
        }
    }

    /// The key of the value at a path; `None` if nothing is stored there.
    pub(crate) fn key_at(self, record: &Record, path: &str) -> Option<Key> {
        if let Some(text) = record.get(path) {
            return Some(self.key(text));
        }
        let [seconds, nanos] = self.parts()?;
        let part = |name| {
            let part = record.get(&format!("{path}{name}"))?;
            std::str::from_utf8(part).ok()
        };
        let (seconds, nanos) = (part(seconds)?, part(nanos)?);
        Some(Key::of(pair(seconds, nanos)))
    }
}

/// A sign, how many digits there are, and the digits; of negative numbers all turned around.
fn integer(text: &str) -> Option<Vec<u8>> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    if digits.len() > 39 {
        return None;
    }
    if negative && digits != "0" {
        let turned = digits.bytes().map(|digit| b'0' + (b'9' - digit));
        let mut key = format!("n{:02}", 99 - digits.len()).into_bytes();
        key.extend(turned);
        Some(key)
    } else {
        Some(format!("p{:02}{digits}", digits.len()).into_bytes())
    }
}

/// The bits, as sixteen digits that sort as the numbers do.
fn float(text: &str) -> Key {
    // Rust reads more words than are ever stored.
    let number = match text {
        "NaN" => return Key::Nowhere,
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ if text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) =>
        {
            match text.parse::<f64>() {
                Ok(number) => number,
                Err(_) => return Key::Misfit,
            }
        }
        _ => return Key::Misfit,
    };
    // Zero has one sign here.
    let bits = if number == 0.0 { 0 } else { number.to_bits() };
    let bits = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    Key::At(format!("{bits:016x}").into_bytes())
}

/// Seconds and nanoseconds.
fn pair(seconds: &str, nanos: &str) -> Option<Vec<u8>> {
    let fine = !nanos.is_empty() && nanos.len() <= 9 && nanos.bytes().all(|byte| byte.is_ascii_digit());
    let mut key = integer(seconds).filter(|_| fine)?;
    key.extend(format!(".{nanos:0>9}").bytes());
    Some(key)
}

/// `PT77H6M1.5S`: hours, minutes and seconds, of which the last may have a fraction.
fn iso_duration(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.strip_prefix("PT")?;
    if rest.is_empty() {
        return None;
    }
    let (mut seconds, mut nanos) = (0_u64, String::from("0"));
    for (unit, length) in [('H', 3600_u64), ('M', 60)] {
        if let Some((number, behind)) = rest.split_once(unit) {
            seconds = seconds.checked_add(whole(number)?.checked_mul(length)?)?;
            rest = behind;
        }
    }
    if let Some(number) = rest.strip_suffix('S') {
        let (number, fraction) = number.split_once('.').unwrap_or((number, "0"));
        seconds = seconds.checked_add(whole(number)?)?;
        nanos = billionths(fraction)?;
    } else if !rest.is_empty() {
        return None;
    }
    // A script counts exactly up to here.
    (seconds < 1 << 53).then(|| pair(&seconds.to_string(), &nanos))?
}

fn whole(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// The digits of a fraction as nanoseconds; further ones do not count.
fn billionths(fraction: &str) -> Option<String> {
    let plain = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| {
        let digits = fraction.get(..9).unwrap_or(fraction);
        format!("{digits:0<9}")
    })
}

/// `2026-11-30T10:20:30.5+01:00`; also with a space for the `T`, one before the offset, seconds in the offset, and behind it
/// a time zone in brackets.
fn moment(text: &str) -> Option<Vec<u8>> {
    let (text, _) = text.split_once('[').unwrap_or((text, ""));
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => (-1, text.get(1..)?),
        b'+' => (1, text.get(1..)?),
        _ => (1, text),
    };
    let at = unsigned.find(['T', ' '])?;
    let (date, time) = (unsigned.get(..at)?, unsigned.get(at + 1..)?);
    let [year, month, day] = numbers(date, '-', 3)?[..] else {
        return None;
    };
    let zone = time.find(['Z', '+', '-'])?;
    let (clock, offset) = (time.get(..zone)?.trim_end(), time.get(zone..)?);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = numbers(clock, ':', 3)?[..] else {
        return None;
    };
    let ahead = match offset.split_at_checked(1)? {
        ("Z", "") => 0,
        (sign @ ("+" | "-"), offset) => {
            let parts = numbers(offset, ':', 2).or_else(|| numbers(offset, ':', 3))?;
            let length = parts
                .iter()
                .zip([3600, 60, 1])
                .map(|(part, unit)| part * unit)
                .sum::<i64>();
            if sign == "+" { length } else { -length }
        }
        _ => return None,
    };
    let days = days_since_1970(sign * year, month, day);
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - ahead;
    pair(&seconds.to_string(), &billionths(fraction)?)
}

/// So many whole numbers, with this between them.
fn numbers(text: &str, between: char, count: usize) -> Option<Vec<i64>> {
    let numbers: Option<Vec<i64>> = text
        .split(between)
        .map(|part| {
            let short = part.len() <= 9;
            whole(part)
                .filter(|_| short)
                .and_then(|part| i64::try_from(part).ok())
        })
        .collect();
    numbers.filter(|numbers| numbers.len() == count)
}

/// In the calendar of today, also before there was it. Years count from March, so that the leap day is the last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rising(order: Order, texts: &[&str]) {
        let keys: Vec<_> = texts
            .iter()
            .map(|text| order.key(text.as_bytes()).found().expect(text))
            .collect();
        for (pair, text) in keys.windows(2).zip(texts) {
            assert!(pair[0] < pair[1], "{order:?}: {text} and the next");
        }
    }

    #[test]
    fn keys_sort_as_the_values_do() {
        rising(
            Order::Integer,
            &[
                "-340282366920938463463374607431768211455",
                "-100",
                "-99",
                "-10",
                "-9",
                "-1",
                "0",
                "1",
                "9",
                "10",
                "9007199254740992",
                "9007199254740993",
                "340282366920938463463374607431768211455",
            ],
        );
        rising(
            Order::Float,
            &[
                "-Infinity",
                "-1e300",
                "-1.5",
                "-1e-300",
                "0.0",
                "5e-324",
                "0.1",
                "1.0",
                "2.5E10",
                "Infinity",
            ],
        );
        rising(Order::Text, &["", "A", "a", "aa", "ab", "ä", "\u{10ffff}"]);
        rising(
            Order::Duration,
            &["PT0S", "PT0.5S", "PT1M", "PT59M60.5S", "PT77H6M"],
        );
        rising(
            Order::Time,
            &[
                "-0001-01-01T00:00:00Z",
                "1969-12-31T23:59:59.999Z",
                "1970-01-01T00:00:00Z",
                "2024-02-29T12:00:00+02:00",
                "2024-02-29T10:00:00.000000001Z",
                "2024-02-29 06:00:01.0 -04:00:00",
                "2024-03-01T00:00:00+00:00[Europe/London]",
                "+12345-01-01T00:00:00Z",
            ],
        );
    }

    #[test]
    fn one_value_has_one_key() {
        for (order, a, b) in [
            (Order::Integer, "-0", "0"),
            (Order::Integer, "007", "7"),
            (Order::Float, "-0.0", "0.0"),
            (Order::Float, "10", "1e1"),
            (
                Order::Time,
                "2024-01-01T01:00:00+01:00",
                "2024-01-01T00:00:00.000Z",
            ),
            (Order::Duration, "PT1H", "PT60M"),
        ] {
            assert_eq!(order.key(a.as_bytes()), order.key(b.as_bytes()), "{a} {b}");
        }
        let mut stored = Record::new();
        stored.add("at.secs_since_epoch", b"1704067200");
        stored.add("at.nanos_since_epoch", b"500");
        assert_eq!(
            Order::Time.key_at(&stored, "at"),
            Some(Order::Time.key(b"2024-01-01T00:00:00.000000500Z"))
        );
        assert_eq!(Order::Time.key_at(&stored, "until"), None);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((1900, 3, 1), -25_508),
            ((0, 1, 1), -719_528),
        ] {
            assert_eq!(days_since_1970(date.0, date.1, date.2), days, "{date:?}");
        }
    }

    #[test]
    fn what_is_no_such_value_has_no_key() {
        assert_eq!(Order::Float.key(b"NaN"), Key::Nowhere);
        for (order, text) in [
            (Order::Integer, ""),
            (Order::Integer, "-"),
            (Order::Integer, "1.0"),
            (Order::Integer, "1000000000000000000000000000000000000000"),
            (Order::Float, "x"),
            (Order::Float, ""),
            (Order::Float, "inf"),
            (Order::Duration, "PT"),
            (Order::Duration, "P1D"),
            (Order::Duration, "PT1M2"),
            (Order::Time, "2024-01-01"),
            (Order::Time, "2024-01-01T00:00:00"),
            (Order::Time, "2024-01-01T00:00Z"),
        ] {
            assert_eq!(order.key(text.as_bytes()), Key::Misfit, "{order:?} {text}");
        }
    }
}
