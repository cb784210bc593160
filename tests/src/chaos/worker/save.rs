//! Writing, deleting and reading at random, always of ids that other processes use as well.

use std::sync::Arc;
use std::time::Duration;

use kvrepo::{Error, KvId, Repository, SaveOutcome, Store};

use super::{Worker, space};
use crate::chaos::entity::{self, Nonce, Order, Ping, Seat, Subject};
use crate::chaos::journal::{Outcome, Record, What};
use crate::chaos::random::Random;
use crate::world::millis;

/// How many calls are under way at one time, at most.
const TASKS: u64 = 6;
/// How long the same ids are used, in milliseconds. So each has a history that can be looked through.
const PERIOD: u64 = 6_000;
/// How many ids of each type are in use.
const IDS: u64 = 40;

pub(super) async fn run(worker: &Arc<Worker>) {
    let store = worker.store().await;
    worker.journal.note(&Record::Ready);
    let life = worker
        .before
        .iter()
        .filter(|record| matches!(record, Record::Started { .. }))
        .count() as u64;
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            // Numbers of 53 bits at most, which whatever reads JSON reads as they are.
            let first = (worker.settings.slot << 45) + (life << 32) + (task << 26);
            let saver = Saver {
                worker: Arc::clone(worker),
                store: store.clone(),
                random: Random::new(worker.settings.seed ^ first),
                next: first,
            };
            tokio::spawn(saver.run())
        })
        .collect();
    for task in tasks {
        if let Err(error) = task.await {
            worker.journal.note(&Record::Failed(error.to_string()));
        }
    }
}

struct Saver {
    worker: Arc<Worker>,
    store: Store,
    random: Random,
    next: Nonce,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Save,
    Batch,
    Insert,
    Update,
    Renew,
    Delete,
    Read,
}

const KINDS: [(u64, Kind); 7] = [
    (40, Kind::Save),
    (3, Kind::Batch),
    (10, Kind::Insert),
    (12, Kind::Update),
    (8, Kind::Renew),
    (10, Kind::Delete),
    (17, Kind::Read),
];

impl Saver {
    async fn run(mut self) {
        while !self.worker.stops() {
            match self.random.between(0, 5) {
                0 | 1 => self.step::<Order>().await,
                2 | 3 => self.step::<Seat>().await,
                _ => self.step::<Ping>().await,
            }
            let pause = self.random.time(0, 160);
            tokio::time::sleep(pause).await; // so that ids live long enough for something to happen to them
        }
    }

    async fn step<T: Subject>(&mut self) {
        let repository = self.store.repository::<T>();
        let term = self.term();
        let id = self.id::<T>();
        let what = match self.random.weighted(&KINDS) {
            Kind::Batch => return self.batch(&repository, term).await,
            Kind::Save => What::Save { term },
            Kind::Insert => What::Insert { term },
            Kind::Update => What::Update { term },
            Kind::Renew => What::Renew { term },
            Kind::Delete => What::Delete,
            Kind::Read => What::Read,
        };
        let call = self.begin::<T>([(id.clone(), what)])[0];
        let outcome = match make(&repository, id, what, call).await {
            Ok(outcome) => outcome,
            Err(error) => self.outcome_of(what, &error),
        };
        self.end([(call, outcome)]);
    }

    /// Saves many at once, each id once.
    async fn batch<T: Subject>(&mut self, repository: &Repository<T>, term: Option<u64>) {
        let (first, count) = (self.random.between(0, IDS), self.random.between(2, IDS));
        let base = self.base();
        let what = What::Save { term };
        let ids = (first..first + count).map(|i| T::id_of(base + (i % IDS) as u32));
        let items: Vec<_> = ids.map(|id| (id, what)).collect();
        let calls = self.begin::<T>(items.clone());
        let mut entities: Vec<T> = items
            .into_iter()
            .zip(&calls)
            .map(|((id, _), call)| T::made(id, *call))
            .collect();
        let save = repository.save_all(&mut entities);
        let outcomes: Vec<Outcome> = match term {
            Some(term) => save.time_to_live(Duration::from_millis(term)).await,
            None => save.persistent().await,
        }
        .map(|outcomes| outcomes.into_iter().map(saved).collect())
        .unwrap_or_else(|error| match error {
            Error::Batch { failures, .. } => {
                let mut outcomes = vec![Outcome::Done; calls.len()];
                for failure in failures {
                    outcomes[failure.index] = self.outcome_of(what, &failure.error);
                }
                outcomes
            }
            error => vec![self.outcome_of(what, &error); calls.len()],
        });
        self.end(calls.into_iter().zip(outcomes));
    }

