//! Recording on SQLite: one writer at a time, so that nothing changes between the statements of a transaction.

use std::collections::{HashMap, HashSet};

use hookproof_inbox::sql::sqlite as sql;
use hookproof_inbox::{
    Batch, Digest, Entry, EventId, Found, Plan, Progress, Recorded, State, StoreError, Work,
    headers_to_bytes, position,
};
use sqlx::{SqlStr, SqliteConnection};

use super::store::Texts;
use crate::error::{corrupt, invalid};
use crate::link::{Columns as _, Link as _, Value};
use crate::rows;
use crate::texts::trusted;

/// The most events of one statement: within SQLite's limit of 32,766 parameters, and no batch of a known sender is larger.
pub(super) const CHUNK: usize = 100;

type Done<T> = Result<T, StoreError>;

pub(super) async fn record(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    work: Work,
) -> Done<Recorded> {
    let not_one = || invalid("`record` takes a delivery with exactly one event; use `record_many`");
    if batch.entries().len() != 1 {
        return Err(not_one());
    }
    record_many(texts, connection, batch, work).await?.pop().ok_or_else(not_one)
}

pub(super) async fn record_many(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    work: Work,
) -> Done<Vec<Recorded>> {
    let plan = Plan::new(batch);
    let found = insert(texts, connection, batch, &plan, work).await?;
    let parked = match plan.conflicts(&found) {
        None => Vec::new(),
        Some(conflicts) => {
            let plan = Plan::new(&conflicts);
            plan.ids(&insert(texts, connection, &conflicts, &plan, work).await?)
        }
    };
    Ok(plan.verdicts(&found, &parked))
}

/// What was found for each entry that the plan inserts. The delivery is stored with the first that is new.
async fn insert(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    plan: &Plan<'_>,
    work: Work,
) -> Done<Vec<Found>> {
    let entries: Vec<&Entry> =
        plan.inserts().iter().filter_map(|&index| batch.entries().get(index)).collect();
    let found = match entries.as_slice() {
        [entry] => vec![insert_one(texts, connection, batch, entry, work).await?],
        entries => insert_many(texts, connection, batch, entries, work).await?,
    };
    let new = found.iter().zip(&entries).filter(|(found, _)| found.inserted);
    let later: Vec<(EventId, &Entry)> = new
        .filter(|(_, entry)| work == Work::Later || entry.problem().is_some())
        .map(|(found, entry)| (found.id, *entry))
        .collect();
    if !later.is_empty() {
        let delivery = store_delivery(texts, connection, batch).await?;
        for chunk in later.chunks(CHUNK) {
            add_work(texts, connection, batch, chunk, delivery).await?;
        }
    }
    Ok(found)
}

async fn store_delivery(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
) -> Done<u64> {
    let headers = headers_to_bytes(batch.headers());
    let values = [
        Value::time(batch.received_at()),
        Value::text(batch.endpoint().as_str()),
        Value::text(batch.provider()),
        Value::Text(batch.method().map(http_name)),
        Value::Text(batch.url()),
        Value::bytes(&headers),
        Value::bytes(batch.body()),
    ];
    let row = connection.row(&texts.fixed.store_delivery, &values).await?;
    rows::number(&row.ok_or_else(|| corrupt("the table of deliveries"))?, 0)
}

async fn insert_one(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entry: &Entry,
    work: Work,
) -> Done<Found> {
    let (content, digest, unsigned) = (content(batch, entry), batch.body_digest(), unsigned(entry));
    let endpoint = Value::text(batch.endpoint().as_str());
    let key = Value::Text(entry.key().map(hookproof_inbox::Key::as_str));
    let values = [
        endpoint,
        key,
        Value::bytes(content.as_bytes()),
        Value::bytes(digest.as_bytes()),
        Value::Bool(unsigned),
        Value::time(batch.received_at()),
    ];
    let Some(row) = connection.row(&texts.verbs.record, &values).await? else {
        let row = connection.row(&texts.verbs.find, &[endpoint, key]).await?;
        return rows::found(&row.ok_or_else(|| corrupt("a key"))?, 0);
    };
    let id = rows::id(&row, 0)?;
    let mut found = Found::inserted(id, content, batch.received_at(), work);
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
    let mut found = Vec::with_capacity(entries.len());
    if entries.is_empty() {
        return Ok(found);
    }
    let row = connection.row(&texts.fixed.next, &[]).await?;
    let first = rows::number(&row.ok_or_else(|| corrupt("the table of keys"))?, 0)?;
    let same = match entries.iter().any(|entry| unsigned(entry)) {
        true => same_bytes(texts, connection, batch, EventId::from_u64(first)).await?,
        false => None,
    };
    let mut next = first;
    for chunk in entries.chunks(CHUNK) {
        let numbered: Vec<(u64, &Entry)> = (next..).zip(chunk.iter().copied()).collect();
        next = next.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        let new = insert_chunk(texts, connection, batch, &numbered).await?;
        let mut known = find_known(texts, connection, batch, &numbered, &new).await?;
        for (id, entry) in numbered {
            let stored = entry.key().and_then(|key| known.remove(key.as_str()));
            found.push(match stored {
                Some(stored) => stored,
                None if new.contains(&id) => {
                    let content = content(batch, entry);
                    let id = EventId::from_u64(id);
                    let found = Found::inserted(id, content, batch.received_at(), work);
                    found.with_same_bytes(same.clone().filter(|_| unsigned(entry)))
                }
                None => return Err(corrupt("a key")),
            });
        }
    }
    Ok(found)
}

