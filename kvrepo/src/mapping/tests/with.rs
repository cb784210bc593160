//! Forms that a field may have.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Span {
    #[serde(with = "crate::mapping::with::iso_duration")]
    span: Duration,
}

#[test]
fn durations_are_iso_text() {
    for (span, text) in [
        (Duration::from_secs(277_560), "PT77H6M"),
        (Duration::from_millis(1500), "PT1.5S"),
        (Duration::ZERO, "PT0S"),
        (Duration::from_secs(60), "PT1M"),
        (Duration::from_nanos(1), "PT0.000000001S"),
        (Duration::new(3661, 120_000_000), "PT1H1M1.12S"),
        (Duration::MAX, "PT5124095576030431H15.999999999S"),
    ] {
        stored(&Span { span }, &[("span", text)]);
    }
}

#[test]
fn other_forms_of_the_same_duration_are_read() {
    for text in [
        "P3DT5H6M",
        "PT77H6M",
        "pt77h6m",
        "PT277560S",
        "PT4626M",
        "PT77H6M0.0S",
        "PT77H6M0,000S",
    ] {
        assert_eq!(
            read::<Span>(&[("span", text)]).span,
            Duration::from_secs(277_560),
            "{text}"
        );
    }
    assert_eq!(
        read::<Span>(&[("span", "P2D")]).span,
        Duration::from_secs(172_800)
    );
}

#[test]
fn what_is_no_duration_is_refused() {
    for text in [
        "",
        "P",
        "PT",
        "P1Y",
        "P1W",
        "PT-1S",
        "-PT1S",
        "PT1",
        "1S",
        "PT1M1H",
        "PT1S1S",
        "PT.5S",
        "PT1.S",
        "PT1.0000000001S",
        "PT99999999999999999999S",
        "PT18446744073709551615M",
        "P1DT",
        "PT1H ",
    ] {
        let (path, reason) = refused::<Span>(&[("span", text)]);
        assert_eq!(path, "span", "{text}");
        assert!(reason.contains("ISO 8601"), "{reason}");
    }
}

#[test]
fn the_module_works_in_json_too() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Maybe {
        #[serde(with = "crate::mapping::with::iso_duration::option")]
        span: Option<Duration>,
    }
    same(&vec![
        Some(Maybe {
            span: Some(Duration::from_secs(1)),
        }),
        None,
        Some(Maybe { span: None }),
    ]);
    assert_eq!(
        serde_json::from_str::<Maybe>(r#"{"span":null}"#).unwrap(),
        Maybe { span: None }
    );
}
