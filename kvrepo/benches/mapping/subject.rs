//! Entities of one type, and what they are read from.

use kvrepo::{__private as mapping, Record};
use redis::{Arg, Cmd};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sample::Sample;

/// How many are written or read one after the other: so few that they stay in the processor's caches, so many that no branch is
/// known by heart.
const COUNT: usize = 32;

/// Each entity in every form.
pub(crate) struct Subject<T> {
    pub(crate) values: Vec<T>,
    pub(crate) records: Vec<Record>,
    pub(crate) shuffled: Vec<Record>,
    pub(crate) texts: Vec<Vec<u8>>,
    /// How much the largest command has.
    room: (usize, usize),
}

impl<T: Sample + Serialize + DeserializeOwned> Subject<T> {
    /// # Panics
    ///
    /// If the forms do not all say the same.
    pub(crate) fn new() -> Self {
        let values: Vec<T> = (0..COUNT).map(|number| T::number(number * 7919)).collect();
        let records: Vec<Record> = values.iter().map(encode).collect();
        let shuffled: Vec<Record> = (1..)
            .zip(&records)
            .map(|(seed, record)| shuffle(record, seed))
            .collect();
        let texts: Vec<Vec<u8>> = values
            .iter()
            .map(|value| serde_json::to_vec(value).expect("JSON"))
            .collect();
        let room = records.iter().map(bytes).max().expect("some");
        let fields = records.iter().map(Record::len).max().expect("some");
        let subject = Self {
            values,
            records,
            shuffled,
            texts,
            room: (2 * fields, room),
        };
        subject.check();
        subject
    }

    fn check(&self) {
        for (at, value) in self.values.iter().enumerate() {
            let command = self.by_hand(value);
            let fields = self.records[at]
                .iter()
                .flat_map(|(path, value)| [path.as_bytes(), value]);
            assert!(
                command
                    .args_iter()
                    .map(|arg| match arg {
                        Arg::Simple(bytes) => bytes,
                        _ => b"",
                    })
                    .eq(fields),
                "written differently by hand"
            );
            for record in [&self.records[at], &self.shuffled[at]] {
                assert_eq!(decode::<T>(value.key(), record), *value);
                assert_eq!(T::from_fields(record.iter()).as_ref(), Some(value));
            }
            assert_eq!(
                serde_json::from_slice::<T>(&self.texts[at]).as_ref().ok(),
                Some(value)
            );
        }
    }

    /// The fields and values of an entity, appended to a command that has room for them.
    pub(crate) fn by_hand(&self, value: &T) -> Cmd {
        let mut command = Cmd::with_capacity(self.room.0, self.room.1);
        value.write(&mut command);
        command
    }

    /// How many bytes stand in a record.
    pub(crate) fn bytes(&self) -> f64 {
        self.records.iter().map(bytes).sum::<usize>() as f64 / self.records.len() as f64
    }
}

pub(crate) fn encode<T: Sample>(value: &T) -> Record {
    mapping::encode(value).expect("a record")
}

pub(crate) fn decode<T: Sample>(id: &str, record: &Record) -> T {
    mapping::decode(id, record).expect("an entity")
}

fn bytes(record: &Record) -> usize {
    record.iter().map(|(path, value)| path.len() + value.len()).sum()
}

/// The same fields in an order that has nothing to do with theirs.
fn shuffle(record: &Record, seed: u64) -> Record {
    let mut fields: Vec<_> = record.iter().collect();
    let mut state = seed;
    for last in (1..fields.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        fields.swap(last, (state >> 33) as usize % (last + 1));
    }
    let mut shuffled = Record::with_capacity(fields.len());
    for (path, value) in fields {
        shuffled.add(path, value);
    }
    shuffled
}
