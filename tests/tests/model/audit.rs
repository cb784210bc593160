//! Whether what is stored is what the oracle has, and nothing else.

use std::collections::BTreeMap;
use std::time::Duration;

use kvrepo_tests::harness::TestServer;
use serde::Deserialize;

use crate::answer::near;
use crate::item::IDS;
use crate::life::{Life, Stored};
use crate::oracle::{GRACE, Oracle};
use crate::site::Logged;

/// Where the span of an idle term stands in a hash.
const IDLE: &str = "#idle";

/// What memory has under each id: what is stored, the deadline and the idle span, if it is alive.
type Kept = BTreeMap<String, Option<(Stored, Option<u64>, Option<u64>)>>;

pub(crate) fn memory(found: &Kept, oracle: &Oracle) -> Result<(), String> {
    let expected: Kept = IDS
        .iter()
        .filter_map(|id| match (oracle.living(id), oracle.unseen(id)) {
            (Some(life), _) => {
                let living = (life.stored(), life.deadline, life.idle);
                Some(((*id).to_owned(), Some(living)))
            }
            (None, Some(_)) => Some(((*id).to_owned(), None)),
            (None, None) => None,
        })
        .collect();
    if *found == expected {
        return Ok(());
    }
    Err(format!("memory holds\n    {found:?}\nand not\n    {expected:?}"))
}

/// All keys of a keyspace at one moment: name, type, deadline and what is in it, behind an empty text, without which
/// nothing would be an object. As JSON, since a client without optimizations takes long to read many small replies.
const SNAPSHOT: &str = r"
local found = {}
for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '*')) do
  local kind, held = redis.call('TYPE', key)['ok'], {}
  if kind == 'hash' then
    held = redis.call('HGETALL', key)
  elseif kind == 'set' then
    held = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then
    held = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  end
  table.insert(held, 1, '')
  found[#found + 1] = { key, kind, string.format('%.0f', redis.call('PEXPIRETIME', key)), held }
end
return #found > 0 and cjson.encode(found) or '[]'
";

/// One of them.
#[derive(Debug, Deserialize)]
struct Entry(String, String, String, Vec<String>);

#[derive(Debug)]
struct Key<'f> {
    kind: &'f str,
    /// By the server's clock; -1 is never.
    deadline: i64,
    held: &'f [String],
}

impl Key<'_> {
    fn fields(&self) -> Stored {
        pairs(self.held)
    }
}

fn pairs(flat: &[String]) -> Stored {
    flat.chunks(2)
        .map(|pair| (pair[0].clone(), pair.get(1).cloned().unwrap_or_default()))
        .collect()
}

