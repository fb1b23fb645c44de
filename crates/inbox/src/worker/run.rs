//! The loop: listen, claim, hand out, sleep.

use core::future::poll_fn;
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::Arc;

use hookproof::UnixTime;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::desk::{Desk, Found, LAST_WORDS, Pauses, Phase, Word, count, payloads};
use super::incident::Incident;
use super::kinds::{Attempt, Kind};
use super::race::{First, catch_panic, race};
use super::wake::Wake;
use crate::backoff::Backoff;
use crate::claim::{Claim, Claimed};
use crate::error::{StoreError, StoreErrorKind};
use crate::id::{EventId, Token};
use crate::store::Database;
use crate::time::between;

/// When to look again for what is due and could not be had, since another transaction has it.
const HELD: Backoff = Backoff::new(Duration::from_millis(20), Duration::from_secs(1), u32::MAX);

/// An attempt that has ended, and what it said if it panicked beside its handler.
type Ended = ((EventId, Token), Option<Box<str>>);

/// The attempts that run.
pub(super) struct Crew<D> {
    desk: Arc<Desk<D>>,
    kind: Kind<D>,
    tasks: JoinSet<Ended>,
    running: HashMap<(EventId, Token), Arc<Claim>>,
    phase: watch::Sender<Phase>,
}

impl<D> Crew<D>
where
    D: Database + 'static,
{
    pub(super) fn new(desk: Arc<Desk<D>>, kind: Kind<D>) -> Self {
        let phase = watch::Sender::new(Phase::Open);
        Self { desk, kind, tasks: JoinSet::new(), running: HashMap::new(), phase }
    }

    /// How many more events there is room for.
    fn free(&self) -> u32 {
        self.desk.settings.concurrency.saturating_sub(count(self.tasks.len()))
    }

    fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// What keeps its events by their leases.
    fn leased(&self) -> Vec<Arc<Claim>> {
        let claims = self.running.values().filter(|_| self.kind.is_leased);
        claims.cloned().collect()
    }

    /// Begins the attempts at events that were claimed after this moment.
    fn begin(&mut self, claims: Vec<Claim>, since: Instant) {
        for (claim, payload) in payloads(claims) {
            let desk = Arc::clone(&self.desk);
            let phase = self.phase.subscribe();
            let attempt = Attempt { claim: Arc::clone(&claim), payload, since, phase };
            let attempt = (self.kind.attempt)(desk, attempt);
            self.spawn(claim, attempt);
        }
    }

    /// Gives back events that nobody has begun.
    fn release(&mut self, claims: Vec<Claim>) {
        for claim in claims {
            let (desk, phase) = (Arc::clone(&self.desk), self.phase.subscribe());
            let claim = Arc::new(claim);
            let own = Arc::clone(&claim);
            let release = async move { desk.end(&own, Word::Release, phase).await };
            self.spawn(claim, release);
        }
    }

    fn spawn(&mut self, claim: Arc<Claim>, attempt: impl Future<Output = ()> + Send + 'static) {
        let key = (claim.id(), claim.token());
        self.running.insert(key, claim);
        self.tasks.spawn(async move { (key, catch_panic(attempt).await.err()) });
    }

    /// Waits until an attempt has ended, and takes in all that have.
    async fn ended(&mut self) {
        if let Some(joined) = self.tasks.join_next().await {
            self.joined(joined);
        }
        self.reap();
    }

    fn reap(&mut self) {
        while let Some(joined) = self.tasks.try_join_next() {
            self.joined(joined);
        }
    }

    fn joined(&mut self, joined: Result<Ended, JoinError>) {
        let said = match joined {
            Ok((key, said)) => {
                self.running.remove(&key);
                said
            }
            Err(error) => Some(error.to_string().into()),
        };
        if let Some(said) = said {
            // Handlers and hooks are caught: this is the store's own, or of something that a handler dropped.
            let message = format!("an attempt panicked beside its handler: {said}");
            self.desk.hook.store(&StoreError::new(StoreErrorKind::Unavailable, message));
        }
    }

    /// Waits for the attempts until `end`, then cuts them off.
    async fn close(mut self, end: Instant) {
        while !self.tasks.is_empty() && timeout_at(end, self.ended()).await.is_ok() {}
        self.phase.send_replace(Phase::Cut);
        // Twice, so that only a handler that does not come back to its `await` is still there.
        let last = end.max(Instant::now()) + LAST_WORDS * 2;
        while !self.tasks.is_empty() && timeout_at(last, self.ended()).await.is_ok() {}
        for claim in self.running.values() {
            self.desk.hook.tell(&Incident::Abandoned { event: claim.event() });
        }
    }
}

/// What ended a sleep.
enum Woken {
    /// It was announced that there is work.
    Announced,
    /// An attempt has ended, or the time has come.
    Due,
    /// The listener hears nothing any more.
    Deaf(StoreError),
    /// The worker is to stop.
    Stop,
}

/// A worker's ear, while it hears.
struct Ear<L> {
    listener: Option<L>,
    pauses: Pauses,
    again: Instant,
}

impl<L> Ear<L> {
    fn deafened(&mut self) {
        self.listener = None;
        self.again = Instant::now() + self.pauses.next();
    }
}

