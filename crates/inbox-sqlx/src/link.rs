//! What the verbs need of a connection: statements with values in, rows out. One text of the verbs serves both databases.

use core::future::Future;

use hookproof::UnixTime;
use hookproof_inbox::time::to_sql;
use hookproof_inbox::{EventId, Progress, StoreError};
use sqlx::SqlStr;

use crate::texts::Verbs;

/// A value for a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'v> {
    Bool(bool),
    Bytes(Option<&'v [u8]>),
    Number(Option<i64>),
    Text(Option<&'v str>),
}

impl<'v> Value<'v> {
    pub(crate) const fn bytes(bytes: &'v [u8]) -> Self {
        Self::Bytes(Some(bytes))
    }

    pub(crate) fn number(number: impl Into<i64>) -> Self {
        Self::Number(Some(number.into()))
    }

    /// A number that this crate or the database has given: it is not above the highest of the database.
    pub(crate) fn id(number: u64) -> Self {
        Self::number(i64::try_from(number).unwrap_or(i64::MAX))
    }

    pub(crate) const fn text(text: &'v str) -> Self {
        Self::Text(Some(text))
    }

    pub(crate) fn time(time: UnixTime) -> Self {
        Self::number(to_sql(time))
    }

    pub(crate) fn maybe_time(time: Option<UnixTime>) -> Self {
        Self::Number(time.map(to_sql))
    }
}

/// The columns of a row, by their places.
pub(crate) trait Columns {
    fn bigint(&self, at: usize) -> Result<i64, StoreError>;
    fn maybe_bigint(&self, at: usize) -> Result<Option<i64>, StoreError>;
    fn integer(&self, at: usize) -> Result<i32, StoreError>;
    fn smallint(&self, at: usize) -> Result<i16, StoreError>;
    fn boolean(&self, at: usize) -> Result<bool, StoreError>;
    fn text(&self, at: usize) -> Result<&str, StoreError>;
    fn maybe_text(&self, at: usize) -> Result<Option<&str>, StoreError>;
    fn bytes(&self, at: usize) -> Result<&[u8], StoreError>;
}

/// A connection.
pub(crate) trait Link: Send {
    /// A row.
    type Row: Columns + Send;

    /// All rows that a statement returns.
    fn rows(
        &mut self,
        sql: &SqlStr,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Vec<Self::Row>, StoreError>> + Send;

    /// The first row that a statement returns.
    fn row(
        &mut self,
        sql: &SqlStr,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Option<Self::Row>, StoreError>> + Send;

    /// How many rows a statement changed.
    fn execute(
        &mut self,
        sql: &SqlStr,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Saves the progress of several events.
    fn save(
        &mut self,
        verbs: &Verbs,
        events: &[(EventId, &Progress)],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Implements [`Columns`] for the row of a driver, and yields the methods of [`Link`] for its connection.
macro_rules! impl_link {
    ($row:ty, $connection:ty, $save:path) => {
        impl $crate::link::Columns for $row {
            fn bigint(&self, at: usize) -> Result<i64, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn maybe_bigint(&self, at: usize) -> Result<Option<i64>, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn integer(&self, at: usize) -> Result<i32, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn smallint(&self, at: usize) -> Result<i16, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn boolean(&self, at: usize) -> Result<bool, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn text(&self, at: usize) -> Result<&str, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn maybe_text(&self, at: usize) -> Result<Option<&str>, StoreError> {
                self.try_get(at).map_err(fault)
            }

            fn bytes(&self, at: usize) -> Result<&[u8], StoreError> {
                self.try_get(at).map_err(fault)
            }
        }

        impl $crate::link::Link for $connection {
            type Row = $row;

            async fn rows(
                &mut self,
                sql: &SqlStr,
                values: &[Value<'_>],
            ) -> Result<Vec<Self::Row>, StoreError> {
                query(sql, values).fetch_all(self).await.map_err(fault)
            }

            async fn row(
                &mut self,
                sql: &SqlStr,
                values: &[Value<'_>],
            ) -> Result<Option<Self::Row>, StoreError> {
                query(sql, values).fetch_optional(self).await.map_err(fault)
            }

            async fn execute(
                &mut self,
                sql: &SqlStr,
                values: &[Value<'_>],
            ) -> Result<u64, StoreError> {
                let done = query(sql, values).execute(self).await.map_err(fault)?;
                Ok(done.rows_affected())
            }

            async fn save(
                &mut self,
                verbs: &Verbs,
                events: &[(EventId, &Progress)],
            ) -> Result<(), StoreError> {
                $save(self, verbs, events).await
            }
        }

        fn query<'q>(sql: &SqlStr, values: &[Value<'_>]) -> Query<'q> {
            let query = sqlx::query(sql.clone());
            values.iter().fold(query, |query, value| match *value {
                Value::Bool(value) => query.bind(value),
                Value::Bytes(value) => query.bind(value),
                Value::Number(value) => query.bind(value),
                Value::Text(value) => query.bind(value),
            })
        }
    };
}

pub(crate) use impl_link;
