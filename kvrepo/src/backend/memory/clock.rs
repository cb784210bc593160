//! The clock of the memory backend: the system's, or one that a test moves.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;

/// A clock that stands still until it is moved: *the* way to test an application's expiry without waiting.
///
/// Clones are the same clock. Moving it is seen by every call of the stores on it at once, and their expiry events
/// come right after.
///
/// ```
/// use std::time::Duration;
/// use kvrepo::{KvEntity, ManualClock, Store};
/// # use serde::{Serialize, Deserialize};
///
/// #[derive(Serialize, Deserialize, KvEntity)]
/// #[kv(time_to_live = "1h")]
/// struct Invitation {
///     #[id]
///     code: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// let clock = ManualClock::new();
/// let invitations = Store::in_memory().with_clock(clock.clone()).repository::<Invitation>();
/// invitations.save(&mut Invitation { code: "x7".into() }).await?;
///
/// clock.advance(Duration::from_secs(3601));
/// assert!(!invitations.exists_by_id("x7").await?);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ManualClock {
    /// Milliseconds since 1970.
    now: Arc<watch::Sender<u64>>,
}

impl ManualClock {
    /// A clock that stands at the present time.
    #[must_use]
    pub fn new() -> Self {
        Self::at(SystemTime::now())
    }

    /// A clock that stands at the given time; before 1970 counts as 1970.
    #[must_use]
    pub fn at(time: SystemTime) -> Self {
        Self {
            now: Arc::new(watch::Sender::new(millis_since_1970(time))),
        }
    }

    /// What the clock says, in whole milliseconds.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(self.millis())
    }

    /// Moves the clock forward. Parts of a millisecond are dropped.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.now.send_modify(|now| *now = now.saturating_add(by));
    }

    fn millis(&self) -> u64 {
        *self.now.borrow()
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

/// Where the backend takes its time from.
#[derive(Debug)]
pub(super) enum Clock {
    Manual(ManualClock),
    /// The system's time at the start, and what a clock that never goes back says since.
    System {
        started_at: u64,
        started: Instant,
    },
}

impl Clock {
    pub(super) fn new(manual: Option<ManualClock>) -> Self {
        manual.map_or_else(
            || Self::System {
                started_at: millis_since_1970(SystemTime::now()),
                started: Instant::now(),
            },
            Self::Manual,
        )
    }

    /// Milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        match self {
            Self::Manual(clock) => clock.millis(),
            Self::System { started_at, started } => {
                started_at + u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX / 2)
            }
        }
    }

    /// Tells when the clock is moved by hand; `None` if it cannot be.
    pub(super) fn moved(&self) -> Option<watch::Receiver<u64>> {
        match self {
            Self::Manual(clock) => Some(clock.now.subscribe()),
            Self::System { .. } => None,
        }
    }
}

fn millis_since_1970(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
