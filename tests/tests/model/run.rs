//! Runs a sequence, and holds each answer and what is stored then against the oracle.

use std::time::{Duration, Instant};

use kvrepo::{Error, Expired, KeyspaceEvents, Repository};
use tokio::time::{sleep, timeout};

use crate::answer::{millis, near};
use crate::call::call;
use crate::item::{IDS, Item};
use crate::operation::{Operation, Sequence};
use crate::oracle::{Event, Oracle};
use crate::site::{Logged, Site};

/// How long what has to come may take.
const PATIENCE: Duration = Duration::from_secs(4);
const MINUTE: u64 = 60_000;

type Outcome<T = ()> = Result<T, String>;

/// The error says what went wrong, and where.
pub(crate) async fn run(site: &Site<'_>, sequence: &Sequence) -> Outcome {
    let mut run = Run::begin(site, sequence).await?;
    for (step, operation) in sequence.operations.iter().enumerate() {
        run.step(operation)
            .await
            .map_err(|wrong| format!("at step {step}, {operation:?}:\n{wrong}"))?;
    }
    run.read_all()
        .await
        .map_err(|wrong| format!("at the end, {wrong}"))?;
    run.end()
        .await
        .map_err(|wrong| format!("when all was let expire:\n{wrong}"))
}

struct Run<'s, 'w> {
    site: &'s Site<'w>,
    oracle: Oracle,
    items: Repository<Item>,
    /// With how many events were taken from it.
    expired: Option<(Expired<Item>, usize)>,
}

impl<'s, 'w> Run<'s, 'w> {
    async fn begin(site: &'s Site<'w>, sequence: &Sequence) -> Outcome<Self> {
        let settings = sequence.settings;
        let items = repository(
            site,
            if settings.listening {
                KeyspaceEvents::OnDemand
            } else {
                KeyspaceEvents::Off
            },
        )
        .await?;
        let expired = if settings.listening {
            Some((items.expired().await.map_err(failed)?, 0))
        } else {
            None
        };
        Ok(Self {
            site,
            oracle: Oracle::new(settings),
            items,
            expired,
        })
    }

    async fn step(&mut self, operation: &Operation) -> Outcome {
        match operation {
            Operation::Pass(time) => self.pass(*time).await?,
            _ => self.answer(operation).await?,
        }
        self.audit().await
    }

    async fn audit(&self) -> Outcome {
        if self.site.is_too_slow() {
            return Err("this machine is too slow: the sequence proves nothing".to_owned());
        }
        self.site.audit(&self.oracle).await
    }

    async fn answer(&mut self, operation: &Operation) -> Outcome {
        let site = self.site;
        self.oracle.now = site.now();
        let renews = self.oracle.renews(operation);
        let expected = self.oracle.answer(operation);
        let answer = if renews {
            // A server is told of a use about a second later, or at once when the store is closed.
            let reader = repository(site, KeyspaceEvents::Off).await?;
            call(&reader, operation, site).await
        } else {
            call(&self.items, operation, site).await
        };
        if !answer.agrees(&expected, site.tolerance()) {
            return Err(format!("it answered\n    {answer:?}\nand not\n    {expected:?}"));
        }
        if renews {
            let until = Instant::now() + PATIENCE;
            while self.site.audit(&self.oracle).await.is_err() && Instant::now() < until {
                sleep(Duration::from_millis(2)).await;
            }
        }
        Ok(())
    }

    /// What every read says of what there is.
    async fn read_all(&mut self) -> Outcome {
        let of_all = [
            Operation::FindAll,
            Operation::FindAllById(IDS.to_vec()),
            Operation::Count,
        ];
        let of_each = IDS.iter().flat_map(|id| {
            [
                Operation::TimeToLive(id),
                Operation::ExistsById(id),
                Operation::Entry(id),
            ]
        });
        for read in of_all.into_iter().chain(of_each) {
            self.answer(&read)
                .await
                .map_err(|wrong| format!("{read:?}:\n{wrong}"))?;
        }
        self.audit().await
    }

