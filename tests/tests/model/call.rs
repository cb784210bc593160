//! Operations as calls of a repository.

use std::time::{Duration, SystemTime};

use kvrepo::{Error, Repository, SaveOutcome};
use kvrepo_tests::world::millis as since_1970;

use crate::answer::{Answer, Entry, Fault, Left, Saved, millis};
use crate::item::Item;
use crate::operation::{Change, Number, Operation, Slot, Term, When};
use crate::site::Site;

/// Gives a request the term of the operation.
macro_rules! with_term {
    ($request:expr, $term:expr, $site:expr) => {{
        let request = $request;
        match $term {
            Term::Unset => request,
            Term::Ttl(term) => request.time_to_live(term),
            Term::At(when) => request.expires_at(at(when, $site)),
            Term::Idle(span) => request.idle(span),
            Term::Persistent => request.persistent(),
            Term::Keep => request.keep_time_to_live(),
        }
    }};
}

fn at(when: When, site: &Site<'_>) -> SystemTime {
    let now = site.deadline(site.now());
    match when {
        When::In(left) => now + left,
        When::Ago(ago) => now - ago,
        When::Before1970 => SystemTime::UNIX_EPOCH - Duration::from_secs(1),
        When::TooLate => SystemTime::UNIX_EPOCH + Duration::from_millis(4_000_000_000_000_001),
    }
}

/// Does an operation, and says what it answered.
pub(crate) async fn call(items: &Repository<Item>, operation: &Operation, site: &Site<'_>) -> Answer {
    let answered = match operation.clone() {
        Operation::Save(mut item, term) => {
            let request = with_term!(items.save(&mut item), term, site);
            request.await.map(|outcome| Answer::Saved(saved(outcome, site)))
        }
        Operation::Insert(mut item, term) => {
            let request = with_term!(items.insert(&mut item), term, site);
            request.await.map(|outcome| Answer::Saved(saved(outcome, site)))
        }
        Operation::SaveAll(mut many, term) => {
            return all_saved(with_term!(items.save_all(&mut many), term, site).await, site);
        }
        Operation::InsertAll(mut many, term) => {
            return all_saved(with_term!(items.insert_all(&mut many), term, site).await, site);
        }
        Operation::Update(id, changes, term, refresh) => {
            let request = with_term!(changed(items.update(id), &changes), term, site);
            // Of several the last counts; the oracle has the call's own term count.
            let request = if refresh && matches!(term, Term::Unset | Term::Keep) {
                request.refresh_time_to_live()
            } else {
                request
            };
            request.await.map(Answer::Done)
        }
        Operation::UpdateWith(id, changes, term, refresh) => {
            let edit = |item: &mut Item| changes.iter().for_each(|change| change.edit(item));
            let request = with_term!(items.update_with(id, edit), term, site);
            // Of several the last counts; the oracle has the call's own term count.
            let request = if refresh && matches!(term, Term::Unset | Term::Keep) {
                request.refresh_time_to_live()
            } else {
                request
            };
            request.await.map(Answer::Found)
        }
        Operation::Expire(id, term) => items.expire(id, term).await.map(Answer::Done),
        Operation::ExpireAt(id, when) => items.expire_at(id, at(when, site)).await.map(Answer::Done),
        Operation::Persist(id) => items.persist(id).await.map(Answer::Done),
        Operation::DeleteById(id) => items.delete_by_id(id).await.map(Answer::Done),
        Operation::DeleteAllById(ids) => items.delete_all_by_id(ids).await.map(Answer::Counted),
        Operation::DeleteAll => items.delete_all().await.map(Answer::Counted),
        Operation::Take(id) => items.take(id).await.map(Answer::Found),
        Operation::FindById(id) => items.find_by_id(id).await.map(Answer::Found),
        Operation::ExistsById(id) => items.exists_by_id(id).await.map(Answer::Done),
        Operation::Entry(id) => items.entry(id).await.map(|found| {
            Answer::Entry(found.map(|found| Entry {
                item: found.value,
                left: found.remaining.into(),
                deadline: found.deadline.map(|deadline| since_begin(deadline, site)),
                idle: found.idle.map(millis),
            }))
        }),
        Operation::FindAll => items.find_all().await.map(|mut all| {
            all.sort_by(|a, b| a.id.cmp(&b.id));
            Answer::AllFound(all)
        }),
        Operation::FindAllById(ids) => items.find_all_by_id(ids).await.map(Answer::AllFound),
        Operation::Count => items.count().await.map(Answer::Counted),
        Operation::TimeToLive(id) => items
            .time_to_live(id)
            .await
            .map(|left| Answer::Left(Left::from(left))),
        Operation::Sweep => items.sweep().await.map(|swept| Answer::Swept {
            expired: swept.expired,
            repaired: swept.repaired,
        }),
        Operation::Pass(_) => Ok(Answer::Nothing),
    };
    answered.unwrap_or_else(|error| Answer::Refused(error.into()))
}

