//! Short rounds, each form in turn.

use std::time::{Duration, Instant};

use crate::arguments::{BUDGET, ROUNDS};
use crate::bench::{Bench, Extent};
use crate::call::Job;
use crate::meter::{Reading, Used};
use crate::operation::{Form, Needs, Operation};
use crate::sample::Sample;

/// No more calls than this in a round, or making them would take too long.
const MOST: usize = 30_000;

/// What rounds of so many calls cost, for each [`Form`] there is.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) calls: usize,
    pub(crate) rounds: Vec<[Option<Used>; 3]>,
}

impl Bench {
    pub(crate) async fn measure<T: Sample>(&mut self, operation: Operation, concurrency: usize) -> Measured {
        let extent = self.extent::<T>(operation);
        let calls = self.calls::<T>(operation, concurrency, extent).await;
        let mut forms: Vec<Form> = Self::forms(operation).collect();
        let mut rounds = Vec::new();
        let begin = Instant::now();
        while self.wants_more(rounds.len(), begin) {
            if matches!(operation.needs(), Needs::Nothing | Needs::Own) {
                self.prepare::<T>(operation, calls, extent).await;
            }
            let jobs = self.jobs::<T>(operation, calls, extent);
            let (mut round, mut reference) = ([None; 3], None);
            for form in &forms {
                let (used, done) = self.round(*form, operation, jobs.clone(), concurrency).await;
                round[form.database() as usize] = Some(used);
                assert_eq!(
                    *reference.get_or_insert(done),
                    done,
                    "{operation:?} by {form:?} does less or more than by another"
                );
            }
            rounds.push(round);
            // None is always the first, which finds the processor's caches cold.
            forms.rotate_left(1);
        }
        Measured { calls, rounds }
    }

    fn wants_more(&self, rounds: usize, begin: Instant) -> bool {
        let (fewest, most) = ROUNDS;
        match self.arguments.rounds {
            Some(wanted) => rounds < wanted,
            None => rounds < fewest || rounds < most && begin.elapsed() < BUDGET,
        }
    }

    /// How many calls fill a round. Warms up as well.
    async fn calls<T: Sample>(&mut self, operation: Operation, concurrency: usize, extent: Extent) -> usize {
        if operation.is_bulk() {
            return concurrency;
        }
        let mut calls = concurrency;
        loop {
            self.prepare::<T>(operation, calls, extent).await;
            let jobs = self.jobs::<T>(operation, calls, extent);
            let mut longest = Duration::ZERO;
            for form in Self::forms(operation) {
                let (used, _) = self.round(form, operation, jobs.clone(), concurrency).await;
                longest = longest.max(used.time);
            }
            let wanted = self.arguments.duration.as_secs_f64() / longest.as_secs_f64();
            if wanted < 2.0 || calls >= MOST {
                // Whole turns of all callers.
                let turns = (calls as f64 * wanted / concurrency as f64).ceil().max(1.0);
                return (turns as usize * concurrency).min(MOST.next_multiple_of(concurrency));
            }
            calls = ((calls as f64 * wanted.min(16.0)) as usize).min(MOST);
        }
    }

    async fn round<T: Sample>(
        &self,
        form: Form,
        operation: Operation,
        jobs: Vec<Job<T>>,
        concurrency: usize,
    ) -> (Used, usize) {
        let mut callers: Vec<Vec<Job<T>>> = (0..concurrency).map(|_| Vec::new()).collect();
        for (i, job) in jobs.into_iter().enumerate() {
            callers[i % concurrency].push(job);
        }
        let callee = self.callee::<T>(form, operation);
        let mut tasks = Vec::with_capacity(concurrency);
        let reading = Reading::begin(&self.server).await;
        for mut jobs in callers {
            let callee = callee.clone();
            tasks.push(tokio::spawn(async move {
                let mut done = 0;
                for job in &mut jobs {
                    done += callee.call(form, operation, job).await.count();
                }
                // Freed when all is measured.
                (done, jobs)
            }));
        }
        let mut done = Vec::with_capacity(concurrency);
        for task in tasks {
            done.push(task.await.expect("a caller"));
        }
        let used = reading.end(&self.server).await;
        (used, done.iter().map(|(done, _)| done).sum())
    }
}