/// `relative` is what a deadline is since the sequence began, and how exact that is.
pub(crate) async fn server(
    server: &TestServer,
    base: &str,
    oracle: &Oracle,
    relative: impl Fn(u64) -> (u64, Duration),
) -> Result<(), String> {
    let found: String = server.query(&["EVAL", SNAPSHOT, "1", base]).await;
    let found: Vec<Entry> = serde_json::from_str(&found).expect("JSON");
    let mut keys: BTreeMap<&str, Key<'_>> = found
        .iter()
        .map(|Entry(name, kind, deadline, held)| {
            let deadline = deadline.parse().expect("a number");
            let held = &held[1..];
            (name.as_str(), Key { kind, deadline, held })
        })
        .collect();
    let mut wrong = Vec::new();
    let ids = keys.remove(base).map_or(&[][..], |ids| ids.held);
    let scores = keys
        .remove(format!("{base}#deadlines").as_str())
        .map_or(Stored::new(), |deadlines| deadlines.fields());
    let mut known = 0;
    for id in IDS {
        let one = One {
            listed: ids.iter().any(|listed| listed == id),
            hash: keys.remove(format!("{base}:{id}").as_str()),
            phantom: keys.remove(format!("{base}:{id}:phantom").as_str()),
            score: scores.get(id).map(|score| score.parse().expect("a number")),
        };
        known += usize::from(one.listed);
        let of_it = one.wrong(id, oracle, &relative);
        wrong.extend(of_it.iter().map(|what| format!("{id}: {what}")));
    }
    if ids.len() != known {
        wrong.push("there are other ids".to_owned());
    }
    for (key, Key { kind, .. }) in keys {
        let name = key.strip_prefix(base).unwrap_or(key);
        // Of events there is a log, and of the log what is noted; who reaps has a lease.
        if !matches!(
            (name, kind),
            ("#expired", "stream") | ("#log", "hash") | ("#reaper", "string")
        ) {
            wrong.push(format!("nothing explains the key {key}"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let there: String = found.iter().map(|key| format!("    {key:?}\n")).collect();
    Err(format!("{}\non the server there is\n{there}", wrong.join("\n")))
}

/// What there is of one id.
struct One<'f> {
    /// Whether it is in the id set.
    listed: bool,
    hash: Option<Key<'f>>,
    phantom: Option<Key<'f>>,
    /// The deadline in the index of deadlines.
    score: Option<i64>,
}

impl One<'_> {
    /// What is not as it should be.
    fn wrong(&self, id: &str, oracle: &Oracle, relative: impl Fn(u64) -> (u64, Duration)) -> Vec<String> {
        let (living, unseen) = (oracle.living(id), oracle.unseen(id));
        let life = living.or(unseen);
        let mut wrong = Vec::new();
        if self.listed != life.is_some() {
            wrong.push(format!("in the id set: {}", self.listed));
        }
        match (&self.hash, living) {
            (None, None) => {}
            (Some(_), None) => wrong.push("a ghost".to_owned()),
            (None, Some(_)) => wrong.push("no hash".to_owned()),
            (Some(hash), Some(life)) if hash.fields() == fields(life) => {}
            (Some(_), Some(life)) => wrong.push(format!("the hash should hold {:?}", fields(life))),
        }
        // What is alive has its deadline on the hash, what is not has it in the index alone.
        let deadline = match (&self.hash, living) {
            (Some(hash), Some(_)) => Some(hash.deadline).filter(|at| *at > 0),
            _ => self.score,
        };
        let since_begin = deadline.map(|deadline| relative(deadline.unsigned_abs()));
        let expected = life.and_then(|life| life.deadline);
        if !match (since_begin, expected) {
            (Some((at, tolerance)), Some(expected)) => near(at, expected, tolerance),
            (at, expected) => at.is_none() && expected.is_none(),
        } {
            wrong.push(format!(
                "the deadline is {since_begin:?} and should be {expected:?}"
            ));
        }
        if self.score != deadline {
            wrong.push(format!("in the index of deadlines it is at {:?}", self.score));
        }
        let with_phantom = life.filter(|_| {
            let until = expected.map(|deadline| deadline + GRACE);
            oracle.settings.shadow_copy && until.is_some_and(|until| oracle.now <= until)
        });
        match (&self.phantom, with_phantom) {
            (None, None) => {}
            (Some(_), None) => wrong.push("a stale phantom".to_owned()),
            (None, Some(_)) => wrong.push("no phantom".to_owned()),
            (Some(phantom), Some(life)) => {
                if phantom.fields() != fields(life) {
                    wrong.push(format!("the phantom should hold {:?}", fields(life)));
                }
                if Some(phantom.deadline) != deadline.map(|at| at + GRACE as i64) {
                    wrong.push("the phantom does not outlive it by the grace".to_owned());
                }
            }
        }
        wrong
    }
}

/// What has to stand in the hash.
fn fields(life: &Life) -> Stored {
    let mut fields = life.stored();
    if let Some(span) = life.idle {
        fields.insert(IDLE.to_owned(), span.to_string());
    }
    fields
}

pub(crate) async fn log(server: &TestServer, base: &str) -> Vec<Logged> {
    let entries: Vec<(String, Vec<String>)> = server
        .query(&["XRANGE", &format!("{base}#expired"), "-", "+"])
        .await;
    let logged = entries.into_iter().map(|(position, flat)| {
        let mut stored = pairs(&flat[4..]);
        stored.remove(IDLE);
        let written: u64 = position
            .split('-')
            .next()
            .and_then(|ms| ms.parse().ok())
            .expect("a position");
        let deadline: u64 = flat[3].parse().expect("a deadline");
        Logged {
            id: flat[1].clone(),
            late: written - deadline,
            stored: (!stored.is_empty()).then_some(stored),
        }
    });
    logged.collect()
}
