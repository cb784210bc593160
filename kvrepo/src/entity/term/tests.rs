use super::*;

use FieldTerm::{Persistent, Ttl, Unset};
use TermUnit::{Days, Hours, Milliseconds, Minutes, Seconds};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn remaining<T: TermField>(
    mut value: T,
    unit: TermUnit,
    remaining: Option<Duration>,
    has_default: bool,
) -> T {
    value.set_remaining(unit, remaining, has_default);
    value
}

#[test]
fn a_number_counts_the_unit() {
    let table: &[(&dyn TermField, TermUnit, FieldTerm)] = &[
        (&7_u8, Milliseconds, Ttl(ms(7))),
        (&7_u16, Seconds, Ttl(ms(7_000))),
        (&7_u32, Minutes, Ttl(ms(420_000))),
        (&7_u64, Hours, Ttl(ms(25_200_000))),
        (&7_u128, Days, Ttl(ms(604_800_000))),
        (&7_usize, Seconds, Ttl(ms(7_000))),
        (&7_i8, Seconds, Ttl(ms(7_000))),
        (&7_i128, Seconds, Ttl(ms(7_000))),
        (&-1_i16, Seconds, Persistent),
        (&-1_i32, Milliseconds, Persistent),
        (&-1_isize, Days, Persistent),
        (&-1.0_f32, Seconds, Persistent),
        (&-1.0_f64, Seconds, Persistent),
        (&1.5_f64, Seconds, Ttl(ms(1_500))),
        (&1.1_f64, Seconds, Ttl(ms(1_100))),
        (&1.1_f32, Seconds, Ttl(ms(1_100))),
        (&0.3_f64, Minutes, Ttl(ms(18_000))),
        (&1.000_1_f64, Seconds, Ttl(ms(1_001))),
        (&1.2_f32, Milliseconds, Ttl(ms(2))),
        (&ms(1), Days, Ttl(ms(1))),
        (&Duration::from_micros(1_001), Seconds, Ttl(ms(2))),
        (&ms(GREATEST_TERM), Seconds, Ttl(ms(GREATEST_TERM))),
        (&GREATEST_TERM, Milliseconds, Ttl(ms(GREATEST_TERM))),
        (&None::<u8>, Seconds, Unset),
        (&None::<i64>, Seconds, Unset),
        (&None::<f64>, Seconds, Unset),
        (&None::<Duration>, Seconds, Unset),
        (&Some(7_u8), Seconds, Ttl(ms(7_000))),
        (&Some(-1_i64), Seconds, Persistent),
        (&Some(0.5_f32), Seconds, Ttl(ms(500))),
        (&Some(ms(3)), Seconds, Ttl(ms(3))),
    ];
    for (row, (value, unit, term)) in table.iter().enumerate() {
        assert_eq!(value.term(*unit), Ok(*term), "row {row}");
    }
}

#[test]
fn what_is_no_term_is_refused_with_a_reason() {
    let zero = "it is zero";
    let negative = "the only negative value is `-1`";
    let great = "it is more than";
    let small = "it is less than a millisecond";
    let table: &[(&dyn TermField, TermUnit, &str)] = &[
        (&0_u8, Seconds, zero),
        (&0_i128, Seconds, zero),
        (&0.0_f32, Seconds, zero),
        (&-0.0_f64, Seconds, zero),
        (&Duration::ZERO, Seconds, zero),
        (&Some(0_u64), Seconds, zero),
        (&Some(Duration::ZERO), Seconds, zero),
        (&-2_i8, Seconds, negative),
        (&i128::MIN, Days, negative),
        (&Some(-2_isize), Seconds, negative),
        (&-0.5_f64, Seconds, negative),
        (&-1.000_001_f64, Seconds, negative),
        (&f64::NEG_INFINITY, Seconds, negative),
        (&f64::NAN, Seconds, "it is not a number"),
        (&f32::NAN, Seconds, "it is not a number"),
        (&f32::INFINITY, Seconds, great),
        (&f64::MAX, Days, great),
        (&u64::MAX, Milliseconds, great),
        (&u64::MAX, Days, great),
        (&u128::MAX, Days, great),
        (&i64::MAX, Seconds, great),
        (&(GREATEST_TERM + 1), Milliseconds, great),
        (&9_223_372_036_854_775_808.0_f64, Milliseconds, great),
        (&Duration::MAX, Seconds, great),
        (&0.000_1_f64, Seconds, small),
        (&f64::MIN_POSITIVE, Milliseconds, small),
        (&Duration::from_nanos(1), Seconds, small),
        (&Duration::from_micros(999), Seconds, small),
    ];
    for (row, (value, unit, reason)) in table.iter().enumerate() {
        let error = value.term(*unit).unwrap_err();
        assert!(
            error.starts_with("it is") && error.contains(reason),
            "row {row}: {error}"
        );
    }
}

