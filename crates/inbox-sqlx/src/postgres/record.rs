//! Recording on PostgreSQL: one statement for a delivery, its events and their work.

use std::collections::HashMap;

use hookproof_inbox::{
    Batch, Entry, Found, Key, Plan, Progress, StoreError, StoreErrorKind, Work, headers_to_bytes,
    position,
};
use sqlx::PgConnection;

use super::store::Texts;
use crate::error::{corrupt, fault};
use crate::link::{Columns as _, Link as _, Value};
use crate::rows;

type Done<T> = Result<T, StoreError>;

/// An event whose delivery is not stored, by the statement that somebody would write by hand.
async fn insert_one(
    texts: &Texts,
    connection: &mut PgConnection,
    batch: &Batch,
    entry: &Entry,
    work: Work,
) -> Done<Found> {
    let digest = batch.body_digest();
    let (content, unsigned) =
        entry.event().map_or((digest, false), |event| (event.content, event.unsigned));
    let (endpoint, body) =
        (Value::text(batch.endpoint().as_str()), Value::bytes(digest.as_bytes()));
    let key = Value::Text(entry.key().map(Key::as_str));
    let received_at = Value::time(batch.received_at());
    let content_value = Value::bytes(content.as_bytes());
    let values = [endpoint, key, content_value, body, Value::Bool(unsigned), received_at];
    let Some(row) = connection.row(&texts.verbs.record, &values).await? else {
        let row = connection.row(&texts.verbs.find, &[endpoint, key]).await?;
        return rows::found(&row.ok_or_else(unseen)?, 0);
    };
    let id = rows::id(&row, 0)?;
    let mut found = Found::inserted(id, content, batch.received_at(), work);
    if unsigned {
        let values = [endpoint, body, Value::id(id.as_u64())];
        let row = connection.row(&texts.verbs.same_bytes, &values).await?;
        found = found.with_same_bytes(row.map_or(Ok(None), |row| rows::key(&row, 0))?);
    }
    Ok(found)
}

/// What was found for each entry that the plan inserts.
pub(super) async fn insert(
    texts: &Texts,
    connection: &mut PgConnection,
    batch: &Batch,
    plan: &Plan<'_>,
    work: Work,
) -> Done<Vec<Found>> {
    let entries: Vec<&Entry> =
        plan.inserts().iter().filter_map(|&index| batch.entries().get(index)).collect();
    if let ([entry], false) = (entries.as_slice(), batch.is_stored(work)) {
        return Ok(vec![insert_one(texts, connection, batch, entry, work).await?]);
    }
    let rows = insert_many(texts, connection, batch, &entries, work).await?;
    let mut late = find_late(texts, connection, batch, &entries, &rows).await?;
    let mut found = Vec::with_capacity(rows.len());
    for (row, entry) in rows.into_iter().zip(&entries) {
        found.push(match row {
            Some(found) => found,
            None => entry.key().and_then(|key| late.remove(key.as_str())).ok_or_else(unseen)?,
        });
    }
    Ok(found)
}

/// What became of each entry; nothing for a key that another transaction recorded and committed meanwhile.
async fn insert_many(
    texts: &Texts,
    connection: &mut PgConnection,
    batch: &Batch,
    entries: &[&Entry],
    work: Work,
) -> Done<Vec<Option<Found>>> {
    let headers = headers_to_bytes(batch.headers());
    let (received_at, digest) = (batch.received_at(), batch.body_digest());
    let columns = Columns::new(batch, entries);
    let query = sqlx::query(texts.fixed.record_many.clone())
        .bind(batch.endpoint().as_str())
        .bind(batch.provider())
        .bind(hookproof_inbox::time::to_sql(received_at))
        .bind(batch.method().map(http::Method::as_str))
        .bind(batch.url())
        .bind(headers)
        .bind(&batch.body()[..])
        .bind(digest.as_bytes())
        .bind(batch.is_stored(work))
        .bind(work == Work::Later)
        .bind(columns.element)
        .bind(columns.key)
        .bind(columns.content)
        .bind(columns.unsigned)
        .bind(columns.kind)
        .bind(columns.subject)
        .bind(columns.stream)
        .bind(columns.order_value)
        .bind(columns.order_unit)
        .bind(columns.position)
        .bind(columns.twin)
        .bind(columns.error);
    let rows = query.fetch_all(connection).await.map_err(fault)?;
    if rows.len() != entries.len() {
        return Err(corrupt("what the database returned"));
    }
    rows.iter()
        .map(|row| {
            if row.maybe_bigint(1)?.is_none() {
                return Ok(None);
            }
            let mut found = rows::found_at(row, [1, 3, 4, 5])?;
            found.inserted = row.boolean(2)?;
            Ok(Some(found.with_same_bytes(rows::key(row, 6)?)))
        })
        .collect()
}

