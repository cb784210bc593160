//! What a proxy's connections share: what they are told, and what they count.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::super::raw::locked;
use super::Counts;

/// What a connection does now. Connections follow it through a watch, so a change takes effect at once.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) upstream: SocketAddr,
    pub(super) refuse: bool,
    pub(super) pause: bool,
    pub(super) swallow_replies: bool,
    pub(super) delay_to_server: Duration,
    pub(super) delay_to_client: Duration,
    /// One chunk of data in so many is where its connection ends; 0 for none.
    pub(super) cut_one_in: u32,
    /// How many cuts there have been: a connection ends when there is another.
    pub(super) cuts: u64,
    /// The same for half-closes.
    pub(super) half_closes: u64,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: watch::Sender<Settings>,
    pub(super) counts: watch::Sender<Counts>,
    cut_at_next_reply: AtomicBool,
    /// After how many bytes; 0 for not at all.
    cut_within_next_reply: AtomicUsize,
    random: Mutex<u64>,
}

impl Shared {
    pub(super) fn new(upstream: SocketAddr) -> Self {
        let settings = Settings {
            upstream,
            refuse: false,
            pause: false,
            swallow_replies: false,
            delay_to_server: Duration::ZERO,
            delay_to_client: Duration::ZERO,
            cut_one_in: 0,
            cuts: 0,
            half_closes: 0,
        };
        Self {
            settings: watch::Sender::new(settings),
            counts: watch::Sender::new(Counts::default()),
            cut_at_next_reply: AtomicBool::new(false),
            cut_within_next_reply: AtomicUsize::new(0),
            random: Mutex::new(1),
        }
    }

    pub(super) fn seed(&self, seed: u64) {
        *locked(&self.random) = seed;
    }

    pub(super) fn cut_at_next_reply(&self) {
        self.cut_at_next_reply.store(true, Ordering::SeqCst);
    }

    /// True for the one reply that is the next.
    pub(super) fn is_reply_to_cut_at(&self) -> bool {
        self.cut_at_next_reply.swap(false, Ordering::SeqCst)
    }

    pub(super) fn cut_within_next_reply(&self, bytes: usize) {
        self.cut_within_next_reply.store(bytes, Ordering::SeqCst);
    }

    /// After how many bytes to cut the one reply that is the next.
    pub(super) fn cut_within_reply_after(&self) -> Option<usize> {
        let bytes = self.cut_within_next_reply.swap(0, Ordering::SeqCst);
        (bytes > 0).then_some(bytes)
    }

    /// How many of a chunk's bytes still go through before its connection is cut; `None` for all, and no cut.
    pub(super) fn cut_after(&self, length: usize) -> Option<usize> {
        let one_in = u64::from(self.settings.borrow().cut_one_in);
        if one_in == 0 || !self.next_random().is_multiple_of(one_in) {
            return None;
        }
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.next_random() % (length + 1)).ok()
    }

    /// `SplitMix64`: any seed does, 0 included.
    fn next_random(&self) -> u64 {
        let mut state = locked(&self.random);
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Counts a connection as open until the value is dropped.
    pub(super) fn open(&self) -> Open<'_> {
        self.counts.send_modify(|counts| {
            counts.connections += 1;
            counts.open += 1;
        });
        Open { shared: self }
    }
}

/// A connection that is counted as open.
#[derive(Debug)]
pub(super) struct Open<'a> {
    shared: &'a Shared,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.shared.counts.send_modify(|counts| counts.open -= 1);
    }
}
