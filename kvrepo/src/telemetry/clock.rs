//! What a server's clock says now, as far as can be told without asking.
//!
//! This machine's clock may be minutes off, so it is not looked at. Each reply in which the server says its time bounds
//! how far it is ahead of a clock of this process that never goes back: it was said after the question and before the
//! answer. What all replies allow is kept, and widened as it ages, since two clocks do not go equally fast.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// By how much two clocks can come apart, in millionths.
const DRIFT: i64 = 500;

#[derive(Debug)]
pub(super) struct ServerClock {
    epoch: Instant,
    offset: Mutex<Option<Offset>>,
}

/// By how many microseconds the server's clock is ahead of the time since the epoch.
#[derive(Debug, Clone, Copy)]
struct Offset {
    least: i64,
    most: i64,
    /// When that was so.
    at: i64,
}

impl Offset {
    fn at(self, now: i64) -> Self {
        let aged = now.saturating_sub(self.at).max(0);
        // Rounded up, or it would never age where the server is heard of all the time.
        let apart = aged.saturating_mul(DRIFT) / 1_000_000 + 1;
        Self {
            least: self.least.saturating_sub(apart),
            most: self.most.saturating_add(apart),
            at: now,
        }
    }

    /// What both allow. If nothing, one of the clocks was set, and only what was heard last can be believed.
    fn narrowed(self, last: Self) -> Self {
        let (least, most) = (self.least.max(last.least), self.most.min(last.most));
        if least <= most {
            Self { least, most, ..last }
        } else {
            last
        }
    }
}

impl ServerClock {
    pub(super) fn new() -> Self {
        Self {
            epoch: Instant::now(),
            offset: Mutex::default(),
        }
    }

    /// The server said `now`, in whole milliseconds since 1970.
    pub(super) fn heard(&self, now: u64, asked: Instant, answered: Instant) {
        let (asked, answered) = (self.since_epoch(asked), self.since_epoch(answered));
        let now = i64::try_from(now).unwrap_or(i64::MAX).saturating_mul(1000);
        let heard = Offset {
            least: now.saturating_sub(answered),
            // The part of a millisecond that was not said.
            most: now.saturating_add(999).saturating_sub(asked),
            at: answered,
        };
        let mut offset = self.offset.lock().unwrap_or_else(PoisonError::into_inner);
        *offset = Some(offset.map_or(heard, |known| known.at(answered).narrowed(heard)));
    }

    /// Microseconds since 1970 by the server's clock; `None` until it was heard of.
    pub(super) fn now(&self) -> Option<u64> {
        self.at(Instant::now())
    }

    fn at(&self, instant: Instant) -> Option<u64> {
        let offset = (*self.offset.lock().unwrap_or_else(PoisonError::into_inner))?;
        let middle = offset.least + (offset.most - offset.least) / 2;
        u64::try_from(self.since_epoch(instant).saturating_add(middle)).ok()
    }

    fn since_epoch(&self, instant: Instant) -> i64 {
        let since = instant.saturating_duration_since(self.epoch);
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: u64 = 1_700_000_000_000_000;

    /// A server whose clock is `ahead` microseconds from START at the epoch, asked at `sent` and answering at `received`
    /// (microseconds since the epoch) what its clock said at `said`.
    fn hear(clock: &ServerClock, ahead: i64, [sent, said, received]: [u64; 3]) {
        let server = START.saturating_add_signed(ahead) + said;
        let at = |micros| clock.epoch + Duration::from_micros(micros);
        clock.heard(server / 1000, at(sent), at(received));
    }

    fn error(clock: &ServerClock, ahead: i64, at: u64) -> i64 {
        let told = clock.at(clock.epoch + Duration::from_micros(at)).unwrap();
        told as i64 - (START.saturating_add_signed(ahead) + at) as i64
    }

    #[test]
    fn nothing_is_known_before_the_server_has_said_something() {
        assert_eq!(ServerClock::new().now(), None);
    }

    #[test]
    fn the_servers_time_is_told_whatever_this_machines_is() {
        for ahead in [-600_000_000, 0, 600_000_000] {
            let clock = ServerClock::new();
            hear(&clock, ahead, [0, 200, 400]);
            let error = error(&clock, ahead, 5_000_000);
            assert!(error.abs() <= 700, "{error}");
        }
    }

    #[test]
    fn a_slow_answer_spoils_nothing() {
        let clock = ServerClock::new();
        hear(&clock, 0, [0, 200, 400]);
        hear(&clock, 0, [250_000, 250_100, 4_000_000]);
        let error = error(&clock, 0, 4_000_000);
        assert!(error.abs() <= 3_000, "{error}");
    }

    #[test]
    fn many_answers_tell_more_than_one() {
        let clock = ServerClock::new();
        // Each answer alone leaves three milliseconds open; they come at all parts of a millisecond.
        for round in 0..40 {
            let sent = 250_000 * round + 37 * round;
            let said = sent + if round % 2 == 0 { 50 } else { 1_950 };
            hear(&clock, 0, [sent, said, sent + 2_000]);
        }
        let error = error(&clock, 0, 40 * 250_000);
        assert!(error.abs() <= 600, "{error}");
    }

    #[test]
    fn a_clock_that_is_set_is_believed_at_once() {
        let clock = ServerClock::new();
        hear(&clock, 0, [0, 200, 400]);
        for ahead in [60_000_000, -60_000_000] {
            hear(&clock, ahead, [250_000, 250_200, 250_400]);
            let error = error(&clock, ahead, 250_400);
            assert!(error.abs() <= 700, "{ahead}: {error}");
        }
    }

    #[test]
    fn clocks_that_go_at_different_speeds_are_followed() {
        let clock = ServerClock::new();
        // 400 millionths too fast, for ten minutes.
        let ahead = |at: u64| (at / 2_500) as i64;
        for round in 0..2_400 {
            let sent = round * 250_000;
            hear(&clock, ahead(sent), [sent, sent + 200, sent + 400]);
        }
        let last = 2_399 * 250_000 + 400;
        let error = error(&clock, ahead(last), last);
        assert!(error.abs() <= 1_500, "{error}");
    }
}
