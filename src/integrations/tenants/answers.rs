//! Asks a resolver: once for all who ask at the same time, within a time, and keeps what it said.

use core::future::Future;
use core::pin::Pin;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::cache::Bounded;
use super::resolve::{ResolveError, ResolveFailure};
use crate::integrations::endpoint::Endpoint;

/// How long a resolver that failed is left alone about a tenant whose old answer is in use.
const PAUSE: Duration = Duration::from_secs(1);

/// Instead of a time that no clock reaches: 34 years.
const FAR: Duration = Duration::from_secs(1 << 30);

/// What is known about a tenant.
#[derive(Clone)]
pub(super) enum Answer {
    Fresh(Endpoint),
    /// An old answer, since there is no new one.
    Stale(Endpoint),
    Unknown,
    /// Nobody can say.
    Unavailable,
}

/// The lookup of one key, as a task of its own runs it.
pub(super) type Lookup =
    Pin<Box<dyn Future<Output = Result<Option<Endpoint>, ResolveError>> + Send>>;

/// How an answer is asked for and how long it holds; see the builder.
pub(super) struct Policy {
    pub(super) lookup: Box<dyn Fn(Arc<str>) -> Lookup + Send + Sync>,
    pub(super) on_failure: Option<Box<OnFailure>>,
    pub(super) timeout: Duration,
    pub(super) fresh_for: Duration,
    pub(super) stale_for: Duration,
    pub(super) unknown_for: Duration,
    pub(super) capacity: usize,
    pub(super) at_once: usize,
}

pub(super) type OnFailure = dyn Fn(&str, &ResolveFailure) + Send + Sync;

/// The answers of one resolver.
pub(super) struct Answers(Arc<Shared>);

struct Shared {
    policy: Policy,
    state: Mutex<State>,
}

struct State {
    known: Bounded<Known>,
    /// Until when nobody is known by a key. Apart from the others, so that keys that somebody invents take no place of theirs.
    unknown: Bounded<Instant>,
    flights: HashMap<Arc<str>, Flight>,
    flown: u64,
}

struct Known {
    endpoint: Endpoint,
    /// Until then nobody is asked.
    holds_until: Instant,
    /// Until then it serves while the resolver fails.
    serves_until: Instant,
    /// Whether the last attempt to ask anew failed.
    failing: bool,
}

/// One lookup that is under way, and where its answer will be.
struct Flight {
    id: u64,
    answer: watch::Receiver<Option<Answer>>,
}

impl Answers {
    pub(super) fn new(policy: Policy) -> Self {
        let state = State {
            known: Bounded::new(policy.capacity),
            unknown: Bounded::new(policy.capacity),
            flights: HashMap::new(),
            flown: 0,
        };
        Self(Arc::new(Shared { policy, state: Mutex::new(state) }))
    }

    /// The answer for this key: what is kept, or what the resolver says.
    ///
    /// Whoever asks may be gone before there is an answer; the lookup goes on.
    pub(super) async fn ask(&self, key: &str) -> Answer {
        let mut landing = match self.0.begin(key) {
            Asked::Known(answer) => return answer,
            Asked::Flying(landing) => landing,
            Asked::Busy => {
                self.0.failed(key, &ResolveFailure::Busy);
                return Answer::Unavailable;
            }
        };
        // It is an error once the task is gone without an answer: its runtime ended, or the operator's callback panicked.
        let answer = landing.wait_for(Option::is_some).await;
        answer.ok().and_then(|answer| answer.clone()).unwrap_or(Answer::Unavailable)
    }

    /// Forgets what is known about this key.
    pub(super) fn forget(&self, key: &str) {
        let mut state = self.0.lock();
        state.known.remove(key);
        state.unknown.remove(key);
        // A lookup that is under way may have read what is to be forgotten.
        state.flights.remove(key);
    }
}

enum Asked {
    Known(Answer),
    Flying(watch::Receiver<Option<Answer>>),
    Busy,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(self: &Arc<Self>, key: &str) -> Asked {
        let now = Instant::now();
        let mut state = self.lock();
        let mut old = None;
        let mut is_known = false;
        if let Some(known) = state.known.get(key) {
            is_known = true;
            let serves = now < known.serves_until;
            if now < known.holds_until && (serves || !known.failing) {
                return Asked::Known(known.answer());
            }
            // While the resolver fails nobody waits for it to fail again.
            old = (known.failing && serves).then(|| Answer::Stale(known.endpoint.clone()));
        } else if state.unknown.get(key).is_some_and(|until| now < *until) {
            return Asked::Known(Answer::Unknown);
        }
        if let Some(flight) = state.flights.get(key) {
            return old.map_or_else(|| Asked::Flying(flight.answer.clone()), Asked::Known);
        }
        // Those who are known are not kept from being asked for by keys that somebody invents.
        if !is_known && state.flights.len() >= self.policy.at_once {
            return Asked::Busy;
        }
        let answer = self.fly(&mut state, key.into());
        old.map_or(Asked::Flying(answer), Asked::Known)
    }

