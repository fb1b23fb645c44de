//! A schema of its own on the server of `HOOKPROOF_TEST_POSTGRES`.

use std::sync::atomic::{AtomicU32, Ordering};

use hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::PostgresInbox;
use hookproof_inbox_sqlx::postgres::{connect_options, pool_options};
use hookproof_inbox_sqlx::sqlx::postgres::PgConnectOptions;
use hookproof_inbox_sqlx::sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, raw_sql};

/// The server.
pub fn url() -> Option<String> {
    std::env::var("HOOKPROOF_TEST_POSTGRES").ok()
}

pub fn server() -> PgConnectOptions {
    url().expect("HOOKPROOF_TEST_POSTGRES").parse().unwrap()
}

pub async fn run(sql: String) {
    let mut connection = server().connect().await.unwrap();
    raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

pub struct Fresh {
    pub schema: String,
    pub inbox: PostgresInbox,
}

impl Fresh {
    pub fn options(&self) -> PgConnectOptions {
        connect_options(server()).options([("search_path", &self.schema)])
    }
}

impl super::Fresh for Fresh {
    type Inbox = PostgresInbox;

    async fn new(log: bool) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let schema = format!("hookproof_test_{}_{number}", std::process::id());
        run(format!("CREATE SCHEMA {schema}")).await;
        let options = connect_options(server()).options([("search_path", &schema)]);
        let pool = pool_options()
            .max_connections(16)
            .acquire_timeout(std::time::Duration::from_secs(60))
            .connect_lazy_with(options);
        let inbox = PostgresInbox::new(pool, Prefix::new("kit").unwrap());
        match log {
            true => inbox.migrate_log("kit").await.unwrap(),
            false => inbox.migrate().await.unwrap(),
        }
        Self { schema, inbox }
    }

    fn inbox(&self) -> &PostgresInbox {
        &self.inbox
    }

    async fn end(self) {
        self.inbox.pool().close().await;
        run(format!("DROP SCHEMA {} CASCADE", self.schema)).await;
    }
}
