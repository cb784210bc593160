//! Operations as calls of a repository.

use futures_util::TryStreamExt;
use kvrepo::{Error, Example, Find, Finding, PageRequest, Repository, SaveOutcome, Sort};

use crate::answer::Answer;
use crate::operation::{Operation, Term};
use crate::oracle::edit;
use crate::query::{Like, Part, Query, Source};
use crate::thing::{IDS, Thing};

/// Gives a request the term of the operation.
macro_rules! with_term {
    ($request:expr, $term:expr) => {{
        let request = $request;
        match $term {
            Term::Unset => request,
            Term::Ttl(term) => request.time_to_live(term),
            Term::Persistent => request.persistent(),
            Term::Keep => request.keep_time_to_live(),
        }
    }};
}

/// Does an operation, and says what it answered.
pub(crate) async fn call(things: &Repository<Thing>, operation: &Operation) -> Answer {
    answered(things, operation)
        .await
        .unwrap_or_else(|error| Answer::Refused(error.into()))
}

async fn answered(things: &Repository<Thing>, operation: &Operation) -> kvrepo::Result<Answer> {
    let saved = |outcome: SaveOutcome| outcome.created;
    Ok(match operation.clone() {
        Operation::Find(query) => return asked(things, &query).await,
        Operation::Save(mut thing, term) => {
            Answer::Saved(saved(with_term!(things.save(&mut thing), term).await?))
        }
        Operation::Insert(mut thing, term) => {
            Answer::Saved(saved(with_term!(things.insert(&mut thing), term).await?))
        }
        Operation::SaveAll(mut many, term) => {
            Answer::AllSaved(match with_term!(things.save_all(&mut many), term).await {
                Ok(outcomes) => Ok(outcomes.into_iter().map(saved).collect()),
                Err(Error::Batch { failures, .. }) => Err(failures
                    .into_iter()
                    .map(|failure| (failure.index, failure.error.into()))
                    .collect()),
                Err(other) => return Err(other),
            })
        }
        Operation::Update(id, changes, term) => {
            let update = changes
                .iter()
                .fold(things.update(id), |update, change| change.request(update));
            Answer::Done(with_term!(update, term).await?)
        }
        Operation::UpdateWith(id, changes) => {
            let changed = things.update_with(id, |thing| edit(thing, &changes)).await?;
            Answer::Found(changed.map(Box::new))
        }
        Operation::Delete(id) => Answer::Done(things.delete_by_id(id).await?),
        Operation::Expire(id, term) => Answer::Done(things.expire(id, term).await?),
        Operation::Persist(id) => Answer::Done(things.persist(id).await?),
        Operation::Sweep => things.sweep().await.map(|_| Answer::Nothing)?,
        Operation::Verify => findings(things.verify().await?),
        Operation::Rebuild => findings(things.rebuild_indexes().await?),
        Operation::DeleteAll => Answer::Counted(things.delete_all().await?),
        Operation::Pass(_) => Answer::Nothing,
    })
}

fn findings(found: Vec<Finding>) -> Answer {
    Answer::Findings(found.iter().map(|finding| format!("{finding:?}")).collect())
}

/// Looks for what is asked for, in this order.
fn find<'r>(things: &'r Repository<Thing>, query: &Query) -> Find<'r, Thing> {
    let mut find = match &query.source {
        // It cannot be counted or streamed otherwise.
        Source::All => things.find_all().sort(Sort::by_id()),
        Source::Asked(ask) => things.find(ask.filter()),
        Source::Like(like) => things.find_by_example(example(like)),
    };
    if let Some(sort) = &query.sort {
        let mut sorts = sort.iter().map(|(key, descending)| key.sort(*descending));
        // The first two as one, and the others one by one.
        let first = sorts.next().unwrap_or_else(Sort::by_id);
        find = find.sort(match sorts.next() {
            Some(second) => first.then(second),
            None => first,
        });
        find = sorts.fold(find, Find::sort);
    }
    match query.limit {
        Some(limit) => find.limit(limit),
        None => find,
    }
}

fn example(like: &Like) -> Example<Thing> {
    let fields = Thing::fields();
    let mut example = Example::of(&like.probe);
    if !like.kind_counts {
        example = example.ignoring(fields.kind);
    }
    if !like.share_counts {
        example = example.ignoring(fields.share);
    }
    if !like.home_counts {
        example = example.ignoring(fields.home);
    }
    if like.any { example.any() } else { example }
}

async fn asked(things: &Repository<Thing>, query: &Query) -> kvrepo::Result<Answer> {
    let found = find(things, query);
    Ok(match query.part {
        Part::All => Answer::Things(found.await?),
        Part::Ids => Answer::Ids(found.ids().await?),
        Part::Count => Answer::Counted(found.count().await?),
        Part::Exists => Answer::Done(found.exists().await?),
        Part::First => Answer::Found(found.first().await?.map(Box::new)),
        Part::One => Answer::Found(found.one().await?.map(Box::new)),
        Part::Page(number, size) => {
            let page = found.page(PageRequest::of(number, size)).await?;
            Answer::Page {
                total: page.total,
                more: page.has_next(),
                things: page.items,
            }
        }
        Part::Walk => {
            let (mut sizes, mut walked, mut slice) = (Vec::new(), Vec::new(), found.slice().await?);
            loop {
                sizes.push(slice.items.len());
                walked.extend(slice.items);
                let Some(next) = slice.next else { break };
                // One that never ends is wrong by then.
                if sizes.len() > IDS.len() {
                    break;
                }
                slice = find(things, query).after(next).slice().await?;
            }
            Answer::Walked(sizes, walked)
        }
        Part::Stream => Answer::Things(found.stream().try_collect().await?),
        Part::Distances => {
            let near = found.with_distance().await?;
            let near = near
                .into_iter()
                .map(|near| (near.value, near.distance.in_meters()));
            Answer::Distances(near.collect())
        }
        Part::Delete => Answer::Counted(found.delete().await?),
    })
}
