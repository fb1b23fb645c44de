//! Tables and statements for PostgreSQL 13 and later.
//!
//! Transactions are `READ COMMITTED`. Set `lock_timeout`, so that a copy of an event that is in another transaction gets
//! [`Busy`](crate::StoreErrorKind::Busy) instead of waiting for long.
//!
//! Connections keep plans, which may have been made while the tables were small and without statistics. What is looked up for
//! several rows of a statement is therefore written so that only the right index serves: `LATERAL … LIMIT 1`, scalar
//! subqueries, places of rows, `state + 0`. A join, or a partial index of another purpose, would read the whole table until the
//! next `ANALYZE`. Arrays come as scalar subqueries where a plan that knows their length would look so much cheaper that the
//! server made one at every execution.

use super::{Migration, Statement};

/// The migrations, in order. The second is for those who keep a log.
pub const MIGRATIONS: [Migration; 2] = [
    Migration::new("0001_inbox", include_str!("migrations/postgres_0001_inbox.sql")),
    Migration::new("0002_log", include_str!("migrations/postgres_0002_log.sql")),
];

macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $sql:expr;)*) => {
        $($(#[$doc])* pub const $name: &str = $sql;)*

        /// Every statement with its name.
        pub const STATEMENTS: &[Statement] = &[$(Statement { name: $word, sql: $name }),*];
    };
}

macro_rules! event_columns {
    () => {
        "e.id, e.endpoint, e.key, e.kind, e.subject, e.stream, e.order_value, e.order_unit, e.twin, e.delivery, \
         e.element, e.received_at, e.state, e.attempts, e.token, e.due, e.claimed_at, e.lease_end, e.reclaim_at, \
         e.replays, e.error"
    };
}

/// The earliest moment at which a claim finds anything: the least due time, which is the first entry of the index `…_due`,
/// and the least end of a lease, for which all of the index `…_leased` is read: as many entries as there are events in work.
macro_rules! next_due {
    ($held_up:expr) => {
        concat!(
            "SELECT MIN(n.at) AS at FROM (SELECT * FROM (SELECT e.due AS at FROM hookproof_events e WHERE e.state = 0 \
             AND ($1::TEXT IS NULL OR e.endpoint = $1)", $held_up, " ORDER BY e.due, e.id LIMIT 1) AS w \
             UNION ALL SELECT COALESCE(e.reclaim_at, e.lease_end) FROM hookproof_events e WHERE e.state = 1 \
             AND e.lease_end >= 0 AND ($1::TEXT IS NULL OR e.endpoint = $1)) AS n"
        )
    };
}

macro_rules! held_up {
    () => {
        "(SELECT TRUE FROM hookproof_events o WHERE o.endpoint = e.endpoint AND o.stream = e.stream \
         AND o.state IN (0, 1, 3) AND (o.position, o.id) < (e.position, e.id) LIMIT 1) IS NOT NULL"
    };
}

statements! {
    /// Records one event with its effect in the same transaction: `$1` endpoint, `$2` key, `$3` content, `$4` digest of the
    /// body, `$5` unsigned, `$6` time of arrival. Returns the number if the event is new, else nothing: then [`FIND`].
    RECORD = "record",
        "INSERT INTO hookproof_keys (id, endpoint, key, content, body, unsigned, first_seen) \
         VALUES (nextval('hookproof_numbers'), $1, $2, $3, $4, $5, $6) \
         ON CONFLICT (endpoint, key) DO NOTHING RETURNING id";

    /// Records a batch in one statement, with its delivery and its work. Give only what
    /// [`Plan::inserts`](crate::Plan::inserts) says.
    ///
    /// `$1` endpoint, `$2` provider, `$3` time of arrival, `$4` method, `$5` URL, `$6` headers, `$7` body, `$8` digest of the
    /// body, `$9` whether the delivery is stored if at least one event is new, `$10` whether events are worked on later; then
    /// one array a column: `$11` element, `$12` key, `$13` content, `$14` unsigned, `$15` kind, `$16` subject, `$17` stream, `$18` order, `$19` its
    /// unit, `$20` position, `$21` twin, `$22` why it is faulty.
    ///
    /// Returns for each element, in order: element, number, inserted, content, time recorded, state, key of the notice. A
    /// number that is null was recorded by a transaction that committed after this statement began: [`FIND_MANY`] then sees
    /// it. Keys are inserted in their order, so that batches that overlap do not wait for one another in a circle.
    RECORD_MANY = "record_many",
        "WITH input AS (\
         SELECT nextval('hookproof_numbers') AS id, i.* FROM unnest((SELECT $11::INTEGER[]), (SELECT $12::TEXT[]), \
         (SELECT $13::BYTEA[]), (SELECT $14::BOOLEAN[]), (SELECT $15::TEXT[]), (SELECT $16::TEXT[]), (SELECT $17::TEXT[]), \
         (SELECT $18::BIGINT[]), (SELECT $19::TEXT[]), (SELECT $20::BIGINT[]), (SELECT $21::TEXT[]), (SELECT $22::TEXT[])) \
         AS i (element, key, content, unsigned, kind, subject, stream, order_value, order_unit, position, twin, error)), \
         added AS (INSERT INTO hookproof_keys (id, endpoint, key, content, body, unsigned, first_seen) \
         SELECT id, $1, key, content, $8, unsigned, $3 FROM input ORDER BY key COLLATE \"C\", id \
         ON CONFLICT (endpoint, key) DO NOTHING RETURNING id), \
         delivery AS (INSERT INTO hookproof_deliveries (id, received_at, endpoint, provider, method, url, headers, body) \
         SELECT nextval('hookproof_numbers'), $3, $1, $2, $4, $5, $6, $7 \
         WHERE $9 AND EXISTS (SELECT 1 FROM added) RETURNING id), \
         work AS (INSERT INTO hookproof_events (id, endpoint, key, kind, subject, stream, order_value, order_unit, position, \
         twin, delivery, element, received_at, state, attempts, token, due, replays, error) \
         SELECT i.id, $1, i.key, i.kind, i.subject, i.stream, i.order_value, i.order_unit, i.position, i.twin, d.id, \
         i.element, $3, CASE WHEN i.error IS NULL THEN 0 ELSE 3 END, 0, 0, $3, 0, i.error \
         FROM input i JOIN added USING (id) CROSS JOIN delivery d WHERE $10 OR i.error IS NOT NULL) \
         SELECT i.element, COALESCE(a.id, k.id) AS id, a.id IS NOT NULL AS inserted, COALESCE(k.content, i.content) AS content, \
         COALESCE(k.first_seen, $3) AS first_seen, \
         (CASE WHEN k.id IS NOT NULL THEN COALESCE((SELECT e.state FROM hookproof_events e WHERE e.id = k.id), 2) \
         WHEN i.error IS NOT NULL THEN 3 WHEN $10 THEN 0 ELSE 2 END)::SMALLINT AS state, \
         CASE WHEN a.id IS NOT NULL AND i.unsigned THEN (SELECT s.key FROM hookproof_keys s WHERE s.endpoint = $1 \
         AND s.body = $8 AND s.unsigned AND s.key IS NOT NULL ORDER BY s.id LIMIT 1) END AS same_bytes \
         FROM input i LEFT JOIN added a ON a.id = i.id LEFT JOIN LATERAL (SELECT f.id, f.content, f.first_seen \
         FROM hookproof_keys f WHERE a.id IS NULL AND f.endpoint = $1 AND f.key = i.key LIMIT 1) k ON TRUE ORDER BY i.element";

    /// What is stored under a key: `$1` endpoint, `$2` key. Returns number, content, time recorded, state.
    FIND = "find",
        "SELECT k.id, k.content, k.first_seen, COALESCE(e.state, 2::SMALLINT) AS state FROM hookproof_keys k \
         LEFT JOIN hookproof_events e ON e.id = k.id WHERE k.endpoint = $1 AND k.key = $2";

    /// What is stored under several keys: `$1` endpoint, `$2` array of keys. Returns key, number, content, time recorded, state.
    FIND_MANY = "find_many",
        "SELECT k.key, k.id, k.content, k.first_seen, \
         COALESCE((SELECT e.state FROM hookproof_events e WHERE e.id = k.id), 2::SMALLINT) AS state \
         FROM unnest($2::TEXT[]) AS i (key) CROSS JOIN LATERAL (SELECT f.key, f.id, f.content, f.first_seen \
         FROM hookproof_keys f WHERE f.endpoint = $1 AND f.key = i.key LIMIT 1) k";

    /// The notice that one body came under two unsigned ids: `$1` endpoint, `$2` digest of the body, `$3` the number that was
    /// just given. Returns a key or nothing.
    SAME_BYTES = "same_bytes",
        "SELECT key FROM hookproof_keys WHERE endpoint = $1 AND body = $2 AND unsigned AND key IS NOT NULL AND id <> $3 \
         ORDER BY id LIMIT 1";

    /// Wakes workers that listen, when the transaction commits. Needs no parameter.
    WAKE = "wake", "SELECT pg_notify('hookproof_work', '')";

    /// Waits for [`WAKE`]. Needs no parameter.
    LISTEN = "listen", "LISTEN hookproof_work";

    /// Events that are due, locked, the earliest first: `$1` now, `$2` endpoint or null, `$3` limit.
    READY = "ready",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.state = 0 AND e.due <= $1 \
         AND ($2::TEXT IS NULL OR e.endpoint = $2) ORDER BY e.due, e.id LIMIT $3 FOR UPDATE SKIP LOCKED");

    /// As [`READY`], without events that an earlier one of their stream holds up.
    READY_IN_ORDER = "ready_in_order",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.state = 0 AND e.due <= $1 \
         AND ($2::TEXT IS NULL OR e.endpoint = $2) AND NOT (", held_up!(), ")",
         " ORDER BY e.due, e.id LIMIT $3 FOR UPDATE SKIP LOCKED");

    /// Events whose workers went silent, locked: `$1` now, `$2` endpoint or null, `$3` limit.
    /// [`Progress::ready`](crate::Progress::ready) says what becomes of each.
    STALE = "stale",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.state = 1 AND e.lease_end <= $1 \
         AND COALESCE(e.reclaim_at, e.lease_end) <= $1 AND ($2::TEXT IS NULL OR e.endpoint = $2) \
         ORDER BY e.lease_end LIMIT $3 FOR UPDATE SKIP LOCKED");

    /// When [`READY`] or [`STALE`] next return anything, if nothing is written until then: `$1` endpoint or null. Returns
    /// a time or null.
    NEXT_DUE = "next_due", next_due!("");

    /// When [`READY_IN_ORDER`] or [`STALE`] next return anything: `$1` endpoint or null. Returns a time or null.
    NEXT_DUE_IN_ORDER = "next_due_in_order", next_due!(concat!(" AND NOT (", held_up!(), ")"));

    /// Whether an earlier event of its stream holds an event up: `$1` number. Returns a truth value.
    HELD_UP = "held_up",
        concat!("SELECT ", held_up!(), " FROM hookproof_events e WHERE e.id = $1");

    /// One event, locked: `$1` number.
    LOAD = "load",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.id = $1 FOR UPDATE");

    /// Saves the progress of an event that is locked: `$1` number, `$2` state, `$3` attempts, `$4` token, `$5` due, `$6`
    /// claimed at, `$7` end of the lease, `$8` reclaim at, `$9` replays, `$10` error.
    SAVE = "save",
        "UPDATE hookproof_events SET state = $2, attempts = $3, token = $4, due = $5, claimed_at = $6, lease_end = $7, \
         reclaim_at = $8, replays = $9, error = $10 WHERE id = $1";

    /// As [`SAVE`] for several events: one array a parameter.
    SAVE_MANY = "save_many",
        "UPDATE hookproof_events e SET state = n.state, attempts = n.attempts, token = n.token, due = n.due, \
         claimed_at = n.claimed_at, lease_end = n.lease_end, reclaim_at = n.reclaim_at, replays = n.replays, error = n.error \
         FROM unnest($1::BIGINT[], $2::SMALLINT[], $3::INTEGER[], $4::BIGINT[], $5::BIGINT[], $6::BIGINT[], $7::BIGINT[], \
         $8::BIGINT[], $9::INTEGER[], $10::TEXT[]) AS n (id, state, attempts, token, due, claimed_at, lease_end, reclaim_at, \
         replays, error) CROSS JOIN LATERAL (SELECT o.ctid FROM hookproof_events o WHERE o.id = n.id LIMIT 1) p \
         WHERE e.ctid = p.ctid";

    /// [`Progress::complete`](crate::Progress::complete) with its attempt, in one statement: `$1` number, `$2` token, `$3`
    /// now. Returns the number; nothing if the claim was lost.
    COMPLETE = "complete",
        "WITH held AS (SELECT id, endpoint, token, attempts, replays, claimed_at FROM hookproof_events \
         WHERE id = $1 AND token = $2 AND state + 0 = 1 FOR UPDATE), \
         attempt AS (INSERT INTO hookproof_attempts (event, token, number, replays, started_at, ended_at, outcome) \
         SELECT id, token, attempts, replays, claimed_at, $3, 'done' FROM held), \
         success AS (UPDATE hookproof_failures SET in_a_row = 0 WHERE endpoint = (SELECT endpoint FROM held) AND in_a_row > 0) \
         UPDATE hookproof_events e SET state = 2, claimed_at = NULL, lease_end = NULL, reclaim_at = NULL, error = NULL \
         FROM held WHERE e.id = held.id RETURNING e.id";

    /// An attempt that has ended: `$1` event, `$2` token, `$3` number, `$4` replays, `$5` started, `$6` ended, `$7` outcome,
    /// `$8` error.
    ATTEMPT = "attempt",
        "INSERT INTO hookproof_attempts (event, token, number, replays, started_at, ended_at, outcome, error) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

    /// One more failure in a row: `$1` endpoint. Returns how many.
    FAILURE = "failure",
        "INSERT INTO hookproof_failures AS f (endpoint, in_a_row) VALUES ($1, 1) \
         ON CONFLICT (endpoint) DO UPDATE SET in_a_row = f.in_a_row + 1 RETURNING in_a_row";

    /// No failure in a row: `$1` endpoint.
    SUCCESS = "success",
        "UPDATE hookproof_failures SET in_a_row = 0 WHERE endpoint = $1 AND in_a_row > 0";

    /// The attempts at an event: `$1` event. Returns event, token, number, replays, started, ended, outcome, error.
    ATTEMPTS = "attempts",
        "SELECT event, token, number, replays, started_at, ended_at, outcome, error FROM hookproof_attempts \
         WHERE event = $1 ORDER BY token";

    /// A page of events: `$1` after this number or null, `$2` limit, then each or null: `$3` number, `$4` endpoint, `$5` kind,
    /// `$6` subject, `$7` state, `$8` arrived from, `$9` arrived before.
    LIST = "list",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE ($1::BIGINT IS NULL OR e.id > $1) \
         AND ($3::BIGINT IS NULL OR e.id = $3) AND ($4::TEXT IS NULL OR e.endpoint = $4) \
         AND ($5::TEXT IS NULL OR e.kind = $5) AND ($6::TEXT IS NULL OR e.subject = $6) \
         AND ($7::SMALLINT IS NULL OR e.state = $7) AND ($8::BIGINT IS NULL OR e.received_at >= $8) \
         AND ($9::BIGINT IS NULL OR e.received_at < $9) ORDER BY e.id LIMIT $2");

    /// [`Progress::replay`](crate::Progress::replay) of all events that match: `$1` now, then as `$3` to `$9` of [`LIST`]: `$2`
    /// number, `$3` endpoint, `$4` kind, `$5` subject, `$6` state, `$7` arrived from, `$8` arrived before. Returns how many
    /// are worked on again, and how many matched but wait or are in work.
    REPLAY = "replay",
        "WITH chosen AS (SELECT e.id, e.state FROM hookproof_events e WHERE ($2::BIGINT IS NULL OR e.id = $2) \
         AND ($3::TEXT IS NULL OR e.endpoint = $3) AND ($4::TEXT IS NULL OR e.kind = $4) \
         AND ($5::TEXT IS NULL OR e.subject = $5) AND ($6::SMALLINT IS NULL OR e.state = $6) \
         AND ($7::BIGINT IS NULL OR e.received_at >= $7) AND ($8::BIGINT IS NULL OR e.received_at < $8) \
         ORDER BY e.id FOR UPDATE), \
         again AS (UPDATE hookproof_events e SET state = 0, attempts = 0, due = $1, replays = e.replays + 1 \
         FROM chosen WHERE e.id = chosen.id AND chosen.state IN (2, 3, 4) RETURNING e.id) \
         SELECT (SELECT count(*) FROM again) AS events, (SELECT count(*) FROM chosen WHERE state IN (0, 1)) AS skipped";

    /// A delivery: `$1` number. Returns number, arrival, endpoint, provider, method, URL, headers, body.
    DELIVERY = "delivery",
        "SELECT id, received_at, endpoint, provider, method, url, headers, body FROM hookproof_deliveries WHERE id = $1";

    /// Makes the row of a stream if it is not there: `$1` scope, `$2` name, `$3` now. Returns a number if this is its first
    /// event; else nothing: then [`STANDING`].
    STREAM = "stream",
        "INSERT INTO hookproof_streams (scope, name, updated_at) VALUES ($1, $2, $3) \
         ON CONFLICT (scope, name) DO NOTHING RETURNING 1";

    /// Where a stream stands, locked: `$1` scope, `$2` name. Returns version, its unit, phase.
    STANDING = "standing",
        "SELECT version_value, version_unit, phase FROM hookproof_streams WHERE scope = $1 AND name = $2 FOR UPDATE";

    /// Saves where a stream stands: `$1` scope, `$2` name, `$3` version, `$4` its unit, `$5` phase, `$6` now.
    SAVE_STANDING = "save_standing",
        "UPDATE hookproof_streams SET version_value = $3, version_unit = $4, phase = $5, updated_at = $6 \
         WHERE scope = $1 AND name = $2";

    /// Removes payloads row by row: `$1` arrived before, `$2` limit. Rows of whole days go faster with their partition; see
    /// [`drop_partition`].
    PURGE_PAYLOADS = "purge_payloads",
        "WITH old AS (SELECT d.id, d.received_at FROM hookproof_deliveries d WHERE d.received_at < $1 \
         AND NOT EXISTS (SELECT 1 FROM hookproof_events e WHERE e.received_at = d.received_at AND e.delivery = d.id \
         AND e.state <> 2) ORDER BY d.received_at LIMIT $2 FOR UPDATE SKIP LOCKED) \
         DELETE FROM hookproof_deliveries d USING old WHERE d.id = old.id AND d.received_at = old.received_at";

    /// Whether an event that is not done arrived in a span: `$1` from, `$2` before. A partition with such an event is not
    /// dropped.
    UNFINISHED = "unfinished",
        "SELECT EXISTS (SELECT 1 FROM hookproof_events WHERE state <> 2 AND received_at >= $1 AND received_at < $2)";

    /// Removes keys with their events and attempts, in no order: `$1` endpoint, `$2` recorded before, `$3` limit.
    PURGE_KEYS = "purge_keys",
        "WITH old AS (SELECT k.ctid AS place, k.id FROM hookproof_keys k WHERE k.endpoint = $1 AND k.first_seen < $2 \
         AND NOT EXISTS (SELECT 1 FROM hookproof_events e WHERE e.id = k.id AND e.state <> 2) \
         LIMIT $3 FOR UPDATE SKIP LOCKED), \
         attempts AS (DELETE FROM hookproof_attempts a USING old WHERE a.event = old.id), \
         work AS (DELETE FROM hookproof_events e USING old WHERE e.id = old.id) \
         DELETE FROM hookproof_keys WHERE ctid = ANY (ARRAY (SELECT place FROM old))";

    /// As [`PURGE_KEYS`] where a log is kept: only what lies below its latest checkpoint.
    PURGE_SEALED_KEYS = "purge_sealed_keys",
        "WITH old AS (SELECT k.ctid AS place, k.id FROM hookproof_keys k JOIN hookproof_chain c ON c.entry = k.id \
         WHERE k.endpoint = $1 AND k.first_seen < $2 \
         AND c.seq < (SELECT max(p.seq) FROM hookproof_chain p WHERE p.entry IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM hookproof_events e WHERE e.id = k.id AND e.state <> 2) \
         ORDER BY c.seq LIMIT $3 FOR UPDATE OF k SKIP LOCKED), \
         attempts AS (DELETE FROM hookproof_attempts a USING old WHERE a.event = old.id), \
         work AS (DELETE FROM hookproof_events e USING old WHERE e.id = old.id) \
         DELETE FROM hookproof_keys WHERE ctid = ANY (ARRAY (SELECT place FROM old))";

    /// Begins a log, if it was not begun: `$1` name, `$2` the link of a log without rows.
    BEGIN_LOG = "begin_log",
        "INSERT INTO hookproof_log (one, name, seq, link, at) VALUES (1, $1, 0, $2, 0) ON CONFLICT (one) DO NOTHING";

    /// The head. Returns name, sequence number, link, time.
    HEAD = "head", "SELECT name, seq, link, at FROM hookproof_log WHERE one = 1";

    /// As [`HEAD`], locked: other sealers wait.
    LOCK_HEAD = "lock_head", "SELECT name, seq, link, at FROM hookproof_log WHERE one = 1 FOR UPDATE";

    /// Saves the head: `$1` sequence number, `$2` link, `$3` time.
    SAVE_HEAD = "save_head", "UPDATE hookproof_log SET seq = $1, link = $2, at = $3 WHERE one = 1";

    /// The highest number of an event that is sealed; null if none is.
    LAST_SEALED = "last_sealed", "SELECT MAX(entry) FROM hookproof_chain";

    /// Recorded rows that are not sealed: `$1` after this number, `$2` limit. Returns number, endpoint, key, content, digest
    /// of the body, time recorded.
    ///
    /// Transactions commit in another order than numbers are given. A sealer that does not want to look at all rows begins
    /// some way below [`LAST_SEALED`], and from time to time at 0.
    UNSEALED = "unsealed",
        "SELECT k.id, k.endpoint, k.key, k.content, k.body, k.first_seen FROM hookproof_keys k \
         WHERE k.id > $1 AND NOT EXISTS (SELECT 1 FROM hookproof_chain c WHERE c.entry = k.id) ORDER BY k.id LIMIT $2";

    /// Appends rows to the chain: one array a parameter: `$1` sequence number, `$2` event or null, `$3` link before a
    /// checkpoint or null, `$4` its time or null, `$5` leaf, `$6` link.
    APPEND = "append",
        "INSERT INTO hookproof_chain (seq, entry, before, at, leaf, link) SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], \
         $3::BYTEA[], $4::BIGINT[], $5::BYTEA[], $6::BYTEA[])";

    /// Rows of the chain with the recorded rows for which they stand: `$1` after this sequence number, `$2` limit. Returns
    /// sequence number, event, link before, time, leaf, link; then number, endpoint, key, content, digest of the body, time
    /// recorded, all null if the row is gone.
    LINKS = "links",
        "SELECT c.seq, c.entry, c.before, c.at, c.leaf, c.link, k.id, k.endpoint, k.key, k.content, k.body, k.first_seen \
         FROM hookproof_chain c LEFT JOIN hookproof_keys k ON k.id = c.entry WHERE c.seq > $1 ORDER BY c.seq LIMIT $2";

    /// Removes rows of the chain: `$1` limit.
    PURGE_LINKS = "purge_links",
        "WITH live AS (SELECT min(c.seq) AS seq FROM hookproof_chain c WHERE EXISTS (SELECT 1 FROM hookproof_keys k \
         WHERE k.id = c.entry)), old AS (SELECT c.seq FROM hookproof_chain c \
         WHERE c.seq < (SELECT max(p.seq) FROM hookproof_chain p WHERE p.entry IS NULL) \
         AND c.seq < COALESCE((SELECT seq FROM live), 9223372036854775807) ORDER BY c.seq LIMIT $1) \
         DELETE FROM hookproof_chain c USING old WHERE c.seq = old.seq";
}

