//! The worker processes, each behind a proxy of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command as Blocking, Stdio};
use std::time::{Duration, Instant};

use kvrepo_tests::chaos::journal::{Reader, Record};
use kvrepo_tests::chaos::worker::{Role, Settings};
use kvrepo_tests::harness::{Proxy, TestServer};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use super::oracle::Noted;

/// The longest that a worker may take to be ready, or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place that one worker process after the other takes.
#[derive(Debug)]
pub struct Slot {
    pub settings: Settings,
    pub proxy: Proxy,
    child: Option<Child>,
    reader: Reader,
    /// All that its workers have noted, as far as it was read.
    pub noted: Vec<Record>,
}

/// What is to be started.
#[derive(Debug, Clone, Copy)]
pub struct Post {
    pub role: Role,
    /// By how much its clock is ahead, in milliseconds.
    pub skew: i64,
}

impl Slot {
    pub async fn new(
        server: &TestServer,
        folder: &Path,
        slot: u64,
        post: Post,
        seed: u64,
        claim_after: Duration,
    ) -> Self {
        let proxy = Proxy::in_front_of(server).await;
        let journal = folder.join(format!("{slot}-{}.journal", post.role.name()));
        let settings = Settings {
            role: post.role,
            url: proxy.url(),
            slot,
            seed,
            claim_after: claim_after.as_millis() as u64,
            skew: post.skew,
            journal: journal.clone(),
        };
        Self {
            settings,
            proxy,
            child: None,
            reader: Reader::new(&journal),
            noted: Vec::new(),
        }
    }

    /// # Panics
    ///
    /// If the process cannot be started.
    pub fn start(&mut self) {
        let log = self.settings.journal.with_extension("log");
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(log)
            .expect("a file for what a worker says");
        let mut command = Command::new(env!("CARGO_BIN_EXE_chaos_worker"));
        command
            .envs(self.settings.variables())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true);
        if self.settings.skew != 0 {
            command.env("LD_PRELOAD", shim_in(&self.settings.journal));
        }
        self.child = Some(command.spawn().expect("a worker process"));
    }

    /// With SIGKILL.
    ///
    /// # Panics
    ///
    /// If it has ended by itself.
    pub async fn kill(&mut self) {
        self.is_alive();
        if let Some(mut child) = self.child.take() {
            child.kill().await.expect("a process to kill");
        }
    }

    /// Stops the process's clockwork, or lets it go on.
    pub async fn freeze(&self, freeze: bool) {
        let signal = if freeze { "STOP" } else { "CONT" };
        let Some(pid) = self.child.as_ref().and_then(Child::id) else {
            return;
        };
        // The shell's own `kill`: a slim system has no other.
        let kill = format!("kill -s {signal} {pid}");
        let done = Command::new("sh").args(["-c", &kill]).status().await;
        assert!(done.is_ok_and(|status| status.success()), "{kill}");
    }

    /// # Panics
    ///
    /// If it has ended by itself.
    pub fn is_alive(&mut self) {
        if let Some(child) = &mut self.child
            && let Some(status) = child.try_wait().expect("a status")
        {
            panic!(
                "the worker of {} has ended by itself: {status}",
                self.settings.journal.display()
            );
        }
    }

    /// Tells the worker to finish what it does, and waits until it has ended.
    ///
    /// # Panics
    ///
    /// If it does not end, or not well.
    pub async fn stop(&mut self) {
        self.is_alive();
        let Some(mut child) = self.child.take() else {
            return;
        };
        let mut input = child.stdin.take().expect("its input");
        input.write_all(b"stop\n").await.expect("a worker that hears");
        let ended = tokio::time::timeout(PATIENCE, child.wait()).await;
        let journal = self.settings.journal.display();
        let status = ended.unwrap_or_else(|_| panic!("the worker of {journal} does not stop"));
        assert!(status.expect("a status").success(), "the worker of {journal}");
    }

    /// Waits until it says that it is ready.
    ///
    /// # Panics
    ///
    /// If it does not come to be.
    pub async fn ready(&mut self) {
        let until = Instant::now() + PATIENCE;
        loop {
            self.is_alive();
            self.read();
            let last = self.noted.iter().rev();
            let mut since_start = last.take_while(|record| !matches!(record, Record::Started { .. }));
            if since_start.any(|record| *record == Record::Ready) {
                return;
            }
            let journal = self.settings.journal.display();
            assert!(Instant::now() < until, "the worker of {journal} is not ready");
            sleep(Duration::from_millis(20)).await;
        }
    }

    #[must_use]
    pub fn noted(&self) -> Noted<'_> {
        Noted {
            role: self.settings.role,
            slot: self.settings.slot,
            skew: self.settings.skew,
            records: &self.noted,
        }
    }

    /// Takes in what has been noted.
    ///
    /// # Panics
    ///
    /// If it is not to be read.
    pub fn read(&mut self) {
        let more = self.reader.more();
        self.noted.extend(more.expect("a journal that can be read"));
    }
}

fn shim_in(journal: &Path) -> PathBuf {
    journal.with_file_name("skew.so")
}

/// Compiles what moves the clock of a process.
///
/// # Panics
///
/// If there is no C compiler, or it fails.
pub fn compile_shim(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos/skew.c");
    let compiled = Blocking::new("cc")
        .args(["-shared", "-fPIC", "-O", "-o"])
        .arg(folder.join("skew.so"))
        .arg(source)
        .arg("-ldl")
        .output();
    match compiled {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!(
            "`cc` could not compile tests/tests/chaos/skew.c, which moves the clock of a worker: {}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => panic!(
            "the chaos test needs a C compiler as `cc`, for the few lines that move the clock of a worker"
        ),
        Err(error) => panic!("`cc`: {error}"),
    }
}
