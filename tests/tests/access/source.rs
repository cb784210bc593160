//! The sources that speak to servers, and the words in them that can be commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Commands that are nothing without a subcommand.
const CONTAINERS: &[&str] = &[
    "ACL", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "FUNCTION", "LATENCY", "MEMORY", "MODULE", "OBJECT",
    "PUBSUB", "SCRIPT", "SLOWLOG", "XGROUP", "XINFO",
];

/// What the client sends where this stands in a source: its own words are not in ours.
const SENT_BY_THE_CLIENT: &[(&str, &[&str])] = &[
    ("into_connection_info()", &["AUTH", "SELECT"]),
    ("ProtocolVersion::RESP3", &["HELLO"]),
    (".set_lib_name(", &["CLIENT|SETINFO"]),
    (".subscribe(", &["SUBSCRIBE"]),
    (".atomic()", &["MULTI", "EXEC"]),
];

/// A file, without its comments.
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kvrepo/src")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Those files of the library that speak to servers, without their tests; or the others.
pub fn sources(of_the_server: bool) -> Vec<Source> {
    let mut paths = Vec::new();
    files(&root(), &mut paths);
    let (module, folder) = (root().join("backend/valkey.rs"), root().join("backend/valkey"));
    paths.retain(|path| {
        let is_code = path.extension().is_some_and(|kind| kind == "rs" || kind == "lua");
        is_code && (*path == module || path.starts_with(&folder)) == of_the_server
    });
    let all = paths.into_iter().map(Source::read);
    if of_the_server {
        all.map(Source::without_tests).collect()
    } else {
        all.collect()
    }
}

impl Source {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("a text");
        let is_comment =
            |line: &str| line.trim_start().starts_with("//") || line.trim_start().starts_with("--");
        let lines: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
        let text = lines.join("\n");
        Self { path, text }
    }

    /// Without its tests, which stand at the end.
    fn without_tests(mut self) -> Self {
        if let Some((code, tests)) = self.text.split_once("#[cfg(test)]\n") {
            let is_last = tests.starts_with("mod tests {\n") && !tests.trim_end().contains("\n}\n");
            assert!(is_last, "code behind the tests of {}", self.path.display());
            self.text = code.to_owned();
        }
        self
    }

    pub fn is_script(&self) -> bool {
        self.path.extension().is_some_and(|kind| kind == "lua")
    }

    /// The words in capitals that stand between quotation marks, with their places.
    fn capitals(&self) -> Vec<(usize, &str)> {
        let quotes = self.text.match_indices(['\'', '"']);
        let words = quotes.filter_map(|(at, quote)| {
            let rest = &self.text[at + 1..];
            let word = &rest[..rest.find(quote)?];
            let is_word =
                word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            is_word.then_some((at + 1, word))
        });
        words
            .filter(|(_, word)| word.starts_with(|c: char| c.is_ascii_uppercase()))
            .collect()
    }

    /// These, with the subcommands of commands that have some, and what the client sends besides.
    pub fn words(&self) -> BTreeSet<String> {
        let mut words = BTreeSet::new();
        let mut capitals = self.capitals().into_iter();
        while let Some((at, word)) = capitals.next() {
            if !CONTAINERS.contains(&word) {
                words.insert(word.to_owned());
                continue;
            }
            let behind = at + word.len() + 1;
            let (next, subcommand) = capitals.next().unwrap_or((self.text.len(), ""));
            let between: String = self.text[behind..next - 1].split_whitespace().collect();
            assert!(
                [").arg(", ","].contains(&between.as_str()),
                "the subcommand of {word} has to stand behind it, in {}: {between}",
                self.path.display()
            );
            words.insert(format!("{word}|{subcommand}"));
        }
        for (place, sent) in SENT_BY_THE_CLIENT {
            if self.text.contains(place) {
                words.extend(sent.iter().map(|command| (*command).to_owned()));
            }
        }
        words
    }

    /// What is called as a command is a word that [`words`](Self::words) sees, or a variable, which got it from one.
    pub fn hidden_commands(&self) -> Vec<String> {
        let calls: &[&str] = if self.is_script() {
            &["redis.call(", "redis.pcall("]
        } else {
            &["::cmd(", ".cmd("]
        };
        let all = calls.iter().flat_map(|call| self.text.match_indices(call));
        let arguments = all.map(|(at, call)| {
            let rest = &self.text[at + call.len()..];
            rest[..rest.find([',', ')', '\n']).unwrap_or(rest.len())].trim()
        });
        let is_plain = |argument: &&str| {
            let word = argument.trim_matches(['\'', '"']);
            if word.len() < argument.len() {
                return word.chars().all(|c| c.is_ascii_uppercase());
            }
            let is_variable = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
            word == "..." || (word.chars().all(is_variable) && !word.contains(".."))
        };
        arguments
            .filter(|argument| !is_plain(argument))
            .map(str::to_owned)
            .collect()
    }
}

/// Where each word stands.
pub fn words() -> BTreeMap<String, Vec<String>> {
    let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources(true) {
        let name = source
            .path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for word in source.words() {
            words.entry(word).or_default().push(name.clone());
        }
    }
    words
}
