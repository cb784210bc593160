//! Sees to it that a server does not outlive the test that started it, whichever way that ends.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Reads lines from the test process, which hold the pipe's only writer; at its end, cleans up what is watched.
/// `end` says that the owner has cleaned up by itself.
const LOOP: &str = r#"
trap '' HUP INT TERM
watched=
while read -r word name; do
    case $word in
        watch) watched=$name ;;
        forget) watched= ;;
        end) exit 0 ;;
    esac
done
"#;

const PROCESS: &str = r#"
[ -z "$watched" ] || kill -9 "$watched"
rm -rf "$1"
"#;

/// More than once: a `docker run` that was under way when its owner died creates the container a moment later.
const CONTAINER: &str = r#"
for pause in 0 1 2; do
    sleep "$pause"
    [ -z "$watched" ] || docker rm --force --volumes "$watched"
done
"#;

/// A small shell that waits for the end of this process.
///
/// It is in a process group of its own, so that what is sent to the test's group (Ctrl-C, a test runner's
/// time-out) does not reach it.
#[derive(Debug)]
pub(super) struct Guard {
    shell: Child,
}

impl Guard {
    /// A guard that kills the watched process, and removes `folder`.
    pub(super) fn of_process(folder: &Path) -> io::Result<Self> {
        Self::start(PROCESS, Some(folder))
    }

    /// A guard that removes the watched container.
    pub(super) fn of_container() -> io::Result<Self> {
        Self::start(CONTAINER, None)
    }

    fn start(clean_up: &str, folder: Option<&Path>) -> io::Result<Self> {
        // Rust opens its pipes close-on-exec: no other child, and no other guard, holds this one's writer.
        let shell = Command::new("sh")
            .args(["-c", &format!("{LOOP}{clean_up}"), "kvrepo-test-guard"])
            .args(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self { shell })
    }

    /// From now on `name`, a process id or a container, is cleaned up at the end.
    pub(super) fn watch(&mut self, name: &str) -> io::Result<()> {
        self.say(&format!("watch {name}\n"))
    }

    /// What was watched is gone. Said before a process id is given back to the system.
    pub(super) fn forget(&mut self) -> io::Result<()> {
        self.say("forget\n")
    }

    /// The owner has cleaned up: nothing is left to do.
    pub(super) fn release(&mut self) {
        // A guard that is gone has nothing to be told.
        self.say("end\n").ok();
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        match &mut self.shell.stdin {
            Some(pipe) => pipe.write_all(line.as_bytes()),
            None => Err(io::Error::other("the guard's pipe is closed")),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        self.shell.wait().ok();
    }
}
