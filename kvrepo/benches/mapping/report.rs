//! One line for each operation and size.

use std::fmt;

use serde::Serialize;

use crate::measure::Measured;
use crate::median::{median, ratios};

#[derive(Debug, Serialize)]
pub(crate) struct Line {
    op: &'static str,
    size: &'static str,
    kvrepo_ns: f64,
    json_ns: f64,
    hand_ns: f64,
    ratio_json: f64,
    ratio_json_min: f64,
    ratio_json_max: f64,
    ratio_hand: f64,
    ratio_hand_min: f64,
    ratio_hand_max: f64,
    allocations: f64,
    json_allocations: f64,
    hand_allocations: f64,
    bytes: f64,
    rounds: usize,
}

impl Line {
    pub(crate) fn new(size: &'static str, measured: &Measured) -> Self {
        let [kvrepo, json, hand] = [0, 1, 2].map(|form| -> Vec<f64> {
            measured
                .rounds
                .iter()
                .map(|round: &[f64; 3]| round[form])
                .collect()
        });
        let [of_json, of_hand] = [&json, &hand].map(|other| ratios(&kvrepo, other));
        let middle = |values: &[f64]| median(values).unwrap_or_default();
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let [allocations, json_allocations, hand_allocations] = measured.allocations;
        Self {
            op: measured.operation.name(),
            size,
            kvrepo_ns: middle(&kvrepo),
            json_ns: middle(&json),
            hand_ns: middle(&hand),
            ratio_json: middle(&of_json),
            ratio_json_min: least(&of_json),
            ratio_json_max: greatest(&of_json),
            ratio_hand: middle(&of_hand),
            ratio_hand_min: least(&of_hand),
            ratio_hand_max: greatest(&of_hand),
            allocations,
            json_allocations,
            hand_allocations,
            bytes: measured.bytes,
            rounds: measured.rounds.len(),
        }
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers")
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "op={} size={} kvrepo_ns={:.0} json_ns={:.0} hand_ns={:.0} ratio_json={:.2} ({:.2}..{:.2}) \
             ratio_hand={:.2} ({:.2}..{:.2}) allocations={:.1} json_allocations={:.1} hand_allocations={:.1} bytes={:.0}",
            self.op,
            self.size,
            self.kvrepo_ns,
            self.json_ns,
            self.hand_ns,
            self.ratio_json,
            self.ratio_json_min,
            self.ratio_json_max,
            self.ratio_hand,
            self.ratio_hand_min,
            self.ratio_hand_max,
            self.allocations,
            self.json_allocations,
            self.hand_allocations,
            self.bytes,
        )
    }
}