    async fn pass(&mut self, time: Duration) -> Outcome {
        self.site.pass(time).await;
        self.oracle.now = self.site.now();
        if self.expired.is_some() {
            self.oracle.see_what_has_expired();
            self.hear().await?;
        }
        Ok(())
    }

    /// Takes the events that the oracle has from the subscription.
    async fn hear(&mut self) -> Outcome {
        let Some((expired, heard)) = &mut self.expired else {
            return Ok(());
        };
        let due = &self.oracle.events[*heard..];
        let mut came = Vec::new();
        for _ in due {
            let event = timeout(PATIENCE, expired.next())
                .await
                .map_err(|_| format!("of the events\n    {due:?}\nthere came only\n    {came:?}"))?;
            came.push(event.ok_or("the subscription ended")?.map_err(failed)?);
        }
        *heard = self.oracle.events.len();
        let told = came.iter().map(|event| {
            let late = event.seen_at().duration_since(event.deadline());
            (event.id().as_str(), late.map_or(u64::MAX, millis))
        });
        let matched = in_order(&told.collect::<Vec<_>>(), due, self.site.tolerance())?;
        for (event, expected) in came.iter().zip(matched) {
            if event.value() != expected.item.as_ref() {
                return Err(format!("there came\n    {event:?}\nand not\n    {expected:?}"));
            }
        }
        Ok(())
    }

    /// Lets all expire and be heard of, and looks whether anything is left.
    async fn end(mut self) -> Outcome {
        for id in IDS {
            if self.oracle.living(id).is_some_and(|life| life.deadline.is_none()) {
                self.step(&Operation::Expire(id, Duration::from_secs(90))).await?;
            }
        }
        while let Some(deadline) = self.oracle.next_deadline() {
            // Well behind it, and before what may come a minute later.
            let minutes = (deadline - self.oracle.now) / MINUTE + 1;
            self.pass(Duration::from_millis(minutes * MINUTE)).await?;
        }
        if self.expired.is_none() {
            // Who begins to listen only now hears of all that nobody has seen.
            let items = repository(self.site, KeyspaceEvents::OnDemand).await?;
            let heard = self.oracle.events.len();
            self.oracle.now = self.site.now();
            self.expired = Some((items.expired().await.map_err(failed)?, heard));
            self.oracle.see_what_has_expired();
            self.hear().await?;
        }
        self.site.audit(&self.oracle).await?;
        let log = self.site.log().await;
        let logged: Vec<(&str, u64)> = log.iter().map(|event| (event.id.as_str(), event.late)).collect();
        let matched = in_order(&logged, &self.oracle.events, self.site.tolerance())?;
        for (Logged { id, stored, .. }, expected) in log.iter().zip(matched) {
            if *stored != expected.stored {
                return Err(format!(
                    "the log has\n    {id}: {stored:?}\nand not\n    {expected:?}"
                ));
            }
        }
        Ok(())
    }
}

/// The expected events in the order in which they came. They may change places only where that is allowed: if their
/// deadlines are nearly the same, or nobody promises an order.
fn in_order<'e>(came: &[(&str, u64)], expected: &'e [Event], tolerance: Duration) -> Outcome<Vec<&'e Event>> {
    let wrong = || format!("there came\n    {came:?}\nand not\n    {expected:?}");
    if came.len() != expected.len() {
        return Err(wrong());
    }
    let mut rest: Vec<&Event> = expected.iter().collect();
    let mut matched: Vec<&Event> = Vec::new();
    for (id, late) in came {
        // The lives of one id follow each other.
        let next = rest.iter().position(|event| event.id == *id).ok_or_else(wrong)?;
        let event = rest.remove(next);
        let follows = matched.last().is_none_or(|last| {
            last.round < event.round
                || last.round == event.round
                    && (!event.ordered || last.deadline <= event.deadline + millis(tolerance))
        });
        if !follows || !near(event.late, *late, tolerance) {
            return Err(wrong());
        }
        matched.push(event);
    }
    Ok(matched)
}

async fn repository(site: &Site<'_>, events: KeyspaceEvents) -> Outcome<Repository<Item>> {
    Ok(site.open(events).await.map_err(failed)?.repository())
}

fn failed(error: Error) -> String {
    format!("{error:?}")
}
