//! A server, what is connected to it, and what is on it before something is measured.

use std::any::type_name;
use std::time::Duration;

use kvrepo::{KeyspaceEvents, Repository, Store};
use kvrepo_tests::harness::{Proxy, TestServer};

use crate::arguments::Arguments;
use crate::call::{Callee, Job};
use crate::hand::Hand;
use crate::operation::{Form, Needs, Operation, TERM};
use crate::report::Line;
use crate::sample::{self, Sample};

/// How many one `find_all_by_id` asks for.
const MANY: usize = 1_000;
/// How many entities are made at one time.
const PORTION: usize = 10_000;

/// How much there is of something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Entities that any number of calls share.
    pub(crate) shared: usize,
    /// Entities that one call of many is about.
    pub(crate) batch: usize,
}

pub(crate) struct Bench {
    pub(crate) server: TestServer,
    pub(crate) arguments: Arguments,
    /// One for each database, as it is used by a [`Form`].
    stores: Vec<Store>,
    hands: Vec<Hand>,
    /// In front of the server, to count; and one each through it.
    pub(crate) proxy: Proxy,
    counted: (Store, Hand),
    /// What the first database holds, if that is only read: of which type, and how many.
    held: Option<(&'static str, usize)>,
    /// How often entities that are written over have been; so each time they become others.
    pub(crate) visits: usize,
    /// What has been measured so far.
    pub(crate) lines: Vec<Line>,
}

/// A store as a program has it. Nobody listens, as nobody does beside the commands by hand.
async fn store(url: &str) -> Store {
    let store = Store::builder().events(KeyspaceEvents::Off);
    let store = store.call_deadline(Duration::from_secs(30));
    store.connect(url).await.expect("a store")
}

impl Bench {
    pub(crate) async fn new(server: TestServer, arguments: Arguments) -> Self {
        let proxy = Proxy::in_front_of(&server).await;
        let (mut stores, mut hands) = (Vec::new(), Vec::new());
        for form in Form::ALL {
            let url = server.url_with_db(form.database());
            stores.push(store(&url).await);
            hands.push(Hand::new(&url).await);
        }
        let counted = (store(&proxy.url()).await, Hand::new(&proxy.url()).await);
        Self {
            server,
            arguments,
            stores,
            hands,
            proxy,
            counted,
            held: None,
            visits: 0,
            lines: Vec::new(),
        }
    }

    pub(crate) async fn end(self) {
        drop((self.stores, self.hands, self.counted));
        self.server.stop().await;
    }

    /// All operations that are asked for: on plain entities, or on those with indexes.
    pub(crate) async fn size<P: Sample, I: Sample>(&mut self) {
        for operation in self.arguments.operations.clone() {
            if operation.is_indexed() {
                self.operation::<I>(operation).await;
            } else {
                self.operation::<P>(operation).await;
            }
        }
    }

    async fn operation<T: Sample>(&mut self, operation: Operation) {
        self.compare::<T>(operation).await;
        let round_trips = self.round_trips::<T>(operation).await;
        for concurrency in self.arguments.concurrency(operation, T::SIZE) {
            let measured = self.measure::<T>(operation, concurrency).await;
            let line = Line::new::<T>(operation, concurrency, &measured, round_trips);
            if self.arguments.markdown {
                // So that the table is all there is in what is written to a file.
                eprintln!("{line}");
            } else if self.arguments.json {
                println!("{}", line.json());
            } else {
                println!("{line}");
            }
            self.lines.push(line);
        }
    }

    /// The forms that there are of an operation.
    pub(crate) fn forms(operation: Operation) -> impl Iterator<Item = Form> + Clone {
        let all = Form::ALL.into_iter();
        all.filter(move |form| *form != Form::Unguarded || operation.has_unguarded())
    }

    /// Where a form works: each in a database of its own, but what only reads reads the same.
    pub(crate) fn database(form: Form, operation: Operation) -> usize {
        if operation.reads() {
            0
        } else {
            form.database() as usize
        }
    }

