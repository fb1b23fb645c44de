//! Tables and statements for SQLite 3.37 and later.
//!
//! One writer at a time: begin with `BEGIN IMMEDIATE`, set a busy time-out, and use WAL.

use super::{Migration, Statement};

/// The migrations, in order. The second is for those who keep a log.
pub const MIGRATIONS: [Migration; 2] = [
    Migration::new("0001_inbox", include_str!("migrations/sqlite_0001_inbox.sql")),
    Migration::new("0002_log", include_str!("migrations/sqlite_0002_log.sql")),
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
             AND (?1 IS NULL OR e.endpoint = ?1)", $held_up, " ORDER BY e.due, e.id LIMIT 1) AS w \
             UNION ALL SELECT COALESCE(e.reclaim_at, e.lease_end) FROM hookproof_events e WHERE e.state = 1 \
             AND e.lease_end >= 0 AND (?1 IS NULL OR e.endpoint = ?1)) AS n"
        )
    };
}

macro_rules! work_columns {
    () => {
        "(endpoint, delivery, received_at, due, attempts, token, replays, id, key, kind, subject, stream, order_value, \
         order_unit, position, twin, element, state, error)"
    };
}

macro_rules! record {
    ($values:literal) => {
        concat!(
            "INSERT INTO hookproof_keys (endpoint, key, content, body, unsigned, first_seen) VALUES (", $values, ") \
             ON CONFLICT (endpoint, key) DO NOTHING"
        )
    };
}

macro_rules! delivery_columns {
    () => {
        "(id, last, received_at, endpoint, provider, method, url, headers, body)"
    };
}

/// Each statement writes only if the one before it has: `changes()` and `last_insert_rowid()` are those of the latest
/// statement that has ended. The delivery has the number of the event.
///
/// Parameters have names, `$1` and not `?1`, so that each statement has only those that it names: `?9` alone makes nine.
macro_rules! record_later {
    () => {
        concat!(
            record!("$1, $2, $3, $4, $5, $6"),
            "; INSERT INTO hookproof_deliveries ", delivery_columns!(), " SELECT last_insert_rowid(), last_insert_rowid(), \
             $6, $1, $7, $8, $9, $10, $11 WHERE changes() = 1; \
             INSERT INTO hookproof_events ", work_columns!(), " SELECT $1, last_insert_rowid(), $6, $6, 0, 0, 0, \
             last_insert_rowid(), $2, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21 WHERE changes() = 1; \
             SELECT n.new, COALESCE(k.id, last_insert_rowid()) AS id, k.content, k.first_seen, COALESCE(e.state, 2) AS state, \
             CASE WHEN n.new AND $5 THEN (", same_bytes!("$1", "$4", "last_insert_rowid()"), ") END AS same_bytes \
             FROM (SELECT changes() = 1 AS new) n \
             LEFT JOIN hookproof_keys k ON NOT n.new AND k.endpoint = $1 AND k.key = $2 \
             LEFT JOIN hookproof_events e ON e.id = k.id"
        )
    };
}

macro_rules! same_bytes {
    ($endpoint:literal, $digest:literal, $before:literal) => {
        concat!(
            "SELECT key FROM hookproof_keys WHERE endpoint = ",
            $endpoint,
            " AND body = ",
            $digest,
            " AND unsigned AND key IS NOT NULL AND id < ",
            $before,
            " ORDER BY id LIMIT 1"
        )
    };
}

macro_rules! held_up {
    () => {
        "EXISTS (SELECT 1 FROM hookproof_events o WHERE o.endpoint = e.endpoint AND o.stream = e.stream \
         AND o.state IN (0, 1, 3) AND (o.position, o.id) < (e.position, e.id))"
    };
}

