//! What a worker process notes of what it does, so that it is known also when it was killed in the middle.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use kvrepo::Position;
use serde::{Deserialize, Serialize};

use super::entity::Nonce;
use crate::world::millis;

/// One line. Times are milliseconds since 1970 by the machine's clock, which the server reads as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// A process began to write here, at this time if its clock is as wrong as it was told.
    Started {
        at: u64,
    },
    /// It is subscribed to all that it listens to.
    Ready,
    /// A call is about to be made. Its number is also the nonce of what it writes.
    Began {
        call: Nonce,
        at: u64,
        space: String,
        id: String,
        what: What,
    },
    Ended {
        call: Nonce,
        at: u64,
        outcome: Outcome,
    },
    /// An event was taken in hand.
    Heard(Heard),
    /// What came of acknowledging an event: whether it was still to be done.
    Acknowledged {
        at: u64,
        space: String,
        position: String,
        was_pending: bool,
    },
    /// What ought not to be.
    Failed(String),
    Stopped,
}

/// An event as a listener was handed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    pub at: u64,
    pub space: String,
    pub position: String,
    pub id: String,
    pub deadline: u64,
    /// Of the value, if there is one.
    pub nonce: Option<Nonce>,
    /// Whether the value is one that was ever written as a whole.
    pub whole: bool,
    /// How often it has been delivered to a group; 0 if it came by a broadcast.
    pub deliveries: u32,
}

impl Heard {
    /// # Panics
    ///
    /// If the position is none.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position.parse().expect("a position")
    }
}

/// A call. A term is in milliseconds; `None` is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    Save {
        term: Option<u64>,
    },
    Insert {
        term: Option<u64>,
    },
    /// Another value and another term for what is there.
    Update {
        term: Option<u64>,
    },
    /// Another term for what is there.
    Renew {
        term: Option<u64>,
    },
    Delete,
    Read,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Saved {
        created: bool,
        deadline: Option<u64>,
    },
    /// Saved, as one of a batch of which others failed: nothing more is known.
    Done,
    /// Of an insertion: refused, since something is there.
    Exists,
    /// Of what changes or deletes: whether there was something.
    There(bool),
    Read(Option<Nonce>),
    /// What was read is mixed of several.
    Mixed,
    NotExecuted,
    Unknown,
}

/// A file that is only ever added to, a line at a time.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
    /// By how much this process's clock is ahead of the machine's, in milliseconds.
    skew: i64,
}

impl Journal {
    /// Opens the journal of a worker, and reads what its predecessors have noted.
    ///
    /// # Errors
    ///
    /// If the file cannot be had.
    pub fn open(path: &Path, skew: i64) -> io::Result<(Self, Vec<Record>)> {
        let mut reader = Reader::new(path);
        let before = reader.more()?;
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(reader.offset)?;
        let journal = Self {
            file: Mutex::new(file),
            skew,
        };
        journal.note(&Record::Started { at: journal.now() });
        Ok((journal, before))
    }

    /// The machine's time, whatever this process's clock says.
    ///
    /// # Panics
    ///
    /// Before 1970.
    #[must_use]
    pub fn now(&self) -> u64 {
        millis(SystemTime::now())
            .checked_add_signed(-self.skew)
            .expect("after 1970")
    }

    /// That of a time by the machine's clock.
    #[must_use]
    pub fn machine_time(at: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(at)
    }

    /// # Panics
    ///
    /// If it cannot be written: without a journal a worker is of no use.
    pub fn note(&self, record: &Record) {
        self.note_all([record]);
    }

    /// Several at once.
    ///
    /// # Panics
    ///
    /// As [`note`](Self::note).
    pub fn note_all<'r>(&self, records: impl IntoIterator<Item = &'r Record>) {
        let mut lines = String::new();
        for record in records {
            lines += &serde_json::to_string(record).expect("JSON");
            lines.push('\n');
        }
        let mut file = self.file.lock().expect("no writer panics");
        file.write_all(lines.as_bytes())
            .expect("the journal can be written");
    }
}

/// Reads what is added to a journal, also while it is written.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    /// Behind the last line that was whole.
    offset: u64,
}

impl Reader {
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            offset: 0,
        }
    }

    /// What has been added since the last time; nothing if there is no file yet. A line that is not whole, since its
    /// process was killed, is nothing.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or holds what is no journal's.
    pub fn more(&mut self) -> io::Result<Vec<Record>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |last| last + 1);
        text.truncate(whole);
        self.offset += whole as u64;
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice(line).map_err(io::Error::other))
            .collect()
    }
}