/// Inserts what is not there, and returns the numbers of that.
async fn insert_chunk(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entries: &[(u64, &Entry)],
) -> Done<HashSet<u64>> {
    let digest = batch.body_digest();
    let contents: Vec<Digest> = entries.iter().map(|(_, entry)| content(batch, entry)).collect();
    let mut values = vec![
        Value::text(batch.endpoint().as_str()),
        Value::bytes(digest.as_bytes()),
        Value::time(batch.received_at()),
    ];
    for ((id, entry), content) in entries.iter().zip(&contents) {
        values.extend([
            Value::id(*id),
            Value::Text(entry.key().map(hookproof_inbox::Key::as_str)),
            Value::bytes(content.as_bytes()),
            Value::Bool(unsigned(entry)),
        ]);
    }
    let rows = connection.rows(&texts.record_many(entries.len()), &values).await?;
    rows.iter().map(|row| rows::number(row, 0)).collect()
}

/// What was stored before, by its key.
async fn find_known(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entries: &[(u64, &Entry)],
    new: &HashSet<u64>,
) -> Done<HashMap<Box<str>, Found>> {
    let known = entries.iter().filter(|(id, _)| !new.contains(id));
    let keys: Vec<&str> = known.filter_map(|(_, entry)| Some(entry.key()?.as_str())).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let keys = json(keys);
    let values = [Value::text(batch.endpoint().as_str()), Value::text(&keys)];
    let rows = connection.rows(&texts.fixed.find_many, &values).await?;
    rows.iter().map(|row| Ok((row.text(0)?.into(), rows::found(row, 1)?))).collect()
}

async fn same_bytes(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    before: EventId,
) -> Done<Option<hookproof_inbox::Key>> {
    let digest = batch.body_digest();
    let values = [
        Value::text(batch.endpoint().as_str()),
        Value::bytes(digest.as_bytes()),
        Value::id(before.as_u64()),
    ];
    let row = connection.row(&texts.verbs.same_bytes, &values).await?;
    row.map_or(Ok(None), |row| rows::key(&row, 0))
}

async fn add_work(
    texts: &Texts,
    connection: &mut SqliteConnection,
    batch: &Batch,
    entries: &[(EventId, &Entry)],
    delivery: u64,
) -> Done<()> {
    let problem = |entry: &Entry| Progress::faulty(&entry.problem()?, batch.received_at()).error;
    let problems: Vec<Option<Box<str>>> = entries.iter().map(|(_, entry)| problem(entry)).collect();
    let mut values = vec![
        Value::text(batch.endpoint().as_str()),
        Value::id(delivery),
        Value::time(batch.received_at()),
    ];
    for ((id, entry), problem) in entries.iter().zip(&problems) {
        let event = entry.event();
        let order = event.and_then(|event| event.order);
        let state = if problem.is_some() { State::Parked } else { State::Waiting };
        values.extend([
            Value::id(id.as_u64()),
            Value::Text(entry.key().map(hookproof_inbox::Key::as_str)),
            Value::Text(event.and_then(|event| event.kind.as_deref())),
            Value::Text(event.and_then(|event| event.subject.as_deref())),
            Value::Text(event.and_then(|event| event.stream.as_deref())),
            Value::Number(order.map(|order| order.value())),
            Value::Text(order.map(|order| order.unit().as_str())),
            Value::number(position(order, batch.received_at())),
            Value::Text(event.and_then(|event| event.twin.as_deref())),
            Value::number(entry.index()),
            Value::number(state.code()),
            Value::Text(problem.as_deref()),
        ]);
    }
    connection.execute(&texts.work_many(entries.len()), &values).await.map(drop)
}

fn content(batch: &Batch, entry: &Entry) -> Digest {
    entry.event().map_or_else(|| batch.body_digest(), |event| event.content)
}

fn unsigned(entry: &Entry) -> bool {
    entry.event().is_some_and(|event| event.unsigned)
}

fn http_name(method: &http::Method) -> &str {
    method.as_str()
}

/// Numbers or texts as a JSON array, which is how SQLite takes several values as one.
pub(super) fn json<T: Into<serde_json::Value>>(values: Vec<T>) -> String {
    serde_json::Value::from(values).to_string()
}

impl Texts {
    fn record_many(&self, events: usize) -> SqlStr {
        self.sized(&self.record_many_of, events, sql::record_many)
    }

    fn work_many(&self, events: usize) -> SqlStr {
        self.sized(&self.work_many_of, events, sql::work_many)
    }

    /// The text for so many events, which is made once.
    fn sized(
        &self,
        known: &[std::sync::OnceLock<SqlStr>],
        events: usize,
        make: fn(usize) -> String,
    ) -> SqlStr {
        let made = || trusted(self.prefix.apply(&make(events)).into_owned());
        known.get(events).map_or_else(made, |known| known.get_or_init(made).clone())
    }
}
