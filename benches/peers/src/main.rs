//! Verification of one request by each crate, interleaved in one process: `cargo run --release` in this folder prints the
//! tables of `benches/README.md` and writes `benches/cost.svg`.
//!
//! Each round measures every contender once, beginning with another one each time. The least time of all rounds counts, for
//! each contender alike, since a neighbour on the machine only ever makes things slower.

mod contenders;
mod plot;

use std::time::Instant;

use contenders::{Contender, Scheme};

const SIZES: [usize; 7] = [0, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 16 << 20];
const RUNS: usize = 5;

/// Time of one call in nanoseconds, over enough calls for the clock's grain.
fn time(contender: &Contender, calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        (contender.work)();
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

/// For each contender the ratio to the first one, and that one's time.
fn measure(contenders: &[Contender], size: usize) -> (f64, Vec<f64>) {
    let calls = (200_000 / (size + 1_000)).max(1) as u32;
    let rounds = if size > 1 << 20 { 12 } else { 41 };
    let mut best = vec![f64::MAX; contenders.len()];
    for round in 0..RUNS * rounds {
        for step in 0..contenders.len() {
            let index = (step + round) % contenders.len();
            best[index] = best[index].min(time(&contenders[index], calls));
        }
    }
    (best[0], best.iter().map(|time| time / best[0]).collect())
}

fn size_name(size: usize) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{} KiB", size >> 10),
        _ => format!("{} MiB", size >> 20),
    }
}

fn main() {
    let mut lines = Vec::new();
    for scheme in [Scheme::Stripe, Scheme::StandardWebhooks, Scheme::GitHub] {
        println!("\n### {}\n", scheme.name());
        let mut table: Vec<(String, Vec<f64>)> = Vec::new();
        let mut bares = Vec::new();
        for size in SIZES {
            let contenders = contenders::all(scheme, size);
            contenders.iter().for_each(|contender| (contender.check)());
            let (bare, ratios) = measure(&contenders, size);
            bares.push(bare);
            for (index, (contender, ratio)) in contenders.iter().zip(ratios).enumerate() {
                if table.len() == index {
                    table.push((contender.name.to_owned(), Vec::new()));
                }
                table[index].1.push(ratio);
            }
        }
        println!("| | {} |", SIZES.map(size_name).join(" | "));
        println!("|---|{}", "---:|".repeat(SIZES.len()));
        for (name, ratios) in &table {
            let cells: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
            println!("| {name} | {} |", cells.join(" | "));
        }
        let times: Vec<String> =
            bares.iter().map(|time| format!("{:.2} µs", time / 1000.0)).collect();
        println!("| *the first, on this machine* | {} |", times.join(" | "));
        if scheme == Scheme::Stripe || scheme == Scheme::StandardWebhooks {
            lines.push((scheme.name(), table));
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cost.svg");
    std::fs::write(path, plot::svg(&SIZES.map(size_name), &lines)).unwrap();
}
