//! A hasher for the short keys of this module.
//!
//! Paths come from data, so whoever writes data could aim at collisions: hence the seed, which is random for each
//! process. Beyond that it has to be fast, for a table is filled for every long list or map that is read.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

/// Makes seeded hashers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        Self(*SEED.get_or_init(|| RandomState::new().hash_one(0_u8)))
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding(self.0)
    }
}

/// Multiplies and folds, eight bytes a step.
#[derive(Debug)]
pub(super) struct Folding(u64);

impl Folding {
    fn fold(&mut self, word: u64) {
        let product =
            u128::from(self.0 ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64 ^ self.0.rotate_left(32) | 1);
        let [low, high] = [product as u64, (product >> 64) as u64];
        self.0 = low ^ high;
    }
}

impl Hasher for Folding {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        for (slot, byte) in last.iter_mut().zip(rest) {
            *slot = *byte;
        }
        self.fold(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_left(56));
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
    }

    fn write_u64(&mut self, word: u64) {
        self.fold(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.fold(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.0 ^= word as u64;
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0.rotate_left(29)
    }
}
