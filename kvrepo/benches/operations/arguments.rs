//! What the command line says.

use std::path::PathBuf;
use std::time::Duration;

use crate::operation::Operation;

/// Which sizes of entities there are.
pub(crate) const SIZES: [&str; 3] = ["small", "usual", "large"];
const CONCURRENCY: [usize; 3] = [1, 16, 64];
/// The fewest rounds, and the most, if nobody says.
pub(crate) const ROUNDS: (usize, usize) = (3, 7);
/// How long the rounds of one line may take, so that all lines come within two minutes.
pub(crate) const BUDGET: Duration = Duration::from_millis(1200);

pub(crate) struct Arguments {
    pub(crate) operations: Vec<Operation>,
    pub(crate) sizes: Vec<String>,
    /// How many callers at once; `None`: all of [`CONCURRENCY`] for the usual size, and the most for the others.
    pub(crate) concurrency: Option<Vec<usize>>,
    /// `None`: [`ROUNDS`], or as many as [`BUDGET`] has room for.
    pub(crate) rounds: Option<usize>,
    pub(crate) duration: Duration,
    /// How many entities `save_all` and `delete_all` are about.
    pub(crate) batch: usize,
    /// How many entities queries are made among.
    pub(crate) entities: usize,
    pub(crate) threads: usize,
    pub(crate) json: bool,
    pub(crate) markdown: bool,
    pub(crate) svg: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn parse() -> Self {
        let mut parsed = Self {
            operations: Operation::ALL.to_vec(),
            sizes: SIZES.map(str::to_owned).to_vec(),
            concurrency: None,
            rounds: None,
            duration: Duration::from_millis(25),
            batch: 10_000,
            entities: 20_000,
            threads: 2,
            json: false,
            markdown: false,
            svg: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--ops" => parsed.operations = list(&value(), operation),
                "--sizes" => parsed.sizes = list(&value(), size),
                "--concurrency" => parsed.concurrency = Some(list(&value(), number)),
                "--rounds" => parsed.rounds = Some(number(&value())),
                "--millis" => parsed.duration = Duration::from_millis(number(&value()) as u64),
                "--batch" => parsed.batch = number(&value()),
                "--entities" => parsed.entities = number(&value()),
                "--threads" => parsed.threads = number(&value()),
                "--json" => parsed.json = true,
                "--markdown" => parsed.markdown = true,
                "--svg" => parsed.svg = Some(value().into()),
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown argument {other}; see benches/operations.rs"),
            }
        }
        parsed
    }

    /// With how many callers an operation is measured.
    pub(crate) fn concurrency(&self, operation: Operation, size: &str) -> Vec<usize> {
        let [one, _, most] = CONCURRENCY;
        match &self.concurrency {
            _ if operation.is_alone() => vec![one],
            Some(given) => given.clone(),
            None if operation.is_bulk() => vec![one],
            None if size == "usual" => CONCURRENCY.to_vec(),
            None => vec![most],
        }
    }
}

fn list<T>(words: &str, read: impl Fn(&str) -> T) -> Vec<T> {
    words.split(',').map(read).collect()
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
