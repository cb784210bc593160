//! Which cases were run, how they went, and which were left out.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;

use futures_util::{StreamExt, stream};

use super::Check;
use super::case::{Case, LeftOut, Ruling};

/// How many cases run at once.
const AT_ONCE: usize = 4;

/// The numbers of a file, and what failed.
#[derive(Debug)]
pub struct Tally {
    name: &'static str,
    total: usize,
    same: usize,
    deviate: usize,
    optional: usize,
    ruled: usize,
    text_only: usize,
    left_out: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

impl Tally {
    /// Takes the cases apart into those to be run and those that are counted at once.
    ///
    /// # Panics
    ///
    /// If a ruling or a name left out is that of no case: it would be there for nothing.
    #[must_use]
    pub fn sort(
        name: &'static str,
        cases: Vec<Case>,
        rulings: &[Ruling],
        left_out: &[LeftOut],
    ) -> (Self, Vec<Case>) {
        let mut named = rulings
            .iter()
            .map(|ruling| ruling.id)
            .chain(left_out.iter().flat_map(|one| one.ids).copied());
        let unknown = named.find(|id| cases.iter().all(|case| case.id() != *id));
        assert_eq!(unknown, None, "no case of {name} has this id");
        let mut tally = Self {
            name,
            total: cases.len(),
            same: 0,
            deviate: 0,
            optional: 0,
            ruled: 0,
            text_only: 0,
            left_out: BTreeMap::new(),
            failures: Vec::new(),
        };
        let mut to_run = Vec::new();
        for case in cases {
            if let Some(group) = case.left_out(left_out) {
                *tally.left_out.entry(group).or_default() += 1;
            } else if case.get("rule").is_some() && case.list("steps").is_empty() {
                tally.text_only += 1;
            } else {
                to_run.push(case);
            }
        }
        (tally, to_run)
    }

    /// Runs these cases, some at once, each as it is desired.
    pub async fn run_all(
        mut self,
        cases: Vec<Case>,
        rulings: &[Ruling],
        run: impl AsyncFn(&Case) -> Check,
    ) -> Self {
        let outcomes = stream::iter(cases).map(|case| async {
            let ruling = rulings.iter().find(|ruling| ruling.id == case.id());
            let outcome = run(&case.desired(ruling)).await;
            (case, ruling.is_some(), outcome)
        });
        let mut outcomes = pin!(outcomes.buffered(AT_ONCE));
        while let Some((case, ruled, outcome)) = outcomes.next().await {
            self.ran(&case, ruled, outcome);
        }
        self
    }

    /// Notes how a case went.
    pub fn ran(&mut self, case: &Case, ruled: bool, outcome: Check) {
        match case.text("status") {
            _ if ruled => self.ruled += 1,
            "same" => self.same += 1,
            "deviate" => self.deviate += 1,
            "optional" => self.optional += 1,
            // Not counted anywhere, and so found by `finish`.
            _ => {}
        }
        if let Err(what) = outcome {
            self.failures.push(format!("{}: {what}", case.id()));
        }
    }

    /// Prints the numbers, and demands that they are `expected`, that they add up, and that nothing failed.
    ///
    /// # Panics
    ///
    /// If not, with every failure in the message.
    pub fn finish(self, expected: &str) {
        let line = self.to_string();
        println!("{line}");
        let failures = self.failures.join("\n\n");
        assert!(
            failures.is_empty(),
            "{line}\n{} failed:\n\n{failures}\n",
            self.failures.len()
        );
        let run = self.same + self.deviate + self.optional + self.ruled;
        let out: usize = self.left_out.values().sum();
        assert_eq!(
            run + out + self.text_only,
            self.total,
            "a case is neither run nor left out by name: {line}"
        );
        assert_eq!(
            line, expected,
            "what is run has changed: see that this is meant, and say so here"
        );
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            total,
            same,
            deviate,
            optional,
            ruled,
            ..
        } = self;
        let out: usize = self.left_out.values().sum();
        write!(
            f,
            "conformance {name}: {total} cases, {same} same, {deviate} deviate, {optional} optional, "
        )?;
        write!(
            f,
            "{ruled} ruled by design.md, {} text only, {out} left out (",
            self.text_only
        )?;
        for (at, (group, count)) in self.left_out.iter().enumerate() {
            write!(f, "{}{group} {count}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}
