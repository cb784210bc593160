//! One line for each operation, size and number of callers.

use std::fmt;

use serde::Serialize;

use crate::measure::Measured;
use crate::median::{median, ratios};
use crate::meter::Used;
use crate::operation::{Form, Operation};
use crate::sample::Sample;

/// Medians over the rounds. Ratios are those of one round, so that what disturbs both does not count.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) op: &'static str,
    pub(crate) size: &'static str,
    pub(crate) concurrency: usize,
    pub(crate) kvrepo_ops: f64,
    pub(crate) raw_ops: f64,
    pub(crate) ratio: f64,
    pub(crate) ratio_min: f64,
    pub(crate) ratio_max: f64,
    pub(crate) unguarded_ops: Option<f64>,
    pub(crate) unguarded_ratio: Option<f64>,
    pub(crate) server_us: f64,
    pub(crate) raw_server_us: f64,
    pub(crate) server_ratio: f64,
    pub(crate) unguarded_server_us: Option<f64>,
    pub(crate) client_us: f64,
    pub(crate) raw_client_us: f64,
    pub(crate) round_trips: f64,
    pub(crate) raw_round_trips: f64,
    pub(crate) bytes_out: f64,
    pub(crate) raw_bytes_out: f64,
    pub(crate) calls: usize,
    pub(crate) rounds: usize,
}

impl Line {
    pub(crate) fn new<T: Sample>(
        operation: Operation,
        concurrency: usize,
        measured: &Measured,
        (round_trips, raw_round_trips): (f64, f64),
    ) -> Self {
        let calls = measured.calls as f64;
        let each = |form: Form, value: fn(&Used) -> f64| -> Vec<f64> {
            let used = |round: &[Option<Used>; 3]| round[form.database() as usize].as_ref().map(value);
            measured.rounds.iter().filter_map(used).collect()
        };
        let ops = |form| -> Vec<f64> {
            let seconds = each(form, |used| used.time.as_secs_f64());
            seconds.into_iter().map(|seconds| calls / seconds).collect()
        };
        let per_call = |form, value: fn(&Used) -> f64| median(&each(form, value)).map(|sum| sum / calls);
        let of = |form, value: fn(&Used) -> f64| per_call(form, value).unwrap_or_default();
        let ratio = ratios(&ops(Form::Kvrepo), &ops(Form::Raw));
        let unguarded = ratios(&ops(Form::Kvrepo), &ops(Form::Unguarded));
        let server: fn(&Used) -> f64 = |used| used.server;
        let client: fn(&Used) -> f64 = |used| used.client;
        let bytes: fn(&Used) -> f64 = |used| used.bytes as f64;
        Self {
            op: operation.name(),
            size: T::SIZE,
            concurrency,
            kvrepo_ops: median(&ops(Form::Kvrepo)).unwrap_or_default(),
            raw_ops: median(&ops(Form::Raw)).unwrap_or_default(),
            ratio: median(&ratio).unwrap_or_default(),
            ratio_min: ratio.iter().copied().fold(f64::INFINITY, f64::min),
            ratio_max: ratio.iter().copied().fold(0.0, f64::max),
            unguarded_ops: median(&ops(Form::Unguarded)),
            unguarded_ratio: median(&unguarded),
            server_us: of(Form::Kvrepo, server),
            raw_server_us: of(Form::Raw, server),
            server_ratio: median(&ratios(&each(Form::Kvrepo, server), &each(Form::Raw, server)))
                .unwrap_or_default(),
            unguarded_server_us: per_call(Form::Unguarded, server),
            client_us: of(Form::Kvrepo, client),
            raw_client_us: of(Form::Raw, client),
            round_trips,
            raw_round_trips,
            bytes_out: of(Form::Kvrepo, bytes),
            raw_bytes_out: of(Form::Raw, bytes),
            calls: measured.calls,
            rounds: measured.rounds.len(),
        }
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers")
    }
}

/// Few digits, as many as say something.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            number if number >= 100.0 => write!(f, "{number:.0}"),
            number => write!(f, "{number:.1}"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "op={} size={} concurrency={} kvrepo_ops={} raw_ops={} ratio={:.2} spread={:.2}..{:.2}",
            self.op,
            self.size,
            self.concurrency,
            Short(self.kvrepo_ops),
            Short(self.raw_ops),
            self.ratio,
            self.ratio_min,
            self.ratio_max,
        )?;
        if let (Some(ops), Some(ratio)) = (self.unguarded_ops, self.unguarded_ratio) {
            write!(f, " unguarded_ops={} unguarded_ratio={ratio:.2}", Short(ops))?;
        }
        write!(
            f,
            " server_us={} raw_server_us={} server_ratio={:.2}",
            Short(self.server_us),
            Short(self.raw_server_us),
            self.server_ratio,
        )?;
        if let Some(server) = self.unguarded_server_us {
            write!(f, " unguarded_server_us={}", Short(server))?;
        }
        write!(
            f,
            " client_us={} raw_client_us={} round_trips={} raw_round_trips={} bytes_out={:.0} raw_bytes_out={:.0}",
            Short(self.client_us),
            Short(self.raw_client_us),
            self.round_trips,
            self.raw_round_trips,
            self.bytes_out,
            self.raw_bytes_out,
        )
    }
}
