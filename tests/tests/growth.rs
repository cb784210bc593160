//! What one call does on a server does not grow with the number of entities in the table.
//!
//! Commands are counted, those in scripts too, and round trips: no time is measured. Beside 1,000 and 100,000 entities, and
//! with `KVREPO_LOAD=full` beside 1,000,000, each call has to make just the same. `--nocapture` prints how many.
//!
//! A command is not always constant in itself: those on sorted sets (`ZADD`, `ZREM`, `ZRANGEBYLEX`, `ZRANGEBYSCORE`) take
//! logarithmic time. What reads a set whole (`SMEMBERS`, `SINTER`) takes as long as the set is large, and a page in the
//! order of a field reads that field of all that its filter finds. So a page costs what its filter finds, not what the
//! table has: each city here has as many people, however many cities there are.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use kvrepo::{Expired, KeyspaceEvents, KvEntity, PageRequest, Repository, Store};
use kvrepo_tests::harness::{Monitor, Origin, Proxy, TestServer};
use kvrepo_tests::world::{eventually, next};
use serde::{Deserialize, Serialize};

const HOUR: Duration = Duration::from_secs(3600);
/// How many live in one city.
const TOWN: usize = 40;
const PAGE: usize = 10;
/// How many are filled in by one command, so that the server answers others in between.
const PORTION: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "folk")]
struct Folk {
    #[id]
    id: String,
    #[indexed]
    city: String,
    #[indexed(range)]
    age: u32,
    name: String,
}

fn number(i: usize) -> Folk {
    Folk {
        id: i.to_string(),
        city: format!("city {}", i / TOWN),
        age: (i % TOWN) as u32,
        name: format!("person {i}"),
    }
}

fn sizes() -> Vec<usize> {
    let full = std::env::var("KVREPO_LOAD").is_ok_and(|load| load == "full");
    let most = full.then_some(1_000_000);
    [1_000, 100_000].into_iter().chain(most).collect()
}

/// What one call has cost.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cost {
    round_trips: u64,
    /// How often each command was executed, for clients and in scripts.
    commands: BTreeMap<String, u64>,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.commands.values().sum();
        write!(f, "{:>11} {all:>9} ", self.round_trips)?;
        let mut commands = self.commands.iter();
        commands.try_for_each(|(verb, calls)| write!(f, " {verb} {calls}"))
    }
}

/// A store through a proxy, on a server whose statistics are read.
struct Counted {
    server: TestServer,
    proxy: Proxy,
    people: Repository<Folk>,
}

impl Counted {
    async fn start() -> Self {
        let server = TestServer::start().await;
        let proxy = Proxy::in_front_of(&server).await;
        let builder = Store::builder().events(KeyspaceEvents::Off);
        let people = builder.connect(&proxy.url()).await.expect("a store").repository();
        Self {
            server,
            proxy,
            people,
        }
    }

