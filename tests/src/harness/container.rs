//! A server in a container, through Docker's command line.

use std::env;
use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::guard::Guard;
use super::options::ServerOptions;
use super::raw::{Raw, Target};
use super::{free_port, unique};

const START_WITHIN: Duration = Duration::from_secs(30);

/// True where the container tests can run. Where they cannot, says so on standard error, since a test that
/// did nothing looks like one that passed.
///
/// # Panics
///
/// Where they cannot and `KVREPO_REQUIRE_DOCKER` is `1`, as in CI and in scripts/test when a daemon answers.
#[must_use]
pub fn docker_or_loud_skip() -> bool {
    let Err(reason) = usable() else { return true };
    let required = env::var("KVREPO_REQUIRE_DOCKER").is_ok_and(|value| value == "1");
    assert!(
        !required,
        "KVREPO_REQUIRE_DOCKER is 1, but there is no container: {reason}"
    );
    eprintln!("NOT TESTED in a container: {reason}");
    false
}

/// The image of the container tests, if it can be run; it is never pulled from here.
pub(super) fn usable() -> io::Result<String> {
    let image = env::var("KVREPO_TEST_IMAGE").unwrap_or_else(|_| "valkey/valkey:9.1".to_owned());
    // The client alone proves nothing: it is the server's version that is asked for.
    docker(&["version", "--format", "{{.Server.Version}}"])
        .map_err(|error| io::Error::other(format!("no Docker daemon answers: {error}")))?;
    docker(&["image", "inspect", "--format", "{{.Id}}", &image]).map_err(|_| {
        io::Error::other(format!(
            "there is no image {image}; scripts/container-image makes a stand-in"
        ))
    })?;
    Ok(image)
}

#[derive(Debug)]
pub(super) struct Container {
    name: String,
    port: u16,
    password: Option<String>,
    guard: Guard,
}

impl Container {
    /// Runs a server in a container, with a port of its own on the loopback, and waits until it answers.
    pub(super) fn start(image: &str, options: &ServerOptions) -> io::Result<Self> {
        if options.wants_unix_socket() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "a server in a container has no unix socket",
            ));
        }
        let mut guard = Guard::of_container()?;
        let name = unique("kvrepo-test-");
        // Before it is there, so that there is no instant at which it is there and not watched.
        guard.watch(&name)?;
        let mut container = Self {
            name,
            port: 0,
            password: options.password.clone(),
            guard,
        };
        for _ in 0..10 {
            container.port = free_port()?;
            match container.run(image, options) {
                Err(error) if taken(&error) => docker(&["rm", "--force", "--volumes", &container.name])?,
                result => return result.map(|()| container),
            };
        }
        Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            "ten free ports were taken before the container had them",
        ))
    }

    /// Kills the server if it runs, and starts it again on the same port with the same files.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        docker(&["start", &self.name])?;
        self.wait_until_ready()
    }

    /// `SIGKILL`; the container stays for a restart.
    pub(super) fn kill(&mut self) -> io::Result<()> {
        if self.is_running() {
            docker(&["kill", &self.name]).map(drop)
        } else {
            Ok(())
        }
    }

    /// Freezes all processes of the container.
    pub(super) fn pause(&self) -> io::Result<()> {
        docker(&["pause", &self.name]).map(drop)
    }

    /// Ends what [`pause`](Self::pause) began.
    pub(super) fn resume(&self) -> io::Result<()> {
        docker(&["unpause", &self.name]).map(drop)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn is_running(&self) -> bool {
        docker(&[
            "container",
            "inspect",
            "--format",
            "{{.State.Running}}",
            &self.name,
        ])
        .is_ok_and(|running| running == "true")
    }

    /// What the server has written to its standard output and error.
    pub(super) fn log(&self) -> String {
        docker(&["logs", &self.name]).unwrap_or_else(|error| error.to_string())
    }

    // Not `--rm`, which would take the container away when it is killed and leave nothing to restart; and a port
    // that is named, since one that Docker chooses is another after a restart.
    fn run(&self, image: &str, options: &ServerOptions) -> io::Result<()> {
        let publish = format!("127.0.0.1:{}:6379", self.port);
        let mut line = vec!["run", "--detach", "--name", &self.name, "--publish", &publish];
        let server = options.command_line("*", 6379, None);
        line.extend([image, "valkey-server", "--protected-mode", "no"]);
        line.extend(server.iter().map(String::as_str));
        docker(&line)?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&self) -> io::Result<()> {
        let host = "127.0.0.1".to_owned();
        let password = self.password.clone();
        let raw = Raw::new(Target {
            host,
            port: self.port,
            user: None,
            password,
            database: 0,
        });
        let give_up = Instant::now() + START_WITHIN;
        loop {
            // Docker answers on the port before the server does; and a server that is loading refuses this.
            let Err(error) = raw.command(&[b"DBSIZE".to_vec()]) else {
                return Ok(());
            };
            if Instant::now() > give_up || !self.is_running() {
                let log = self.log();
                return Err(io::Error::other(format!(
                    "the container did not come up ({error}); its log:\n{log}"
                )));
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        if docker(&["rm", "--force", "--volumes", &self.name]).is_ok() {
            self.guard.release();
        }
    }
}

fn taken(error: &io::Error) -> bool {
    let text = error.to_string();
    text.contains("port is already allocated") || text.contains("address already in use")
}

/// Runs one command of Docker's client and returns what it printed.
fn docker(args: &[&str]) -> io::Result<String> {
    let output = Command::new("docker").args(args).stdin(Stdio::null()).output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        let errors = if args.first() == Some(&"logs") {
            text(&output.stderr)
        } else {
            String::new()
        };
        return Ok(text(&output.stdout) + &errors);
    }
    let what = args.first().copied().unwrap_or_default();
    Err(io::Error::other(format!(
        "docker {what}: {}",
        text(&output.stderr)
    )))
}