fn since_begin(deadline: SystemTime, site: &Site<'_>) -> u64 {
    site.since_begin(since_1970(deadline))
}

fn saved(outcome: SaveOutcome, site: &Site<'_>) -> Saved {
    Saved {
        created: outcome.created,
        deadline: outcome.deadline.map(|deadline| since_begin(deadline, site)),
    }
}

fn all_saved(outcomes: kvrepo::Result<Vec<SaveOutcome>>, site: &Site<'_>) -> Answer {
    Answer::AllSaved(match outcomes {
        Ok(outcomes) => Ok(outcomes.into_iter().map(|outcome| saved(outcome, site)).collect()),
        Err(Error::Batch { failures, .. }) => Err(failures
            .into_iter()
            .map(|failure| (failure.index, failure.error.into()))
            .collect()),
        Err(other) => return Answer::Refused(Fault::from(other)),
    })
}

type Update<'a> = kvrepo::Update<'a, Item>;

fn changed<'a>(mut request: Update<'a>, changes: &[Change]) -> Update<'a> {
    let item = Item::fields();
    for change in changes {
        request = match change.clone() {
            Change::Text(text) => request.set(item.text, text),
            Change::Note(note) => request.set(item.note, note),
            Change::Tags(tags) => request.set(item.tags, tags),
            Change::Attributes(attributes) => request.set(item.attributes, attributes),
            Change::Address(address) => request.set(item.address, address),
            Change::City(city) => request.set(item.address.city, city),
            Change::Visits(visits) => request.set(item.address.visits, visits),
            Change::Door(door) => request.set(item.address.door, door),
            Change::Code(code) => request.set(item.address.door.code, code),
            Change::AddressNote(note) => request.set(item.address_note, note),
            Change::Count(count) => request.set(item.count, count),
            Change::Ttl(ttl) => request.set(item.ttl, ttl),
            Change::Unset(Slot::Note) => request.unset(item.note),
            Change::Unset(Slot::Tags) => request.unset(item.tags),
            Change::Unset(Slot::Attributes) => request.unset(item.attributes),
            Change::Unset(Slot::Address) => request.unset(item.address),
            Change::Unset(Slot::City) => request.unset(item.address.city),
            Change::Unset(Slot::Visits) => request.unset(item.address.visits),
            Change::Unset(Slot::Door) => request.unset(item.address.door),
            Change::Unset(Slot::Code) => request.unset(item.address.door.code),
            Change::Unset(Slot::AddressNote) => request.unset(item.address_note),
            Change::Unset(Slot::Ttl) => request.unset(item.ttl),
            Change::Add(Number::Count, by) => request.increment(item.count, by),
            Change::Add(Number::Visits, by) => request.increment(item.address.visits, by),
            Change::Add(Number::Ttl, by) => request.increment(item.ttl, by),
        };
    }
    request
}