/// The statement that makes the partition of a day, in days since 1970 ([`time::day`](crate::time::day)). Make those of the
/// next days ahead of time: a day of which the default partition has rows already cannot be split off.
///
/// ```
/// let sql = hookproof_inbox::sql::postgres::create_partition(20_000);
/// assert!(sql.contains("hookproof_deliveries_d20000 PARTITION OF hookproof_deliveries"));
/// assert!(sql.ends_with("FROM (1728000000000) TO (1728086400000)"));
/// ```
#[must_use]
pub fn create_partition(day: u32) -> String {
    let (from, until) = span(day);
    format!(
        "CREATE TABLE IF NOT EXISTS hookproof_deliveries_d{day} PARTITION OF hookproof_deliveries \
         FOR VALUES FROM ({from}) TO ({until})"
    )
}

/// The statement that drops the partition of a day, once [`UNFINISHED`] says that no event of it is left to do.
#[must_use]
pub fn drop_partition(day: u32) -> String {
    format!("DROP TABLE IF EXISTS hookproof_deliveries_d{day}")
}

/// The span of a day, for [`UNFINISHED`].
#[must_use]
pub fn span(day: u32) -> (i64, i64) {
    const MILLIS: i64 = 86_400_000;
    (i64::from(day) * MILLIS, (i64::from(day) + 1) * MILLIS)
}
