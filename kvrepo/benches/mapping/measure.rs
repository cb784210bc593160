//! Short rounds, each form in turn.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::form::{Form, Operation};
use crate::sample::Sample;
use crate::subject::{Subject, decode, encode};

/// What one entity costs, for each of [`Form::ALL`].
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) operation: Operation,
    pub(crate) bytes: f64,
    pub(crate) allocations: [f64; 3],
    /// Nanoseconds.
    pub(crate) rounds: Vec<[f64; 3]>,
}

pub(crate) fn measure<T: Sample + Serialize + DeserializeOwned>(
    operation: Operation,
    subject: &Subject<T>,
    arguments: &Arguments,
) -> Measured {
    let turn = |form, times| turn(operation, form, subject, times);
    // The first meets cold caches, and what is found out about a type once.
    let times = Form::ALL.map(|form| {
        turn(form, 1);
        let once = turn(form, 32);
        (arguments.duration.as_nanos() as f64 / once / subject.values.len() as f64).ceil() as usize
    });
    let allocations = Form::ALL.map(|form| {
        let made = allocation_counter::measure(|| {
            turn(form, 1);
        });
        let beside = allocation_counter::measure(|| {
            turn(form, 0);
        });
        (made.count_total - beside.count_total) as f64 / subject.values.len() as f64
    });
    let rounds = (0..arguments.rounds)
        .map(|round| {
            let mut used = [0.0; 3];
            // None is always the first.
            for place in 0..Form::ALL.len() {
                let at = (round + place) % Form::ALL.len();
                used[at] = turn(Form::ALL[at], times[at]);
            }
            used
        })
        .collect();
    Measured {
        operation,
        bytes: subject.bytes(),
        allocations,
        rounds,
    }
}

/// Nanoseconds an entity, all of them done so many times.
fn turn<T: Sample + Serialize + DeserializeOwned>(
    operation: Operation,
    form: Form,
    subject: &Subject<T>,
    times: usize,
) -> f64 {
    let Subject {
        values,
        records,
        shuffled,
        texts,
        ..
    } = subject;
    let spent = match (operation, form) {
        (Operation::Encode, Form::Kvrepo) => time(&values.iter(), times, encode),
        (Operation::Encode, Form::Json) => time(&values.iter(), times, |value| {
            serde_json::to_vec(value).expect("JSON")
        }),
        (Operation::Encode, Form::Hand) => time(&values.iter(), times, |value| subject.by_hand(value)),
        (_, Form::Json) => time(&texts.iter(), times, |text| {
            serde_json::from_slice::<T>(text).expect("JSON")
        }),
        (_, form) => {
            let records = if operation == Operation::Decode {
                records
            } else {
                shuffled
            };
            let both = values.iter().zip(records);
            if form == Form::Kvrepo {
                time(&both, times, |(value, record)| decode::<T>(value.key(), record))
            } else {
                time(&both, times, |(_, record)| {
                    T::from_fields(record.iter()).expect("an entity")
                })
            }
        }
    };
    spent.as_nanos() as f64 / (times * values.len()) as f64
}

/// What is made is kept until the clock was read.
fn time<I, O>(
    inputs: &(impl ExactSizeIterator<Item = I> + Clone),
    times: usize,
    work: impl Fn(I) -> O,
) -> Duration {
    let mut made = Vec::with_capacity(inputs.len());
    let mut spent = Duration::ZERO;
    for _ in 0..times {
        let start = Instant::now();
        made.extend(inputs.clone().map(|input| work(black_box(input))));
        spent += start.elapsed();
        black_box(&made);
        made.clear();
    }
    spent
}
