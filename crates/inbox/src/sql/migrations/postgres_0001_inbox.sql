-- The tables of the inbox. Times are milliseconds since 1970; states are 0 waiting, 1 in work, 2 done, 3 parked, 4 dead.

CREATE SEQUENCE hookproof_numbers AS BIGINT;

-- One row for each recorded event, with or without key; only ever inserted and purged.
CREATE TABLE hookproof_keys (
    id BIGINT NOT NULL,
    endpoint TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C",
    content BYTEA NOT NULL,
    body BYTEA NOT NULL,
    unsigned BOOLEAN NOT NULL,
    first_seen BIGINT NOT NULL,
    CONSTRAINT hookproof_keys_unique UNIQUE (endpoint, key)
);
-- For purges only, and so cheap that recording does not feel it.
CREATE INDEX hookproof_keys_seen ON hookproof_keys USING BRIN (first_seen) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX hookproof_keys_body ON hookproof_keys (endpoint, body) WHERE unsigned;

-- Payloads, by the day of their arrival. Partitions of days are added ahead of time; the default one takes the rest.
CREATE TABLE hookproof_deliveries (
    id BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    endpoint TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C",
    url TEXT COLLATE "C",
    headers BYTEA NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (id, received_at)
) PARTITION BY RANGE (received_at);
CREATE TABLE hookproof_deliveries_rest PARTITION OF hookproof_deliveries DEFAULT;

-- Work: the events that are handled later.
CREATE TABLE hookproof_events (
    id BIGINT PRIMARY KEY,
    endpoint TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C",
    kind TEXT COLLATE "C",
    subject TEXT COLLATE "C",
    stream TEXT COLLATE "C",
    order_value BIGINT,
    order_unit TEXT COLLATE "C",
    position BIGINT NOT NULL,
    twin TEXT COLLATE "C",
    delivery BIGINT NOT NULL,
    element INTEGER NOT NULL,
    received_at BIGINT NOT NULL,
    state SMALLINT NOT NULL CHECK (state BETWEEN 0 AND 4),
    attempts INTEGER NOT NULL,
    token BIGINT NOT NULL,
    due BIGINT NOT NULL,
    claimed_at BIGINT,
    lease_end BIGINT,
    reclaim_at BIGINT,
    replays INTEGER NOT NULL,
    error TEXT COLLATE "C",
    CHECK ((state = 1) = (claimed_at IS NOT NULL) AND (state = 1) = (lease_end IS NOT NULL))
);
CREATE INDEX hookproof_events_due ON hookproof_events (due, id) WHERE state = 0;
CREATE INDEX hookproof_events_leased ON hookproof_events (lease_end) WHERE state = 1;
CREATE INDEX hookproof_events_stream ON hookproof_events (endpoint, stream, position, id) WHERE state IN (0, 1, 3);
CREATE INDEX hookproof_events_unfinished ON hookproof_events (received_at, delivery) WHERE state <> 2;
CREATE INDEX hookproof_events_received ON hookproof_events (endpoint, received_at, id);

CREATE TABLE hookproof_attempts (
    event BIGINT NOT NULL,
    token BIGINT NOT NULL,
    number INTEGER NOT NULL,
    replays INTEGER NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    error TEXT COLLATE "C",
    PRIMARY KEY (event, token)
);

CREATE TABLE hookproof_failures (
    endpoint TEXT COLLATE "C" PRIMARY KEY,
    in_a_row INTEGER NOT NULL
);

-- Rows of ended streams are tombstones: they are never purged by this crate.
CREATE TABLE hookproof_streams (
    scope TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version_value BIGINT,
    version_unit TEXT COLLATE "C",
    phase TEXT COLLATE "C",
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (scope, name)
);
