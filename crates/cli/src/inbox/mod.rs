//! `hookproof inbox`: what a person does with the inbox of `hookproof-inbox`, in a SQLite file or on a PostgreSQL server.

pub(crate) mod args;
mod body;
mod database;
mod event;
mod export;
mod find;
mod headers;
mod help;
mod list;
mod migrate;
mod purge;
mod reconcile;
mod replay;
mod reverify;
mod seal;
mod settle;
mod show;
mod table;
mod verify;

use hookproof::UnixTime;
use hookproof_inbox::{State, StoreError, StoreErrorKind};
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::output::Screen;
use crate::time;
use args::{InboxArgs, InboxCommand};
use database::{Inbox, Intent, Opened};

/// Runs the command.
pub(crate) fn run(args: &InboxArgs, screen: &mut Screen) -> Outcome {
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start the runtime: {error}")))
        .and_then(|runtime| runtime.block_on(open_and_do(args, screen)));
    if let (true, Err(failure)) = (args.command.is_json(), &outcome) {
        screen.json(&json!({
            "verdict": "error", "kind": failure.kind(), "message": failure.to_string(),
        }));
    }
    outcome
}

async fn open_and_do(args: &InboxArgs, screen: &mut Screen) -> Outcome {
    args.command.check()?;
    match database::open(&args.database, args.command.intent()).await? {
        Opened::Postgres(inbox) => do_and_close(&inbox, &args.command, screen).await,
        Opened::Sqlite(inbox) => do_and_close(&inbox, &args.command, screen).await,
    }
}

async fn do_and_close<I: Inbox>(inbox: &I, command: &InboxCommand, screen: &mut Screen) -> Outcome {
    let outcome = match command {
        InboxCommand::Dead(args) => list::run(inbox, args, Some(State::Dead), screen).await,
        InboxCommand::List(args) => list::run(inbox, &args.page, args.state.state, screen).await,
        InboxCommand::Migrate(args) => migrate::run(inbox, args, screen).await,
        InboxCommand::Parked(args) => list::run(inbox, args, Some(State::Parked), screen).await,
        InboxCommand::Purge(args) => purge::run(inbox, args, screen).await,
        InboxCommand::Reconcile(args) => reconcile::run(inbox, args, screen).await,
        InboxCommand::Release(args) => settle::release(inbox, args, screen).await,
        InboxCommand::Replay(args) => replay::run(inbox, args, screen).await,
        InboxCommand::Seal(args) => seal::run(inbox, args, screen).await,
        InboxCommand::Settle(args) => settle::settle(inbox, args, screen).await,
        InboxCommand::Show(args) => show::run(inbox, args, screen).await,
        InboxCommand::Verify(args) => verify::run(inbox, args, screen).await,
    };
    inbox.close().await;
    outcome
}

impl InboxCommand {
    /// What the command does to the database.
    const fn intent(&self) -> Intent {
        match self {
            Self::Dead(_)
            | Self::List(_)
            | Self::Parked(_)
            | Self::Reconcile(_)
            | Self::Show(_)
            | Self::Verify(_) => Intent::Look,
            Self::Migrate(_) => Intent::Migrate,
            Self::Replay(args) if args.dry_run => Intent::Look,
            Self::Purge(_)
            | Self::Release(_)
            | Self::Replay(_)
            | Self::Seal(_)
            | Self::Settle(_) => Intent::Write,
        }
    }
}

/// The system clock.
fn now() -> UnixTime {
    UnixTime::from_millis(time::system_now())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::of_kind(error.kind().as_str(), database::causes(&error))
    }
}

/// There is no log.
fn no_log(error: StoreError) -> Failure {
    match error.kind() {
        StoreErrorKind::Invalid => Failure::of_kind(
            "missing",
            "no log is kept in this database; `hookproof inbox migrate --log NAME` begins one",
        ),
        _ => error.into(),
    }
}

/// So many of something, in words.
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// So many bytes, in words.
fn bytes(number: usize) -> String {
    count(u64::try_from(number).unwrap_or(u64::MAX), "byte", "bytes")
}
