//! What verification costs in a server, as ratios from one run. See `benches/README.md`.
//!
//! The server is a process of its own, which this program starts by executing itself: what is measured is the server's time and
//! memory and none of the client's.
#![allow(clippy::print_stdout, reason = "a program that prints tables")]

mod actix;
mod child;
mod client;
mod cpu;
mod delay;
mod deliveries;
mod memory;
mod probe;
mod serve;
mod soak;

use child::Role;
use clap::{Parser, Subcommand};
use serve::Turns;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Measures servers that verify, beside the same servers without verification.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The server's CPU time for each request, bodies of 1 KiB over connections that are kept.
    Cpu {
        /// Rounds, in each of which every contender has its turn.
        #[arg(long, default_value_t = 41)]
        rounds: usize,
        /// Requests of each contender in each round.
        #[arg(long, default_value_t = 4000)]
        requests: u32,
    },
    /// What 1,000 slow connections hold.
    Memory {
        /// How many.
        #[arg(long, default_value_t = 1000)]
        connections: usize,
    },
    /// How much longer small requests wait while bodies of 25 MB are hashed on their thread.
    Delay {
        /// Rounds, in each of which every load has its turn.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Small requests in each turn.
        #[arg(long, default_value_t = 1000)]
        requests: u32,
    },
    /// Mixed load, after which every answer must have been right and memory flat.
    Soak {
        /// For how long.
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// Forged deliveries a second.
        #[arg(long, default_value_t = 2000)]
        forged: u32,
    },
    /// The server. Not for users.
    #[command(hide = true)]
    Serve {
        #[arg(value_enum)]
        role: Role,
    },
}

fn main() -> Result<(), Error> {
    child::allow_many_files()?;
    match Cli::parse().what {
        What::Cpu { rounds, requests } => cpu::run(rounds, requests),
        What::Memory { connections } => memory::run(connections),
        What::Delay { rounds, requests } => delay::run(rounds, requests),
        What::Soak { minutes, forged } => soak::run(minutes, forged),
        What::Serve { role } => match role {
            Role::Actix => actix::run(),
            Role::Axum => serve::run(serve::plain_and_verified()?, Turns::Unmeasured),
            Role::Delay => serve::run(serve::plain_and_verified()?, Turns::Measured),
            Role::Soak => serve::run(soak::application()?, Turns::Unmeasured),
        },
    }
}
