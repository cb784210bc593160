//! Makes sure that what is compared is comparable: the same answers, the same bytes.

use std::time::Duration;

use crate::bench::{Bench, Extent};
use crate::call::Answer;
use crate::contents::Contents;
use crate::operation::{Form, Needs, Operation};
use crate::sample::Sample;

/// How many calls are compared.
const CALLS: usize = 9;
/// How many calls are counted.
const COUNTED: usize = 3;

impl Bench {
    /// # Panics
    ///
    /// If one form answers something else than another, or leaves something else on the server.
    pub(crate) async fn compare<T: Sample>(&mut self, operation: Operation) {
        let forms: Vec<Form> = Self::forms(operation).collect();
        self.compare_forms::<T>(operation, &forms, false).await;
        // What has expired, and nobody knows: that has to become its event, whoever comes upon it.
        if matches!(
            operation,
            Operation::Save
                | Operation::SaveTtl
                | Operation::SaveIndexed
                | Operation::SaveTtlIndexed
                | Operation::Replace
                | Operation::ReplaceIndexed
                | Operation::Insert
                | Operation::Delete
        ) {
            self.compare_forms::<T>(operation, &[Form::Kvrepo, Form::Raw], true)
                .await;
        }
    }

    async fn compare_forms<T: Sample>(&mut self, operation: Operation, forms: &[Form], expired: bool) {
        let extent = if operation.reads() {
            self.extent::<T>(operation)
        } else {
            Extent {
                shared: 40,
                batch: 40,
            }
        };
        let calls = if operation.is_bulk() { 1 } else { CALLS };
        self.prepare::<T>(operation, calls, extent).await;
        let jobs = self.jobs::<T>(operation, calls, extent);
        let mut first: Option<(Vec<Answer<T>>, Contents)> = None;
        for form in forms {
            if expired {
                self.expire::<T>(*form).await;
            }
            let callee = self.callee::<T>(*form, operation);
            let mut answers = Vec::new();
            for mut job in jobs.clone() {
                answers.push(callee.call(*form, operation, &mut job).await);
            }
            let contents = if operation.reads() {
                Contents::default()
            } else {
                Contents::read(&self.server.url_with_db(form.database())).await
            };
            let Some((answered, held)) = &first else {
                first = Some((answers, contents));
                continue;
            };
            // Without a script it is not told whether it was new.
            let told = *form != Form::Unguarded || operation.needs() != Needs::Written;
            assert!(
                !told || *answered == answers,
                "{operation:?}: kvrepo answers {answered:?}, {form:?} {answers:?}"
            );
            if let Some(difference) = held.difference(&contents) {
                panic!("{operation:?}: kvrepo leaves something else than {form:?}: {difference}");
            }
        }
        let (answered, held) = first.expect("a form");
        assert!(!answered.is_empty());
        let empty = matches!(operation, Operation::DeleteAll) || operation.reads();
        assert!(held.keys() > 0 || empty || operation == Operation::Delete);
    }

    /// Has the first entity expired, with its phantom there.
    async fn expire<T: Sample>(&self, form: Form) {
        let people = self.people::<T>(form.database() as usize);
        let mut entity = T::number(0);
        let save = people.save(&mut entity).time_to_live(Duration::from_millis(1));
        save.await.expect("a save");
        while people.exists_by_id(entity.key()).await.expect("an answer") {
            tokio::task::yield_now().await;
        }
    }

    /// How many round trips one call takes, by kvrepo and by hand.
    pub(crate) async fn round_trips<T: Sample>(&mut self, operation: Operation) -> (f64, f64) {
        let extent = self.extent::<T>(operation);
        let mut counts = [0.0; 2];
        let calls = if operation.is_bulk() { 1 } else { COUNTED };
        for (count, form) in counts.iter_mut().zip([Form::Kvrepo, Form::Raw]) {
            self.prepare::<T>(operation, 2 * calls, extent).await;
            let jobs = self.jobs::<T>(operation, 2 * calls, extent);
            let (first, rest) = jobs.split_at(calls);
            let callee = self.counted::<T>();
            // The connection is made, and the script known, after this.
            if !operation.is_bulk() {
                for job in first {
                    callee.call(form, operation, &mut job.clone()).await;
                }
            }
            let before = self.proxy.counts().round_trips;
            for job in rest {
                callee.call(form, operation, &mut job.clone()).await;
            }
            *count = (self.proxy.counts().round_trips - before) as f64 / calls as f64;
        }
        (counts[0], counts[1])
    }
}
