//! Where an inbox is, and how a command gets at it: a SQLite file or a PostgreSQL server, to look or to write.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use hookproof::UnixTime;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Database, Log, Store, StoreError, StoreErrorKind};
use hookproof_inbox_sqlx::postgres::Partitioning;
use hookproof_inbox_sqlx::sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use hookproof_inbox_sqlx::sqlx::sqlite::SqliteConnectOptions;
use hookproof_inbox_sqlx::sqlx::{self, Connection as _, Postgres, Sqlite, Transaction};
use hookproof_inbox_sqlx::{PostgresInbox, SqliteInbox, postgres, sqlite};

use crate::failure::Failure;

/// Where the inbox is.
#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The SQLite file, or the URL of the PostgreSQL database. A password is best kept in PGPASSWORD or ~/.pgpass; it is
    /// never printed
    // The environment's value has a password in it, and so has what a failing parser repeats: it is read later.
    #[arg(
        long,
        global = true,
        help_heading = "Database",
        value_name = "FILE|URL",
        env = "HOOKPROOF_DATABASE",
        hide_env_values = true
    )]
    database: Option<Location>,
    /// The beginning of the tables' names
    #[arg(long, global = true, help_heading = "Database", value_name = "NAME", default_value = "hookproof", value_parser = prefix)]
    prefix: Prefix,
}

fn prefix(text: &str) -> Result<Prefix, String> {
    Prefix::new(text).map_err(|error| error.to_string())
}

/// What was given as the database. It may hold a password.
#[derive(Clone)]
struct Location(OsString);

impl From<OsString> for Location {
    fn from(text: OsString) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Location")
    }
}

/// How long a server may take to answer at all.
const CONNECT: Duration = Duration::from_secs(10);

/// What a command is going to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Intent {
    /// Only look: the database is opened so that nothing can be written.
    Look,
    /// Make the tables, and a SQLite file too.
    Migrate,
    /// Change rows.
    Write,
}

/// An inbox that is open.
pub(crate) enum Opened {
    Postgres(PostgresInbox),
    Sqlite(SqliteInbox),
}

/// What the commands need of an inbox, beside its verbs.
pub(crate) trait Inbox: Database<Store: Log> {
    /// A transaction, of either kind; one that is dropped is rolled back.
    type Transaction;

    /// A transaction that sees one state of the database throughout, and hinders nobody.
    async fn look(&self) -> Result<Self::Transaction, StoreError>;

    /// A transaction that writes.
    async fn write(&self) -> Result<Self::Transaction, StoreError>;

    /// What the verbs take.
    fn link(open: &mut Self::Transaction) -> &mut <Self::Store as Store>::Tx<'static>;

    /// Commits.
    async fn end(open: Self::Transaction) -> Result<(), StoreError>;

    /// Whether there is a table of this name.
    async fn has_table(&self, open: &mut Self::Transaction, name: &str)
    -> Result<bool, StoreError>;

    /// The beginning of the tables' names.
    fn prefix(&self) -> &Prefix;

    /// Makes the tables, with those of a log of this name if one is given.
    async fn make_tables(&self, log: Option<&str>) -> Result<(), StoreError>;

    /// Drops payloads of whole days that are older, where they are kept by the day: how many days.
    async fn drop_days(&self, keep: Duration, now: UnixTime) -> Result<usize, StoreError>;

    /// Closes the connections in good order.
    async fn close(&self);
}

/// What differs by database is given; the rest is alike.
macro_rules! impl_inbox {
    ($inbox:ty, $driver:ty, $has_table:literal, $drop_days:expr) => {
        impl Inbox for $inbox {
            type Transaction = Transaction<'static, $driver>;

            async fn look(&self) -> Result<Self::Transaction, StoreError> {
                self.snapshot().await
            }

            async fn write(&self) -> Result<Self::Transaction, StoreError> {
                self.transaction().await
            }

            fn link(open: &mut Self::Transaction) -> &mut <Self::Store as Store>::Tx<'static> {
                open
            }

            async fn end(open: Self::Transaction) -> Result<(), StoreError> {
                open.commit().await.map_err(|error| {
                    StoreError::new(
                        StoreErrorKind::Unavailable,
                        "the transaction could not be committed",
                    )
                    .with_source(error)
                })
            }

            async fn has_table(
                &self,
                open: &mut Self::Transaction,
                name: &str,
            ) -> Result<bool, StoreError> {
                let found = sqlx::query_scalar($has_table).bind(name).fetch_one(&mut **open);
                found.await.map_err(unreadable)
            }

            fn prefix(&self) -> &Prefix {
                self.store().prefix()
            }

            async fn make_tables(&self, log: Option<&str>) -> Result<(), StoreError> {
                match log {
                    Some(name) => self.migrate_log(name).await,
                    None => self.migrate().await,
                }
            }

            async fn drop_days(&self, keep: Duration, now: UnixTime) -> Result<usize, StoreError> {
                $drop_days(self, keep, now).await
            }

            async fn close(&self) {
                self.pool().close().await;
            }
        }
    };
}

impl_inbox!(
    SqliteInbox,
    Sqlite,
    "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)",
    async |_: &SqliteInbox, _, _| Ok(0)
);

