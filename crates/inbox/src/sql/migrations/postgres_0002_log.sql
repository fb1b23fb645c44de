-- The tables of the tamper-evident log, for those who keep one.

CREATE UNIQUE INDEX hookproof_keys_id ON hookproof_keys (id);

-- A row without entry is a checkpoint.
CREATE TABLE hookproof_chain (
    seq BIGINT PRIMARY KEY CHECK (seq > 0),
    entry BIGINT UNIQUE,
    before BYTEA,
    at BIGINT,
    leaf BYTEA NOT NULL,
    link BYTEA NOT NULL,
    CHECK ((entry IS NULL) = (before IS NOT NULL) AND (entry IS NULL) = (at IS NOT NULL))
);
CREATE INDEX hookproof_chain_checkpoints ON hookproof_chain (seq) WHERE entry IS NULL;

-- One row: the head. Sealers lock it.
CREATE TABLE hookproof_log (
    one SMALLINT PRIMARY KEY CHECK (one = 1),
    name TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    link BYTEA NOT NULL,
    at BIGINT NOT NULL
);