#[test]
fn what_remains_is_rounded_up_to_the_unit() {
    let left = |ms| Some(Duration::from_millis(ms));
    assert_eq!(remaining(9_u32, Seconds, left(1), false), 1);
    assert_eq!(remaining(9_u32, Seconds, left(1_000), false), 1);
    assert_eq!(remaining(9_u32, Seconds, left(1_001), false), 2);
    assert_eq!(remaining(9_i64, Minutes, left(60_001), true), 2);
    assert_eq!(remaining(9_u64, Days, left(1), false), 1);
    assert_eq!(
        remaining(9_u64, Milliseconds, Some(Duration::from_nanos(1)), false),
        1
    );
    assert_eq!(remaining(9_u64, Milliseconds, Some(Duration::ZERO), false), 1);
    assert_eq!(remaining(None::<usize>, Hours, left(1), false), Some(1));
    assert_eq!(remaining(Some(9_i8), Hours, left(1), true), Some(1));
}

#[test]
fn what_remains_stops_at_the_greatest_value() {
    let left = Some(Duration::from_secs(1_800));
    assert_eq!(remaining(9_u8, Seconds, left, false), u8::MAX);
    assert_eq!(remaining(9_i8, Seconds, left, false), i8::MAX);
    assert_eq!(remaining(Some(9_i16), Milliseconds, left, false), Some(i16::MAX));
    assert_eq!(
        remaining(9_u64, Milliseconds, Some(Duration::MAX), false),
        u64::MAX
    );
    assert_eq!(
        remaining(9_u128, Milliseconds, Some(Duration::MAX), false),
        u128::from(u64::MAX) * 1_000 + 1_000
    );
}

#[test]
fn durations_and_floats_read_exactly_what_remains() {
    assert_eq!(remaining(ms(9), Days, Some(ms(1_234)), false), ms(1_234));
    assert_eq!(remaining(None, Days, Some(ms(1_234)), false), Some(ms(1_234)));
    assert_eq!(remaining(ms(9), Days, Some(Duration::ZERO), false), ms(1));
    assert_eq!(
        remaining(9.0_f64, Seconds, Some(ms(1_234)), false).to_bits(),
        1.234_f64.to_bits()
    );
    assert_eq!(remaining(Some(9.0_f32), Seconds, Some(ms(500)), true), Some(0.5));
    assert!(remaining(9.0_f32, Days, Some(Duration::ZERO), true) > 0.0);
}

#[test]
fn what_was_read_back_states_the_same_term() {
    for left in [1, 7, 999, 1_001, 1_799_999, 86_399_999, 31_536_000_001] {
        for unit in [Milliseconds, Seconds, Minutes, Hours, Days] {
            let value = remaining(9.0_f64, unit, Some(ms(left)), false);
            assert_eq!(value.term(unit), Ok(Ttl(ms(left))), "{left} {unit:?}");
        }
    }
}

#[test]
fn a_persistent_entity_reads_what_its_type_can_say() {
    for has_default in [false, true] {
        assert_eq!(remaining(9_u32, Seconds, None, has_default), 9);
        assert_eq!(remaining(ms(9), Seconds, None, has_default), ms(9));
        assert_eq!(remaining(9_i32, Seconds, None, has_default), -1);
        assert_eq!(
            remaining(9.0_f32, Seconds, None, has_default).to_bits(),
            (-1.0_f32).to_bits()
        );
        assert_eq!(remaining(Some(9_u32), Seconds, None, has_default), None);
        assert_eq!(remaining(Some(ms(9)), Seconds, None, has_default), None);
    }
    assert_eq!(remaining(Some(9_i32), Seconds, None, false), None);
    assert_eq!(remaining(Some(9_i32), Seconds, None, true), Some(-1));
    assert_eq!(remaining(None::<f64>, Seconds, None, true), Some(-1.0));
    assert_eq!(remaining(None::<f64>, Seconds, None, false), None);
}