statements! {
    /// Records one event with its effect in the same transaction: `?1` endpoint, `?2` key, `?3` content, `?4` digest of the
    /// body, `?5` unsigned (0 or 1), `?6` time of arrival. The row is counted if the event is new, and
    /// `last_insert_rowid()` is its number; else [`FIND`].
    RECORD = "record", record!("?1, ?2, ?3, ?4, ?5, ?6");

    /// Records one event that is worked on later, and its delivery: four statements in one text, for drivers that run them
    /// at once and share the parameters. `$1` to `$6` as `?1` to `?6` of [`RECORD`], `$7` provider, `$8` method, `$9` URL,
    /// `$10` headers, `$11` body, `$12` kind, `$13` subject, `$14` stream, `$15` order, `$16` its unit, `$17` position, `$18`
    /// twin, `$19` element, `$20` state, `$21` error.
    ///
    /// The last statement returns whether the event is new (0 or 1), its number, and what [`FIND`] returns of one that is
    /// not: content, time recorded, state; then what [`SAME_BYTES`] returns for an unsigned one that is new, or null.
    RECORD_LATER = "record_later", record_later!();

    /// [`RECORD_LATER`] in a transaction of its own, with the same parameters. If anything fails, roll back or close the
    /// connection.
    RECORD_ALONE = "record_alone", concat!("BEGIN IMMEDIATE; ", record_later!(), "; COMMIT");

    /// The number from which [`RECORD_MANY`] numbers its events.
    NEXT = "next", "SELECT COALESCE(MAX(id), 0) + 1 FROM hookproof_keys";

    /// Records the events of one delivery, each if its key is not there: `?1` endpoint, `?2` digest of the body, `?3` time of
    /// arrival, `?4` the number of the first from [`NEXT`], `?5` the keys as a JSON array with null for none, `?6` their contents
    /// one after another, `?7` a text with a `1` for each unsigned one and a `0` for each other. Give only what
    /// [`Plan::inserts`](crate::Plan::inserts) says.
    ///
    /// Events are numbered in order, and those whose keys are there leave a gap. The rows that are inserted are counted: if
    /// they are fewer than the events, [`FIND_MANY`] tells which, as what was there before has a lower number.
    RECORD_MANY = "record_many",
        "INSERT INTO hookproof_keys (id, endpoint, key, content, body, unsigned, first_seen) \
         SELECT ?4 + j.key, ?1, j.value, substr(?6, j.key * 32 + 1, 32), ?2, substr(?7, j.key + 1, 1) = '1', ?3 \
         FROM json_each(?5) j WHERE TRUE ON CONFLICT (endpoint, key) DO NOTHING";

    /// Adds a new event as work: `?1` endpoint, `?2` number of the delivery, `?3` time of arrival, `?4` number, `?5` key, `?6`
    /// kind, `?7` subject, `?8` stream, `?9` order, `?10` its unit, `?11` position, `?12` twin, `?13` element, `?14` state, `?15`
    /// error.
    WORK = "work",
        concat!("INSERT INTO hookproof_events ", work_columns!(), " VALUES (?1, ?2, ?3, ?3, 0, 0, 0, ?4, ?5, ?6, ?7, ?8, ?9, \
         ?10, ?11, ?12, ?13, ?14, ?15)");

    /// Adds new events of one delivery as work: `?1` endpoint, `?2` number of the delivery, `?3` time of arrival, `?4` a JSON
    /// array with an array for each event, which has the values `?4` to `?15` of [`WORK`] in their order.
    WORK_MANY = "work_many",
        concat!("INSERT INTO hookproof_events ", work_columns!(), " SELECT ?1, ?2, ?3, ?3, 0, 0, 0, \
         json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), json_extract(j.value, '$[2]'), \
         json_extract(j.value, '$[3]'), json_extract(j.value, '$[4]'), json_extract(j.value, '$[5]'), \
         json_extract(j.value, '$[6]'), json_extract(j.value, '$[7]'), json_extract(j.value, '$[8]'), \
         json_extract(j.value, '$[9]'), json_extract(j.value, '$[10]'), json_extract(j.value, '$[11]') \
         FROM json_each(?4) j");

    /// Stores a delivery: `?1` number of its first event, which is its own number, `?2` number of its last event, `?3` time
    /// of arrival, `?4` endpoint, `?5` provider, `?6` method, `?7` URL, `?8` headers, `?9` body.
    STORE_DELIVERY = "store_delivery",
        concat!("INSERT INTO hookproof_deliveries ", delivery_columns!(), " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");

    /// What is stored under a key: `?1` endpoint, `?2` key. Returns number, content, time recorded, state.
    FIND = "find",
        "SELECT k.id, k.content, k.first_seen, COALESCE(e.state, 2) AS state FROM hookproof_keys k \
         LEFT JOIN hookproof_events e ON e.id = k.id WHERE k.endpoint = ?1 AND k.key = ?2";

    /// What is stored under several keys: `?1` endpoint, `?2` the keys as a JSON array. Returns key, number, content, time
    /// recorded, state.
    FIND_MANY = "find_many",
        "SELECT k.key, k.id, k.content, k.first_seen, COALESCE(e.state, 2) AS state FROM json_each(?2) j \
         CROSS JOIN hookproof_keys k ON k.endpoint = ?1 AND k.key = j.value \
         LEFT JOIN hookproof_events e ON e.id = k.id";

    /// The notice that one body came under two unsigned ids: `?1` endpoint, `?2` digest of the body, `?3` the lowest number
    /// that was just given. Returns a key or nothing.
    SAME_BYTES = "same_bytes", same_bytes!("?1", "?2", "?3");

    /// Events that are due, the earliest first: `?1` now, `?2` endpoint or null, `?3` limit.
    READY = "ready",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.state = 0 AND e.due <= ?1 \
         AND (?2 IS NULL OR e.endpoint = ?2) ORDER BY e.due, e.id LIMIT ?3");

    /// As [`READY`], without events that an earlier one of their stream holds up.
    READY_IN_ORDER = "ready_in_order",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.state = 0 AND e.due <= ?1 \
         AND (?2 IS NULL OR e.endpoint = ?2) AND NOT ", held_up!(), " ORDER BY e.due, e.id LIMIT ?3");

    /// Events whose workers went silent: `?1` now, `?2` endpoint or null, `?3` limit.
    /// [`Progress::ready`](crate::Progress::ready) says what becomes of each.
    STALE = "stale",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.state = 1 AND e.lease_end <= ?1 \
         AND COALESCE(e.reclaim_at, e.lease_end) <= ?1 AND (?2 IS NULL OR e.endpoint = ?2) \
         ORDER BY e.lease_end LIMIT ?3");

    /// When [`READY`] or [`STALE`] next return anything, if nothing is written until then: `?1` endpoint or null. Returns
    /// a time or null.
    NEXT_DUE = "next_due", next_due!("");

    /// When [`READY_IN_ORDER`] or [`STALE`] next return anything: `?1` endpoint or null. Returns a time or null.
    NEXT_DUE_IN_ORDER = "next_due_in_order", next_due!(concat!(" AND NOT ", held_up!()));

    /// Whether an earlier event of its stream holds an event up: `?1` number. Returns 0 or 1.
    HELD_UP = "held_up",
        concat!("SELECT ", held_up!(), " FROM hookproof_events e WHERE e.id = ?1");

    /// One event: `?1` number.
    LOAD = "load", concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE e.id = ?1");

    /// Saves the progress of an event: `?1` number, `?2` state, `?3` attempts, `?4` token, `?5` due, `?6` claimed at, `?7` end
    /// of the lease, `?8` reclaim at, `?9` replays, `?10` error.
    SAVE = "save",
        "UPDATE hookproof_events SET state = ?2, attempts = ?3, token = ?4, due = ?5, claimed_at = ?6, lease_end = ?7, \
         reclaim_at = ?8, replays = ?9, error = ?10 WHERE id = ?1";

    /// An attempt that has ended: `?1` event, `?2` token, `?3` number, `?4` replays, `?5` started, `?6` ended, `?7` outcome,
    /// `?8` error.
    ATTEMPT = "attempt",
        "INSERT INTO hookproof_attempts (event, token, number, replays, started_at, ended_at, outcome, error) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

    /// One more failure in a row: `?1` endpoint. Returns how many.
    FAILURE = "failure",
        "INSERT INTO hookproof_failures (endpoint, in_a_row) VALUES (?1, 1) \
         ON CONFLICT (endpoint) DO UPDATE SET in_a_row = in_a_row + 1 RETURNING in_a_row";

    /// No failure in a row: `?1` endpoint.
    SUCCESS = "success",
        "UPDATE hookproof_failures SET in_a_row = 0 WHERE endpoint = ?1 AND in_a_row > 0";

    /// The attempts at an event: `?1` event. Returns event, token, number, replays, started, ended, outcome, error.
    ATTEMPTS = "attempts",
        "SELECT event, token, number, replays, started_at, ended_at, outcome, error FROM hookproof_attempts \
         WHERE event = ?1 ORDER BY token";

    /// A page of events: `?1` after this number or null, `?2` limit, then each or null: `?3` number, `?4` endpoint, `?5` kind,
    /// `?6` subject, `?7` state, `?8` arrived from, `?9` arrived before. The bounds of the number say once more what stands
    /// before them, in a form for which SQLite seeks.
    LIST = "list",
        concat!("SELECT ", event_columns!(), " FROM hookproof_events e WHERE (?1 IS NULL OR e.id > ?1) \
         AND (?3 IS NULL OR e.id = ?3) AND e.id >= COALESCE(?3, ?1, -9223372036854775808) \
         AND e.id <= COALESCE(?3, 9223372036854775807) AND (?4 IS NULL OR e.endpoint = ?4) AND (?5 IS NULL OR e.kind = ?5) \
         AND (?6 IS NULL OR e.subject = ?6) AND (?7 IS NULL OR e.state = ?7) AND (?8 IS NULL OR e.received_at >= ?8) \
         AND (?9 IS NULL OR e.received_at < ?9) ORDER BY e.id LIMIT ?2");

    /// How many events match but wait or are in work anyway: `?1` number, `?2` endpoint, `?3` kind, `?4` subject, `?5` state,
    /// `?6` arrived from, `?7` arrived before, each or null. Ask before [`REPLAY`].
    REPLAY_SKIPS = "replay_skips",
        "SELECT count(*) FROM hookproof_events WHERE state IN (0, 1) AND (?1 IS NULL OR id = ?1) \
         AND (?2 IS NULL OR endpoint = ?2) AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR subject = ?4) \
         AND (?5 IS NULL OR state = ?5) AND (?6 IS NULL OR received_at >= ?6) AND (?7 IS NULL OR received_at < ?7)";

    /// [`Progress::replay`](crate::Progress::replay) of all events that match: as [`REPLAY_SKIPS`], and `?8` now. The rows
    /// that are changed are counted.
    REPLAY = "replay",
        "UPDATE hookproof_events SET state = 0, attempts = 0, due = ?8, replays = replays + 1 \
         WHERE state IN (2, 3, 4) AND (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR endpoint = ?2) \
         AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR subject = ?4) AND (?5 IS NULL OR state = ?5) \
         AND (?6 IS NULL OR received_at >= ?6) AND (?7 IS NULL OR received_at < ?7)";

    /// A delivery: `?1` number. Returns number, arrival, endpoint, provider, method, URL, headers, body.
    DELIVERY = "delivery",
        "SELECT id, received_at, endpoint, provider, method, url, headers, body FROM hookproof_deliveries WHERE id = ?1";

    /// Makes the row of a stream if it is not there: `?1` scope, `?2` name, `?3` now. Returns a number if this is its first
    /// event; else nothing: then [`STANDING`].
    STREAM = "stream",
        "INSERT INTO hookproof_streams (scope, name, updated_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (scope, name) DO NOTHING RETURNING 1";

    /// Where a stream stands: `?1` scope, `?2` name. Returns version, its unit, phase.
    STANDING = "standing",
        "SELECT version_value, version_unit, phase FROM hookproof_streams WHERE scope = ?1 AND name = ?2";

    /// Saves where a stream stands: `?1` scope, `?2` name, `?3` version, `?4` its unit, `?5` phase, `?6` now.
    SAVE_STANDING = "save_standing",
        "UPDATE hookproof_streams SET version_value = ?3, version_unit = ?4, phase = ?5, updated_at = ?6 \
         WHERE scope = ?1 AND name = ?2";

    /// Removes payloads: `?1` arrived before, `?2` limit.
    PURGE_PAYLOADS = "purge_payloads",
        "DELETE FROM hookproof_deliveries WHERE id IN (SELECT d.id FROM hookproof_deliveries d WHERE d.received_at < ?1 \
         AND NOT EXISTS (SELECT 1 FROM hookproof_events e WHERE e.id BETWEEN d.id AND d.last AND e.state <> 2) ORDER BY d.received_at LIMIT ?2)";

    /// The numbers of keys that may go: `?1` endpoint, `?2` recorded before, `?3` limit. The highest number of all stays.
    OLD_KEYS = "old_keys",
        "SELECT k.id FROM hookproof_keys k WHERE k.endpoint = ?1 AND k.first_seen < ?2 \
         AND k.id < (SELECT MAX(id) FROM hookproof_keys) \
         AND NOT EXISTS (SELECT 1 FROM hookproof_events e WHERE e.id = k.id AND e.state <> 2) \
         ORDER BY k.first_seen LIMIT ?3";

    /// As [`OLD_KEYS`] where a log is kept: only what lies below its latest checkpoint.
    OLD_SEALED_KEYS = "old_sealed_keys",
        "SELECT k.id FROM hookproof_keys k JOIN hookproof_chain c ON c.entry = k.id \
         WHERE k.endpoint = ?1 AND k.first_seen < ?2 AND k.id < (SELECT MAX(id) FROM hookproof_keys) \
         AND c.seq < (SELECT MAX(p.seq) FROM hookproof_chain p WHERE p.entry IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM hookproof_events e WHERE e.id = k.id AND e.state <> 2) \
         ORDER BY k.first_seen LIMIT ?3";

    /// Removes the attempts at events: `?1` their numbers as a JSON array.
    PURGE_ATTEMPTS = "purge_attempts",
        "DELETE FROM hookproof_attempts WHERE event IN (SELECT value FROM json_each(?1))";

    /// Removes events: `?1` their numbers as a JSON array.
    PURGE_EVENTS = "purge_events",
        "DELETE FROM hookproof_events WHERE id IN (SELECT value FROM json_each(?1))";

    /// Removes keys: `?1` their numbers as a JSON array.
    PURGE_KEYS = "purge_keys",
        "DELETE FROM hookproof_keys WHERE id IN (SELECT value FROM json_each(?1))";

    /// Begins a log, if it was not begun: `?1` name, `?2` the link of a log without rows.
    BEGIN_LOG = "begin_log",
        "INSERT INTO hookproof_log (one, name, seq, link, at) VALUES (1, ?1, 0, ?2, 0) ON CONFLICT (one) DO NOTHING";

    /// The head. Returns name, sequence number, link, time.
    HEAD = "head", "SELECT name, seq, link, at FROM hookproof_log WHERE one = 1";

    /// Saves the head: `?1` sequence number, `?2` link, `?3` time.
    SAVE_HEAD = "save_head", "UPDATE hookproof_log SET seq = ?1, link = ?2, at = ?3 WHERE one = 1";

    /// The highest number of an event that is sealed; null if none is.
    LAST_SEALED = "last_sealed", "SELECT MAX(entry) FROM hookproof_chain";

    /// Recorded rows that are not sealed: `?1` after this number, `?2` limit. Returns number, endpoint, key, content, digest
    /// of the body, time recorded. Numbers are given in the order of commits: a sealer begins at [`LAST_SEALED`].
    UNSEALED = "unsealed",
        "SELECT k.id, k.endpoint, k.key, k.content, k.body, k.first_seen FROM hookproof_keys k \
         WHERE k.id > ?1 AND NOT EXISTS (SELECT 1 FROM hookproof_chain c WHERE c.entry = k.id) ORDER BY k.id LIMIT ?2";

    /// Appends a row to the chain: `?1` sequence number, `?2` event or null, `?3` link before a checkpoint or null, `?4` its
    /// time or null, `?5` leaf, `?6` link.
    APPEND = "append",
        "INSERT INTO hookproof_chain (seq, entry, before, at, leaf, link) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

    /// Rows of the chain with the recorded rows for which they stand: `?1` after this sequence number, `?2` limit. Returns
    /// sequence number, event, link before, time, leaf, link; then number, endpoint, key, content, digest of the body, time
    /// recorded, all null if the row is gone.
    LINKS = "links",
        "SELECT c.seq, c.entry, c.before, c.at, c.leaf, c.link, k.id, k.endpoint, k.key, k.content, k.body, k.first_seen \
         FROM hookproof_chain c LEFT JOIN hookproof_keys k ON k.id = c.entry WHERE c.seq > ?1 ORDER BY c.seq LIMIT ?2";

    /// Removes rows of the chain: `?1` limit.
    PURGE_LINKS = "purge_links",
        "DELETE FROM hookproof_chain WHERE seq IN (SELECT c.seq FROM hookproof_chain c \
         WHERE c.seq < (SELECT MAX(p.seq) FROM hookproof_chain p WHERE p.entry IS NULL) \
         AND c.seq < COALESCE((SELECT MIN(l.seq) FROM hookproof_chain l WHERE EXISTS (SELECT 1 FROM hookproof_keys k \
         WHERE k.id = l.entry)), 9223372036854775807) ORDER BY c.seq LIMIT ?1)";
}