impl_inbox!(
    PostgresInbox,
    Postgres,
    "SELECT to_regclass($1) IS NOT NULL",
    async |inbox: &PostgresInbox, keep, now| {
        let partitioning = Partitioning::new(keep).drops(u32::MAX);
        Ok(inbox.maintain(partitioning, now).await?.dropped.len())
    }
);

fn unreadable(error: sqlx::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the database cannot be read").with_source(error)
}

/// Opens the inbox of a command line. Nothing is made that is not there, unless that is the command.
pub(crate) async fn open(args: &DatabaseArgs, intent: Intent) -> Result<Opened, Failure> {
    let Some(Location(text)) = &args.database else {
        return Err(Failure::new(
            "which database? Give --database FILE|URL, or set HOOKPROOF_DATABASE",
        ));
    };
    match text.to_str().and_then(|text| text.split_once("://")) {
        Some(("postgres" | "postgresql", _)) => {
            server(text.to_str().unwrap_or_default(), args, intent).await
        }
        Some(("sqlite", path)) => file(Path::new(path), args, intent).await,
        Some(_) => Err(Failure::new(
            "the database is none that is known here: give the path of a SQLite file, or a URL that begins with postgres://",
        )),
        None => file(Path::new(text), args, intent).await,
    }
}

async fn file(path: &Path, args: &DatabaseArgs, intent: Intent) -> Result<Opened, Failure> {
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => {
            return Err(Failure::new(format!("{shown} is a folder, not a database")));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && intent != Intent::Migrate => {
            return Err(Failure::of_kind(
                "missing",
                format!("there is no database {shown}; `hookproof inbox migrate` makes one"),
            ));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::new(format!("cannot open {shown}: {error}"))),
    }
    let options = match intent {
        Intent::Migrate => sqlite::connect_options(path),
        // Whatever its journal mode is: it is its owner's affair.
        Intent::Look | Intent::Write => SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(false)
            .read_only(intent == Intent::Look)
            .busy_timeout(Duration::from_secs(5)),
    };
    let inbox =
        SqliteInbox::new(sqlite::pool_options().connect_lazy_with(options), args.prefix.clone());
    checked(&inbox, &shown.to_string(), intent).await?;
    Ok(Opened::Sqlite(inbox))
}

async fn server(url: &str, args: &DatabaseArgs, intent: Intent) -> Result<Opened, Failure> {
    let options: PgConnectOptions = url.parse().map_err(|error: sqlx::Error| {
        Failure::new(format!("the URL of the database cannot be read: {}", causes(&error)))
    })?;
    let shown = named(&options);
    // A pool tries for as long as it may, and then knows no reason: the first connection is made without one.
    let refused = |why: &str| {
        let tls = match options.get_ssl_mode() {
            PgSslMode::Disable | PgSslMode::Allow | PgSslMode::Prefer => "",
            _ if cfg!(feature = "tls") => "",
            _ => {
                "; this program was built without the feature `tls`: install it with that, or use a socket or a tunnel"
            }
        };
        Failure::of_kind("unavailable", format!("cannot connect to {shown}: {why}{tls}"))
    };
    let first = tokio::time::timeout(CONNECT, PgConnection::connect_with(&options)).await;
    let first = first.map_err(|_| refused(&format!("no answer within {} s", CONNECT.as_secs())))?;
    let first = first.map_err(|error| refused(&causes(&error)))?;
    // Nothing depends on how it ends.
    let _ = first.close().await;
    let pool = postgres::pool_options().max_connections(1);
    let pool = pool.connect_lazy_with(postgres::connect_options(options));
    let inbox = PostgresInbox::new(pool, args.prefix.clone());
    checked(&inbox, &shown, intent).await?;
    Ok(Opened::Postgres(inbox))
}

/// Makes sure that the tables are there.
async fn checked<I: Inbox>(inbox: &I, shown: &str, intent: Intent) -> Result<(), Failure> {
    if intent == Intent::Migrate {
        return Ok(());
    }
    let mut open = inbox.look().await.map_err(|error| unreadable_at(shown, &error))?;
    let prefix = inbox.prefix();
    for table in ["keys", "events", "deliveries"] {
        let there = inbox.has_table(&mut open, &format!("{prefix}_{table}")).await;
        if !there.map_err(|error| unreadable_at(shown, &error))? {
            return Err(Failure::of_kind(
                "missing",
                format!(
                    "{shown} has no table {prefix}_{table}: it holds no inbox, or one with another --prefix; \
                     `hookproof inbox migrate` makes the tables"
                ),
            ));
        }
    }
    Ok(())
}

fn unreadable_at(shown: &str, error: &StoreError) -> Failure {
    Failure::of_kind(error.kind().as_str(), format!("cannot read {shown}: {}", causes(error)))
}

/// A server's database in words, without the password.
fn named(options: &PgConnectOptions) -> String {
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let database = options.get_database().unwrap_or_else(|| options.get_username());
    format!("the database {database} at {host}")
}

/// An error and what caused it, in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        // Some repeat their cause in their own text.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
        source = error.source();
    }
    text
}
