//! What no test within one process can show: that a receiver which is killed loses nothing and doubles nothing that its
//! policy forbids, and that it stands a load. `README.md` says what is done and what is checked.

#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program of tests: it fails by panicking, and prints its figures"
)]

mod args;
mod checks;
mod child;
mod effects;
mod engine;
mod facts;
mod handlers;
mod load;
mod plan;
mod points;
mod process;
mod sender;
mod share;
mod wire;

use std::process::ExitCode;

use clap::Parser as _;
use hookproof_inbox_sqlx::{PostgresInbox, SqliteInbox};

use args::{Args, Command, Kind};

fn main() -> ExitCode {
    let command = Args::parse().command;
    let passed = match (command.database(), command) {
        (Kind::Sqlite, Command::Child(args)) => child::run::<SqliteInbox>(&args),
        (Kind::Postgres, Command::Child(args)) => child::run::<PostgresInbox>(&args),
        (Kind::Sqlite, Command::Kill(args)) => share::run::<SqliteInbox>(&args),
        (Kind::Postgres, Command::Kill(args)) => share::run::<PostgresInbox>(&args),
        (Kind::Sqlite, Command::Load(args)) => load::run::<SqliteInbox>(&args),
        (Kind::Postgres, Command::Load(args)) => load::run::<PostgresInbox>(&args),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
