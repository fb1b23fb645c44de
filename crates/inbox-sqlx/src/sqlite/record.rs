//! Recording on SQLite: one writer at a time, so that nothing changes between the statements of a transaction.

use core::iter;
use std::collections::HashMap;

use hookproof_inbox::{
    Batch, Digest, Entry, EventId, Found, Key, Plan, Progress, State, StoreError, Work,
    headers_to_bytes, position,
};
use http::Method;
use serde_json::json;
use sqlx::{SqlStr, SqliteConnection};

use super::store::{self, Texts};
use crate::error::corrupt;
use crate::link::{Columns as _, Link as _, Value};
use crate::rows;

type Done<T> = Result<T, StoreError>;

/// What was found for each entry that the plan inserts. The delivery is stored with the first that is new.
pub(super) async fn insert(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    plan: &Plan<'_>,
    work: Work,
) -> Done<Vec<Found>> {
    let entries: Vec<&Entry> =
        plan.inserts().iter().filter_map(|&index| batch.entries().get(index)).collect();
    match entries.as_slice() {
        [entry] if is_later(entry, work) => {
            let sql = &texts.fixed.record_later;
            Ok(vec![insert_later(sql, connection, batch, entry).await?])
        }
        [entry] => Ok(vec![insert_here(texts, connection, batch, entry).await?]),
        entries => insert_many(texts, connection, batch, entries, work).await,
    }
}

/// Records the only event of a delivery in a transaction of its own.
///
/// If it fails, or is dropped before it ends, the transaction may be open: roll back.
#[cfg(feature = "worker")]
pub(super) async fn insert_alone(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entry: &Entry,
) -> Done<Found> {
    insert_later(&texts.fixed.record_alone, connection, batch, entry).await
}

fn is_later(entry: &Entry, work: Work) -> bool {
    work == Work::Later || entry.problem().is_some()
}

/// An event with its delivery and its work, by one text: each statement is a way to the driver's thread and back, which
/// takes longer than the statement.
async fn insert_later(
    sql: &SqlStr,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entry: &Entry,
) -> Done<Found> {
    let digests = (content(batch, entry), batch.body_digest());
    let headers = headers_to_bytes(batch.headers());
    let later = Later::new(batch, entry);
    let [key, work @ ..] = later.values();
    let [endpoint, provider, method, url, headers, body] = delivery(batch, &headers);
    let received_at = Value::time(batch.received_at());
    let mut values = vec![
        endpoint,
        key,
        Value::bytes(digests.0.as_bytes()),
        Value::bytes(digests.1.as_bytes()),
        Value::Bool(unsigned(entry)),
        received_at,
        provider,
        method,
        url,
        headers,
        body,
    ];
    values.extend(work);
    // Not `row`: it leaves out what comes after the first row.
    let rows = connection.rows(sql, &values).await?;
    let row = rows.first().ok_or_else(|| corrupt("what was recorded"))?;
    if !row.boolean(0)? {
        return rows::found(row, 1);
    }
    let found = Found::inserted(rows::id(row, 1)?, digests.0, batch.received_at(), Work::Later);
    Ok(found.with_same_bytes(rows::key(row, 5)?))
}

/// An event whose delivery is not stored, by the statement that somebody would write by hand.
async fn insert_here(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entry: &Entry,
) -> Done<Found> {
    let (content, digest, unsigned) = (content(batch, entry), batch.body_digest(), unsigned(entry));
    let endpoint = Value::text(batch.endpoint().as_str());
    let key = Value::Text(entry.key().map(Key::as_str));
    let values = [
        endpoint,
        key,
        Value::bytes(content.as_bytes()),
        Value::bytes(digest.as_bytes()),
        Value::Bool(unsigned),
        Value::time(batch.received_at()),
    ];
    let Some(id) = store::insert(connection, &texts.verbs.record, &values).await? else {
        let row = connection.row(&texts.verbs.find, &[endpoint, key]).await?;
        return rows::found(&row.ok_or_else(|| corrupt("a key"))?, 0);
    };
    let mut found = Found::inserted(id, content, batch.received_at(), Work::Here);
    if unsigned {
        found = found.with_same_bytes(same_bytes(texts, connection, batch, id).await?);
    }
    Ok(found)
}

async fn insert_many(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entries: &[&Entry],
    work: Work,
) -> Done<Vec<Found>> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let row = connection.row(&texts.fixed.next, &[]).await?;
    let first = rows::number(&row.ok_or_else(|| corrupt("the table of keys"))?, 0)?;
    let same = match entries.iter().any(|entry| unsigned(entry)) {
        true => same_bytes(texts, connection, batch, EventId::from_u64(first)).await?,
        false => None,
    };
    let keys = list(entries.iter().map(|entry| entry.key().map(Key::as_str)).collect::<Vec<_>>());
    let inserted = insert_keys(texts, connection, batch, entries, (first, &keys)).await?;
    let mut known = match inserted == u64::try_from(entries.len()).unwrap_or(u64::MAX) {
        true => HashMap::new(),
        false => find_known(texts, connection, batch, (first, &keys)).await?,
    };
    let found = (first..).zip(entries).map(|(id, entry)| {
        entry.key().and_then(|key| known.remove(key.as_str())).unwrap_or_else(|| {
            let id = EventId::from_u64(id);
            let new = Found::inserted(id, content(batch, entry), batch.received_at(), work);
            new.with_same_bytes(same.clone().filter(|_| unsigned(entry)))
        })
    });
    let found: Vec<Found> = found.collect();
    let new = found.iter().zip(entries).filter(|(found, _)| found.inserted);
    let later: Vec<(u64, Later<'_>)> = new
        .filter(|(_, entry)| is_later(entry, work))
        .map(|(found, entry)| (found.id.as_u64(), Later::new(batch, entry)))
        .collect();
    store_later(texts, connection, batch, &later).await?;
    Ok(found)
}

