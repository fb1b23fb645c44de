//! The tables of SQLite.

use hookproof_inbox::StoreError;
use hookproof_inbox::chain::Head;
use hookproof_inbox::sql::sqlite::MIGRATIONS;
use sqlx::{Executor as _, SqlStr, SqliteConnection};

use super::SqliteInbox;
use crate::error::fault;
use crate::migrations::{self, Script};

impl Script for SqliteConnection {
    async fn script(&mut self, sql: SqlStr) -> Result<(), StoreError> {
        self.execute(sqlx::raw_sql(sql)).await.map_err(fault).map(drop)
    }
}

impl SqliteInbox {
    /// Makes the tables, or what is missing of them. It may be called at every start, by several processes at once.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        self.run(None).await
    }

    /// As [`migrate`](Self::migrate), with the tables of the tamper-evident log, and begins a log of this name. From then
    /// on keys are purged only below its checkpoints, whoever purges.
    ///
    /// # Errors
    ///
    /// [`Invalid`](hookproof_inbox::StoreErrorKind::Invalid) if that is no name of a log, or the database keeps a log of
    /// another name; else a fault of the database.
    pub async fn migrate_log(&self, name: &str) -> Result<(), StoreError> {
        self.run(Some(&migrations::start(name)?)).await
    }

    async fn run(&self, log: Option<&Head>) -> Result<(), StoreError> {
        let mut tx = self.transaction().await?;
        let (prefix, verbs) = (self.store.prefix(), &self.store.texts.verbs);
        migrations::run(&mut *tx, prefix, verbs, &MIGRATIONS, log).await?;
        tx.commit().await.map_err(fault)
    }
}
