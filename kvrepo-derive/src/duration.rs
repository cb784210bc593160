//! Durations as people write them, checked when compiling.

/// The longest default term: room is left for the time now and the grace within 63 bits of milliseconds.
pub(crate) const MAX_MS: u64 = 4_000_000_000_000_000;

/// The units, longest first, with their milliseconds.
const UNITS: [(&str, u64); 6] = [
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

const HELP: &str = "write a number with a unit (`w`, `d`, `h`, `m`, `s` or `ms`), as `30m` or `1h 30m`";

/// The milliseconds of a text like `1h 30m`.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(format!("the duration is empty; {HELP}"));
    }
    let mut ms: u128 = 0;
    let mut seen = Vec::new();
    while !rest.is_empty() {
        let number = take(&mut rest, |c| c.is_ascii_digit());
        if number.is_empty() {
            return Err(not_a_number(text, rest));
        }
        rest = rest.trim_start();
        let name = take(&mut rest, |c| c.is_alphabetic());
        rest = rest.trim_start();
        if name.is_empty() {
            return Err(match rest.chars().next() {
                Some('.' | ',') => format!("`{text}` has a fraction; {HELP}"),
                _ => format!("`{number}` has no unit; {HELP}"),
            });
        }
        let Some((unit, unit_ms)) = UNITS.into_iter().find(|(unit, _)| *unit == name) else {
            return Err(format!("`{name}` is not a unit; {HELP}"));
        };
        if seen.contains(&unit) {
            return Err(format!("`{text}` states `{unit}` twice; {HELP}"));
        }
        seen.push(unit);
        // A number of 39 digits is more than any term, so it may as well be the greatest.
        let number: u128 = number.parse().unwrap_or(u128::MAX);
        ms = ms.saturating_add(number.saturating_mul(u128::from(unit_ms)));
    }
    in_range(ms)
}

/// The milliseconds of a bare number of seconds.
pub(crate) fn seconds(count: u128) -> Result<u64, String> {
    in_range(count.saturating_mul(1_000))
}

fn in_range(ms: u128) -> Result<u64, String> {
    match u64::try_from(ms) {
        Ok(0) => Err("the duration is zero; leave it out for entities that do not expire".to_owned()),
        Ok(ms) if ms <= MAX_MS => Ok(ms),
        _ => Err(format!(
            "the duration is more than {MAX_MS} milliseconds; leave it out for entities that do not expire"
        )),
    }
}

fn not_a_number(text: &str, rest: &str) -> String {
    match rest.chars().next() {
        Some('-') => format!("`{text}` is negative; leave it out for entities that do not expire"),
        _ => format!("`{text}` is not a duration; {HELP}"),
    }
}

/// Takes the characters that match off the front.
fn take<'a>(rest: &mut &'a str, matches: impl Fn(char) -> bool) -> &'a str {
    let end = rest.find(|c| !matches(c)).unwrap_or(rest.len());
    let (front, back) = rest.split_at(end);
    *rest = back;
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_numbers_with_units() {
        for (text, ms) in [
            ("500ms", 500),
            ("45s", 45_000),
            ("30m", 1_800_000),
            ("1h 30m", 5_400_000),
            ("1h30m", 5_400_000),
            (" 1 h  30 m ", 5_400_000),
            ("7d", 604_800_000),
            ("2w", 1_209_600_000),
            ("0h 1ms", 1),
            ("4000000000000000ms", MAX_MS),
        ] {
            assert_eq!(parse(text), Ok(ms), "{text}");
        }
        assert_eq!(seconds(45), Ok(45_000));
    }

    #[test]
    fn what_is_none_is_refused_with_the_mend() {
        for (text, message) in [
            ("", "is empty"),
            ("  ", "is empty"),
            ("90", "`90` has no unit"),
            ("1h 30", "`30` has no unit"),
            ("1.5h", "has a fraction"),
            ("-5s", "is negative"),
            ("soon", "is not a duration"),
            ("m", "is not a duration"),
            ("5 minutes", "`minutes` is not a unit"),
            ("5M", "`M` is not a unit"),
            ("5µs", "`µs` is not a unit"),
            ("1h 1h", "states `h` twice"),
            ("1h, 30m", "is not a duration"),
            ("0s", "is zero"),
            ("0h 0m", "is zero"),
            ("4000000000000001ms", "is more than"),
            ("99999999999999999999999999999999999999999999w", "is more than"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert!(seconds(0).is_err());
        assert!(seconds(u128::MAX).is_err());
    }
}
