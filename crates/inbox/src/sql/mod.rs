//! The tables and statements as text, for any driver: [`postgres`] and [`sqlite`].
//!
//! The texts are valid as they are, with tables that begin with `hookproof_`. [`Prefix`] puts another name there. Parameters
//! are numbered, and the documentation of each statement names them. Times are milliseconds since 1970
//! ([`time::to_sql`](crate::time::to_sql)), states are [`State::code`](crate::State::code), digests are 32 bytes.
//!
//! A statement reads and writes; it does not decide. A store loads a row (on PostgreSQL with its lock), asks the pure
//! functions of this crate, and saves what they say. Statements that stand for one of these functions by themselves, for
//! speed, say so.

use core::fmt;
use std::borrow::Cow;

use crate::id::NameError;

pub mod postgres;
pub mod sqlite;

/// A migration: a name, and statements that are run once, in one transaction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Migration {
    /// The name. Migrations run in the order of their names.
    pub name: &'static str,
    /// The statements.
    pub sql: &'static str,
}

impl Migration {
    const fn new(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql }
    }
}

/// A statement and its name, for tools and tests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Statement {
    /// The name of the constant, in lower case.
    pub name: &'static str,
    /// The text.
    pub sql: &'static str,
}

/// The beginning of the tables' names.
///
/// ```
/// use hookproof_inbox::sql::{Prefix, sqlite};
/// let prefix = Prefix::new("billing")?;
/// assert!(prefix.apply(sqlite::FIND).contains("FROM billing_keys"));
/// for bad in ["", "Billing", "1a", "a-b", "a; DROP TABLE x", "abcdefghijklmnopqrstuv"] {
///     assert!(Prefix::new(bad).is_err());
/// }
/// # Ok::<(), hookproof_inbox::NameError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Prefix(Cow<'static, str>);

impl Prefix {
    /// The prefix of the texts as they are.
    pub const DEFAULT: Self = Self(Cow::Borrowed("hookproof"));

    /// Another prefix: a lower-case letter, then up to 20 of `a-z 0-9 _`. The tables are named after it and an underscore.
    ///
    /// # Errors
    ///
    /// A [`NameError`] if that is not a prefix.
    pub fn new(prefix: &str) -> Result<Self, NameError> {
        let mut bytes = prefix.bytes();
        let begins = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !begins || prefix.len() > 21 || !bytes.all(fits) {
            return Err(NameError::new(
                "the prefix of tables is a lower-case letter and up to 20 of a-z 0-9 _",
            ));
        }
        Ok(Self(Cow::Owned(prefix.to_owned())))
    }

    /// The prefix.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A text of this module with the tables of this prefix.
    #[must_use]
    pub fn apply<'s>(&self, sql: &'s str) -> Cow<'s, str> {
        if *self == Self::DEFAULT {
            return Cow::Borrowed(sql);
        }
        Cow::Owned(sql.replace("hookproof_", &format!("{}_", self.0)))
    }
}

