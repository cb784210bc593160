//! Where a test's server comes from. CONTRIBUTING.md has the order in words.

use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::container;

/// Where the servers of this run come from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A server that runs already, named by `KVREPO_TEST_URL`. Only for tests that share one.
    Url(String),
    /// A container of this image.
    Container(String),
    /// A process of this binary.
    Process {
        /// The server's binary.
        binary: PathBuf,
        /// What it says of itself: `Valkey 9.1.2`.
        version: String,
        /// Where it was found.
        found: &'static str,
    },
}

impl Source {
    /// The source of servers that a test has to itself.
    ///
    /// # Errors
    ///
    /// When there is none; the error's text says what can be done.
    pub fn own() -> io::Result<Self> {
        match env::var("KVREPO_TEST_SERVER").as_deref() {
            Ok("container") => Self::container(),
            Ok("process") => Self::process(),
            Ok(other) => {
                let text = format!("KVREPO_TEST_SERVER is `{other}`, but can be `container` or `process`");
                Err(io::Error::other(text))
            }
            Err(_) => Self::find_process()?.map_or_else(Self::container, Ok),
        }
    }

    /// A process of a binary on this machine.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn process() -> io::Result<Self> {
        Self::find_process()?.ok_or_else(|| no_server("no valkey-server or redis-server is installed"))
    }

    fn find_process() -> io::Result<Option<Self>> {
        if let Some(path) = env::var_os("KVREPO_VALKEY_SERVER") {
            let named = ask(Path::new(&path), "KVREPO_VALKEY_SERVER");
            return named.map(Some).ok_or_else(|| {
                io::Error::other(format!(
                    "KVREPO_VALKEY_SERVER names {path:?}, which is no server that runs"
                ))
            });
        }
        let installed = on_path("valkey-server");
        if installed.as_ref().is_some_and(|source| source.major() >= 9) {
            return Ok(installed);
        }
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap_or(Path::new("."));
        let unpacked = ask(
            &workspace.join("target/valkey/valkey-server"),
            "unpacked by scripts/valkey",
        );
        Ok(unpacked.or(installed).or_else(|| on_path("redis-server")))
    }

    /// The source of a server that tests share: `KVREPO_TEST_URL`, if it is set, or one of this run's own.
    ///
    /// # Errors
    ///
    /// As [`own`](Self::own).
    pub fn shared() -> io::Result<Self> {
        env::var("KVREPO_TEST_URL").map_or_else(|_| Self::own(), |url| Ok(Self::Url(url)))
    }

    /// A container of the image that the tests use.
    ///
    /// # Errors
    ///
    /// When no Docker daemon answers, or it has no such image.
    pub fn container() -> io::Result<Self> {
        container::usable()
            .map(Self::Container)
            .map_err(|reason| no_server(&reason.to_string()))
    }

    /// The major version, 0 where it is not known.
    fn major(&self) -> u32 {
        let Self::Process { version, .. } = self else {
            return 0;
        };
        let number = version
            .split(' ')
            .nth(1)
            .and_then(|number| number.split('.').next());
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(_) => write!(f, "the running server that KVREPO_TEST_URL names"),
            Self::Container(image) => write!(f, "containers of the image {image}"),
            Self::Process {
                binary,
                version,
                found,
            } => {
                write!(f, "processes of {version}, {} ({found})", binary.display())
            }
        }
    }
}

fn no_server(reason: &str) -> io::Error {
    io::Error::other(format!(
        "the tests need a server ({reason}). One of these gives them one:\n  \
         scripts/test             finds or downloads one and runs everything\n  \
         scripts/valkey           downloads one for `cargo test` to use\n  \
         scripts/container-image  makes the image for KVREPO_TEST_SERVER=container\n  \
         KVREPO_VALKEY_SERVER     names the binary of one\n  \
         KVREPO_TEST_URL          names a running one (only for tests that share a server)"
    ))
}

fn on_path(name: &str) -> Option<Source> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .and_then(|file| ask(&file, "on PATH"))
}

/// Asks a binary for its version: `Valkey server v=9.1.2 sha=…`, `Redis server v=7.0.15 sha=…`.
fn ask(binary: &Path, found: &'static str) -> Option<Source> {
    let output = Command::new(binary)
        .arg("--version")
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let number = text.split_whitespace().find_map(|word| word.strip_prefix("v="))?;
    let name = text.split_whitespace().next().unwrap_or("server");
    Some(Source::Process {
        binary: binary.to_owned(),
        version: format!("{name} {number}"),
        found,
    })
}
