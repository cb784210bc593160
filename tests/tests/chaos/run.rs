//! One run: workers, faults, the end of all of that, and the count.

use std::path::Path;
use std::time::{Duration, SystemTime};

use kvrepo_tests::chaos::random::Random;
use kvrepo_tests::chaos::worker::Role;
use kvrepo_tests::harness::{ServerOptions, TestServer, unique};
use kvrepo_tests::world::millis;
use tokio::time::Instant;

use super::crew::{Post, Slot, compile_shim};
use super::fault::{Faults, disturb_server, disturb_workers};
use super::oracle::{Logs, Noted, Verdict};
use super::rest::{come_to_rest, residue};

const MINUTE: i64 = 60_000;

/// Which workers there are. The clocks of some are wrong.
const POSTS: &[(u64, Role, i64)] = &[
    (1, Role::Save, 0),
    (2, Role::Save, 7 * MINUTE),
    (3, Role::Save, 0),
    (11, Role::Listen, 0),
    (12, Role::Listen, -5 * MINUTE),
    (21, Role::Group, 0),
    (22, Role::Group, 11 * MINUTE),
    (23, Role::Group, 0),
    (31, Role::Handle, 0),
    (32, Role::Handle, 0),
    (41, Role::Serve, 0),
    (42, Role::Serve, -3 * MINUTE),
];

#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub time: Duration,
    /// Whether processes are killed, and stand still.
    pub crashes: bool,
    /// How long an event may be with one consumer before another takes it.
    pub claim_after: Duration,
}

impl Plan {
    /// Runs it, prints the figures, and panics if there is a finding.
    pub async fn run(self, name: &str) {
        let folder = std::env::temp_dir().join(unique("kvrepo-chaos-"));
        std::fs::create_dir(&folder).expect("a folder for the journals");
        let begun = Instant::now();
        let (faults, verdict) = self.carry_out(&folder).await;
        println!(
            "{name} seed={} seconds={} {faults} {verdict} took_s={}",
            self.seed,
            self.time.as_secs(),
            begun.elapsed().as_secs()
        );
        let some: Vec<&str> = verdict.findings.iter().map(String::as_str).take(10).collect();
        assert!(
            some.is_empty(),
            "{} findings; the journals are in {}; among them:\n{}",
            verdict.findings.len(),
            folder.display(),
            some.join("\n")
        );
        assert!(verdict.expiries > 100, "the run proves nothing");
        std::fs::remove_dir_all(&folder).expect("a folder to remove");
    }

    async fn carry_out(&self, folder: &Path) -> (Faults, Verdict) {
        compile_shim(folder);
        let server = TestServer::with(ServerOptions::new().append_only().process()).await;
        let mut crew = Vec::new();
        for (slot, role, skew) in POSTS {
            let post = Post {
                role: *role,
                skew: *skew,
            };
            crew.push(Slot::new(&server, folder, *slot, post, self.seed, self.claim_after).await);
        }
        let begun = millis(SystemTime::now());
        // Who listens first, so that all hear everything.
        let (mut savers, mut listeners): (Vec<_>, Vec<_>) =
            crew.iter_mut().partition(|slot| slot.settings.role == Role::Save);
        for starting in [&mut listeners, &mut savers] {
            starting.iter_mut().for_each(|slot| slot.start());
            for slot in starting {
                slot.ready().await;
            }
        }
        let mut random = Random::new(self.seed);
        let (of_server, of_workers) = (Random::new(random.number()), Random::new(random.number()));
        let until = Instant::now() + self.time;
        let (mut faults, others) = tokio::join!(
            disturb_server(&server, of_server, until),
            disturb_workers(&mut crew, of_workers, until, self.crashes),
        );
        faults += others;
        let own = come_to_rest(&server, &mut crew).await;
        let logs = Logs::read(&server).await;
        let residue = residue(&server).await;
        let noted: Vec<Noted<'_>> = crew.iter().map(Slot::noted).collect();
        let mut verdict = Verdict::of(&noted, &own, &logs, begun, !self.crashes);
        verdict
            .findings
            .extend(residue.into_iter().map(|key| format!("left behind: {key}")));
        server.stop().await;
        (faults, verdict)
    }
}
