//! What a worker asks of the store: each in a transaction of its own, and again where the store could not.

use core::time::Duration;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hookproof::UnixTime;
use tokio::sync::{OnceCell, watch};
use tokio::time::sleep;

use super::incident::{Hook, Incident};
use super::job::NotDone;
use super::race::{First, race};
use super::settings::Settings;
use crate::backoff::{Backoff, alarm};
use crate::claim::{Claim, Claimed, Failed};
use crate::delivery::DeliveryRow;
use crate::error::{StoreError, StoreErrorKind};
use crate::event::State;
use crate::id::DeliveryId;
use crate::progress::ClaimLost;
use crate::store::{Database, Store};

/// How long the last words of a worker may take once its grace has ended.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);
/// When to ask again after the store could not.
const AGAIN: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30), u32::MAX);

/// How far a worker is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Phase {
    /// It works, or has stopped claiming and waits for its handlers.
    Open,
    /// The grace has ended: handlers stop where they are.
    Cut,
}

/// Returns once the grace has ended.
pub(super) async fn cut(mut phase: watch::Receiver<Phase>) {
    if phase.wait_for(|phase| *phase == Phase::Cut).await.is_err() {
        // The worker is gone, and its tasks with it.
        core::future::pending::<()>().await;
    }
}

/// A random number.
fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// The pauses after failures in a row.
#[derive(Debug)]
pub(super) struct Pauses {
    backoff: Backoff,
    failures: u32,
}

impl Pauses {
    pub(super) const fn new(backoff: Backoff) -> Self {
        Self { backoff, failures: 0 }
    }

    /// After a fault of the store.
    pub(super) const fn of_store() -> Self {
        Self::new(AGAIN)
    }

    pub(super) fn next(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1).min(u32::MAX - 1);
        self.backoff.after(self.failures, seed()).unwrap_or(Duration::MAX)
    }

    /// Whether the latest try has failed.
    pub(super) const fn is_begun(&self) -> bool {
        self.failures > 0
    }

    pub(super) const fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Whether asking again may help.
pub(super) const fn is_transient(error: &StoreError) -> bool {
    matches!(error.kind(), StoreErrorKind::Busy | StoreErrorKind::Unavailable)
}

/// How a claim ends.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Word {
    Complete,
    Fail(Box<str>),
    Park(Box<str>),
    Release,
}

impl Word {
    /// Whether this word leads to that state.
    const fn leads_to(&self, state: State) -> bool {
        match self {
            Self::Complete => matches!(state, State::Done),
            Self::Fail(_) => matches!(state, State::Dead | State::Waiting),
            Self::Park(_) => matches!(state, State::Parked),
            Self::Release => matches!(state, State::Waiting),
        }
    }
}

impl From<Result<(), NotDone>> for Word {
    fn from(handled: Result<(), NotDone>) -> Self {
        match handled {
            Ok(()) => Self::Complete,
            Err(NotDone::Failed(reason)) => Self::Fail(reason),
            Err(NotDone::Park(reason)) => Self::Park(reason),
        }
    }
}

/// What became of a word.
#[derive(Debug)]
enum Said {
    /// It is written.
    Written(Option<Failed>),
    /// It was written by a try that seemed to have failed, and led to this state.
    Before(State),
    /// The claim is not this worker's any more.
    Lost,
    /// The store cannot take it, now or later.
    Refused,
}

/// The deliveries of events that were claimed together, each read once.
pub(super) type Payload = Arc<OnceCell<Option<Arc<DeliveryRow>>>>;

/// What a worker asked for and got.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) claimed: Claimed,
    /// When there will be more, as far as is known; not asked if there may be more at once.
    pub(super) next: Option<UnixTime>,
    pub(super) full: bool,
}

/// What a worker works with.
pub(super) struct Desk<D> {
    pub(super) database: Arc<D>,
    pub(super) settings: Settings,
    pub(super) clock: Arc<dyn Fn() -> UnixTime + Send + Sync>,
    pub(super) hook: Hook,
}

impl<D: Database> Desk<D> {
    pub(super) fn now(&self) -> UnixTime {
        (self.clock)()
    }

    /// Claims up to this many events, and tells of those that were parked or given up on the way.
    pub(super) async fn claim(&self, limit: u32) -> Result<Found, StoreError> {
        let (store, request) = (self.database.store(), self.settings.request(limit));
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let claimed = store.claim(D::tx(&mut open), &request, self.now()).await?;
        let full = count(claimed.claims.len()) >= limit;
        let next = if full { None } else { store.next_due(D::tx(&mut open), &request).await? };
        D::commit(open).await?;
        for (events, is_dead) in [(&claimed.parked, false), (&claimed.dead, true)] {
            for event in events {
                let reason = event.progress.error.as_deref().unwrap_or_default();
                self.hook.tell(&if is_dead {
                    Incident::Dead { event, reason }
                } else {
                    Incident::Parked { event, reason }
                });
            }
        }
        Ok(Found { claimed, next, full })
    }

