//! What the command line says.

use std::time::Duration;

use crate::form::Operation;

const SIZES: [&str; 3] = ["small", "usual", "large"];

pub(crate) struct Arguments {
    pub(crate) operations: Vec<Operation>,
    pub(crate) sizes: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) duration: Duration,
    pub(crate) json: bool,
}

impl Arguments {
    pub(crate) fn parse() -> Self {
        let mut parsed = Self {
            operations: Operation::ALL.to_vec(),
            sizes: SIZES.map(str::to_owned).to_vec(),
            rounds: 41,
            duration: Duration::from_millis(4),
            json: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--ops" => parsed.operations = value().split(',').map(operation).collect(),
                "--sizes" => parsed.sizes = value().split(',').map(size).collect(),
                "--rounds" => parsed.rounds = number(&value()),
                "--millis" => parsed.duration = Duration::from_millis(number(&value()) as u64),
                "--json" => parsed.json = true,
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown argument {other}; see benches/mapping.rs"),
            }
        }
        parsed
    }
}

fn operation(name: &str) -> Operation {
    let found = Operation::ALL
        .into_iter()
        .find(|operation| operation.name() == name);
    found.unwrap_or_else(|| panic!("no operation `{name}`"))
}

fn size(name: &str) -> String {
    assert!(SIZES.contains(&name), "no size `{name}`");
    name.to_owned()
}

fn number(word: &str) -> usize {
    let number = word.parse().expect("a number");
    assert!(number > 0, "a number above 0");
    number
}
