//! Scalars are their text.

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct One<T> {
    it: T,
}

#[track_caller]
fn text<T: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(it: T, expected: &str) {
    stored(&One { it }, &[("it", expected)]);
}

#[test]
fn integers_are_decimal_up_to_128_bits() {
    text(0_u8, "0");
    text(i8::MIN, "-128");
    text(u16::MAX, "65535");
    text(i16::MIN, "-32768");
    text(u32::MAX, "4294967295");
    text(i64::MIN, "-9223372036854775808");
    text(u64::MAX, "18446744073709551615");
    text(u128::MAX, "340282366920938463463374607431768211455");
    text(i128::MIN, "-170141183460469231731687303715884105728");
}

#[test]
fn floats_are_their_shortest_exact_text() {
    text(10.0_f64, "10.0");
    text(0.1_f32, "0.1");
    text(-0.0_f64, "-0.0");
    text(f64::MAX, "1.7976931348623157e308");
    text(f64::MIN_POSITIVE, "2.2250738585072014e-308");
    text(f64::from_bits(1), "5e-324");
    text(f32::MAX, "3.4028235e38");
    text(0.1_f64 + 0.2, "0.30000000000000004");
    text(f64::INFINITY, "Infinity");
    text(f32::NEG_INFINITY, "-Infinity");
}

#[test]
fn minus_zero_and_nan_survive() {
    let back: One<f64> = decode(&PLAIN, &encode(&PLAIN, &One { it: -0.0_f64 }).unwrap()).unwrap();
    assert!(back.it.is_sign_negative());
    for nan in [f64::NAN, -f64::NAN] {
        let record = encode(&PLAIN, &One { it: nan }).unwrap();
        assert_eq!(record.get("it"), Some(b"NaN".as_slice()));
        assert!(decode::<One<f64>>(&PLAIN, &record).unwrap().it.is_nan());
    }
    assert!(read::<One<f32>>(&[("it", "NaN")]).it.is_nan());
}

#[test]
fn other_writers_floats_are_read() {
    for (stored, value) in [
        ("1.2345678E7", 12_345_678.0),
        ("10", 10.0),
        ("inf", f64::INFINITY),
        ("-3.0", -3.0),
    ] {
        assert_eq!(
            read::<One<f64>>(&[("it", stored)]).it.to_bits(),
            f64::to_bits(value)
        );
    }
}

#[test]
fn bools_are_1_and_0() {
    text(true, "1");
    text(false, "0");
}

#[test]
fn bools_are_also_read_as_words_in_any_case() {
    for (stored, value) in [
        ("true", true),
        ("TRUE", true),
        ("False", false),
        ("1", true),
        ("0", false),
    ] {
        assert_eq!(read::<One<bool>>(&[("it", stored)]).it, value);
    }
}

#[test]
fn other_texts_are_no_bools() {
    for stored in ["yes", "", "2", "t", "01"] {
        let (path, reason) = refused::<One<bool>>(&[("it", stored)]);
        assert_eq!(path, "it");
        assert!(reason.contains("boolean"), "{reason}");
    }
}

#[test]
fn characters_and_strings_are_raw() {
    text('海', "海");
    text('"', "\"");
    text(String::new(), "");
    for hostile in [
        "O'Dell  Åse 海\n\"q\" \\ :[x].y",
        "null",
        "[]",
        "{}",
        " x ",
        "\"",
        "1",
        "\0",
        "{\"$some\":null}",
    ] {
        text(hostile.to_owned(), hostile);
    }
}

#[test]
fn newtypes_are_what_they_hold() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Meters(u32);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Height(Option<Meters>);
    text(Meters(3), "3");
    text(Height(Some(Meters(3))), "3");
    same(&One { it: Height(None) });
    assert!(encode(&PLAIN, &One { it: Height(None) }).unwrap().is_empty());
}

#[test]
fn uuids_addresses_and_dates_are_their_text() {
    use std::net::{IpAddr, Ipv6Addr, SocketAddr};
    text(
        uuid::Uuid::from_u128(0x3f0c_2a6e),
        "00000000-0000-0000-0000-00003f0c2a6e",
    );
    text(IpAddr::from([127, 0, 0, 1]), "127.0.0.1");
    text(IpAddr::V6(Ipv6Addr::LOCALHOST), "::1");
    text(SocketAddr::from(([10, 0, 0, 1], 80)), "10.0.0.1:80");
    text(chrono::NaiveDate::from_ymd_opt(2021, 3, 9).unwrap(), "2021-03-09");
    let instant: chrono::DateTime<chrono::Utc> = "2022-02-02T20:20:20.222222Z".parse().unwrap();
    text(instant, "2022-02-02T20:20:20.222222Z");
}

#[test]
fn std_durations_and_times_are_structs() {
    use std::time::{Duration, SystemTime};
    stored(
        &One {
            it: Duration::new(3, 7),
        },
        &[("it.secs", "3"), ("it.nanos", "7")],
    );
    same(&One {
        it: SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 5),
    });
}