    /// Starts a lookup.
    fn fly(self: &Arc<Self>, state: &mut State, key: Arc<str>) -> watch::Receiver<Option<Answer>> {
        state.flown += 1;
        let id = state.flown;
        let (sender, answer) = watch::channel(None);
        state.flights.insert(Arc::clone(&key), Flight { id, answer: answer.clone() });
        let flying = Flying { shared: Arc::clone(self), key, id };
        tokio::spawn(async move {
            let found = flying.shared.look_up(&flying.key).await;
            let answer = flying.shared.keep(&flying, found.as_ref());
            sender.send_replace(Some(answer));
            if let Err(failure) = &found {
                flying.shared.failed(&flying.key, failure);
            }
        });
        answer
    }

    /// Asks the resolver, whatever it does: in a task of its own, whose panics and whose blocking are not ours.
    async fn look_up(&self, key: &Arc<str>) -> Result<Option<Endpoint>, ResolveFailure> {
        let mut task = tokio::spawn((self.policy.lookup)(Arc::clone(key)));
        match timeout(self.policy.timeout, &mut task).await {
            Ok(Ok(found)) => found.map_err(ResolveFailure::Failed),
            Ok(Err(_)) => Err(ResolveFailure::Panicked),
            Err(_) => {
                task.abort();
                Err(ResolveFailure::TimedOut)
            }
        }
    }

    /// Keeps what was found, and says what it means for those who asked.
    fn keep(&self, flying: &Flying, found: Result<&Option<Endpoint>, &ResolveFailure>) -> Answer {
        let now = Instant::now();
        let after = |span| now.checked_add(span).unwrap_or_else(|| now + FAR);
        let key = Arc::clone(&flying.key);
        let mut state = self.lock();
        let forgotten = !flying.is_in(&state);
        match found {
            Ok(Some(endpoint)) => {
                if !forgotten {
                    let holds_until = after(self.policy.fresh_for);
                    let serves_until =
                        after(self.policy.fresh_for.saturating_add(self.policy.stale_for));
                    let endpoint = endpoint.clone();
                    state.unknown.remove(&key);
                    let known = Known { endpoint, holds_until, serves_until, failing: false };
                    state.known.insert(key, known);
                }
                Answer::Fresh(endpoint.clone())
            }
            Ok(None) => {
                if !forgotten {
                    state.known.remove(&key);
                    state.unknown.insert(key, after(self.policy.unknown_for));
                }
                Answer::Unknown
            }
            Err(_) => match state.known.get(&key) {
                Some(known) if now < known.serves_until => {
                    if !forgotten {
                        known.failing = true;
                        known.holds_until = after(PAUSE);
                    }
                    known.answer()
                }
                _ => Answer::Unavailable,
            },
        }
    }

    /// Tells the operator.
    fn failed(&self, key: &str, failure: &ResolveFailure) {
        #[cfg(feature = "tracing")]
        tracing::error!(
            target: "hookproof",
            tenant = ?key,
            reason = %failure,
            "tenant not resolved"
        );
        if let Some(on_failure) = &self.policy.on_failure {
            on_failure(key, failure);
        }
    }
}

impl Known {
    fn answer(&self) -> Answer {
        let endpoint = self.endpoint.clone();
        if self.failing { Answer::Stale(endpoint) } else { Answer::Fresh(endpoint) }
    }
}

/// A lookup that is under way. However it ends, with its runtime too, it is then no longer.
struct Flying {
    shared: Arc<Shared>,
    key: Arc<str>,
    id: u64,
}

impl Flying {
    /// Whether it is still the one that counts: not once its key was forgotten.
    fn is_in(&self, state: &State) -> bool {
        state.flights.get(&self.key).is_some_and(|flight| flight.id == self.id)
    }
}

impl Drop for Flying {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if self.is_in(&state) {
            state.flights.remove(&self.key);
        }
    }
}
