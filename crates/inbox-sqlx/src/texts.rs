//! The statements with the tables' prefix, which is applied once: the drivers cache prepared statements by their text.

use std::borrow::Cow;
use std::sync::Arc;

use hookproof_inbox::sql::Prefix;
use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};

/// A text of `hookproof_inbox::sql` with the tables of this prefix.
pub(crate) fn text(prefix: &Prefix, sql: &'static str) -> SqlStr {
    match prefix.apply(sql) {
        Cow::Borrowed(sql) => SqlStr::from_static(sql),
        Cow::Owned(sql) => trusted(sql),
    }
}

/// A text that was made of texts of `hookproof_inbox::sql`, numbers and a prefix. A [`Prefix`] is a lower-case letter and up
/// to 20 of `a-z 0-9 _`, so that it cannot be anything but the beginning of a name.
pub(crate) fn trusted(sql: String) -> SqlStr {
    AssertSqlSafe(Arc::<str>::from(sql)).into_sql_str()
}

/// Statements of one database.
macro_rules! texts {
    ($(#[$doc:meta])* $name:ident: $($field:ident = $sql:expr),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $field: sqlx::SqlStr),+
        }

        impl $name {
            pub(crate) fn new(prefix: &hookproof_inbox::sql::Prefix) -> Self {
                Self { $($field: $crate::texts::text(prefix, $sql)),+ }
            }
        }
    };
}

pub(crate) use texts;

macro_rules! verbs {
    ($($field:ident = $constant:ident),+ $(,)?) => {
        /// The statements whose parameters and rows are alike on both databases.
        #[derive(Clone, Debug)]
        #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "SQLite saves one by one"))]
        pub(crate) struct Verbs {
            $(pub(crate) $field: SqlStr),+
        }

        impl Verbs {
            #[cfg(feature = "postgres")]
            pub(crate) fn postgres(prefix: &Prefix) -> Self {
                use hookproof_inbox::sql::postgres::*;
                Self { $($field: text(prefix, $constant)),+ }
            }

            #[cfg(feature = "sqlite")]
            pub(crate) fn sqlite(prefix: &Prefix) -> Self {
                use hookproof_inbox::sql::sqlite::*;
                /// One writer at a time: a row that is read in a transaction is locked.
                const LOCK_HEAD: &str = HEAD;
                /// One by one: nothing is gained by one statement within a process.
                const SAVE_MANY: &str = SAVE;
                Self { $($field: text(prefix, $constant)),+ }
            }
        }
    };
}

verbs! {
    attempt = ATTEMPT,
    attempts = ATTEMPTS,
    begin_log = BEGIN_LOG,
    delivery = DELIVERY,
    failure = FAILURE,
    find = FIND,
    head = HEAD,
    held_up = HELD_UP,
    last_sealed = LAST_SEALED,
    links = LINKS,
    list = LIST,
    load = LOAD,
    lock_head = LOCK_HEAD,
    next_due = NEXT_DUE,
    next_due_in_order = NEXT_DUE_IN_ORDER,
    purge_links = PURGE_LINKS,
    purge_payloads = PURGE_PAYLOADS,
    ready = READY,
    ready_in_order = READY_IN_ORDER,
    record = RECORD,
    same_bytes = SAME_BYTES,
    save = SAVE,
    save_head = SAVE_HEAD,
    save_many = SAVE_MANY,
    save_standing = SAVE_STANDING,
    stale = STALE,
    standing = STANDING,
    stream = STREAM,
    success = SUCCESS,
    unsealed = UNSEALED,
}
