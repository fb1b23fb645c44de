//! Databases with inboxes, filled through the library with deliveries that are really signed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookproof::providers::{GITHUB, STRIPE};
use hookproof::testing::Sender;
use hookproof::{Provider, UnixTime};
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{
    Backoff, Batch, Claim, ClaimRequest, Database, EndpointId, EventId, Recorded, Stale, Store,
    Work,
};
use hookproof_inbox_sqlx::sqlx::postgres::PgConnectOptions;
use hookproof_inbox_sqlx::sqlx::{AssertSqlSafe, ConnectOptions as _, raw_sql};
use hookproof_inbox_sqlx::{PostgresInbox, SqliteInbox, postgres, sqlite};

use crate::support::{Ran, Shell};

/// The secret of the senders of these tests, which no output may hold.
pub(crate) const SECRET: &str = hookproof::testing::SECRET;
/// The password in the URL of the database.
const PASSWORD: &str = "hunter2";

enum Kind {
    Postgres { url: String, schema: String },
    Sqlite,
}

/// A database of a test's own, and the command beside it.
pub(crate) struct Place {
    pub(crate) shell: Shell,
    kind: Kind,
    prefix: &'static str,
}

/// Runs an expression with the inbox, whichever it is.
macro_rules! with {
    ($place:expr, |$inbox:ident| $body:expr) => {{
        let place: &Place = $place;
        match &place.kind {
            Kind::Sqlite => block_on(async {
                let options = sqlite::connect_options(place.shell.path("inbox.db"));
                let pool = sqlite::pool_options().connect_lazy_with(options);
                let $inbox = SqliteInbox::new(pool, Prefix::new(place.prefix).unwrap());
                let value = $body;
                $inbox.pool().close().await;
                value
            }),
            Kind::Postgres { url, .. } => block_on(async {
                let options = postgres::connect_options(url.parse().unwrap());
                let pool = postgres::pool_options().connect_lazy_with(options);
                let $inbox = PostgresInbox::new(pool, Prefix::new(place.prefix).unwrap());
                let value = $body;
                $inbox.pool().close().await;
                value
            }),
        }
    }};
}

/// Runs a verb in a transaction of its own.
macro_rules! verb {
    ($place:expr, |$store:ident, $tx:ident| $body:expr) => {
        with!($place, |inbox| {
            let mut connection = inbox.connect().await.unwrap();
            let mut open = inbox.begin(&mut connection).await.unwrap();
            let $store = Database::store(&inbox);
            let value = {
                let $tx = tx(&inbox, &mut open);
                $body.await.unwrap()
            };
            commit(&inbox, open).await;
            value
        })
    };
}

fn tx<'o, 'c, D: Database>(
    _: &D,
    open: &'o mut D::Open<'c>,
) -> &'o mut <D::Store as Store>::Tx<'c> {
    D::tx(open)
}