    /// Reads a delivery, again for as long as the store cannot.
    pub(super) async fn load(
        &self,
        payload: &Payload,
        id: DeliveryId,
    ) -> Result<Option<Arc<DeliveryRow>>, StoreError> {
        let mut pauses = Pauses::of_store();
        loop {
            match payload.get_or_try_init(|| self.read(id)).await {
                Ok(delivery) => return Ok(delivery.clone()),
                Err(error) if is_transient(&error) => {
                    self.hook.store(&error);
                    sleep(pauses.next()).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn read(&self, id: DeliveryId) -> Result<Option<Arc<DeliveryRow>>, StoreError> {
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let delivery = self.database.store().delivery(D::tx(&mut open), id).await?;
        Ok(delivery.map(Arc::new))
    }

    /// Makes the lease of a claim whole again.
    pub(super) async fn extend(&self, claim: &Claim) -> Result<(), StoreError> {
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let (store, lease) = (self.database.store(), self.settings.lease);
        store.extend(D::tx(&mut open), claim, lease, self.now()).await?;
        D::commit(open).await
    }

    /// Ends a claim with this word, and tells who should hear of it. It tries for as long as the store cannot, and a little
    /// longer than the grace of the worker.
    pub(super) async fn end(&self, claim: &Claim, word: Word, phase: watch::Receiver<Phase>) {
        let too_late = async {
            cut(phase).await;
            sleep(LAST_WORDS).await;
        };
        let event = claim.event();
        match (race(self.insist(claim, &word), too_late).await, &word) {
            (First::Left(Said::Written(failed)), Word::Fail(reason)) => {
                if let Some(failed) = failed {
                    self.failed(claim, failed, reason);
                }
            }
            (First::Left(Said::Before(State::Dead)), Word::Fail(reason)) => {
                self.hook.tell(&Incident::Dead { event, reason });
            }
            (First::Left(Said::Written(_) | Said::Before(State::Parked)), Word::Park(reason)) => {
                self.hook.tell(&Incident::Parked { event, reason });
            }
            (First::Left(Said::Lost), _) => self.hook.tell(&Incident::Lost { event }),
            (First::Right(()), _) => self.hook.tell(&Incident::Abandoned { event }),
            (First::Left(_), _) => {}
        }
    }

    async fn insist(&self, claim: &Claim, word: &Word) -> Said {
        let mut pauses = Pauses::of_store();
        let mut unsure = false;
        loop {
            let error = match self.say(claim, word).await {
                Ok(failed) => return Said::Written(failed),
                Err(error) => error,
            };
            if let Some(ClaimLost { state, token, .. }) = error.lost() {
                // A commit that failed may have been written all the same. A state under the own token is the own work
                // then; that it is done under the own token, always.
                let own = token == claim.token();
                return match state {
                    State::Done if own => Said::Before(state),
                    state if own && unsure && word.leads_to(state) => Said::Before(state),
                    _ => Said::Lost,
                };
            }
            self.hook.store(&error);
            if !is_transient(&error) {
                return Said::Refused;
            }
            unsure |= error.kind() == StoreErrorKind::Unavailable;
            sleep(pauses.next()).await;
        }
    }

    async fn say(&self, claim: &Claim, word: &Word) -> Result<Option<Failed>, StoreError> {
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let (store, tx, now) = (self.database.store(), D::tx(&mut open), self.now());
        let mut failed = None;
        match word {
            Word::Complete => store.complete(tx, claim, now).await?,
            Word::Fail(reason) => {
                let backoff = &self.settings.backoff;
                failed = Some(store.fail(tx, claim, reason, backoff, seed(), now).await?);
            }
            Word::Park(reason) => store.park(tx, claim, reason, now).await?,
            Word::Release => store.release(tx, claim, now).await?,
        }
        D::commit(open).await?;
        Ok(failed)
    }

    fn failed(&self, claim: &Claim, failed: Failed, reason: &str) {
        let event = claim.event();
        if let Some(in_a_row) = alarm(failed.in_a_row.saturating_sub(1), failed.in_a_row) {
            let endpoint = &event.endpoint;
            self.hook.tell(&Incident::Failing { endpoint, in_a_row, reason });
        }
        if failed.due.is_none() {
            self.hook.tell(&Incident::Dead { event, reason });
        }
    }
}

/// A place for the delivery of each claim; events of one delivery share it.
pub(super) fn payloads(claims: Vec<Claim>) -> Vec<(Arc<Claim>, Payload)> {
    let mut places: HashMap<DeliveryId, Payload> = HashMap::new();
    claims
        .into_iter()
        .map(|claim| {
            let place = places.entry(claim.event().delivery).or_default();
            let place = Arc::clone(place);
            (Arc::new(claim), place)
        })
        .collect()
}

pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
