-- The tables of the inbox. Times are milliseconds since 1970; states are 0 waiting, 1 in work, 2 done, 3 parked, 4 dead.

-- One row for each recorded event, with or without key; only ever inserted and purged. The row with the highest number
-- is never purged, so that no number is given twice.
CREATE TABLE hookproof_keys (
    id INTEGER PRIMARY KEY,
    endpoint TEXT NOT NULL,
    key TEXT,
    content BLOB NOT NULL,
    body BLOB NOT NULL,
    unsigned INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    CONSTRAINT hookproof_keys_unique UNIQUE (endpoint, key)
) STRICT;
CREATE INDEX hookproof_keys_seen ON hookproof_keys (endpoint, first_seen);
CREATE INDEX hookproof_keys_body ON hookproof_keys (endpoint, body) WHERE unsigned;

-- A delivery has the number of its first event. Its events have the numbers from there to the last: none of another
-- delivery lie between, since one transaction writes at a time.
CREATE TABLE hookproof_deliveries (
    id INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    provider TEXT NOT NULL,
    method TEXT,
    url TEXT,
    headers BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX hookproof_deliveries_received ON hookproof_deliveries (received_at);

-- Work: the events that are handled later.
CREATE TABLE hookproof_events (
    id INTEGER PRIMARY KEY,
    endpoint TEXT NOT NULL,
    key TEXT,
    kind TEXT,
    subject TEXT,
    stream TEXT,
    order_value INTEGER,
    order_unit TEXT,
    position INTEGER NOT NULL,
    twin TEXT,
    delivery INTEGER NOT NULL,
    element INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
    attempts INTEGER NOT NULL,
    token INTEGER NOT NULL,
    due INTEGER NOT NULL,
    claimed_at INTEGER,
    lease_end INTEGER,
    reclaim_at INTEGER,
    replays INTEGER NOT NULL,
    error TEXT,
    CHECK ((state = 1) = (claimed_at IS NOT NULL) AND (state = 1) = (lease_end IS NOT NULL))
) STRICT;
CREATE INDEX hookproof_events_due ON hookproof_events (due, id) WHERE state = 0;
CREATE INDEX hookproof_events_leased ON hookproof_events (lease_end) WHERE state = 1;
CREATE INDEX hookproof_events_stream ON hookproof_events (endpoint, stream, position, id)
    WHERE stream IS NOT NULL AND state IN (0, 1, 3);

CREATE TABLE hookproof_attempts (
    event INTEGER NOT NULL,
    token INTEGER NOT NULL,
    number INTEGER NOT NULL,
    replays INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    error TEXT,
    PRIMARY KEY (event, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE hookproof_failures (
    endpoint TEXT PRIMARY KEY,
    in_a_row INTEGER NOT NULL
) STRICT;

-- Rows of ended streams are tombstones: they are never purged by this crate.
CREATE TABLE hookproof_streams (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    version_value INTEGER,
    version_unit TEXT,
    phase TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
