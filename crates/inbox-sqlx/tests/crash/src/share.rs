//! A share of kills on a database of its own: rounds, and what is checked after them.

use core::marker::PhantomData;
use core::time::Duration;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Instant, SystemTime};

use hookproof::UnixTime;
use hookproof_inbox::chain::Head;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::time;
use tokio::runtime::Runtime;

use crate::args::{ChildArgs, KillArgs};
use crate::checks;
use crate::engine::Engine;
use crate::plan::{Aim, Round};
use crate::points::Point;
use crate::process::{Ear, Heard, Mouth, Process};
use crate::sender::Senders;
use crate::wire::{Said, Told};

/// How long a point may take to be reached; then the process is killed wherever it is.
const PATIENCE: Duration = Duration::from_millis(700);

/// How long nothing may be done at the end although something is to be done. A worker that has missed something looks
/// after 60 s.
const STILL: Duration = Duration::from_secs(45);

/// What happened, in numbers.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) kills: u32,
    pub(crate) at_points: HashMap<&'static str, u32>,
    pub(crate) stopped: u32,
    pub(crate) broken: usize,
    pub(crate) requests: u64,
    pub(crate) unavailable: u64,
    pub(crate) fenced: u64,
    pub(crate) problems: HashMap<String, u64>,
}

/// A share.
pub(crate) struct Share<E> {
    args: ChildArgs,
    verbose: bool,
    pub(crate) seed: u64,
    /// Only the plans: they are the same for a seed, whatever else happens.
    plans: fastrand::Rng,
    rng: fastrand::Rng,
    only: Option<Point>,
    engine: PhantomData<fn() -> E>,
    runtime: Runtime,
    pub(crate) senders: Senders,
    pub(crate) effects: PathBuf,
    /// Milliseconds by which the clock of the round is ahead.
    clock: i64,
    ear: Ear,
    mouth: Mouth,
    processes: usize,
    /// Deliveries by the numbers of their requests.
    requests: HashMap<u64, usize>,
    pub(crate) heads: Vec<Head>,
    /// The processes that stand at their points.
    at: HashSet<usize>,
    /// The processes that were killed or stopped.
    pub(crate) ended: HashSet<String>,
    pub(crate) figures: Figures,
    pub(crate) failures: Vec<String>,
}

pub(crate) fn run<E: Engine>(args: &KillArgs) -> bool {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    println!("{}: {} kills, seed {seed}", args.database.as_str(), args.kills);
    let started = Instant::now();
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let place = runtime.block_on(E::place(folder.path()));
    let effects = folder.path().join("effects.jsonl");
    let (mouth, ear) = channel();
    let mut share: Share<E> = Share {
        args: ChildArgs {
            database: args.database,
            place: place.clone(),
            effects: effects.to_str().expect("a path").to_owned(),
            name: String::new(),
            clock: 0,
            seed: 0,
            point: None,
            nth: 1,
            fault: args.fault,
        },
        verbose: args.verbose,
        seed,
        plans: fastrand::Rng::with_seed(seed),
        rng: fastrand::Rng::with_seed(!seed),
        only: args.point.as_deref().map(|word| Point::from_word(word).expect("a point")),
        engine: PhantomData,
        runtime,
        senders: Senders::new(seed),
        effects,
        clock: 0,
        ear,
        mouth,
        processes: 0,
        requests: HashMap::new(),
        heads: Vec::new(),
        at: HashSet::new(),
        ended: HashSet::new(),
        figures: Figures::default(),
        failures: Vec::new(),
    };
    while share.figures.kills < args.kills && share.failures.is_empty() {
        share.round();
    }
    let mut counts = checks::Counts::default();
    if share.failures.is_empty() {
        share.drain();
        counts = checks::all(&mut share);
    }
    println!(
        "{} seconds={}",
        checks::line(&share, &counts, args.database),
        started.elapsed().as_secs()
    );
    for failure in share.failures.iter().take(20) {
        println!("  {failure}");
    }
    if let Some(fault) = args.fault {
        return share.failures.iter().any(|failure| failure.starts_with(fault.found_as()));
    }
    let passed = share.failures.is_empty();
    if !passed {
        println!("kept: {}", folder.keep().display());
    }
    passed
}

impl<E: Engine> Share<E> {
    pub(crate) fn now(&self) -> UnixTime {
        let real = UnixTime::from(SystemTime::now());
        time::later(real, Duration::from_millis(self.clock.unsigned_abs()))
    }