    pub(crate) fn callee<T: Sample>(&self, form: Form, operation: Operation) -> Callee<T> {
        let database = Self::database(form, operation);
        Callee {
            people: self.people(database),
            hand: self.hands[database].clone(),
        }
    }

    /// Through the proxy, in the first database.
    pub(crate) fn counted<T: Sample>(&self) -> Callee<T> {
        Callee {
            people: self.counted.0.repository(),
            hand: self.counted.1.clone(),
        }
    }

    pub(crate) fn people<T: Sample>(&self, database: usize) -> Repository<T> {
        self.stores[database].repository()
    }

    /// What is measured.
    pub(crate) fn extent<T: Sample>(&self, operation: Operation) -> Extent {
        // Large entities are few, or they would take minutes and gigabytes.
        let few = if T::SIZE == "large" { 10 } else { 1 };
        Extent {
            shared: match operation.needs() {
                Needs::Many => self.arguments.entities,
                _ => 5_000 / few,
            },
            batch: (self.arguments.batch / few).max(1),
        }
    }

    /// Has on the server what so many calls need.
    pub(crate) async fn prepare<T: Sample>(&mut self, operation: Operation, calls: usize, extent: Extent) {
        let count = match operation.needs() {
            Needs::Nothing => 0,
            Needs::Own if operation == Operation::DeleteAll => extent.batch,
            Needs::Own => calls,
            Needs::Some | Needs::Many | Needs::Written => extent.shared,
        };
        let held = operation.reads().then_some((type_name::<T>(), count));
        if held.is_some() && self.held == held {
            return;
        }
        self.server.command(&["FLUSHALL", "SYNC"]).await;
        let databases = Self::forms(operation).map(|form| Self::database(form, operation));
        for database in databases {
            if held.is_none() || database == 0 && self.held != held {
                self.fill::<T>(database, count).await;
                self.held = held;
            }
        }
        self.held = held;
        self.visits = 1;
    }

    async fn fill<T: Sample>(&self, database: usize, count: usize) {
        for from in (0..count).step_by(PORTION) {
            let mut entities: Vec<T> = (from..count.min(from + PORTION)).map(T::number).collect();
            let people = self.people(database);
            people
                .save_all(&mut entities)
                .time_to_live(TERM)
                .await
                .expect("a save");
        }
    }

    /// What so many calls are about.
    pub(crate) fn jobs<T: Sample>(
        &mut self,
        operation: Operation,
        calls: usize,
        extent: Extent,
    ) -> Vec<Job<T>> {
        let visits = self.visits;
        self.visits += calls.div_ceil(extent.shared);
        (0..calls)
            .map(|number| job(operation, number, visits, extent))
            .collect()
    }
}

fn job<T: Sample>(operation: Operation, number: usize, visits: usize, extent: Extent) -> Job<T> {
    let visit = visits + number / extent.shared;
    let shared = number % extent.shared;
    let mut job = Job {
        entities: Vec::new(),
        ids: Vec::new(),
        number,
    };
    match operation {
        Operation::SaveAll => {
            job.entities = (number * extent.batch..(number + 1) * extent.batch)
                .map(T::number)
                .collect();
        }
        Operation::Replace | Operation::ReplaceIndexed => {
            let mut entity = T::number(shared);
            if visit % 2 == 1 {
                entity.change();
            }
            job.entities.push(entity);
        }
        Operation::Update => {
            job.ids.push(sample::id(shared));
            // Another than the last.
            job.number = shared / sample::CITIES + visit;
        }
        Operation::FindAllById => {
            // Spread over all, as ids that somebody asks for are.
            job.ids = (0..MANY)
                .map(|i| sample::id((number + i * 7919) % extent.shared))
                .collect();
        }
        Operation::FindById => job.ids.push(sample::id(number * 7919 % extent.shared)),
        Operation::Delete => job.ids.push(sample::id(number)),
        Operation::Query | Operation::Page | Operation::Count | Operation::DeleteAll => {}
        Operation::Save
        | Operation::SaveTtl
        | Operation::SaveIndexed
        | Operation::SaveTtlIndexed
        | Operation::Insert => job.entities.push(T::number(number)),
    }
    job
}
