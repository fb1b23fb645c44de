//! Verification of one request by each crate, and of each sender's by ours, interleaved in one process.
//!
//! `cargo run --release` in this folder prints the tables, writes them into `benches/README.md` and draws
//! `benches/cost.svg`; `cargo run --release -- quick` measures once and writes nothing.

mod contenders;
mod grid;
mod measure;
mod plot;
mod promises;
mod report;

use std::process::ExitCode;

use contenders::Scheme;
use measure::Effort;
use report::Report;

pub const SIZES: [usize; 7] = [0, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 16 << 20];

pub fn size_name(size: usize) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{} KiB", size >> 10),
        _ => format!("{} MiB", size >> 20),
    }
}

fn main() -> ExitCode {
    let quick = std::env::args().any(|argument| argument == "quick");
    let effort =
        if quick { Effort { runs: 1, rounds: 20 } } else { Effort { runs: 5, rounds: 41 } };
    let mut report = Report::default();
    for scheme in [Scheme::Stripe, Scheme::StandardWebhooks, Scheme::GitHub] {
        let times = SIZES.map(|size| {
            eprintln!("{}, {}", scheme.name(), size_name(size));
            measure::measure(&contenders::all(scheme, size), size, effort)
        });
        report.peers.push((scheme.name(), times));
    }
    for sender in hookproof::providers::ALL.iter().copied() {
        let times = SIZES.map(|size| {
            eprintln!("{}, {}", sender.info().id, size_name(size));
            let body = vec![b'x'; size].into();
            measure::measure(&grid::contenders(sender, &body), size, effort)
        });
        report.senders.push((sender.info().id, times));
    }
    let text = report.text();
    println!("{text}");
    if !quick {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        report::write(folder, &text);
        std::fs::write(format!("{folder}/cost.svg"), plot::svg(&report)).unwrap();
    }
    ExitCode::SUCCESS
}