    /// Looks into the database, by connections that are closed at once: whoever comes next finds it as it was left.
    pub(crate) fn look<T>(&self, look: impl AsyncFnOnce(&E) -> T) -> T {
        self.runtime.block_on(async {
            let engine = E::open(&self.args.place, "parent", Prefix::DEFAULT);
            let seen = look(&engine).await;
            engine.close().await;
            seen
        })
    }

    fn start(&mut self, aim: Option<Aim>, seed: u64) -> Process {
        let number = self.processes;
        self.processes += 1;
        let mut args = self.args.clone();
        args.name = format!("p{number}");
        args.clock = self.clock;
        args.seed = seed;
        if let Some(Aim::Point(point, nth)) = aim {
            (args.point, args.nth) = (Some(point.as_str().to_owned()), nth);
        }
        Process::start(number, &args, self.mouth.clone())
    }

    /// Hears what the processes say until this time, or until this one stands at its point or has ended.
    fn hear(&mut self, until: Instant, of: usize, mut enough: impl FnMut(&Heard) -> bool) -> bool {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.ear.recv_timeout(left) {
                Ok((number, heard)) => {
                    let end = number == of && enough(&heard);
                    match heard {
                        Heard::Said(said) => self.take(number, said),
                        Heard::End => {}
                    }
                    if end {
                        return true;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => unreachable!("the share has a mouth itself"),
            }
        }
    }

    fn take(&mut self, number: usize, said: Said) {
        match said {
            Said::Answer { id, status, retry } => {
                let place = self.requests[&id];
                let now = self.now();
                match (status, retry) {
                    (200, false) => {
                        self.senders.deliveries[place].answered.get_or_insert(now);
                    }
                    (503, true) => self.figures.unavailable += 1,
                    _ => self.fail(format!("a delivery was answered with {status}, {retry}")),
                }
            }
            Said::At(point) => {
                self.at.insert(number);
                if let Some(point) = Point::from_word(&point) {
                    *self.figures.at_points.entry(point.as_str()).or_default() += 1;
                }
            }
            Said::Lost => self.figures.fenced += 1,
            Said::Head(head) => self.heads.push(head.parse().expect("a head")),
            Said::Problem { kind, message } => {
                if self.verbose {
                    println!("  {kind}: {message}");
                }
                if !matches!(kind.as_str(), "busy" | "unavailable" | "claim-lost") {
                    self.fail(format!("{kind}: {message}"));
                }
                *self.figures.problems.entry(kind).or_default() += 1;
            }
            Said::Ready => {}
        }
    }

    pub(crate) fn fail(&mut self, failure: impl Into<String>) {
        self.failures.push(failure.into());
    }

    fn ready(&mut self, process: &Process, until: Instant) -> bool {
        self.hear(until, process.number, |heard| match heard {
            Heard::Said(said) => matches!(said, Said::Ready | Said::At(_)),
            Heard::End => true,
        })
    }

    /// Sends deliveries, each to one of these processes.
    fn send(&mut self, places: &[usize], to: &[&Process]) {
        let now = self.now();
        for &place in places {
            self.figures.requests += 1;
            let id = self.figures.requests;
            self.requests.insert(id, place);
            let request = self.senders.request(id, place, now);
            to[self.rng.usize(0..to.len())].tell(Told::Deliver(request));
        }
    }

    /// New deliveries, those that were not answered, and copies of both, in any order.
    fn pick(&mut self, new: usize) -> Vec<usize> {
        let mut places = self.senders.pending();
        for _ in 0..new {
            places.push(self.senders.make());
        }
        let all = self.senders.deliveries.len();
        for _ in 0..new / 4 {
            // Not so old that its key was purged meanwhile.
            places.push(self.rng.usize(all.saturating_sub(150)..all));
        }
        self.rng.shuffle(&mut places);
        places
    }

    fn round(&mut self) {
        let plan = Round::random(&mut self.plans, self.only);
        let checked = self.figures.kills / 25;
        if self.verbose {
            println!("{:4}: {plan:?}", self.figures.kills);
        }
        self.clock = (self.clock + plan.step).max(0);
        let started = Instant::now();
        let mut companion = plan.companion.then(|| self.start(None, plan.seed));
        if let Some(companion) = &companion {
            self.ready(companion, started + Duration::from_secs(30));
        }
        let started = Instant::now();
        let mut victim = self.start(Some(plan.aim), plan.seed);
        let mut sent = Vec::new();
        let early = match plan.aim {
            Aim::Early(time) => Some(started + Duration::from_millis(time)),
            _ => None,
        };
        let ready = self.ready(&victim, early.unwrap_or(started + Duration::from_secs(30)));
        if ready || early.is_none() {
            sent = self.pick(plan.new);
            let to: Vec<&Process> = core::iter::once(&victim).chain(&companion).collect();
            self.send(&sent, &to);
        }
        let until = match plan.aim {
            Aim::Early(time) => started + Duration::from_millis(time),
            Aim::Later(time) => Instant::now() + Duration::from_millis(time),
            // It may stand there already.
            Aim::Point(..) if self.at.contains(&victim.number) => Instant::now(),
            Aim::Point(..) => Instant::now() + PATIENCE,
        };
        if plan.broken {
            let half = Instant::now() + until.saturating_duration_since(Instant::now()) / 2;
            self.hear(half, usize::MAX, |_| false);
            self.figures.broken += self.look(async |engine| engine.break_off(&victim.name).await);
        }
        self.hear(until, victim.number, |heard| {
            matches!(heard, Heard::End | Heard::Said(Said::At(_)))
        });
        self.ended.insert(victim.name.clone());
        let successor = plan.stopped.then(|| self.take_over(&victim, plan.seed));
        self.end(&mut victim);
        if let Some(companion) = companion.as_mut().filter(|_| plan.both) {
            self.ended.insert(companion.name.clone());
            self.end(companion);
        }
        if successor.is_none() && (companion.is_none() || plan.both) && self.rng.bool() {
            checks::halves(self, &sent);
        }
        let companion = companion.filter(|_| !plan.both);
        for mut process in successor.into_iter().chain(companion) {
            self.dismiss(&mut process);
        }
        if self.figures.kills / 25 > checked {
            checks::meanwhile(self);
        }
    }

    /// A process is stopped, another takes its events over, and the first goes on.
    fn take_over(&mut self, victim: &Process, seed: u64) -> Process {
        victim.freeze();
        self.figures.stopped += 1;
        self.clock += 120_000;
        let started = Instant::now();
        let successor = self.start(None, seed);
        // A process that was stopped within a transaction of SQLite keeps everybody out.
        self.ready(&successor, started + Duration::from_millis(500));
        let places = self.pick(5);
        self.send(&places, &[&successor]);
        self.hear(Instant::now() + Duration::from_millis(250), usize::MAX, |_| false);
        victim.thaw();
        self.hear(Instant::now() + Duration::from_millis(150), usize::MAX, |_| false);
        successor
    }

    /// Kills a process, and hears what it had said.
    fn end(&mut self, process: &mut Process) {
        let status = process.kill();
        if std::os::unix::process::ExitStatusExt::signal(&status) != Some(9) {
            self.fail(format!("{} had ended before it was killed: {status}", process.name));
        }
        self.figures.kills += 1;
        self.hear_the_end(process);
        self.look(async |engine| engine.wait_for_end_of(&process.name).await);
    }

    fn hear_the_end(&mut self, process: &Process) {
        let until = Instant::now() + Duration::from_secs(10);
        if !self.hear(until, process.number, |heard| matches!(heard, Heard::End)) {
            self.fail(format!("{} is dead and speaks", process.name));
        }
    }

    /// Has a process end by itself.
    fn dismiss(&mut self, process: &mut Process) {
        process.stop();
        // It answers what it has taken, and finishes what it has begun. What it says meanwhile waits in the channel.
        match process.wait(Duration::from_secs(40)) {
            Some(status) if status.success() => self.hear_the_end(process),
            status => {
                self.fail(format!("{} was to stop, and did not: {status:?}", process.name));
            }
        }
    }

    /// One more process, which is not killed, until everything is answered and done.
    fn drain(&mut self) {
        self.clock += 240_000;
        let mut process = self.start(None, self.seed);
        self.ready(&process, Instant::now() + Duration::from_secs(30));
        // It may be slow, and must not stand still for as long as a worker sleeps at most.
        let (mut left, mut since) = (usize::MAX, Instant::now());
        let mut again = Instant::now();
        loop {
            let pending = self.senders.pending();
            let open = "SELECT CAST(count(*) AS TEXT) FROM hookproof_events WHERE state IN (0, 1)";
            let open = self.look(async |engine| engine.rows(open).await);
            let open: usize = open[0][0].as_deref().expect("a count").parse().expect("a number");
            let now = pending.len() + open;
            if now == 0 {
                break;
            }
            if now < left {
                (left, since) = (now, Instant::now());
            }
            if since.elapsed() > STILL {
                self.fail(format!("{} are not answered, {open} not done", pending.len()));
                break;
            }
            if Instant::now() >= again {
                self.send(&pending, &[&process]);
                again = Instant::now() + Duration::from_secs(6);
            }
            self.hear(Instant::now() + Duration::from_millis(100), usize::MAX, |_| false);
        }
        self.dismiss(&mut process);
    }
}
