//! What the command line says.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::seat::TABLES;

/// Until the first deadline, so that all is saved by then.
pub(crate) const LEAD: Duration = Duration::from_secs(2);
/// Over which the deadlines are spread.
pub(crate) const SPREAD: Duration = Duration::from_secs(2);

pub(crate) struct Arguments {
    pub(crate) background: usize,
    pub(crate) due: usize,
    pub(crate) notifications: bool,
    pub(crate) burst: bool,
    pub(crate) keyspaces: usize,
    /// How many consumers the group has; 0 for no group.
    pub(crate) groups: usize,
    pub(crate) json: bool,
    pub(crate) svg: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn parse() -> Self {
        let mut parsed = Self {
            background: 100_000,
            due: 1_000,
            notifications: true,
            burst: false,
            keyspaces: 1,
            groups: 0,
            json: false,
            svg: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--background" => parsed.background = value().parse().expect("a number"),
                "--due" => parsed.due = value().parse().expect("a number"),
                "--notifications" => parsed.notifications = value() == "on",
                "--burst" => parsed.burst = true,
                "--keyspaces" => parsed.keyspaces = value().parse().expect("a number"),
                "--groups" => parsed.groups = value().parse().expect("a number"),
                "--json" => parsed.json = true,
                "--svg" => parsed.svg = Some(value().into()),
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown argument {other}; see benches/expiry.rs"),
            }
        }
        let most = TABLES.len();
        assert!(
            (1..=most).contains(&parsed.keyspaces),
            "from 1 to {most} keyspaces"
        );
        parsed
    }

    pub(crate) fn deadlines(&self) -> Vec<SystemTime> {
        // Saving takes its time too; whatever it takes, nothing may be due before all is saved.
        let first = SystemTime::now() + LEAD + Duration::from_micros(150) * self.due as u32;
        let step = if self.burst {
            Duration::ZERO
        } else {
            SPREAD / self.due as u32
        };
        (0..self.due).map(|i| first + step * i as u32).collect()
    }
}