    fn begin<T: Subject>(&mut self, items: impl IntoIterator<Item = (T::Id, What)>) -> Vec<Nonce> {
        let journal = &self.worker.journal;
        let (mut calls, mut records) = (Vec::new(), Vec::new());
        for (id, what) in items {
            self.next += 1;
            calls.push(self.next);
            records.push(Record::Began {
                call: self.next,
                at: journal.now(),
                space: space::<T>(),
                id: id.to_key().into_owned(),
                what,
            });
        }
        journal.note_all(&records);
        calls
    }

    fn end(&self, outcomes: impl IntoIterator<Item = (Nonce, Outcome)>) {
        let journal = &self.worker.journal;
        let at = journal.now();
        let ended = outcomes
            .into_iter()
            .map(|(call, outcome)| Record::Ended { call, at, outcome });
        journal.note_all(&ended.collect::<Vec<_>>());
    }

    fn outcome_of(&self, what: What, error: &Error) -> Outcome {
        match error {
            Error::AlreadyExists { .. } if matches!(what, What::Insert { .. }) => Outcome::Exists,
            error if error.is_outcome_unknown() => Outcome::Unknown,
            error => {
                if !error.is_transient() {
                    self.worker
                        .journal
                        .note(&Record::Failed(format!("{what:?}: {error:?}")));
                }
                Outcome::NotExecuted
            }
        }
    }

    fn term(&mut self) -> Option<u64> {
        let range = self.random.weighted(&[
            (50, Some((50, 300))),
            (30, Some((300, 1_500))),
            (15, Some((1_500, 4_000))),
            (5, None),
        ]);
        range.map(|(low, high)| self.random.between(low, high))
    }

    /// The first of the ids that all processes use just now.
    fn base(&self) -> u32 {
        let period = self.worker.journal.now() / PERIOD % 1_000_000;
        (period * IDS) as u32
    }

    fn id<T: Subject>(&mut self) -> T::Id {
        let base = self.base();
        T::id_of(base + self.random.between(0, IDS) as u32)
    }
}

async fn make<T: Subject>(
    repository: &Repository<T>,
    id: T::Id,
    what: What,
    call: Nonce,
) -> kvrepo::Result<Outcome> {
    let mut entity = T::made(id.clone(), call);
    let outcome = match what {
        What::Save { term } => {
            let save = repository.save(&mut entity);
            saved(match term {
                Some(term) => save.time_to_live(Duration::from_millis(term)).await?,
                None => save.persistent().await?,
            })
        }
        What::Insert { term } => {
            let insert = repository.insert(&mut entity);
            saved(match term {
                Some(term) => insert.time_to_live(Duration::from_millis(term)).await?,
                None => insert.persistent().await?,
            })
        }
        What::Update { term } => {
            let update = entity::amend(repository, id, call);
            Outcome::There(match term {
                Some(term) => update.time_to_live(Duration::from_millis(term)).await?,
                None => update.persistent().await?,
            })
        }
        What::Renew { term } => Outcome::There(match term {
            Some(term) => repository.expire(id, Duration::from_millis(term)).await?,
            None => repository.persist(id).await?,
        }),
        What::Delete => Outcome::There(repository.delete_by_id(id).await?),
        What::Read => match repository.find_by_id(id).await? {
            Some(found) if !found.is_whole() => Outcome::Mixed,
            found => Outcome::Read(found.map(|found| found.nonce())),
        },
    };
    Ok(outcome)
}

fn saved(saved: SaveOutcome) -> Outcome {
    Outcome::Saved {
        created: saved.created,
        deadline: saved.deadline.map(millis),
    }
}