/// Inserts what is not there, with numbers from the first one on; how many that was.
async fn insert_keys(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entries: &[&Entry],
    numbered: (u64, &str),
) -> Done<u64> {
    let (first, keys) = numbered;
    let digest = batch.body_digest();
    let contents: Vec<u8> =
        entries.iter().flat_map(|entry| *content(batch, entry).as_bytes()).collect();
    let unsigned: String =
        entries.iter().map(|entry| if unsigned(entry) { '1' } else { '0' }).collect();
    let values = [
        Value::text(batch.endpoint().as_str()),
        Value::bytes(digest.as_bytes()),
        Value::time(batch.received_at()),
        Value::id(first),
        Value::text(keys),
        Value::bytes(&contents),
        Value::text(&unsigned),
    ];
    connection.execute(&texts.fixed.record_many, &values).await
}

/// What was stored before, by its key.
async fn find_known(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    numbered: (u64, &str),
) -> Done<HashMap<Box<str>, Found>> {
    let (first, keys) = numbered;
    let values = [Value::text(batch.endpoint().as_str()), Value::text(keys)];
    let rows = connection.rows(&texts.fixed.find_many, &values).await?;
    let mut known = HashMap::new();
    for row in &rows {
        let found = rows::found(row, 1)?;
        if found.id.as_u64() < first {
            known.insert(row.text(0)?.into(), found);
        }
    }
    Ok(known)
}

async fn same_bytes(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    before: EventId,
) -> Done<Option<Key>> {
    let digest = batch.body_digest();
    let values = [
        Value::text(batch.endpoint().as_str()),
        Value::bytes(digest.as_bytes()),
        Value::id(before.as_u64()),
    ];
    let row = connection.row(&texts.verbs.same_bytes, &values).await?;
    row.map_or(Ok(None), |row| rows::key(&row, 0))
}

/// Stores the delivery of new events, and their work.
async fn store_later(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    later: &[(u64, Later<'_>)],
) -> Done<()> {
    let [(number, _), ..] = later else { return Ok(()) };
    let last = later.last().map_or(*number, |(last, _)| *last);
    let headers = headers_to_bytes(batch.headers());
    let [endpoint, provider, method, url, headers, body] = delivery(batch, &headers);
    let (number, received_at) = (Value::id(*number), Value::time(batch.received_at()));
    let values =
        [number, Value::id(last), received_at, endpoint, provider, method, url, headers, body];
    connection.execute(&texts.fixed.store_delivery, &values).await?;
    let work = later.iter().map(|(id, one)| {
        let values = one.values().map(to_json);
        iter::once(json!(id)).chain(values).collect::<Vec<_>>()
    });
    let work = list(work.collect::<Vec<_>>());
    let values = [endpoint, number, received_at, Value::text(&work)];
    connection.execute(&texts.fixed.work_many, &values).await.map(drop)
}

/// Endpoint, provider, method, URL, headers and body.
fn delivery<'v>(batch: &'v Batch, headers: &'v [u8]) -> [Value<'v>; 6] {
    [
        Value::text(batch.endpoint().as_str()),
        Value::text(batch.provider()),
        Value::Text(batch.method().map(Method::as_str)),
        Value::Text(batch.url()),
        Value::bytes(headers),
        Value::bytes(batch.body()),
    ]
}

/// An event that is worked on later, with what it is stored as.
struct Later<'b> {
    entry: &'b Entry,
    problem: Option<Box<str>>,
    state: State,
    position: i64,
}

impl<'b> Later<'b> {
    fn new(batch: &Batch, entry: &'b Entry) -> Self {
        let arrival = batch.received_at();
        let progress = match entry.problem() {
            Some(problem) => Progress::faulty(&problem, arrival),
            None => Progress::waiting(arrival),
        };
        let order = entry.event().and_then(|event| event.order);
        let position = position(order, arrival);
        Self { entry, problem: progress.error, state: progress.state, position }
    }

    /// From the key on, in the order of the texts.
    fn values(&self) -> [Value<'_>; 11] {
        let event = self.entry.event();
        let order = event.and_then(|event| event.order);
        [
            Value::Text(self.entry.key().map(Key::as_str)),
            Value::Text(event.and_then(|event| event.kind.as_deref())),
            Value::Text(event.and_then(|event| event.subject.as_deref())),
            Value::Text(event.and_then(|event| event.stream.as_deref())),
            Value::Number(order.map(|order| order.value())),
            Value::Text(order.map(|order| order.unit().as_str())),
            Value::number(self.position),
            Value::Text(event.and_then(|event| event.twin.as_deref())),
            Value::number(self.entry.index()),
            Value::number(self.state.code()),
            Value::Text(self.problem.as_deref()),
        ]
    }
}

fn to_json(value: Value<'_>) -> serde_json::Value {
    match value {
        Value::Bool(value) => json!(value),
        Value::Bytes(_) => serde_json::Value::Null,
        Value::Number(value) => json!(value),
        Value::Text(value) => json!(value),
    }
}

fn content(batch: &Batch, entry: &Entry) -> Digest {
    entry.event().map_or_else(|| batch.body_digest(), |event| event.content)
}

fn unsigned(entry: &Entry) -> bool {
    entry.event().is_some_and(|event| event.unsigned)
}

/// Several values as a JSON array, which is how SQLite takes them as one.
pub(super) fn list<T>(values: Vec<T>) -> String
where
    serde_json::Value: From<Vec<T>>,
{
    serde_json::Value::from(values).to_string()
}