/// What was committed after the statement began, which a new statement sees.
async fn find_late(
    texts: &Texts,
    connection: &mut PgConnection,
    batch: &Batch,
    entries: &[&Entry],
    rows: &[Option<Found>],
) -> Done<HashMap<Box<str>, Found>> {
    let late = entries.iter().zip(rows).filter(|(_, found)| found.is_none());
    let keys: Vec<&str> = late.filter_map(|(entry, _)| Some(entry.key()?.as_str())).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let query = sqlx::query(texts.fixed.find_many.clone());
    let query = query.bind(batch.endpoint().as_str()).bind(keys);
    let rows = query.fetch_all(connection).await.map_err(fault)?;
    rows.iter().map(|row| Ok((row.text(0)?.into(), rows::found(row, 1)?))).collect()
}

/// A transaction of a higher isolation than `READ COMMITTED` does not see it, or it was purged between two statements.
fn unseen() -> StoreError {
    let message =
        "another transaction has just recorded the event, and this one does not see it; try again";
    StoreError::new(StoreErrorKind::Busy, message)
}

/// The entries by columns.
#[derive(Default)]
struct Columns<'b> {
    element: Vec<i32>,
    key: Vec<Option<&'b str>>,
    content: Vec<[u8; 32]>,
    unsigned: Vec<bool>,
    kind: Vec<Option<&'b str>>,
    subject: Vec<Option<&'b str>>,
    stream: Vec<Option<&'b str>>,
    order_value: Vec<Option<i64>>,
    order_unit: Vec<Option<&'b str>>,
    position: Vec<i64>,
    twin: Vec<Option<&'b str>>,
    error: Vec<Option<Box<str>>>,
}

impl<'b> Columns<'b> {
    fn new(batch: &Batch, entries: &[&'b Entry]) -> Self {
        let received_at = batch.received_at();
        let events = || entries.iter().map(|entry| entry.event());
        let orders = || events().map(|event| event.and_then(|event| event.order));
        let problem = |entry: &&Entry| Progress::faulty(&entry.problem()?, received_at).error;
        Self {
            element: entries
                .iter()
                .map(|entry| i32::try_from(entry.index()).unwrap_or(i32::MAX))
                .collect(),
            key: entries.iter().map(|entry| entry.key().map(Key::as_str)).collect(),
            content: events()
                .map(|event| event.map_or_else(|| batch.body_digest(), |event| event.content))
                .map(|digest| *digest.as_bytes())
                .collect(),
            unsigned: events().map(|event| event.is_some_and(|event| event.unsigned)).collect(),
            kind: events().map(|event| event?.kind.as_deref()).collect(),
            subject: events().map(|event| event?.subject.as_deref()).collect(),
            stream: events().map(|event| event?.stream.as_deref()).collect(),
            order_value: orders().map(|order| Some(order?.value())).collect(),
            order_unit: orders().map(|order| Some(order?.unit().as_str())).collect(),
            position: orders().map(|order| position(order, received_at)).collect(),
            twin: events().map(|event| event?.twin.as_deref()).collect(),
            error: entries.iter().map(problem).collect(),
        }
    }
}
