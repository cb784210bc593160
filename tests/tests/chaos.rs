//! Chaos, and an oracle that counts afterwards.
//!
//! Processes save, change, delete and read, listen alone and in groups, while they are killed and started again, the
//! server restarts, connections break in all ways, scripts are flushed, and the clocks of some are wrong by minutes. At the
//! end each expiry has to be in the log once, with the right value and not early; each listener has to have heard all
//! of them; and no key may be left.
//!
//! `KVREPO_CHAOS_SECONDS` says how long it goes on (20 unless set), `KVREPO_CHAOS_SEED` which faults come when.

#[path = "chaos/crew.rs"]
mod crew;
#[path = "chaos/fault.rs"]
mod fault;
#[path = "chaos/oracle.rs"]
mod oracle;
#[path = "chaos/rest.rs"]
mod rest;
#[path = "chaos/run.rs"]
mod run;

use std::time::Duration;

use run::Plan;

fn number(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(default, |set| {
        set.parse().unwrap_or_else(|_| panic!("{name} is a number"))
    })
}

fn seconds() -> u64 {
    number("KVREPO_CHAOS_SECONDS", 20)
}

fn seed() -> u64 {
    number("KVREPO_CHAOS_SEED", 4_711)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_killed_or_cut_each_expiry_comes_with_its_value_and_nothing_is_left() {
    let plan = Plan {
        seed: seed(),
        time: Duration::from_secs(seconds()),
        crashes: true,
        claim_after: Duration::from_secs(2),
    };
    plan.run("chaos").await;
}

/// Everything else goes wrong as well, but nobody is killed: then each event is seen to once by each group.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_long_as_no_process_is_killed_a_group_gets_each_event_once() {
    let plan = Plan {
        seed: seed() + 1,
        time: Duration::from_secs(seconds() / 2),
        crashes: false,
        claim_after: Duration::from_secs(8),
    };
    plan.run("calm").await;
}
