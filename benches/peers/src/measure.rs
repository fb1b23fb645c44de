//! Interleaved measurement, and ratios of the least times.

use std::collections::BTreeMap;
use std::time::Instant;

use cpu_time::ThreadTime;

/// Something that is measured beside others, called many times.
pub struct Contender {
    pub name: String,
    work: Box<dyn Fn()>,
}

impl Contender {
    pub fn new(name: impl Into<String>, work: impl Fn() + 'static) -> Self {
        Self { name: name.into(), work: Box::new(work) }
    }
}

/// Least times of one call in nanoseconds, by name.
pub struct Times(BTreeMap<String, f64>);

impl Times {
    pub fn of(&self, name: &str) -> f64 {
        *self.0.get(name).unwrap_or_else(|| panic!("`{name}` was not measured"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn ratio(&self, name: &str, to: &str) -> f64 {
        self.of(name) / self.of(to)
    }
}

/// How often everything is measured; each run goes over all rounds.
#[derive(Clone, Copy)]
pub struct Effort {
    pub runs: usize,
    pub rounds: usize,
}

/// Measures every contender once a round, beginning with another one each time. The least time of all rounds of all runs
/// counts, for each alike, since a neighbour on the machine only ever makes things slower.
pub fn measure(contenders: &[Contender], size: usize, effort: Effort) -> Times {
    let calls = (200_000 / (size + 1_000)).max(1) as u32;
    let long = size > 1 << 20;
    let rounds = if long { effort.rounds.div_ceil(4) } else { effort.rounds };
    let mut best = vec![f64::MAX; contenders.len()];
    for round in 0..effort.runs * rounds {
        for step in 0..contenders.len() {
            let index = (step + round) % contenders.len();
            best[index] = best[index].min(time(&contenders[index], calls, long));
        }
    }
    Times(contenders.iter().map(|contender| contender.name.clone()).zip(best).collect())
}

/// Time of one call, over enough calls for the clock's grain.
///
/// Short work is timed by the wall clock: among hundreds of rounds some are not interrupted. Long work always is, on a busy
/// machine, and is timed by the clock of the thread. That clock would not do for short work: on a virtual machine that is
/// robbed of its processor it stands still for some of it, so that the least time is below what the processor can do.
fn time(contender: &Contender, calls: u32, long: bool) -> f64 {
    let thread = ThreadTime::now();
    let wall = Instant::now();
    for _ in 0..calls {
        (contender.work)();
    }
    let wall = wall.elapsed();
    let elapsed = if long { thread.elapsed() } else { wall };
    elapsed.as_nanos() as f64 / f64::from(calls)
}
