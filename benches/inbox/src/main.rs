//! What the receiver kit costs, as ratios from one run. See `benches/README.md`.
#![allow(clippy::print_stdout, reason = "a program that prints tables")]

mod batches;
mod claims;
mod endtoend;
mod flat;
mod hand;
mod plot;
mod purging;
mod rounds;
mod singles;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use hand::{Bed, Postgres, Sqlite};
use hookproof_inbox_sqlx::sqlx::sqlite::SqliteSynchronous;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Measures the stores of the receiver kit. PostgreSQL takes part if `HOOKPROOF_TEST_POSTGRES` holds the URL of a database
/// of which tables may be dropped.
#[derive(Parser)]
struct Cli {
    /// What to measure.
    #[arg(value_enum, default_values_t = [What::Record, What::Batch, What::Endtoend, What::Claims])]
    what: Vec<What>,
    /// The largest number of recorded keys of `flat`.
    #[arg(long, default_value_t = 10_000_000)]
    keys: u64,
    /// The SVG that `flat` draws.
    #[arg(long)]
    plot: Option<PathBuf>,
    /// How long `purge` records, in seconds.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum What {
    /// One event in one transaction.
    Record,
    /// A hundred events in one transaction.
    Batch,
    /// Verify and store, on SQLite.
    Endtoend,
    /// One worker and eight, on PostgreSQL.
    Claims,
    /// One event in one transaction, by the number of keys that are there.
    Flat,
    /// A purge beside 1,500 records a second.
    Purge,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Error> {
    let cli = Cli::parse();
    let folder = tempfile::tempdir()?;
    let postgres = std::env::var("HOOKPROOF_TEST_POSTGRES").ok();
    let mut lines = Vec::new();
    for what in &cli.what {
        println!("\n## {what:?}\n");
        if *what != What::Claims {
            let file = folder.path().join(format!("{what:?}.db"));
            let bed = Sqlite::open(&file, SqliteSynchronous::Normal).await?;
            lines.extend(run(&cli, *what, &bed).await?);
            if *what == What::Endtoend {
                endtoend::run(&bed, "NORMAL").await?;
                let file = folder.path().join("full.db");
                let bed = Sqlite::open(&file, SqliteSynchronous::Full).await?;
                endtoend::run(&bed, "FULL").await?;
            }
        }
        let Some(url) = postgres.as_deref().filter(|_| *what != What::Endtoend) else { continue };
        let bed = Postgres::open(url).await?;
        if *what == What::Claims {
            claims::run(&bed).await?;
        } else {
            lines.extend(run(&cli, *what, &bed).await?);
        }
    }
    match &cli.plot {
        Some(path) => plot::write(path, &lines),
        None => Ok(()),
    }
}

/// Prints what was measured; the line that is to be drawn of it, if any.
async fn run<B: Bed>(cli: &Cli, what: What, bed: &B) -> Result<Option<plot::Line>, Error> {
    match what {
        What::Record => singles::run(bed).await?,
        What::Batch => batches::run(bed).await?,
        What::Flat => return flat::run(bed, cli.keys).await.map(Some),
        What::Purge => purging::run(bed, cli.seconds).await?,
        What::Claims | What::Endtoend => {}
    }
    Ok(None)
}
