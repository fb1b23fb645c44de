//! PostgreSQL: a schema of its own on the server of `HOOKPROOF_TEST_POSTGRES`.

use core::time::Duration;
use std::path::Path;

use hookproof::UnixTime;
use hookproof_inbox::StoreError;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::PostgresInbox;
use hookproof_inbox_sqlx::postgres::{Partitioning, PostgresWake, connect_options, pool_options};
use hookproof_inbox_sqlx::sqlx::postgres::PgConnectOptions;
use hookproof_inbox_sqlx::sqlx::{self, AssertSqlSafe, ConnectOptions as _, Connection as _};
use tokio::time::sleep;

use super::{Engine, Order, Property, Row, Tx};
use crate::points::Point;

const URL: &str = "HOOKPROOF_TEST_POSTGRES";

fn server() -> PgConnectOptions {
    let url = std::env::var(URL)
        .unwrap_or_else(|_| panic!("{URL} is not set; tests/postgres/run sets it"));
    url.parse().expect("a URL")
}

impl Engine for PostgresInbox {
    super::statements!();

    type Wake = PostgresWake;

    fn waker(&self) -> PostgresWake {
        self.wake()
    }

    async fn maintain_tables(&self, now: UnixTime) -> Result<(), StoreError> {
        self.maintain(Partitioning::new(Duration::from_secs(86_400)), now).await.map(drop)
    }

    async fn place(_folder: &Path) -> String {
        let schema = format!("crash_{}", std::process::id());
        let mut connection = server().connect().await.expect("a server");
        for sql in [
            // Not in the schema, which is not in the path of others.
            "CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA pg_catalog".to_owned(),
            format!("DROP SCHEMA IF EXISTS {schema} CASCADE"),
            format!("CREATE SCHEMA {schema}"),
        ] {
            sqlx::query(AssertSqlSafe(sql)).execute(&mut connection).await.expect("a schema");
        }
        connection.close().await.expect("a server");
        schema
    }

    fn open(place: &str, process: &str, prefix: Prefix) -> Self {
        let options = connect_options(server())
            .options([("search_path", place)])
            .application_name(&format!("{place}.{process}"));
        Self::new(pool_options().max_connections(12).connect_lazy_with(options), prefix)
    }

    async fn settings(&self) -> String {
        let version = self.rows("SELECT current_setting('server_version_num')").await;
        format!("server={}", version[0][0].as_deref().expect("a version"))
    }

    /// Statements are stopped on their way: the server works on.
    async fn stop_within(&self, _steps: u64, _point: Point) {}

    async fn stop_transaction_within(_tx: &mut Tx<'_, Self>, _steps: u64, _point: Point) {}

    async fn wait_for_end_of(&self, process: &str) {
        let sql = format!(
            "SELECT pid::TEXT FROM pg_stat_activity WHERE application_name = current_schema || '.{process}'"
        );
        for _ in 0..3000 {
            if self.rows(&sql).await.is_empty() {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("the server still works for {process}");
    }

    async fn break_off(&self, process: &str) -> usize {
        let sql = format!(
            "SELECT pg_terminate_backend(pid)::TEXT FROM pg_stat_activity \
             WHERE application_name = current_schema || '.{process}'"
        );
        self.rows(&sql).await.len()
    }

    async fn integrity(&self) -> Vec<String> {
        let sql = "SELECT c.oid::TEXT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
            JOIN pg_am a ON a.oid = c.relam WHERE c.relnamespace = current_schema::REGNAMESPACE \
            AND a.amname = 'btree' AND c.relkind = 'i'";
        let mut found = Vec::new();
        for row in self.rows(sql).await {
            let index = row[0].as_deref().expect("an index");
            let sql = format!("SELECT bt_index_check({index}, true)::TEXT");
            if let Err(error) = sqlx::query(AssertSqlSafe(sql)).execute(self.pool()).await {
                found.push(error.to_string());
            }
        }
        found
    }
}
