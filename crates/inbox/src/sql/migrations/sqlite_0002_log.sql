-- The tables of the tamper-evident log, for those who keep one.

-- A row without entry is a checkpoint.
CREATE TABLE hookproof_chain (
    seq INTEGER PRIMARY KEY CHECK (seq > 0),
    entry INTEGER UNIQUE,
    before BLOB,
    at INTEGER,
    leaf BLOB NOT NULL,
    link BLOB NOT NULL,
    CHECK ((entry IS NULL) = (before IS NOT NULL) AND (entry IS NULL) = (at IS NOT NULL))
) STRICT;
CREATE INDEX hookproof_chain_checkpoints ON hookproof_chain (seq) WHERE entry IS NULL;

-- One row: the head.
CREATE TABLE hookproof_log (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    link BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;
