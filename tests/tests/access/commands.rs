//! The commands of the page are those of the sources: a command that is added has to be documented, and one that is not
//! sent any more goes.

use std::collections::BTreeSet;

use kvrepo_tests::access::Access;

use super::source::{sources, words};

/// What stands in capitals and is no command: options, and the codes of errors.
const NO_COMMANDS: &[&str] = &[
    "BLOCK",
    "BUSYGROUP",
    "BYBOX",
    "BYRADIUS",
    "COUNT",
    "FORCE",
    "FROMLONLAT",
    "GROUP",
    "GT",
    "IDLE",
    "JUSTID",
    "KVABSENT",
    "KVCOLLISION",
    "KVCONFLICT",
    "KVEXISTS",
    "KVNONUMBER",
    "KVPASSED",
    "KVRANGE",
    "KVSUM",
    "KVUNIQUE",
    "KVWHOLE",
    "LIMIT",
    "MINID",
    "MKSTREAM",
    "NOGROUP",
    "ON",
    "OOM",
    "PX",
    "REPLACE",
    "RETRYCOUNT",
    "STREAMS",
    "WITHDIST",
    "WITHSCORES",
    "WRONGTYPE",
];

/// The server lets everybody send these.
const NEED_NO_RIGHT: &[&str] = &["AUTH", "HELLO"];

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn the_page_lists_the_commands_that_are_sent_and_no_others() {
    let words = words();
    let found: BTreeSet<String> = words.keys().cloned().collect();
    let documented: BTreeSet<String> = Access::documented()
        .commands()
        .iter()
        .map(|command| command.to_uppercase())
        .collect();
    let known = |word: &&String| !documented.contains(*word) && !set(NO_COMMANDS).contains(*word);
    let unknown: Vec<_> = words
        .iter()
        .filter(|(word, _)| known(word) && !set(NEED_NO_RIGHT).contains(*word))
        .collect();
    assert!(
        unknown.is_empty(),
        "these are neither on the page kvrepo/src/docs/servers.md, which lists the commands that a user has to be \
         allowed, nor in `NO_COMMANDS`: {unknown:?}"
    );
    let not_sent: Vec<_> = documented.difference(&found).collect();
    assert!(
        not_sent.is_empty(),
        "the page lists what is not sent: {not_sent:?}"
    );
    let not_used: Vec<_> = set(NO_COMMANDS)
        .into_iter()
        .filter(|word| !found.contains(word))
        .collect();
    assert!(
        not_used.is_empty(),
        "`NO_COMMANDS` has words that are nowhere: {not_used:?}"
    );
    for command in NEED_NO_RIGHT {
        assert!(found.contains(*command), "{command} is not sent");
    }
    assert_eq!(documented.intersection(&set(NO_COMMANDS)).count(), 0);
}

/// What the test above sees is all there is.
#[test]
fn no_command_is_sent_in_a_way_that_is_not_seen() {
    for source in sources(true) {
        let hidden = source.hidden_commands();
        assert!(hidden.is_empty(), "{}: {hidden:?}", source.path.display());
        // Methods of the client for single commands, of which only those in `SENT_BY_THE_CLIENT` are used.
        for unseen in [
            "Commands",
            "psubscribe(",
            "ssubscribe(",
            ".invoke",
            "ConnectionManager",
        ] {
            assert!(
                !source.text.contains(unseen),
                "{}: {unseen}",
                source.path.display()
            );
        }
    }
    for source in sources(false) {
        assert!(
            !source.text.contains("redis::"),
            "{} speaks to servers, which is for backend/valkey alone",
            source.path.display()
        );
    }
}

#[test]
fn a_user_has_what_the_page_says_for_its_own_keyspaces() {
    let access = Access::documented();
    let user = access.user("ann", "secret", &["a:people2", r"b\c"]);
    for rule in [
        "ann on >secret",
        "~a:people2 ",
        "~a:people2:* ",
        "~a:people2#*",
        r"~b\\c#*",
        " +hset ",
    ] {
        assert!(user.contains(rule), "{rule}: {user}");
    }
    for rule in ["+@all", "~*", "~people", "&*", "allkeys", "allchannels"] {
        assert!(!user.contains(rule), "{rule}: {user}");
    }
    assert!(access.part("Data").contains(&"+hset") && access.commands().contains("config|get"));
    assert!(!Access::required().commands().contains("config|get"));
}
