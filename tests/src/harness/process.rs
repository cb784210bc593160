//! A server as a child process: own folder, own port, own guard.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::guard::Guard;
use super::options::ServerOptions;
use super::raw::{Raw, Target};
use super::{free_port, unique};

const START_WITHIN: Duration = Duration::from_secs(20);

/// Waits for a line before it becomes the server, which is sent once the guard knows its process id: there is no
/// instant at which the owner could die and leave it.
const GATE: &str = r#"read -r _ || exit 1; exec "$0" "$@" </dev/null"#;

#[derive(Debug)]
pub(super) struct Process {
    binary: PathBuf,
    options: ServerOptions,
    folder: PathBuf,
    port: u16,
    child: Option<Child>,
    guard: Guard,
}

impl Process {
    /// Starts a server on a free port, and waits until it answers.
    pub(super) fn start(binary: &Path, options: &ServerOptions) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(unique("kvrepo-test-"));
        let guard = Guard::of_process(&folder)?;
        fs::create_dir(&folder)?;
        let (binary, options) = (binary.to_owned(), options.clone());
        let mut process = Self {
            binary,
            options,
            folder,
            port: 0,
            child: None,
            guard,
        };
        for _ in 0..10 {
            process.port = free_port()?;
            match process.launch() {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                result => return result.map(|()| process),
            }
        }
        Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            "ten free ports were taken before the server had them",
        ))
    }

    /// Kills the server if it runs, and starts it again on the same port and the same folder.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        let give_up = Instant::now() + START_WITHIN;
        loop {
            match self.launch() {
                // Someone's passing connection may hold the port for a moment.
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < give_up => {
                    thread::sleep(Duration::from_millis(50));
                }
                result => return result,
            }
        }
    }

    /// `SIGKILL`; returns when the process is gone.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            self.guard.forget()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Sends a signal by its name, `STOP` or `CONT`.
    pub(super) fn signal(&self, name: &str) -> io::Result<()> {
        let pid = self
            .pid()
            .ok_or_else(|| io::Error::other("the server does not run"))?;
        // The shell's own `kill`: a slim system has no other.
        let status = Command::new("sh")
            .args(["-c", r#"kill -s "$0" "$1""#, name, &pid.to_string()])
            .status()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("kill -s {name} {pid}: {status}")))
        }
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn socket(&self) -> Option<PathBuf> {
        self.options
            .wants_unix_socket()
            .then(|| self.folder.join("server.sock"))
    }

    /// What the server has written to its log since it was started last.
    pub(super) fn log(&self) -> String {
        fs::read(self.log_path()).map_or_else(
            |_| String::new(),
            |log| String::from_utf8_lossy(&log).into_owned(),
        )
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    fn launch(&mut self) -> io::Result<()> {
        let log = File::create(self.log_path())?;
        let mut child = Command::new("sh")
            .args(["-c", GATE])
            .arg(&self.binary)
            .args(
                self.options
                    .command_line("127.0.0.1", self.port, self.socket().as_deref()),
            )
            .arg("--dir")
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let gate = child.stdin.take();
        let pid = child.id();
        self.child = Some(child);
        self.guard.watch(&pid.to_string())?;
        if let Some(mut gate) = gate {
            gate.write_all(b"go\n")?;
        }
        let ready = self.wait_until_ready(pid);
        if ready.is_err() {
            self.kill()?;
        }
        ready
    }

    /// Waits until the server that answers on the port is the very child: another's may have been quicker.
    fn wait_until_ready(&mut self, pid: u32) -> io::Result<()> {
        let raw = Raw::new(Target {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            user: None,
            password: self.options.password.clone(),
            database: 0,
        });
        let mine = format!("process_id:{pid}\r\n");
        let give_up = Instant::now() + START_WITHIN;
        let mut last = "no answer".to_owned();
        while Instant::now() < give_up {
            if let Some(status) = self.child.as_mut().map(Child::try_wait).transpose()?.flatten() {
                let log = self.log();
                let in_use = log.contains("Address already in use");
                let kind = if in_use {
                    io::ErrorKind::AddrInUse
                } else {
                    io::ErrorKind::Other
                };
                let binary = self.binary.display();
                return Err(io::Error::new(
                    kind,
                    format!("{binary} ended at its start ({status}); its log:\n{log}"),
                ));
            }
            match raw
                .command(&[b"INFO".to_vec(), b"server".to_vec()])
                .and_then(|info| redis::from_redis_value::<String>(info).map_err(redis::RedisError::from))
            {
                Ok(info) if info.contains(&mine) => match raw.command(&[b"DBSIZE".to_vec()]) {
                    Ok(_) => return Ok(()),
                    // Still reading its append-only file.
                    Err(error) => last = error.to_string(),
                },
                Ok(_) => last = "another server answers on the port".to_owned(),
                Err(error) => last = error.to_string(),
            }
            thread::sleep(Duration::from_millis(2));
        }
        let binary = self.binary.display();
        Err(io::Error::other(format!(
            "{binary} was not ready in time ({last}); its log:\n{}",
            self.log()
        )))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.kill().is_ok() && fs::remove_dir_all(&self.folder).is_ok() {
            self.guard.release();
        }
    }
}
