//! Putting, getting, deleting and listing keys.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection, StringRejection};
use axum::extract::{Path, Query, State};
use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse};
use kvrepo::{Error, KvEntity, Repository, SaveOutcome, Term, TimeToLive};
use serde::Serialize;

use super::failure::Failure;
use super::page::{self, Page, PageQuery};
use super::term::TermQuery;
use super::{Item, Service, time};

/// What of a request could not be read is a [`Failure`] like any other.
type Id = Result<Path<String>, PathRejection>;

/// A key, and when it expires; `None` is never, or, in a list, not at a fixed time.
#[derive(Debug, Serialize)]
pub(super) struct Key {
    id: String,
    expires_at: Option<String>,
}

pub(super) async fn put(
    State(service): State<Service>,
    id: Id,
    term: Result<Query<TermQuery>, QueryRejection>,
    headers: HeaderMap,
    value: Result<String, StringRejection>,
) -> Result<impl IntoResponse, Failure> {
    let (Path(id), Query(term)) = (id?, term?);
    let new = has_to_be_new(&headers)?;
    let mut item = Item::new(id, value?);
    let saved = save(&service.items, &mut item, term.try_into()?, new).await?;
    let status = if saved.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let key = Key {
        id: item.id,
        expires_at: saved.deadline.and_then(time::format),
    };
    Ok((status, Json(key)))
}

/// Whether the request asks that there be none yet. Other conditions are none that this service can keep: it has no tags.
fn has_to_be_new(headers: &HeaderMap) -> Result<bool, Failure> {
    match headers.get(IF_NONE_MATCH) {
        _ if headers.contains_key(IF_MATCH) => {
            Err(Failure::unprocessable("`If-Match` is not supported; remove it"))
        }
        None => Ok(false),
        Some(tag) if tag == "*" => Ok(true),
        Some(_) => Err(Failure::unprocessable("`If-None-Match` can only be `*`")),
    }
}

async fn save(
    items: &Repository<Item>,
    item: &mut Item,
    term: Term,
    new: bool,
) -> kvrepo::Result<SaveOutcome> {
    if new {
        items.insert(item).term(term).await
    } else {
        items.save(item).term(term).await
    }
}

pub(super) async fn get(State(service): State<Service>, id: Id) -> Result<impl IntoResponse, Failure> {
    let Path(id) = id?;
    let entry = service.items.entry(&id).await?.ok_or_else(|| not_found(id))?;
    let mut life = Vec::new();
    if let TimeToLive::In(remaining) = entry.remaining {
        life.push(("x-ttl-ms", remaining.as_millis().to_string()));
    }
    if let Some(deadline) = entry.deadline.and_then(time::format) {
        life.push(("x-expires-at", deadline));
    }
    // Then the other two say what it was before this request, which has begun the span anew.
    if let Some(span) = entry.idle {
        life.push(("x-idle-ms", span.as_millis().to_string()));
    }
    Ok((AppendHeaders(life), entry.value.value))
}

pub(super) async fn delete(State(service): State<Service>, id: Id) -> Result<StatusCode, Failure> {
    let Path(id) = id?;
    if service.items.delete_by_id(&id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(not_found(id).into())
    }
}

/// kvrepo says `None` or `false` of what is not there; its error has the words for it.
fn not_found(id: String) -> Error {
    Error::NotFound {
        keyspace: Item::SCHEMA.keyspace.to_owned(),
        id,
    }
}

/// A page of the keys.
#[derive(Debug, Serialize)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// How many there are besides that hold no item, written by somebody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<usize>,
    next: Option<String>,
}

pub(super) async fn list(
    State(service): State<Service>,
    page: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Json<Keys>, Failure> {
    let Query(page) = page?;
    let Page { cursor, limit } = page.try_into()?;
    let slice = service.items.find_all().slice(cursor.as_deref(), limit).await?;
    let key = |item: Item| Key {
        expires_at: item.expires_at.and_then(time::format),
        id: item.id,
    };
    Ok(Json(Keys {
        keys: slice.items.into_iter().map(key).collect(),
        unreadable: Some(slice.failures.len()).filter(|count| *count > 0),
        next: slice.next.as_deref().map(page::to_text),
    }))
}