impl Default for Prefix {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The columns of an event, in the order in which the statements return them.
///
/// `id, endpoint, key, kind, subject, stream, order_value, order_unit, twin, delivery, element, received_at, state,
/// attempts, token, due, claimed_at, lease_end, reclaim_at, replays, error`
pub const EVENT_COLUMNS: [&str; 21] = [
    "id",
    "endpoint",
    "key",
    "kind",
    "subject",
    "stream",
    "order_value",
    "order_unit",
    "twin",
    "delivery",
    "element",
    "received_at",
    "state",
    "attempts",
    "token",
    "due",
    "claimed_at",
    "lease_end",
    "reclaim_at",
    "replays",
    "error",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<(&'static str, &'static str)> {
        let statements = postgres::STATEMENTS.iter().chain(sqlite::STATEMENTS);
        let migrations = postgres::MIGRATIONS.iter().chain(&sqlite::MIGRATIONS);
        statements
            .map(|statement| (statement.name, statement.sql))
            .chain(migrations.map(|migration| (migration.name, migration.sql)))
            .collect()
    }

    #[test]
    fn a_prefix_replaces_every_name_and_nothing_else() {
        let prefix = Prefix::new("a1_b").unwrap();
        for (name, sql) in texts() {
            let applied = prefix.apply(sql);
            assert!(!applied.contains("hookproof"), "{name}");
            assert_eq!(
                applied.matches("a1_b_").count(),
                sql.matches("hookproof_").count(),
                "{name}"
            );
            for (place, _) in sql.match_indices("hookproof_") {
                let before = sql[..place].chars().next_back();
                assert!(before.is_none_or(|char| " ('\n".contains(char)), "{name}: {before:?}");
            }
        }
        assert_eq!((prefix.as_str(), prefix.to_string().as_str()), ("a1_b", "a1_b"));
        assert_eq!(Prefix::default().apply("hookproof_x"), "hookproof_x");
        assert_eq!(Prefix::default().as_str(), "hookproof");
    }

    #[test]
    fn partitions_are_days() {
        assert_eq!(postgres::span(0), (0, 86_400_000));
        assert_eq!(postgres::span(20_000), (1_728_000_000_000, 1_728_086_400_000));
        let made = postgres::create_partition(3);
        assert!(
            made.contains("hookproof_deliveries_d3 PARTITION OF hookproof_deliveries "),
            "{made}"
        );
        assert!(made.ends_with("FROM (259200000) TO (345600000)"), "{made}");
        let dropped = postgres::drop_partition(3);
        assert_eq!(dropped, "DROP TABLE IF EXISTS hookproof_deliveries_d3");
    }

    #[test]
    fn many_events_have_the_values_of_one_in_its_order() {
        let one: Vec<String> = (4..16).map(|parameter| format!("?{parameter}")).collect();
        let many: Vec<String> =
            (0..12).map(|place| format!("json_extract(j.value, '$[{place}]')")).collect();
        assert!(
            sqlite::WORK
                .ends_with(&format!("VALUES (?1, ?2, ?3, ?3, 0, 0, 0, {})", one.join(", ")))
        );
        let rows =
            format!("SELECT ?1, ?2, ?3, ?3, 0, 0, 0, {} FROM json_each(?4) j", many.join(", "));
        assert!(sqlite::WORK_MANY.ends_with(&rows), "{}", sqlite::WORK_MANY);
        let columns = |sql: &'static str| sql.split(['(', ')']).nth(1);
        assert_eq!(columns(sqlite::WORK), columns(sqlite::WORK_MANY));
    }

    #[test]
    fn names_fit_postgres() {
        let longest = Prefix::new(&"p".repeat(21)).unwrap();
        for (_, sql) in texts() {
            let sql = longest.apply(sql).into_owned();
            let words = sql.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
            assert!(words.into_iter().all(|word| word.len() <= 63));
        }
    }

    #[test]
    fn parameters_are_numbered_without_gaps() {
        for (statements, sign) in [(postgres::STATEMENTS, '$'), (sqlite::STATEMENTS, '?')] {
            for statement in statements {
                let mut numbers: Vec<u32> = statement
                    .sql
                    .split(sign)
                    .skip(1)
                    .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>())
                    .map(|digits| digits.parse().unwrap())
                    .collect();
                numbers.sort_unstable();
                numbers.dedup();
                let last = u32::try_from(numbers.len()).unwrap();
                assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "{}", statement.name);
            }
        }
    }

    #[test]
    fn statements_return_events_in_the_order_of_the_columns() {
        let columns = EVENT_COLUMNS.join(", ");
        for sql in [
            postgres::LOAD,
            postgres::LIST,
            postgres::READY,
            postgres::READY_IN_ORDER,
            postgres::STALE,
            sqlite::LOAD,
            sqlite::LIST,
            sqlite::READY,
            sqlite::READY_IN_ORDER,
            sqlite::STALE,
        ] {
            let words = sql.replace("e.", "").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(&columns), "{words}");
        }
    }
}
