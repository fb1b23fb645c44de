//! What the tests need of a database beside the inbox: effects in it, other instances, and ways to make it fail.

use core::time::Duration;

use hookproof_inbox::{Database, Store, StoreError, StoreErrorKind};
use hookproof_inbox_sqlx::sqlx;

use crate::support;

pub type Tx<'t, P> = <<<P as support::Fresh>::Inbox as Database>::Store as Store>::Tx<'t>;

/// An inbox that cannot write, why, and what must be kept for it to stay so.
pub struct Broken<I> {
    pub why: &'static str,
    pub inbox: I,
    pub kept: Box<dyn core::any::Any>,
}

impl<I> Broken<I> {
    #[allow(dead_code, reason = "each database uses it")]
    fn new(why: &'static str, inbox: I) -> Self {
        Self { why, inbox, kept: Box::new(()) }
    }
}

pub trait Path: support::Fresh<Inbox: Clone> {
    /// A table of effects, in which nothing is unique.
    async fn make_notes(&self);

    /// Makes an effect.
    fn note(
        tx: &mut Tx<'_, Self>,
        text: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// How many effects there are.
    async fn notes(&self) -> i64;

    /// How many deliveries and keys there are.
    async fn rows(&self) -> (i64, i64);

    /// Another instance: a pool of its own.
    fn another(&self) -> Self::Inbox;

    /// Inboxes in this database that cannot write.
    async fn broken(&self) -> Vec<Broken<Self::Inbox>>;
}

/// What an application's own statements fail with.
fn fault(error: sqlx::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the application could not write")
        .with_source(error)
}

macro_rules! notes {
    ($one:literal) => {
        async fn make_notes(&self) {
            let sql = "CREATE TABLE notes (text TEXT NOT NULL)";
            sqlx::query(sql).execute(self.inbox.pool()).await.unwrap();
        }

        async fn note(tx: &mut Tx<'_, Self>, text: &str) -> Result<(), StoreError> {
            let sql = concat!("INSERT INTO notes (text) VALUES (", $one, ")");
            sqlx::query(sql).bind(text).execute(tx).await.map_err(fault).map(drop)
        }

        async fn notes(&self) -> i64 {
            let row = sqlx::query("SELECT count(*) FROM notes").fetch_one(self.inbox.pool()).await;
            sqlx::Row::get(&row.unwrap(), 0)
        }

        async fn rows(&self) -> (i64, i64) {
            let sql =
                "SELECT (SELECT count(*) FROM kit_deliveries), (SELECT count(*) FROM kit_keys)";
            let row = sqlx::query(sql).fetch_one(self.inbox.pool()).await.unwrap();
            (sqlx::Row::get(&row, 0), sqlx::Row::get(&row, 1))
        }
    };
}

#[cfg(feature = "sqlite")]
impl Path for support::sqlite::Fresh {
    notes!("?1");

    fn another(&self) -> Self::Inbox {
        use hookproof_inbox_sqlx::sqlite::{connect_options, pool_options};
        let pool = pool_options().connect_lazy_with(connect_options(self.file()));
        Self::Inbox::new(pool, self.inbox.store().prefix().clone())
    }

    async fn broken(&self) -> Vec<Broken<Self::Inbox>> {
        use hookproof_inbox_sqlx::sqlite::{connect_options, pool_options};
        use sqlx::ConnectOptions as _;

        let open = |options| {
            let pool = pool_options().connect_lazy_with(options);
            Self::Inbox::new(pool, self.inbox.store().prefix().clone())
        };
        let options = connect_options(self.file());
        let missing = connect_options(self.folder.path().join("no/such/folder/inbox.db"));
        // Not one page more than there are.
        let full = options.clone().pragma("max_page_count", "1");
        let mut other = options.clone().connect().await.unwrap();
        sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        let impatient = options.clone().busy_timeout(Duration::from_millis(20));
        vec![
            Broken::new("gone", open(missing)),
            Broken::new("read-only", open(options.clone().read_only(true))),
            Broken::new("slow", open(options)),
            // Whoever holds it lets it go with this one.
            Broken { kept: Box::new(other), ..Broken::new("locked", open(impatient)) },
            Broken::new("full", open(full)),
        ]
    }
}

#[cfg(feature = "postgres")]
impl Path for support::postgres::Fresh {
    notes!("$1");

    fn another(&self) -> Self::Inbox {
        use hookproof_inbox_sqlx::postgres::pool_options;
        let pool = pool_options().max_connections(4).connect_lazy_with(self.options());
        Self::Inbox::new(pool, self.inbox.store().prefix().clone())
    }

    async fn broken(&self) -> Vec<Broken<Self::Inbox>> {
        use hookproof_inbox_sqlx::postgres::pool_options;
        use sqlx::ConnectOptions as _;

        let open = |options| {
            let pool = pool_options().acquire_timeout(Duration::from_millis(300));
            Self::Inbox::new(pool.connect_lazy_with(options), self.inbox.store().prefix().clone())
        };
        let mut other = self.options().connect().await.unwrap();
        for sql in ["BEGIN", "LOCK TABLE kit_keys IN EXCLUSIVE MODE"] {
            sqlx::query(sql).execute(&mut other).await.unwrap();
        }
        let limit = |name, value| self.options().options([(name, value)]);
        vec![
            Broken::new("gone", open(self.options().socket("/nowhere"))),
            Broken::new("read-only", open(limit("default_transaction_read_only", "on"))),
            Broken::new("slow", open(limit("lock_timeout", "0"))),
            Broken::new("statement time-out", open(limit("statement_timeout", "20ms"))),
            Broken {
                kept: Box::new(other),
                ..Broken::new("locked", open(limit("lock_timeout", "20ms")))
            },
            Broken::new("too many connections", {
                let pool = pool_options().max_connections(1);
                let pool = pool.acquire_timeout(Duration::from_millis(50));
                let pool = pool.connect_lazy_with(self.options());
                // The pool is used up by what is forgotten here.
                let held = pool.acquire().await.unwrap();
                std::mem::forget(held);
                Self::Inbox::new(pool, self.inbox.store().prefix().clone())
            }),
        ]
    }
}
