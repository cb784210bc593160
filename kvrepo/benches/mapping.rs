//! What it costs to make a record of an entity and an entity of a record: kvrepo beside `serde_json` and beside code that is
//! written by hand for just this type. No server.
//!
//! ```text
//! cargo bench -p kvrepo --bench mapping
//! cargo bench -p kvrepo --bench mapping -- --ops decode --sizes usual --rounds 101
//! ```
//!
//! | argument | default | |
//! | --- | --- | --- |
//! | `--ops` | `encode,decode,decode_shuffled` | |
//! | `--sizes` | `small,usual,large` | entities of 3, 10 and 100 fields |
//! | `--rounds` | 41 | how often each form has its turn |
//! | `--millis` | 4 | how long a turn is, about |
//! | `--json` | | one object a line |
//!
//! *kvrepo* is all that a save and a find do here: `encode` refuses names that are kvrepo's own, `decode` looks whether the id is
//! that of the key. *json* is `to_vec` and `from_slice` of the same values. By *hand*, encoding is to append the same fields to a
//! command that has room for them, and decoding is to match on paths.
//!
//! `decode` reads records in the order in which they were written, as servers return hashes of up to 512 fields of up to 64
//! bytes; `decode_shuffled` in none, as they return all others. JSON is the same in both.
//!
//! Nanoseconds are those of one entity, the median of the rounds; ratios are the medians of those of the rounds, with the least
//! and the greatest behind. What is made is dropped after the clock was read. `allocations` are those of one entity, those made by
//! growing included; `bytes` is what stands in the record.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

#[path = "mapping/arguments.rs"]
mod arguments;
#[path = "mapping/form.rs"]
mod form;
#[path = "mapping/measure.rs"]
mod measure;
#[path = "operations/median.rs"]
mod median;
#[path = "mapping/report.rs"]
mod report;
#[expect(
    dead_code,
    unused_imports,
    reason = "of the samples of another benchmark, what is written and read"
)]
#[path = "operations/sample.rs"]
mod sample;
#[path = "mapping/subject.rs"]
mod subject;

use arguments::Arguments;
use measure::measure;
use report::Line;
use sample::{Large, Sample, Small, Usual};
use serde::Serialize;
use serde::de::DeserializeOwned;
use subject::Subject;

fn main() {
    let arguments = Arguments::parse();
    for size in &arguments.sizes {
        match size.as_str() {
            "small" => run::<Small>(&arguments),
            "usual" => run::<Usual>(&arguments),
            _ => run::<Large>(&arguments),
        }
    }
}

fn run<T: Sample + Serialize + DeserializeOwned>(arguments: &Arguments) {
    let subject = Subject::<T>::new();
    for operation in &arguments.operations {
        let line = Line::new(T::SIZE, &measure(*operation, &subject, arguments));
        if arguments.json {
            println!("{}", line.json());
        } else {
            println!("{line}");
        }
    }
}
