//! What is done to the server, to the connections and to the processes while they work: at random, by a seed.

use std::fmt::{self, Display};
use std::ops::AddAssign;

use kvrepo_tests::chaos::random::Random;
use kvrepo_tests::harness::TestServer;
use tokio::time::{Instant, sleep};

use super::crew::Slot;

/// What was done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    pub kills: u64,
    pub freezes: u64,
    pub restarts: u64,
    pub hangs: u64,
    pub cuts: u64,
    pub silences: u64,
    pub flushes: u64,
    pub resets: u64,
}

impl AddAssign for Faults {
    fn add_assign(&mut self, other: Self) {
        self.kills += other.kills;
        self.freezes += other.freezes;
        self.restarts += other.restarts;
        self.hangs += other.hangs;
        self.cuts += other.cuts;
        self.silences += other.silences;
        self.flushes += other.flushes;
        self.resets += other.resets;
    }
}

impl Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kills,
            freezes,
            restarts,
            hangs,
            cuts,
            silences,
            flushes,
            resets,
        } = self;
        write!(
            f,
            "kills={kills} freezes={freezes} restarts={restarts} hangs={hangs} cuts={cuts} silences={silences} \
             script_flushes={flushes} flag_resets={resets}"
        )
    }
}

#[derive(Debug, Clone, Copy)]
enum OfServer {
    Restart,
    Outage,
    Hang,
    KillClients,
    KillSubscribers,
    FlushScripts,
    ResetFlags,
}

/// Disturbs the server until the time is over; it runs then.
pub async fn disturb_server(server: &TestServer, mut random: Random, until: Instant) -> Faults {
    let mut faults = Faults::default();
    while Instant::now() < until {
        sleep(random.time(300, 1_500)).await; // in which things go on
        let fault = random.weighted(&[
            (3, OfServer::Restart),
            (2, OfServer::Outage),
            (2, OfServer::Hang),
            (4, OfServer::KillClients),
            (3, OfServer::KillSubscribers),
            (4, OfServer::FlushScripts),
            (3, OfServer::ResetFlags),
        ]);
        match fault {
            OfServer::Restart => {
                server.restart().await;
                faults.restarts += 1;
            }
            OfServer::Outage => {
                server.kill().await;
                sleep(random.time(200, 2_500)).await; // the outage
                server.restart().await;
                faults.restarts += 1;
            }
            OfServer::Hang => {
                server.pause().await;
                sleep(random.time(200, 2_500)).await; // the hang
                server.resume().await;
                faults.hangs += 1;
            }
            OfServer::KillClients => {
                server.command(&["CLIENT", "KILL", "TYPE", "normal"]).await;
                faults.cuts += 1;
            }
            OfServer::KillSubscribers => {
                server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
                faults.cuts += 1;
            }
            OfServer::FlushScripts => {
                server.command(&["SCRIPT", "FLUSH"]).await;
                faults.flushes += 1;
            }
            OfServer::ResetFlags => {
                server
                    .command(&["CONFIG", "SET", "notify-keyspace-events", ""])
                    .await;
                faults.resets += 1;
            }
        }
    }
    faults
}

#[derive(Debug, Clone, Copy)]
enum OfWorker {
    Kill,
    KillAll,
    Freeze,
    Cut,
    CutRandomly,
    CutAtNextReply,
    HalfClose,
    Refuse,
    Pause,
    SwallowReplies,
}

const KILLS: [(u64, OfWorker); 3] = [(8, OfWorker::Kill), (1, OfWorker::KillAll), (3, OfWorker::Freeze)];
const CUTS: [(u64, OfWorker); 7] = [
    (3, OfWorker::Cut),
    (3, OfWorker::CutRandomly),
    (3, OfWorker::CutAtNextReply),
    (2, OfWorker::HalfClose),
    (2, OfWorker::Refuse),
    (3, OfWorker::Pause),
    (2, OfWorker::SwallowReplies),
];

/// Disturbs the workers and their connections until the time is over; all work then, and all connections do.
pub async fn disturb_workers(
    slots: &mut [Slot],
    mut random: Random,
    until: Instant,
    crashes: bool,
) -> Faults {
    let mut faults = Faults::default();
    let choices = if crashes {
        [&KILLS[..], &CUTS[..]].concat()
    } else {
        CUTS.to_vec()
    };
    while Instant::now() < until {
        sleep(random.time(100, 700)).await; // in which things go on
        let victim = random.between(0, slots.len() as u64) as usize;
        match random.weighted(&choices) {
            OfWorker::KillAll => {
                for slot in &mut *slots {
                    slot.kill().await;
                }
                faults.kills += slots.len() as u64;
                sleep(random.time(0, 2_000)).await; // in which nobody is there
                slots.iter_mut().for_each(Slot::start);
            }
            fault => disturb(&mut slots[victim], fault, &mut random, &mut faults).await,
        }
        slots.iter_mut().for_each(Slot::is_alive);
    }
    faults
}

async fn disturb(slot: &mut Slot, fault: OfWorker, random: &mut Random, faults: &mut Faults) {
    let proxy = &slot.proxy;
    let awhile = random.time(100, 2_500);
    match fault {
        OfWorker::Kill | OfWorker::KillAll => {
            slot.kill().await;
            faults.kills += 1;
            sleep(random.time(0, 600)).await; // until somebody notices
            slot.start();
        }
        OfWorker::Freeze => {
            slot.freeze(true).await;
            sleep(awhile).await; // the hang
            slot.freeze(false).await;
            faults.freezes += 1;
        }
        OfWorker::Cut => proxy.cut(),
        OfWorker::CutRandomly => {
            proxy.cut_randomly(random.number(), 20);
            sleep(awhile).await; // in which connections are cut
            proxy.cut_randomly(0, 0);
        }
        OfWorker::CutAtNextReply => proxy.cut_at_next_reply(),
        OfWorker::HalfClose => proxy.half_close(),
        OfWorker::Refuse => {
            proxy.refuse(true).await;
            proxy.cut();
            sleep(awhile).await; // the outage
            proxy.refuse(false).await;
        }
        OfWorker::Pause => {
            proxy.pause(true);
            sleep(awhile).await; // the silence
            proxy.pause(false);
        }
        OfWorker::SwallowReplies => {
            proxy.swallow_replies(true);
            sleep(awhile / 2).await; // in which nobody hears what was done
            proxy.swallow_replies(false);
            // What waits for an answer would wait for ever.
            proxy.cut();
        }
    }
    match fault {
        OfWorker::Kill | OfWorker::KillAll | OfWorker::Freeze => {}
        OfWorker::Pause | OfWorker::SwallowReplies => faults.silences += 1,
        _ => faults.cuts += 1,
    }
}
