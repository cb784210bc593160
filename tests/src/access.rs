//! What a user has to be allowed on a server, as the page `kvrepo::servers` says it: no test has a list of its own.

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../kvrepo/src/docs/servers.md");
/// What stands before the rules on the page, which has an example of a user in an example of a keyspace.
const COMMAND: &str = "ACL SETUSER orders ";
const KEYSPACE: &str = "people";
/// The part that nothing fails without.
pub const OPTIONAL: &str = "Optional";

/// The rules of the page, part by part, by the headings they stand under. Their order counts.
#[derive(Debug, Clone)]
pub struct Access {
    parts: Vec<(&'static str, Vec<&'static str>)>,
}

impl Access {
    /// All that is on the page.
    #[must_use]
    pub fn documented() -> Self {
        let mut parts = vec![("", Vec::new())];
        for line in PAGE.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                parts.push((title, Vec::new()));
            } else if let (Some(rules), Some((_, part))) = (line.strip_prefix(COMMAND), parts.last_mut()) {
                part.extend(rules.split(' '));
            }
        }
        Self { parts }
    }

    /// What is needed: all but what is optional.
    #[must_use]
    pub fn required() -> Self {
        Self::documented().without(OPTIONAL)
    }

    /// Without one part.
    ///
    /// # Panics
    ///
    /// When the page has no such part; so does [`part`](Self::part).
    #[must_use]
    pub fn without(mut self, part: &str) -> Self {
        assert!(!self.part(part).is_empty(), "the page says nothing of {part}");
        self.parts.retain(|(title, _)| *title != part);
        self
    }

    /// The rules of one part.
    #[must_use]
    pub fn part(&self, part: &str) -> &[&'static str] {
        let found = self.parts.iter().find(|(title, _)| *title == part);
        let (_, rules) = found.unwrap_or_else(|| panic!("the page has no part {part}: {self:?}"));
        rules
    }

    /// The commands, in lower case, with their subcommands: `config|get`.
    #[must_use]
    pub fn commands(&self) -> BTreeSet<&'static str> {
        self.rules().filter_map(|rule| rule.strip_prefix('+')).collect()
    }

    /// An ACL user with these rules, for the keyspaces of these names with their prefixes, and no more.
    #[must_use]
    pub fn user(&self, name: &str, password: &str, keyspaces: &[&str]) -> String {
        let mut user = vec![name.to_owned()];
        for rule in self.rules() {
            match rule.chars().next() {
                Some('>') => user.push(format!(">{password}")),
                Some('~') => user.extend(keyspaces.iter().map(|keyspace| {
                    // Of what is special in a pattern, names may have nothing else.
                    rule.replace(KEYSPACE, &keyspace.replace('\\', r"\\"))
                })),
                _ => user.push(rule.to_owned()),
            }
        }
        user.join(" ")
    }

    fn rules(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().flat_map(|(_, rules)| rules.iter().copied())
    }
}