    async fn cost<T>(&self, call: impl IntoFuture<Output = kvrepo::Result<T>>) -> (Cost, T) {
        let before = self.proxy.counts().round_trips;
        self.server.command(&["CONFIG", "RESETSTAT"]).await;
        let result = call.into_future().await.expect("the call succeeds");
        let stats: String = self.server.query(&["INFO", "commandstats"]).await;
        let calls = |line: &str| {
            let (verb, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let calls = rest.split(',').next()?.parse().ok()?;
            // The first is how this is counted; it is that of the test.
            (verb != "config|resetstat").then(|| (verb.to_uppercase(), calls))
        };
        let cost = Cost {
            round_trips: self.proxy.counts().round_trips - before,
            commands: stats.lines().filter_map(calls).collect(),
        };
        (cost, result)
    }

    /// Has so many in the table.
    async fn fill(&self, from: usize, to: usize) {
        for begin in (from..to).step_by(PORTION) {
            let mut portion: Vec<Folk> = (begin..to.min(begin + PORTION)).map(number).collect();
            let save = self.people.save_all(&mut portion).time_to_live(HOUR);
            save.await.expect("a save");
        }
        assert_eq!(self.people.count().await.expect("a count"), to as u64);
    }

    /// What each call costs beside so many others.
    async fn costs(&self, size: usize) -> Vec<(&'static str, Cost)> {
        let people = &self.people;
        let p = Folk::fields();
        let mut costs = Vec::new();
        macro_rules! cost {
            ($what:literal, $call:expr) => {{
                let (cost, result) = self.cost($call).await;
                costs.push(($what, cost));
                result
            }};
        }
        let mut one = number(size);
        let outcome = cost!("save", people.save(&mut one).time_to_live(HOUR));
        assert!(outcome.created);
        (one.city, one.age) = ("elsewhere".to_owned(), 99);
        let outcome = cost!("replace", people.save(&mut one).time_to_live(HOUR));
        assert!(!outcome.created);
        assert!(cost!("update", people.update(&one.id).set(p.age, 98)));
        one.age = 98;
        assert_eq!(cost!("find_by_id", people.find_by_id(&one.id)), Some(one.clone()));
        let town = || people.find(p.city.eq("city 7"));
        let page = cost!("page", town().page(PageRequest::of(1, PAGE)));
        assert_eq!((page.items.len(), page.total), (PAGE, TOWN as u64));
        let page = cost!(
            "page, in order",
            town().sort(p.age.desc()).page(PageRequest::of(1, PAGE))
        );
        assert_eq!(
            (page.items.len(), page.items[0].age),
            (PAGE, (TOWN - PAGE - 1) as u32)
        );
        let found = cost!("count of a filter", town().count());
        assert_eq!(found, TOWN as u64);
        let all = cost!("count", people.count());
        assert_eq!(all, size as u64 + 1);
        assert!(cost!("delete", people.delete_by_id(&one.id)));
        costs
    }

    /// A page in order, of a filter that finds a fixed share of all. That grows as the share does, and is only printed.
    async fn share(&self) -> Cost {
        let p = Folk::fields();
        let found = self.people.find(p.age.eq(7)).sort(p.city.asc());
        self.cost(found.page(PageRequest::first(PAGE))).await.0
    }

    /// What a listener does for so many that are due at once.
    async fn reaping(&self, size: usize, due: usize) -> Cost {
        // By the deadlines alone: what the server notices first is told to the script as well.
        let listening = Store::builder().leave_notification_flags();
        let listening = listening.connect(&self.server.url()).await.expect("a store");
        let mut expired = listening.repository().expired().await.expect("a subscription");
        let cost = self.step(&mut expired, size, due).await;
        drop((expired, listening));
        // So that nothing of it is counted with what comes next.
        let gone = async || self.server.query::<u32, _>(&["EXISTS", "folk#reaper"]).await == 0;
        eventually("the lease is given back", gone).await;
        cost
    }

    /// The script that reaps them: no more than one takes.
    async fn step(&self, expired: &mut Expired<Folk>, size: usize, due: usize) -> Cost {
        let monitor = Monitor::start(&self.server).await;
        loop {
            monitor.clear().await;
            let mut portion: Vec<Folk> = (size..size + due).map(number).collect();
            let save = self.people.save_all(&mut portion);
            let deadline = SystemTime::now() + Duration::from_millis(500);
            save.expires_at(deadline).await.expect("a save");
            for _ in 0..due {
                assert!(next(expired).await.value().is_some());
            }
            let commands = monitor.commands().await;
            let steps = commands
                .iter()
                .fold(Vec::<Vec<String>>::new(), |mut steps, command| {
                    match steps.last_mut() {
                        Some(step) if command.origin == Origin::Script => step.push(command.verb()),
                        _ => steps.push(vec![command.verb()]),
                    }
                    steps
                });
            let reaped = |step: &&Vec<String>| step.iter().any(|verb| verb == "XADD");
            let [step] = steps.iter().filter(reaped).collect::<Vec<_>>()[..] else {
                panic!("not one step: {steps:?}");
            };
            // Now and then a step looks for old events to drop besides.
            if !step.iter().any(|verb| verb == "XREVRANGE") {
                let mut commands = BTreeMap::new();
                for verb in step {
                    *commands.entry(verb.clone()).or_default() += 1;
                }
                return Cost {
                    round_trips: 1,
                    commands,
                };
            }
        }
    }
}

fn print(size: usize, costs: &[(&str, Cost)]) {
    println!("\n{:<18} round trips  commands", format!("beside {size}"));
    for (what, cost) in costs {
        println!("{what:<18} {cost}");
    }
}

#[tokio::test]
async fn what_a_call_costs_is_the_same_beside_a_thousand_and_a_hundred_thousand() {
    let counted = Counted::start().await;
    let (mut there, mut first) = (0, None);
    for size in sizes() {
        counted.fill(there, size).await;
        if there == 0 {
            // Makes the scripts known, and begins the log.
            counted.costs(size).await;
            counted.reaping(size, 1).await;
        }
        there = size;
        let mut costs = counted.costs(size).await;
        let share = counted.share().await;
        costs.push(("reap 1", counted.reaping(size, 1).await));
        costs.push(("reap 50", counted.reaping(size, 50).await));
        print(size, &costs);
        print(size, &[("page of a fortieth", share)]);
        let first = first.get_or_insert_with(|| costs.clone());
        for (before, now) in first.iter().zip(&costs) {
            assert_eq!(before, now, "beside {size}");
        }
    }
}
