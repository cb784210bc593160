//! One call of an operation, in each of its forms.

use kvrepo::{PageRequest, Repository};

use crate::hand::Hand;
use crate::operation::{Form, Operation, PAGE};
use crate::sample::{Sample, city, trade};

/// What one call is about.
#[derive(Debug, Clone)]
pub(crate) struct Job<T> {
    pub(crate) entities: Vec<T>,
    pub(crate) ids: Vec<String>,
    pub(crate) number: usize,
}

/// What it was answered.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer<T> {
    Number(usize),
    One(Option<T>),
    Many(Vec<T>),
    Page(Vec<T>, usize),
}

impl<T> Answer<T> {
    /// How many entities were changed or found.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Number(number) => *number,
            Self::One(found) => usize::from(found.is_some()),
            Self::Many(found) | Self::Page(found, _) => found.len(),
        }
    }
}

/// Whom to ask.
#[derive(Clone)]
pub(crate) struct Callee<T> {
    pub(crate) people: Repository<T>,
    pub(crate) hand: Hand,
}

impl<T: Sample> Callee<T> {
    pub(crate) async fn call(&self, form: Form, operation: Operation, job: &mut Job<T>) -> Answer<T> {
        match form {
            Form::Kvrepo => self.ours(operation, job).await.expect("an answer"),
            Form::Raw => self.by_hand(operation, job).await,
            Form::Unguarded => self.unguarded(operation, job).await,
        }
    }

    async fn ours(&self, operation: Operation, job: &mut Job<T>) -> kvrepo::Result<Answer<T>> {
        let people = &self.people;
        let filter = |trade| T::filter(&city(job.number), trade).expect("an indexed type");
        Ok(match operation {
            Operation::Save | Operation::SaveIndexed => {
                Answer::Number(people.save(&mut job.entities[0]).await?.created.into())
            }
            Operation::SaveTtl
            | Operation::SaveTtlIndexed
            | Operation::Replace
            | Operation::ReplaceIndexed => {
                let save = people.save(&mut job.entities[0]);
                Answer::Number(save.time_to_live(crate::operation::TERM).await?.created.into())
            }
            Operation::Insert => {
                let insert = people.insert(&mut job.entities[0]);
                Answer::Number(insert.time_to_live(crate::operation::TERM).await?.created.into())
            }
            Operation::Update => {
                let trade = trade(job.number);
                Answer::Number(T::set_trade(people, &job.ids[0], trade).await?.into())
            }
            Operation::FindById => Answer::One(people.find_by_id(job.ids[0].as_str()).await?),
            Operation::FindAllById => {
                Answer::Many(people.find_all_by_id(job.ids.iter().map(String::as_str)).await?)
            }
            Operation::Query => Answer::Many(people.find(filter(Some(&trade(job.number)))).await?),
            Operation::Page => {
                let page = people.find(filter(None)).page(PageRequest::first(PAGE)).await?;
                Answer::Page(page.items, page.total as usize)
            }
            Operation::Count => Answer::Number(people.count().await? as usize),
            Operation::SaveAll => {
                let save = people.save_all(&mut job.entities);
                let outcomes = save.time_to_live(crate::operation::TERM).await?;
                Answer::Number(outcomes.iter().filter(|outcome| outcome.created).count())
            }
            Operation::Delete => Answer::Number(people.delete_by_id(job.ids[0].as_str()).await?.into()),
            Operation::DeleteAll => Answer::Number(people.delete_all().await? as usize),
        })
    }

    async fn by_hand(&self, operation: Operation, job: &mut Job<T>) -> Answer<T> {
        let (hand, term) = (&self.hand, operation.term());
        match operation {
            Operation::Save
            | Operation::SaveTtl
            | Operation::SaveIndexed
            | Operation::SaveTtlIndexed
            | Operation::Replace
            | Operation::ReplaceIndexed => {
                Answer::Number(hand.save(&job.entities[0], term, false).await.into())
            }
            Operation::Insert => Answer::Number(hand.save(&job.entities[0], term, true).await.into()),
            Operation::Update => {
                let trade = trade(job.number);
                Answer::Number(hand.update::<T>(&job.ids[0], &trade).await.into())
            }
            Operation::FindById => Answer::One(hand.find(&job.ids[0]).await),
            Operation::FindAllById => Answer::Many(hand.find_all(&job.ids).await),
            Operation::Query => Answer::Many(hand.query(&city(job.number), &trade(job.number)).await),
            Operation::Page => {
                let (found, total) = hand.page(&city(job.number)).await;
                Answer::Page(found, total as usize)
            }
            Operation::Count => Answer::Number(hand.count::<T>().await as usize),
            Operation::SaveAll => Answer::Number(hand.save_all(&job.entities, term).await),
            Operation::Delete => Answer::Number(hand.delete::<T>(&job.ids[0]).await.into()),
            Operation::DeleteAll => Answer::Number(hand.delete_all::<T>().await as usize),
        }
    }

    async fn unguarded(&self, operation: Operation, job: &mut Job<T>) -> Answer<T> {
        let (hand, term) = (&self.hand, operation.term());
        match operation {
            Operation::Save | Operation::SaveTtl | Operation::SaveIndexed | Operation::SaveTtlIndexed => {
                hand.save_unguarded(&job.entities[0], term).await;
                Answer::Number(1)
            }
            Operation::Replace => {
                hand.save_unguarded(&job.entities[0], term).await;
                Answer::Number(0)
            }
            Operation::Update => {
                let trade = trade(job.number);
                hand.update_unguarded::<T>(&job.ids[0], &trade).await;
                Answer::Number(1)
            }
            Operation::Page => {
                let (found, total) = hand.page_unguarded(&city(job.number)).await;
                Answer::Page(found, total as usize)
            }
            Operation::Count => Answer::Number(hand.count_unguarded::<T>().await as usize),
            Operation::SaveAll => Answer::Number(hand.save_all_unguarded(&job.entities, term).await),
            Operation::Delete => Answer::Number(hand.delete_unguarded::<T>(&job.ids[0]).await.into()),
            Operation::DeleteAll => Answer::Number(hand.delete_all_unguarded::<T>().await as usize),
            Operation::ReplaceIndexed
            | Operation::Insert
            | Operation::FindById
            | Operation::FindAllById
            | Operation::Query => unreachable!("{operation:?} has no unguarded form"),
        }
    }
}