async fn commit<D: Database>(_: &D, open: D::Open<'_>) {
    D::commit(open).await.unwrap();
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

impl Place {
    /// A SQLite file without tables, which does not exist yet.
    pub(crate) fn file() -> Self {
        Self { shell: Shell::new(), kind: Kind::Sqlite, prefix: "hookproof" }
    }

    /// Every kind of database that is at hand, without tables.
    #[allow(clippy::print_stderr, reason = "a test that leaves something out says so")]
    pub(crate) fn bare() -> Vec<Self> {
        let mut places = vec![Self::file()];
        let Ok(server) = std::env::var("HOOKPROOF_TEST_POSTGRES") else {
            eprintln!("PostgreSQL is left out: set HOOKPROOF_TEST_POSTGRES");
            return places;
        };
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let schema = format!("hookproof_cli_{}_{number}", std::process::id());
        server_runs(&server, format!("CREATE SCHEMA {schema}"));
        let and = if server.contains('?') { '&' } else { '?' };
        let server = server.replacen("@", &format!(":{PASSWORD}@"), 1);
        let url = format!("{server}{and}options=-csearch_path%3D{schema}");
        places.push(Self {
            shell: Shell::new(),
            kind: Kind::Postgres { url, schema },
            prefix: "kit",
        });
        places
    }

    /// Every kind of database that is at hand, with the tables of an inbox and of a log.
    pub(crate) fn all() -> Vec<Self> {
        let places = Self::bare();
        for place in &places {
            place.run(&["migrate", "--log", "orders"]).ends(0);
        }
        places
    }

    /// What the command is told of the database.
    pub(crate) fn database(&self) -> &str {
        match &self.kind {
            Kind::Postgres { url, .. } => url,
            Kind::Sqlite => "inbox.db",
        }
    }

    /// Runs `hookproof inbox`.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"", &[])
    }

    /// Runs `hookproof inbox`, and makes sure that it prints neither a secret nor the password.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8], env: &[(&str, &str)]) -> Ran {
        let first = ["inbox", "--database", self.database(), "--prefix", self.prefix];
        let ran = self.shell.run_with(&[&first, args].concat(), stdin, env);
        for word in [SECRET, PASSWORD] {
            assert!(!ran.out.contains(word) && !ran.err.contains(word), "{args:?}: {ran:#?}");
        }
        ran
    }

    /// Runs statements on the tables, whose names begin with `hookproof_`.
    pub(crate) fn sql(&self, sql: &str) {
        let sql = sql.replace("hookproof_", &format!("{}_", self.prefix));
        with!(self, |inbox| raw_sql(AssertSqlSafe(sql)).execute(inbox.pool()).await.map(drop))
            .unwrap();
    }

    /// Records a delivery that was sent and came so long ago.
    pub(crate) fn record(
        &self,
        provider: &'static dyn Provider,
        endpoint: &str,
        body: &str,
        age: u64,
        work: Work,
    ) -> EventId {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let sender = Sender::new(provider).at(ago(age)).id(&format!("delivery-{number}"));
        self.take(&sender, endpoint, body, age, work)
    }

    /// Records what a sender sends, which came so long ago.
    pub(crate) fn take(
        &self,
        sender: &Sender,
        endpoint: &str,
        body: &str,
        age: u64,
        work: Work,
    ) -> EventId {
        self.take_at(sender, endpoint, body, ago(age), work)
    }

    fn take_at(
        &self,
        sender: &Sender,
        endpoint: &str,
        body: &str,
        at: UnixTime,
        work: Work,
    ) -> EventId {
        let sent = sender.send(body.as_bytes()).unwrap();
        let endpoint = EndpointId::new(endpoint).unwrap();
        let batch = Batch::read(endpoint, &sent.verified().as_verified(), at);
        assert!(batch.entries().iter().all(|entry| entry.error().is_none()), "{batch:?}");
        let recorded: Recorded = verb!(self, |store, tx| store.record(tx, &batch, work));
        assert!(recorded.is_new(), "{recorded:?}");
        recorded.id()
    }

    /// Records an event of Stripe for later: its id, its kind, what it is about.
    pub(crate) fn stripe(&self, id: &str, kind: &str, about: &str) -> EventId {
        self.record(&STRIPE, "billing", &stripe(id, kind, about), 0, Work::Later)
    }

    /// Records a delivery of GitHub for later.
    pub(crate) fn github(&self, body: &str) -> EventId {
        self.record(&GITHUB, "code", body, 0, Work::Later)
    }

    /// Claims the next event.
    pub(crate) fn claim(&self) -> Claim {
        let request = ClaimRequest::new(Duration::from_secs(600), Stale::Park, 5);
        let mut claimed = verb!(self, |store, tx| store.claim(tx, &request, ago(0)));
        claimed.claims.pop().unwrap()
    }

    /// Claims the next event and completes it.
    pub(crate) fn complete(&self) {
        let claim = self.claim();
        verb!(self, |store, tx| store.complete(tx, &claim, ago(0)));
    }

    /// Claims the next event and fails it for good.
    pub(crate) fn kill(&self, error: &str) {
        let claim = self.claim();
        let once = Backoff::new(Duration::ZERO, Duration::ZERO, 1);
        let failed = verb!(self, |store, tx| store.fail(tx, &claim, error, &once, 1, ago(0)));
        assert_eq!(failed.due, None);
    }

    /// Claims the next event and parks it.
    pub(crate) fn park(&self, reason: &str) {
        let claim = self.claim();
        verb!(self, |store, tx| store.park(tx, &claim, reason, ago(0)));
    }

    /// The file of the README: events that came in 2023, with the numbers 1 to 4.
    pub(crate) fn readme() -> Self {
        let place = Self::file();
        place.run(&["migrate"]).ends(0);
        let take = |provider: &'static dyn Provider, endpoint, body: &str, after: u64| {
            let at = UnixTime::from_secs(1_700_000_000 + after);
            place.take_at(
                &Sender::new(provider).at(at).id("72d3162e"),
                endpoint,
                body,
                at,
                Work::Later,
            )
        };
        take(&STRIPE, "billing", &stripe("evt_1", "invoice.paid", "in_1"), 0);
        place.complete();
        take(&STRIPE, "billing", &stripe("evt_2", "charge.succeeded", "ch_7"), 30);
        place.park("the worker was stopped while it sent the receipt");
        take(&STRIPE, "billing", &stripe("evt_3", "invoice.paid", "in_2"), 60);
        place.kill("no such customer");
        take(&GITHUB, "code", r#"{"zen":"ping"}"#, 90);
        place
    }

    /// One event in every state, of two senders: their numbers.
    pub(crate) fn one_of_each(&self) -> Each {
        let done = self.stripe("evt_done", "invoice.paid", "in_1");
        self.complete();
        let parked = self.stripe("evt_parked", "charge.succeeded", "ch_1");
        self.park("the charge may have happened");
        let dead = self.stripe("evt_dead", "invoice.paid", "in_2");
        self.kill("no such customer");
        let in_work = self.stripe("evt_work", "invoice.paid", "in_3");
        let _held = self.claim();
        let waiting = self.github(r#"{"zen":"ping"}"#);
        let [done, parked, dead, in_work, waiting] =
            [done, parked, dead, in_work, waiting].map(|id| id.to_string());
        Each { done, parked, dead, in_work, waiting }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Kind::Postgres { schema, .. } = &self.kind {
            let server = std::env::var("HOOKPROOF_TEST_POSTGRES").unwrap();
            server_runs(&server, format!("DROP SCHEMA {schema} CASCADE"));
        }
    }
}

/// The numbers of events, by their states.
pub(crate) struct Each {
    pub(crate) done: String,
    pub(crate) parked: String,
    pub(crate) dead: String,
    pub(crate) in_work: String,
    pub(crate) waiting: String,
}

/// A body of Stripe.
pub(crate) fn stripe(id: &str, kind: &str, about: &str) -> String {
    format!(
        r#"{{"id":"{id}","type":"{kind}","created":1700000000,"data":{{"object":{{"id":"{about}"}}}}}}"#
    )
}

/// So many seconds ago.
pub(crate) fn ago(seconds: u64) -> UnixTime {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    UnixTime::from_millis(u64::try_from(now).unwrap() - seconds * 1000)
}

fn server_runs(url: &str, sql: String) {
    let options: PgConnectOptions = url.parse().unwrap();
    block_on(async {
        let mut connection = options.connect().await.unwrap();
        raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    });
}
