//! Contenders, measured in turn.

use std::time::{Duration, Instant};

use crate::Error;

/// How many rounds, of which the least time of each contender counts: neighbours on the machine only make things slower.
pub(crate) const ROUNDS: usize = 15;

/// The times of contenders, round by round.
pub(crate) struct Rounds<const N: usize> {
    names: [&'static str; N],
    times: Vec<[Duration; N]>,
}

impl<const N: usize> Rounds<N> {
    pub(crate) const fn new(names: [&'static str; N]) -> Self {
        Self { names, times: Vec::new() }
    }

    /// The order of this round: each begins with another contender.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> + use<N> {
        let first = self.times.len();
        (0..N).map(move |place| (place + first) % N)
    }

    pub(crate) fn push(&mut self, times: [Duration; N]) {
        self.times.push(times);
    }

    /// The least time of a contender.
    pub(crate) fn least(&self, contender: usize) -> Duration {
        let times = self.times.iter().filter_map(|round| round.get(contender));
        times.min().copied().unwrap_or_default()
    }

    /// The median over the rounds of a contender's ratio to the first.
    pub(crate) fn ratio(&self, contender: usize) -> f64 {
        let mut ratios: Vec<f64> = self
            .times
            .iter()
            .filter_map(|round| {
                Some(round.get(contender)?.as_secs_f64() / round.first()?.as_secs_f64())
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Prints a table: time of one operation, and the ratios to the first contender by the least times and by the median.
    pub(crate) fn print(&self, title: &str, operations: u32) {
        println!("\n| {title} | µs | by least times | median of rounds |\n|---|--:|--:|--:|");
        let first = self.least(0).as_secs_f64();
        for (contender, name) in self.names.iter().enumerate() {
            let least = self.least(contender).as_secs_f64();
            println!(
                "| {name} | {:.1} | {:.2} | {:.2} |",
                least * 1e6 / f64::from(operations),
                least / first,
                self.ratio(contender)
            );
        }
    }
}

/// The time that this takes.
pub(crate) async fn timed(
    work: impl Future<Output = Result<(), Error>>,
) -> Result<Duration, Error> {
    let begin = Instant::now();
    work.await?;
    Ok(begin.elapsed())
}
