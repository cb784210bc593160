//! Chance that can be had again.

use std::time::Duration;

/// `SplitMix64`: any seed does, 0 included.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `low..high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.number() % (high - low)
    }

    /// A time of so many milliseconds, of `low..high`.
    pub fn time(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_millis(self.between(low, high))
    }

    /// One of these, each as often as its weight says.
    ///
    /// # Panics
    ///
    /// If there is none with a weight.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u64, T)]) -> T {
        let mut left = self.between(0, choices.iter().map(|(weight, _)| weight).sum());
        for (weight, choice) in choices {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return *choice,
            }
        }
        unreachable!("what is left is less than all weights")
    }
}
