//! Commands as a server says it received them.

use std::fmt;
use std::net::SocketAddr;

/// Who ran a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A client, by its address: `127.0.0.1:4711`, or `unix:` and a path.
    Client(String),
    /// A script or function on the server.
    Script,
}

/// One command that a server received.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The database it ran in.
    pub database: u32,
    /// Who ran it.
    pub origin: Origin,
    /// The client's name (`CLIENT SETNAME`), where it has one.
    pub client_name: Option<String>,
    /// The command and its arguments.
    pub args: Vec<Vec<u8>>,
}

impl Command {
    /// The command's name in capitals: `HGETALL`.
    #[must_use]
    pub fn verb(&self) -> String {
        self.arg(0).to_uppercase()
    }

    /// An argument as text, with what is not UTF-8 replaced; empty where there is none. The verb is number 0.
    #[must_use]
    pub fn arg(&self, number: usize) -> String {
        self.args
            .get(number)
            .map_or_else(String::new, |arg| String::from_utf8_lossy(arg).into_owned())
    }

    /// Reads a line of `MONITOR`, without the leading `+`: `1339518083.107412 [0 127.0.0.1:60866] "get" "x"`.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let open = line.iter().position(|byte| *byte == b'[')?;
        let quote = line.iter().position(|byte| *byte == b'"')?;
        let head = std::str::from_utf8(line.get(open + 1..quote)?)
            .ok()?
            .trim_end()
            .strip_suffix(']')?;
        let (database, origin) = head.split_once(' ')?;
        let origin = if origin == "lua" {
            Origin::Script
        } else {
            Origin::Client(origin.to_owned())
        };
        let args = unquote(line.get(quote..)?)?;
        Some(Self {
            database: database.parse().ok()?,
            origin,
            client_name: None,
            args,
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let script = if self.origin == Origin::Script {
            "(in a script) "
        } else {
            ""
        };
        let words: Vec<_> = (0..self.args.len()).map(|number| self.arg(number)).collect();
        write!(f, "{script}{}", words.join(" "))
    }
}

/// Splits `"set" "a b" "\x00\""` into its words.
fn unquote(mut text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    while let Some((&byte, rest)) = text.split_first() {
        text = rest;
        match (&mut word, byte) {
            (Some(_), b'"') => words.extend(word.take()),
            (Some(bytes), b'\\') => {
                let (&escaped, rest) = text.split_first()?;
                text = rest;
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'a' => 7,
                    b'b' => 8,
                    b'x' => {
                        let (digits, rest) = text.split_at_checked(2)?;
                        text = rest;
                        u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
                    }
                    other => other,
                });
            }
            (Some(bytes), byte) => bytes.push(byte),
            (None, b'"') => word = Some(Vec::new()),
            (None, _) => {}
        }
    }
    Some(words)
}

/// The commands of some time, in the order in which the server ran them; filters make it smaller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Commands {
    list: Vec<Command>,
}

impl Commands {
    pub(super) fn new(list: Vec<Command>) -> Self {
        Self { list }
    }

    /// Those for which `keep` is true.
    pub fn filter(&self, keep: impl Fn(&Command) -> bool) -> Self {
        Self {
            list: self
                .list
                .iter()
                .filter(|command| keep(command))
                .cloned()
                .collect(),
        }
    }

    /// Those that clients sent: what goes over the wire.
    pub fn by_clients(&self) -> Self {
        self.filter(|command| command.origin != Origin::Script)
    }

    /// Those that scripts ran.
    pub fn by_scripts(&self) -> Self {
        self.filter(|command| command.origin == Origin::Script)
    }

    /// Those that the client at this address sent. A server in a container sees other addresses: use
    /// [`named`](Self::named) there.
    pub fn from(&self, address: SocketAddr) -> Self {
        let origin = Origin::Client(address.to_string());
        self.filter(|command| command.origin == origin)
    }

    /// Those that clients of this name sent.
    pub fn named(&self, client_name: &str) -> Self {
        self.filter(|command| command.client_name.as_deref() == Some(client_name))
    }

    /// Those of this verb, in any case: `commands.of("keys").is_empty()`.
    pub fn of(&self, verb: &str) -> Self {
        self.filter(|command| command.verb() == verb.to_uppercase())
    }

    /// Without what a connection says about itself: `HELLO`, `AUTH`, `CLIENT`, `SELECT`, `PING`.
    pub fn without_handshakes(&self) -> Self {
        self.filter(|command| {
            !["HELLO", "AUTH", "CLIENT", "SELECT", "PING"].contains(&command.verb().as_str())
        })
    }

    /// The verbs, in order.
    #[must_use]
    pub fn verbs(&self) -> Vec<String> {
        self.list.iter().map(Command::verb).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One after another.
    pub fn iter(&self) -> std::slice::Iter<'_, Command> {
        self.list.iter()
    }
}

impl<'a> IntoIterator for &'a Commands {
    type Item = &'a Command;
    type IntoIter = std::slice::Iter<'a, Command>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// One command a line, for the message of an assertion.
impl fmt::Display for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.iter().try_for_each(|command| writeln!(f, "{command}"))
    }
}
