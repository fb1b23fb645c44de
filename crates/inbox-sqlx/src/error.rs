//! What a fault of the driver or the database means.

use hookproof_inbox::{StoreError, StoreErrorKind};
use sqlx::Error;

use StoreErrorKind::{Busy, Corrupt, Invalid, Unavailable};

/// A fault as the verbs report it. The driver's error is its source.
pub(crate) fn fault(error: Error) -> StoreError {
    let (kind, message) = meaning(&error);
    StoreError::new(kind, message).with_source(error)
}

/// A row that holds what this crate does not write.
pub(crate) fn corrupt(what: &str) -> StoreError {
    StoreError::new(
        Corrupt,
        format!(
            "{what} is not what this crate writes; it was changed by hand, or by a later version"
        ),
    )
}

/// The caller asked for what cannot be done.
pub(crate) fn invalid(message: impl Into<Box<str>>) -> StoreError {
    StoreError::new(Invalid, message)
}

/// Whether the connection is gone.
#[cfg(feature = "postgres")]
pub(crate) fn is_broken(error: &Error) -> bool {
    match error {
        Error::Database(error) => error.code().is_some_and(|code| of_code(&code) == BROKEN),
        error => matches!(error, Error::Io(_)),
    }
}

type Meaning = (StoreErrorKind, &'static str);

const BROKEN: Meaning = (Unavailable, "the connection to the database broke; try again later");
const DAMAGED: Meaning = (Corrupt, "the database is damaged; restore it");
const LOCKED: Meaning = (Busy, "somebody else holds what is needed, for too long; try again later");
const MISSING: Meaning =
    (Invalid, "a table, column or permission is missing; run the migrations, with this prefix");
const REFUSED: Meaning =
    (Corrupt, "the database refused a row; its tables are not those of this version");
const ROLLED_BACK: Meaning =
    (Invalid, "the transaction had failed before, or has ended; roll it back");
const SLOW: Meaning = (Unavailable, "the database took too long; try again later");
const UNUSABLE: Meaning = (Unavailable, "the database cannot write; see to its disk and its state");

fn meaning(error: &Error) -> Meaning {
    match error {
        Error::Database(error) => error.code().map_or(BROKEN, |code| of_code(&code)),
        Error::ColumnDecode { .. }
        | Error::ColumnIndexOutOfBounds { .. }
        | Error::ColumnNotFound(_)
        | Error::Decode(_)
        | Error::RowNotFound => {
            (Corrupt, "a row cannot be read; it was changed by hand, or by a later version")
        }
        Error::PoolClosed => (Unavailable, "the pool of connections is closed"),
        Error::PoolTimedOut => {
            (Unavailable, "no connection became free or could be made in time; try again later")
        }
        Error::BeginFailed | Error::InvalidSavePointStatement => ROLLED_BACK,
        Error::Configuration(_)
        | Error::Encode(_)
        | Error::InvalidArgument(_)
        | Error::TypeNotFound { .. } => (Invalid, "the driver cannot send what was asked for"),
        _ => BROKEN,
    }
}

/// SQLSTATE has five characters; SQLite's result codes are shorter.
fn of_code(code: &str) -> Meaning {
    match code.parse::<u32>() {
        Ok(code) if code < 10_000 => of_result_code(code),
        _ => of_sqlstate(code),
    }
}

/// <https://www.sqlite.org/rescode.html>; the low byte is the primary code.
const fn of_result_code(code: u32) -> Meaning {
    match code & 0xff {
        // SQLITE_BUSY, LOCKED, SCHEMA (changed meanwhile)
        5 | 6 | 17 => LOCKED,
        // INTERRUPT
        9 => SLOW,
        // CORRUPT, NOTADB
        11 | 26 => DAMAGED,
        // ERROR, PERM, AUTH: of our texts, that a table is not there
        1 | 3 | 23 => MISSING,
        // CONSTRAINT, MISMATCH
        19 | 20 => REFUSED,
        // TOOBIG, MISUSE, RANGE
        18 | 21 | 25 => (
            Invalid,
            "the database cannot take what was asked for, such as a text that is too long",
        ),
        // NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL and others
        _ => UNUSABLE,
    }
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn of_sqlstate(code: &str) -> Meaning {
    match code {
        // lock_not_available, deadlock_detected, serialization_failure
        "55P03" | "40P01" | "40001" => LOCKED,
        // query_canceled
        "57014" => SLOW,
        // idle_in_transaction_session_timeout, transaction_timeout
        "25P03" | "25P04" => BROKEN,
        // read_only_sql_transaction
        "25006" => UNUSABLE,
        _ => match code.get(..2) {
            // The connection, a shutdown
            Some("08" | "57") => BROKEN,
            // Data: a text with NUL, a number out of range
            Some("22") => (Invalid, "the database cannot take a value, such as a text with NUL"),
            // Integrity
            Some("23") => REFUSED,
            // The transaction's state
            Some("25" | "2D" | "3B" | "40") => ROLLED_BACK,
            // Authorisation, names, syntax
            Some("28" | "3D" | "3F" | "42") => MISSING,
            Some("XX") if code != "XX000" => DAMAGED,
            // Resources, limits, the operating system and others
            _ => UNUSABLE,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_databases_are_told_apart() {
        for (code, kind) in [
            ("5", Busy),
            ("261", Busy), // SQLITE_BUSY_RECOVERY
            ("517", Busy), // SQLITE_BUSY_SNAPSHOT
            ("6", Busy),
            ("13", Unavailable),
            ("10", Unavailable),
            ("778", Unavailable), // SQLITE_IOERR_WRITE
            ("8", Unavailable),
            ("1032", Unavailable), // SQLITE_READONLY_DBMOVED
            ("14", Unavailable),
            ("9", Unavailable),
            ("11", Corrupt),
            ("26", Corrupt),
            ("2067", Corrupt), // SQLITE_CONSTRAINT_UNIQUE
            ("1", Invalid),
            ("18", Invalid),
            ("55P03", Busy),
            ("40P01", Busy),
            ("40001", Busy),
            ("53100", Unavailable), // disk_full
            ("53300", Unavailable), // too_many_connections
            ("57P01", Unavailable), // admin_shutdown
            ("57P03", Unavailable), // cannot_connect_now
            ("57014", Unavailable),
            ("08006", Unavailable),
            ("25006", Unavailable),
            ("58030", Unavailable), // io_error
            ("25P02", Invalid),     // in_failed_sql_transaction
            ("42P01", Invalid),     // undefined_table
            ("22021", Invalid),     // character_not_in_repertoire
            ("23514", Corrupt),     // check_violation
            ("XX001", Corrupt),     // data_corrupted
        ] {
            assert_eq!(of_code(code).0, kind, "{code}");
        }
    }
}
