//! The comparison: for every id of the list, what is stored and how often it was done.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hookproof_inbox::{AttemptOutcome, EventId, EventRow, Selection, State, Store, StoreError};

use super::keys;
use crate::failure::Failure;
use crate::inbox::args::{By, ReconcileArgs};
use crate::inbox::database::Inbox;
use crate::inbox::find;

/// How the inbox differs from the sender's list.
#[derive(Default)]
pub(crate) struct Differences {
    /// Ids under which nothing is stored.
    pub(crate) never: Vec<String>,
    /// What was received and is not done.
    pub(crate) open: Vec<Open>,
    /// What was done twice.
    pub(crate) doubled: Vec<Doubled>,
    /// What may have been done twice: nobody knows.
    pub(crate) perhaps: Vec<Doubled>,
}

impl Differences {
    /// Whether there is none that is certain.
    pub(crate) const fn is_empty(&self) -> bool {
        self.never.is_empty() && self.open.is_empty() && self.doubled.is_empty()
    }
}

/// An event that is not done.
pub(crate) struct Open {
    pub(crate) id: String,
    pub(crate) event: EventId,
    pub(crate) state: State,
}

impl Open {
    pub(crate) fn line(&self) -> String {
        format!("not done: event {} is {}", self.event, self.state)
    }
}

/// Why something counts as done twice.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Why {
    /// Two attempts at one event completed it.
    Attempts,
    /// A worker went silent, and another one completed the event.
    Lost,
    /// One change arrived under two ids, and both are done.
    Twin,
}

impl Why {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Attempts => "attempts",
            Self::Lost => "lost",
            Self::Twin => "twin",
        }
    }
}

/// Something that was done twice.
pub(crate) struct Doubled {
    pub(crate) id: String,
    pub(crate) events: Vec<EventId>,
    pub(crate) why: Why,
}

impl Doubled {
    pub(crate) fn line(&self) -> String {
        let events: Vec<String> = self.events.iter().map(ToString::to_string).collect();
        let events = events.join(" and ");
        match self.why {
            Why::Attempts => format!("done twice: event {events} was replayed and completed again"),
            Why::Lost => {
                format!("a worker of event {events} went silent, and another one completed it")
            }
            Why::Twin => format!("done twice: events {events} are one change under two ids"),
        }
    }
}

/// The events of every id, and the ids that were recorded but have no event of their own: done at once.
struct Received {
    events: BTreeMap<usize, Vec<EventRow>>,
    recorded: BTreeMap<usize, State>,
}

/// Compares. All is read in one state of the database.
pub(crate) async fn run<I: Inbox>(
    inbox: &I,
    args: &ReconcileArgs,
    ids: &[String],
) -> Result<Differences, Failure> {
    let store = inbox.store();
    let mut open = inbox.look().await?;
    let tx = I::link(&mut open);
    let received = match args.by {
        By::Key => by_key(store, tx, args, ids).await?,
        By::Subject => by_subject(store, tx, args, ids).await?,
    };
    let twins = twins(store, tx, &received).await?;
    let mut found = Differences::default();
    // A pair of twins is one finding, though both may be on the list.
    let mut told = BTreeSet::new();
    for (place, id) in ids.iter().enumerate() {
        let events = received.events.get(&place).map_or(&[][..], Vec::as_slice);
        if events.is_empty() && !received.recorded.contains_key(&place) {
            found.never.push(id.clone());
        }
        for event in events {
            let state = event.progress.state;
            if state != State::Done {
                found.open.push(Open { id: id.clone(), event: event.id, state });
            }
            if let Some(why) = attempts(store, tx, event).await? {
                let doubled = Doubled { id: id.clone(), events: vec![event.id], why };
                if why == Why::Lost {
                    found.perhaps.push(doubled)
                } else {
                    found.doubled.push(doubled)
                }
            }
            let twin = event.twin.as_ref().and_then(|twin| twins.get(&**twin));
            if let Some(events) =
                twin.filter(|events| events.len() > 1 && told.insert((*events).clone()))
            {
                let events = events.iter().copied().collect();
                found.doubled.push(Doubled { id: id.clone(), events, why: Why::Twin });
            }
        }
    }
    Ok(found)
}

async fn by_key<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    args: &ReconcileArgs,
    ids: &[String],
) -> Result<Received, Failure> {
    if let Some(provider) = &args.provider {
        keys::check(provider, ids)?;
    }
    let mut received = Received { events: BTreeMap::new(), recorded: BTreeMap::new() };
    for (place, id) in ids.iter().enumerate() {
        let key = keys::key(id, args.provider.as_deref())
            .map_err(|error| Failure::of_kind("bad-list", error))?;
        let Some(found) = store.look_up(tx, &args.endpoint, &key).await? else { continue };
        received.recorded.insert(place, found.state);
        if let Some(event) = find::event(store, tx, found.id).await? {
            received.events.entry(place).or_default().push(event);
        }
    }
    Ok(received)
}

async fn by_subject<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    args: &ReconcileArgs,
    ids: &[String],
) -> Result<Received, Failure> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, id) in ids.iter().enumerate() {
        for subject in keys::subjects(id) {
            places.entry(subject).or_insert(place);
        }
    }
    let mut events: BTreeMap<usize, Vec<EventRow>> = BTreeMap::new();
    let selection = Selection::new().endpoint(args.endpoint.clone());
    find::each(store, tx, &selection, |event| {
        if let Some(place) = event.subject.as_deref().and_then(|subject| places.get(subject)) {
            events.entry(*place).or_default().push(event);
        }
    })
    .await?;
    Ok(Received { events, recorded: BTreeMap::new() })
}

/// The done events of every change that one of the received events tells, on all endpoints.
async fn twins<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    received: &Received,
) -> Result<HashMap<Box<str>, BTreeSet<EventId>>, StoreError> {
    let told = received.events.values().flatten().filter_map(|event| event.twin.clone());
    let mut twins: HashMap<Box<str>, BTreeSet<EventId>> =
        told.map(|twin| (twin, BTreeSet::new())).collect();
    if twins.is_empty() {
        return Ok(twins);
    }
    find::each(store, tx, &Selection::new().state(State::Done), |event| {
        if let Some(events) = event.twin.as_ref().and_then(|twin| twins.get_mut(twin)) {
            events.insert(event.id);
        }
    })
    .await?;
    Ok(twins)
}

/// Whether the attempts at an event tell that it was done twice, or perhaps.
async fn attempts<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    event: &EventRow,
) -> Result<Option<Why>, StoreError> {
    if event.progress.replays == 0 && event.progress.attempts < 2 {
        return Ok(None);
    }
    let attempts = store.attempts(tx, event.id).await?;
    let done = attempts.iter().filter(|attempt| attempt.outcome == AttemptOutcome::Done).count();
    let lost = attempts.iter().any(|attempt| attempt.outcome == AttemptOutcome::Lost);
    Ok(match done {
        0 => None,
        1 => lost.then_some(Why::Lost),
        _ => Some(Why::Attempts),
    })
}
