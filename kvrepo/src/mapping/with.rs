//! Other forms for a field, to be named in `#[serde(with = "…")]`.

/// A [`Duration`](std::time::Duration) in ISO 8601, as Java writes it: `PT77H6M`, `PT1.5S`, `PT0S`.
///
/// Without it a duration is stored as serde has it, in two fields: `span.secs` and `span.nanos`. Days (`P3DT5H6M`)
/// are read too, as 24 hours each; years, months and weeks, whose length depends, and negative durations are refused.
///
/// ```
/// use std::time::Duration;
///
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// struct Watch {
///     #[serde(with = "kvrepo::with::iso_duration")]
///     span: Duration,
///     #[serde(with = "kvrepo::with::iso_duration::option", default)]
///     pause: Option<Duration>,
/// }
/// ```
pub mod iso_duration {
    use std::fmt;
    use std::time::Duration;

    use serde::de::{self, Deserializer, Visitor};
    use serde::ser::Serializer;

    /// Writes the duration.
    ///
    /// # Errors
    ///
    /// What the serializer says.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Iso(*duration))
    }

    /// Reads a duration.
    ///
    /// # Errors
    ///
    /// If the text is not a duration, or one that is too long.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        deserializer.deserialize_str(IsoVisitor)
    }

    /// The same for a field that may be `None`.
    pub mod option {
        use std::fmt;
        use std::time::Duration;

        use serde::de::{self, Deserializer, Visitor};
        use serde::ser::Serializer;

        use super::Iso;

        /// Writes the duration, if there is one.
        ///
        /// # Errors
        ///
        /// What the serializer says.
        pub fn serialize<S: Serializer>(
            duration: &Option<Duration>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match duration {
                Some(duration) => serializer.serialize_some(&Iso(*duration)),
                None => serializer.serialize_none(),
            }
        }

        /// Reads a duration, if there is one.
        ///
        /// # Errors
        ///
        /// If the text is not a duration, or one that is too long.
        pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
            deserializer.deserialize_option(OptionVisitor)
        }

        struct OptionVisitor;

        impl<'de> Visitor<'de> for OptionVisitor {
            type Value = Option<Duration>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an optional ISO 8601 duration")
            }

            fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                super::deserialize(deserializer).map(Some)
            }
        }
    }

    /// The text of a duration.
    struct Iso(Duration);

    impl serde::Serialize for Iso {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }

    impl fmt::Display for Iso {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let (seconds, nanos) = (self.0.as_secs(), self.0.subsec_nanos());
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            f.write_str("PT")?;
            if hours > 0 {
                write!(f, "{hours}H")?;
            }
            if minutes > 0 {
                write!(f, "{minutes}M")?;
            }
            if nanos > 0 {
                let fraction = format!("{nanos:09}");
                write!(f, "{seconds}.{}S", fraction.trim_end_matches('0'))?;
            } else if seconds > 0 || self.0.is_zero() {
                write!(f, "{seconds}S")?;
            }
            Ok(())
        }
    }

    struct IsoVisitor;

    impl Visitor<'_> for IsoVisitor {
        type Value = Duration;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an ISO 8601 duration such as `PT1H30M`")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
            parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
        }
    }

    /// Reads `P3DT5H6M7.5S`: each part at most once, in this order, one at least.
    fn parse(text: &str) -> Option<Duration> {
        let text = text.to_ascii_uppercase();
        let (days, time) = match text.strip_prefix('P')?.split_once('T') {
            Some((_, "")) => return None,
            Some((days, time)) => (days, time),
            None => (text.strip_prefix('P')?, ""),
        };
        if days.is_empty() && time.is_empty() {
            return None;
        }
        let mut total = Duration::ZERO;
        let mut add = |amount: u64, unit: u64| -> Option<()> {
            total = total.checked_add(Duration::from_secs(amount.checked_mul(unit)?))?;
            Some(())
        };
        if !days.is_empty() {
            add(number(days.strip_suffix('D')?)?, 86_400)?;
        }
        let mut rest = time;
        for (letter, unit) in [('H', 3600), ('M', 60)] {
            if let Some((amount, after)) = rest.split_once(letter) {
                add(number(amount)?, unit)?;
                rest = after;
            }
        }
        if !rest.is_empty() {
            let amount = rest.strip_suffix('S')?;
            let (whole, fraction) = amount.split_once(['.', ',']).unwrap_or((amount, "0"));
            add(number(whole)?, 1)?;
            if fraction.len() > 9 {
                return None;
            }
            let nanos: u32 = format!("{:0<9}", number(fraction).map(|_| fraction)?)
                .parse()
                .ok()?;
            total = total.checked_add(Duration::from_nanos(u64::from(nanos)))?;
        }
        Some(total)
    }

    /// Digits and nothing else.
    fn number(text: &str) -> Option<u64> {
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            text.parse().ok()
        } else {
            None
        }
    }
}