/// Works until it is to stop.
pub(super) async fn run<D, W>(
    mut crew: Crew<D>,
    wake: &W,
    mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
) where
    D: Database + 'static,
    W: Wake<D::Store>,
{
    let desk = Arc::clone(&crew.desk);
    let grace = desk.settings.grace;
    let mut ear = Ear { listener: None, pauses: Pauses::of_store(), again: Instant::now() };
    let (mut faults, mut held) = (Pauses::of_store(), Pauses::new(HELD));
    let mut not_before = Instant::now();
    loop {
        crew.reap();
        if ear.listener.is_none() && ear.again <= Instant::now() {
            match race(wake.listen(), stop.as_mut()).await {
                First::Left(Ok(listener)) => ear.listener = Some(listener),
                First::Left(Err(error)) => {
                    desk.hook.store(&error);
                    ear.deafened();
                }
                First::Right(()) => return crew.close(Instant::now() + grace).await,
            }
        }
        let (free, since) = (crew.free(), Instant::now());
        let mut until = since + desk.settings.poll;
        if free > 0 && not_before <= since {
            // After a time in which the store heard of nobody, the worker's own handlers come first: else it would take
            // their events for those of a worker that went silent.
            let own = if faults.is_begun() { crew.leased() } else { Vec::new() };
            let mut claiming = pin!(async {
                for claim in &own {
                    desk.extend(claim).await.or_else(unless_lost)?;
                }
                desk.claim(free).await
            });
            let mut end = None;
            let found = match race(claiming.as_mut(), stop.as_mut()).await {
                First::Left(found) => found,
                First::Right(()) => {
                    // What is being claimed is better given back than left to the end of its lease.
                    let last = Instant::now() + grace;
                    end = Some(last);
                    match timeout_at(last, claiming).await {
                        Ok(found) => found,
                        Err(_) => return crew.close(last).await,
                    }
                }
            };
            match (found, end) {
                (Ok(found), Some(end)) => {
                    crew.release(found.claimed.claims);
                    return crew.close(end).await;
                }
                (Err(_), Some(end)) => return crew.close(end).await,
                (Ok(found), None) => {
                    faults.reset();
                    let next = sleep_from(&found, desk.now(), &mut held);
                    crew.begin(found.claimed.claims, since);
                    match next {
                        Some(Duration::ZERO) if crew.free() > 0 => continue,
                        Some(time) => until = until.min(Instant::now() + time),
                        None => {}
                    }
                }
                (Err(error), None) => {
                    desk.hook.store(&error);
                    not_before = Instant::now() + faults.next();
                }
            }
        }
        if ear.listener.is_none() {
            until = until.min(ear.again);
        }
        let resting = not_before > Instant::now();
        if resting {
            until = not_before;
        }
        // Without room, or while the store is to be left alone, an announcement changes nothing.
        let listens = crew.free() > 0 && !resting;
        let listener = ear.listener.as_mut().filter(|_| listens);
        match sleep(&mut crew, wake, listener, until, stop.as_mut()).await {
            Woken::Announced => ear.pauses.reset(),
            Woken::Due => {}
            Woken::Deaf(error) => {
                desk.hook.store(&error);
                ear.deafened();
            }
            Woken::Stop => return crew.close(Instant::now() + grace).await,
        }
    }
}

/// A claim that was lost is the business of its own attempt.
fn unless_lost(error: StoreError) -> Result<(), StoreError> {
    if error.lost().is_some() { Ok(()) } else { Err(error) }
}

/// Works until nothing is due.
pub(super) async fn until_idle<D: Database + 'static>(mut crew: Crew<D>) -> Result<(), StoreError> {
    let desk = Arc::clone(&crew.desk);
    loop {
        let (free, since) = (crew.free(), Instant::now());
        let mut more = false;
        if free > 0 {
            let claimed = desk.claim(free).await?.claimed;
            more = claimed != Claimed::default();
            crew.begin(claimed.claims, since);
        }
        if more && crew.free() > 0 {
            continue;
        }
        if crew.is_idle() {
            return Ok(());
        }
        crew.ended().await;
    }
}

/// How long there is nothing to do after what was found; `None` if no time changes that, zero if there may be more now.
fn sleep_from(found: &Found, now: UnixTime, held: &mut Pauses) -> Option<Duration> {
    let claimed = &found.claimed;
    if found.full || !(claimed.parked.is_empty() && claimed.dead.is_empty()) {
        held.reset();
        return Some(Duration::ZERO);
    }
    let next = found.next?;
    if next > now {
        held.reset();
        return Some(between(now, next));
    }
    if !claimed.claims.is_empty() {
        held.reset();
    }
    Some(held.next())
}

async fn sleep<D, W>(
    crew: &mut Crew<D>,
    wake: &W,
    listener: Option<&mut W::Listener>,
    until: Instant,
    mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
) -> Woken
where
    D: Database + 'static,
    W: Wake<D::Store>,
{
    let announced = async {
        match listener {
            Some(listener) => wake.woken(listener).await,
            None => core::future::pending().await,
        }
    };
    let full = crew.free() == 0;
    let due = async {
        match (crew.is_idle(), full) {
            (true, _) => sleep_until(until).await,
            (false, true) => crew.ended().await,
            (false, false) => {
                race(crew.ended(), sleep_until(until)).await;
            }
        }
    };
    let (mut announced, mut due) = (pin!(announced), pin!(due));
    poll_fn(|context| {
        if stop.as_mut().poll(context).is_ready() {
            return Poll::Ready(Woken::Stop);
        }
        if due.as_mut().poll(context).is_ready() {
            return Poll::Ready(Woken::Due);
        }
        announced.as_mut().poll(context).map(|heard| match heard {
            Ok(()) => Woken::Announced,
            Err(error) => Woken::Deaf(error),
        })
    })
    .await
}
