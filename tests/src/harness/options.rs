//! How a test wants its server.

use std::path::Path;

/// Where a server of a test's own is to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Where this run's servers are.
    #[default]
    Any,
    Process,
    Container,
}

/// What a server of a test's own is started with; the default is an empty server that writes nothing to disk.
///
/// ```text
/// let server = TestServer::with(ServerOptions::new().append_only().notify("Ex")).await;
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ServerOptions {
    append_only: bool,
    unix_socket: bool,
    pub(super) place: Place,
    pub(super) database: u32,
    pub(super) password: Option<String>,
    users: Vec<String>,
    args: Vec<String>,
}

impl ServerOptions {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps data in an append-only file, so that it is still there after [`restart`](super::TestServer::restart).
    pub fn append_only(mut self) -> Self {
        self.append_only = true;
        self
    }

    /// Sets `notify-keyspace-events` at the start, `"Ex"` for example.
    pub fn notify(self, flags: &str) -> Self {
        self.arg("--notify-keyspace-events").arg(flags)
    }

    /// How often a second the server looks for expired keys: 10 unless set.
    pub fn hz(self, hz: u32) -> Self {
        self.arg("--hz").arg(hz.to_string())
    }

    /// The database that [`url`](super::TestServer::url) and the raw client use: 0 unless set.
    pub fn database(mut self, number: u32) -> Self {
        self.database = number;
        self
    }

    /// Listens on a unix socket too: [`unix_url`](super::TestServer::unix_url). Only a process does.
    pub fn unix_socket(mut self) -> Self {
        self.unix_socket = true;
        self.process()
    }

    /// The password of the default user. Only letters and digits: it goes into the URL as it is.
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self
    }

    /// One more ACL user, with its rules: `"ann on >secret ~ann:* &* +@all"`.
    pub fn user(mut self, rules: &str) -> Self {
        self.users.push(rules.to_owned());
        self
    }

    /// One more argument for the server's command line, name or value.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Runs the server in a container, wherever other tests' servers come from.
    pub fn container(mut self) -> Self {
        self.place = Place::Container;
        self
    }

    /// Runs the server as a process, for a test that needs its id, or clients whose addresses the server sees as they are.
    pub fn process(mut self) -> Self {
        self.place = Place::Process;
        self
    }

    pub(super) fn wants_unix_socket(&self) -> bool {
        self.unix_socket
    }

    /// The command line without the binary. `socket` stands where [`unix_socket`](Self::unix_socket) was asked for.
    pub(super) fn command_line(&self, bind: &str, port: u16, socket: Option<&Path>) -> Vec<String> {
        let port = port.to_string();
        let append_only = if self.append_only { "yes" } else { "no" };
        // A test that kills its server wants to find each acknowledged write again.
        let mut line: Vec<String> = [
            "--bind",
            bind,
            "--port",
            &port,
            "--save",
            "",
            "--appendonly",
            append_only,
            "--appendfsync",
            "always",
        ]
        .map(str::to_owned)
        .into();
        if let Some(socket) = socket {
            line.extend(["--unixsocket".to_owned(), socket.display().to_string()]);
        }
        if let Some(password) = &self.password {
            line.extend(["--requirepass".to_owned(), password.clone()]);
        }
        for user in &self.users {
            line.push("--user".to_owned());
            line.extend(user.split_whitespace().map(str::to_owned));
        }
        line.extend(self.args.iter().cloned());
        line
    }
}
