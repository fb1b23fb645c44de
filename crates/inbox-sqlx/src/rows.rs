//! Rows as the types of the inbox. What cannot be read was changed by hand, or by a later version.

use bytes::Bytes;
use hookproof::UnixTime;
use hookproof_inbox::chain::{Head, LinkRow, Sealing};
use hookproof_inbox::time::from_sql;
use hookproof_inbox::{
    AttemptOutcome, AttemptRow, DeliveryId, DeliveryRow, Digest, EndpointId, EventId, EventRow,
    Found, Key, Lease, LedgerRow, Progress, Standing, State, StoreError, Token, Version,
    headers_from_bytes,
};

use crate::error::corrupt;
use crate::link::Columns;

type Read<T> = Result<T, StoreError>;

/// A number that the database gave: an event, a delivery, a token, a place in the chain.
pub(crate) fn number(row: &impl Columns, at: usize) -> Read<u64> {
    u64::try_from(row.bigint(at)?).map_err(|_| corrupt("a number"))
}

fn count(row: &impl Columns, at: usize) -> Read<u32> {
    u32::try_from(row.integer(at)?).map_err(|_| corrupt("a count"))
}

pub(crate) fn id(row: &impl Columns, at: usize) -> Read<EventId> {
    number(row, at).map(EventId::from_u64)
}

pub(crate) fn time(row: &impl Columns, at: usize) -> Read<UnixTime> {
    row.bigint(at).map(from_sql)
}

fn maybe_text(row: &impl Columns, at: usize) -> Read<Option<Box<str>>> {
    Ok(row.maybe_text(at)?.map(Into::into))
}

pub(crate) fn key(row: &impl Columns, at: usize) -> Read<Option<Key>> {
    let key = row.maybe_text(at)?.map(Key::new).transpose();
    key.map_err(|_| corrupt("a key"))
}

fn endpoint(row: &impl Columns, at: usize) -> Read<EndpointId> {
    EndpointId::new(row.text(at)?).map_err(|_| corrupt("an endpoint"))
}

fn digest(row: &impl Columns, at: usize) -> Read<Digest> {
    let bytes = row.bytes(at)?.try_into().map_err(|_| corrupt("a digest"))?;
    Ok(Digest::from_bytes(bytes))
}

fn state(row: &impl Columns, at: usize) -> Read<State> {
    State::from_code(row.smallint(at)?).ok_or_else(|| corrupt("a state"))
}

fn version(row: &impl Columns, at: usize) -> Read<Option<Version>> {
    let Some(value) = row.maybe_bigint(at)? else { return Ok(None) };
    match Version::from_parts(value, row.text(at.saturating_add(1))?) {
        None => Err(corrupt("the unit of an order")),
        version => Ok(version),
    }
}

/// An event, by [`EVENT_COLUMNS`](hookproof_inbox::sql::EVENT_COLUMNS).
pub(crate) fn event(row: &impl Columns) -> Read<EventRow> {
    let mut progress = Progress::waiting(time(row, 15)?);
    progress.state = state(row, 12)?;
    progress.attempts = count(row, 13)?;
    progress.token = Token::from_u64(number(row, 14)?);
    if let Some(claimed_at) = row.maybe_bigint(16)? {
        let reclaim_at = row.maybe_bigint(18)?.map(from_sql);
        progress.lease = Some(Lease::new(from_sql(claimed_at), time(row, 17)?, reclaim_at));
    }
    progress.replays = count(row, 19)?;
    progress.error = maybe_text(row, 20)?;
    let delivery = DeliveryId::from_u64(number(row, 9)?);
    let mut event =
        EventRow::new(id(row, 0)?, endpoint(row, 1)?, delivery, time(row, 11)?, progress);
    event.key = key(row, 2)?;
    event.kind = maybe_text(row, 3)?;
    event.subject = maybe_text(row, 4)?;
    event.stream = maybe_text(row, 5)?;
    event.order = version(row, 6)?;
    event.twin = maybe_text(row, 8)?;
    event.index = count(row, 10)?;
    Ok(event)
}

/// What is stored under a key: number, content, time recorded, state, from this place on.
pub(crate) fn found(row: &impl Columns, at: usize) -> Read<Found> {
    found_at(row, [0, 1, 2, 3].map(|by| at.saturating_add(by)))
}

/// As [`found`], from these places.
pub(crate) fn found_at(row: &impl Columns, places: [usize; 4]) -> Read<Found> {
    let [own_id, content, first_seen, own_state] = places;
    Ok(Found::stored(
        id(row, own_id)?,
        digest(row, content)?,
        time(row, first_seen)?,
        state(row, own_state)?,
    ))
}

pub(crate) fn attempt(row: &impl Columns) -> Read<AttemptRow> {
    let outcome = AttemptOutcome::from_word(row.text(6)?).ok_or_else(|| corrupt("an outcome"))?;
    let token = Token::from_u64(number(row, 1)?);
    let mut attempt = AttemptRow::new(id(row, 0)?, token, time(row, 4)?, time(row, 5)?, outcome);
    attempt.number = count(row, 2)?;
    attempt.replays = count(row, 3)?;
    attempt.error = maybe_text(row, 7)?;
    Ok(attempt)
}

pub(crate) fn delivery(row: &impl Columns) -> Read<DeliveryRow> {
    let own = DeliveryId::from_u64(number(row, 0)?);
    let body = Bytes::copy_from_slice(row.bytes(7)?);
    let mut delivery = DeliveryRow::new(own, endpoint(row, 2)?, row.text(3)?, time(row, 1)?, body);
    let method = row.maybe_text(4)?.map(str::parse).transpose();
    delivery.method = method.map_err(|_| corrupt("a method"))?;
    delivery.url = maybe_text(row, 5)?;
    delivery.headers = headers_from_bytes(row.bytes(6)?).map_err(|_| corrupt("a header"))?;
    Ok(delivery)
}

pub(crate) fn standing(row: &impl Columns) -> Read<Standing> {
    Ok(Standing::new(version(row, 0)?, maybe_text(row, 2)?))
}

pub(crate) fn head(row: &impl Columns) -> Read<Head> {
    let head = Head::from_parts(row.text(0)?, number(row, 1)?, digest(row, 2)?, time(row, 3)?);
    head.map_err(|_| corrupt("the head of the log"))
}

/// A recorded row as the log covers it, from this place on.
pub(crate) fn ledger(row: &impl Columns, at: usize) -> Read<LedgerRow> {
    let [own_endpoint, own_key, content, body, first_seen] =
        [1, 2, 3, 4, 5].map(|by| at.saturating_add(by));
    Ok(LedgerRow::new(
        id(row, at)?,
        endpoint(row, own_endpoint)?,
        key(row, own_key)?,
        digest(row, content)?,
        digest(row, body)?,
        time(row, first_seen)?,
    ))
}

/// A row of the chain, with the recorded row for which it stands.
pub(crate) fn link(row: &impl Columns) -> Read<(LinkRow, Option<LedgerRow>)> {
    let what = match row.maybe_bigint(1)? {
        Some(_) => Sealing::Entry(id(row, 1)?),
        None => Sealing::Checkpoint { before: digest(row, 2)?, at: time(row, 3)? },
    };
    let link = LinkRow::new(number(row, 0)?, what, digest(row, 4)?, digest(row, 5)?);
    let entry = row.maybe_bigint(6)?.map(|_| ledger(row, 6)).transpose()?;
    Ok((link, entry))
}
