//! What is to be recorded: a verified delivery and its events.

use bytes::Bytes;
use hookproof::{Event, EventError, Trust, UnixTime, Verified};
use http::{HeaderMap, Method};

use crate::delivery::DeliveryRow;
use crate::event::{EventRow, kind, name};
use crate::id::{DeliveryId, Digest, EndpointId, EventId, Key};
use crate::progress::Progress;
use crate::stream::Version;

/// When the events of a batch are worked on.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "callers choose one of two, and stores must know both")]
pub enum Work {
    /// In the caller's transaction: a new event is done when the transaction commits.
    ///
    /// The delivery is stored only with what is parked: an event without usable identity, or a conflict.
    Here,
    /// Later, by whoever claims the event. The delivery is stored, unless all of it was recorded before.
    Later,
}

/// A verified delivery and its events, ready to be recorded.
///
/// ```
/// use hookproof::{providers::HUBSPOT, testing::{NOW, Sender}};
/// use hookproof_inbox::{Batch, EndpointId};
///
/// let body = br#"[{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation",
///     "attemptNumber":0,"objectId":5}, {"no":"identity"}]"#;
/// let sent = Sender::new(&HUBSPOT).send(body)?;
/// let batch = Batch::read(EndpointId::new("crm")?, &sent.verified().as_verified(), NOW);
/// assert_eq!(batch.entries().len(), 2);
/// assert!(batch.entries()[0].event().is_some());
/// assert!(batch.entries()[1].error().is_some(), "kept with the rest, and parked");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    endpoint: EndpointId,
    provider: Box<str>,
    received_at: UnixTime,
    method: Option<Method>,
    url: Option<Box<str>>,
    headers: HeaderMap,
    body: Bytes,
    body_digest: Digest,
    entries: Vec<Entry>,
}

impl Batch {
    /// Reads the events of a delivery. An event without usable identity becomes a faulty entry: the delivery is genuine,
    /// and nothing of it is to be lost. The body of an owned proof is shared, that of another is copied.
    #[must_use]
    pub fn read(endpoint: EndpointId, verified: &Verified<'_>, received_at: UnixTime) -> Self {
        let provider = verified.provider().info().id;
        let body = verified.body();
        let body_digest = Digest::of(body);
        let entries = match verified.events() {
            Ok(events) => events
                .zip(0..)
                .map(|(event, index)| match event {
                    Ok(event) => Entry::read(&event, index),
                    Err(error) => Entry::faulty(error, index, body_digest),
                })
                .collect(),
            Err(error) => vec![Entry::faulty(error, 0, body_digest)],
        };
        let delivery = verified.delivery();
        Self {
            endpoint,
            provider: provider.into(),
            received_at,
            method: delivery.head().method().cloned(),
            url: delivery.head().url().map(Into::into),
            headers: verified.headers().clone(),
            body: verified.to_body(),
            body_digest,
            entries,
        }
    }

    /// A delivery that some other verifier vouches for, with no entry yet.
    ///
    /// The events of such a delivery are added with [`with_entry`](Self::with_entry).
    #[must_use]
    pub fn unread(
        endpoint: EndpointId,
        provider: impl Into<Box<str>>,
        received_at: UnixTime,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let body_digest = Digest::of(&body);
        Self {
            endpoint,
            provider: provider.into(),
            received_at,
            method: None,
            url: None,
            headers,
            body,
            body_digest,
            entries: Vec::new(),
        }
    }

    /// With one more entry.
    #[must_use]
    pub fn with_entry(mut self, mut entry: Entry) -> Self {
        entry.index = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(entry);
        self
    }

    /// The endpoint.
    #[must_use]
    pub const fn endpoint(&self) -> &EndpointId {
        &self.endpoint
    }

    /// The id of the sender.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// When the delivery arrived.
    #[must_use]
    pub const fn received_at(&self) -> UnixTime {
        self.received_at
    }

    /// The method, where it was given to the verifier.
    #[must_use]
    pub const fn method(&self) -> Option<&Method> {
        self.method.as_ref()
    }

    /// The URL, where it was given to the verifier.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The headers.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The raw body.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// The digest of the raw body.
    #[must_use]
    pub const fn body_digest(&self) -> Digest {
        self.body_digest
    }

    /// The events, in the order of the body.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the delivery itself is stored, if at least one of its entries is inserted.
    #[must_use]
    pub fn is_stored(&self, work: Work) -> bool {
        work == Work::Later || self.entries.iter().any(|entry| entry.problem().is_some())
    }

    /// This delivery with other entries.
    pub(crate) fn with_entries(&self, entries: Vec<Entry>) -> Self {
        Self { entries, ..self.clone() }
    }

    /// The delivery as a row.
    #[must_use]
    pub fn to_row(&self, id: DeliveryId) -> DeliveryRow {
        DeliveryRow {
            id,
            endpoint: self.endpoint.clone(),
            provider: self.provider.clone(),
            received_at: self.received_at,
            method: self.method.clone(),
            url: self.url.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
        }
    }

    /// An entry of this batch as a row that is worked on later.
    #[must_use]
    pub fn to_event_row(
        &self,
        entry: &Entry,
        id: EventId,
        delivery: DeliveryId,
        now: UnixTime,
    ) -> EventRow {
        let progress = match entry.problem() {
            None => Progress::waiting(now),
            Some(problem) => Progress::faulty(&problem, now),
        };
        let mut row =
            EventRow::new(id, self.endpoint.clone(), delivery, self.received_at, progress);
        row.index = entry.index;
        row.key = entry.key().cloned();
        if let Some(event) = entry.event() {
            row.kind = event.kind.clone();
            row.subject = event.subject.clone();
            row.stream = event.stream.clone();
            row.order = event.order;
            row.twin = event.twin.clone();
        }
        row
    }
}

/// One entry of a batch: an event, or what could not be read as one.
#[derive(Clone, Debug)]
pub struct Entry {
    index: u32,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Event(Box<NewEvent>),
    /// An event whose key is stored with other content, under a key of its own.
    Conflict(Box<NewEvent>, EventId),
    /// What could not be read, under a key of its own, so that a copy of it is not kept again.
    Faulty(EventError, Key),
}

impl Entry {
    /// An entry with an event.
    #[must_use]
    pub fn new(event: NewEvent) -> Self {
        Self { index: 0, what: What::Event(Box::new(event)) }
    }

    fn read(event: &Event<'_>, index: u32) -> Self {
        let key = match event.key().map(Key::new) {
            None => None,
            Some(Ok(key)) => Some(key),
            // The verifier's keys are percent-encoded and bounded by the same number.
            Some(Err(_)) => Key::new(name(event.key().unwrap_or_default())).ok(),
        };
        let mut new = NewEvent::new(key, Digest::from_bytes(event.content_digest()));
        new.unsigned = event.key_trust() == Trust::UnsignedHeader;
        new.kind = event.kind().map(kind);
        new.subject = event.subject().map(name);
        new.stream = event.stream().map(name);
        new.order = event.order().map(Version::from);
        new.twin = event.twin().map(name);
        Self { index, what: What::Event(Box::new(new)) }
    }

    fn faulty(error: EventError, index: u32, body: Digest) -> Self {
        let key = Key::of_problem(&format!("~faulty/{body}/{index}"));
        Self { index, what: What::Faulty(error, key) }
    }

    /// This entry, kept apart from the event that is stored under its key with other content.
    pub(crate) fn conflict(&self, with: EventId) -> Option<Self> {
        let mut event = self.event()?.clone();
        let key = event.key.take()?;
        event.key = Some(Key::of_problem(&format!("{key}~{}", event.content)));
        // The notice of equal bytes was for the event itself to give.
        event.unsigned = false;
        Some(Self { index: self.index, what: What::Conflict(Box::new(event), with) })
    }

    /// The place of the entry in the delivery.
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> Option<&NewEvent> {
        match &self.what {
            What::Event(event) | What::Conflict(event, _) => Some(event),
            What::Faulty(..) => None,
        }
    }

    /// Why there is no usable event.
    #[must_use]
    pub const fn error(&self) -> Option<EventError> {
        match &self.what {
            What::Event(_) | What::Conflict(..) => None,
            What::Faulty(error, _) => Some(*error),
        }
    }

    /// Why the entry is parked when it is recorded, in one sentence; `None` if there is nothing against working on it.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match &self.what {
            What::Event(_) => None,
            What::Conflict(_, with) => {
                Some(format!("event {with} is stored under the same key with other content"))
            }
            What::Faulty(error, _) => Some(error.to_string()),
        }
    }

    /// The key under which the entry is recorded, if it has one: that of its event, or one of its own if there is a
    /// [`problem`](Self::problem) with it.
    #[must_use]
    pub fn key(&self) -> Option<&Key> {
        match &self.what {
            What::Event(event) | What::Conflict(event, _) => event.key.as_ref(),
            What::Faulty(_, key) => Some(key),
        }
    }
}

/// An event to be recorded.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct NewEvent {
    /// The key; `None` if nothing tells two events of this kind apart: it is new every time.
    pub key: Option<Key>,
    /// The digest of its own bytes without what the sender changes on a retry.
    pub content: Digest,
    /// The key is from a header that is not signed: a replay may arrive under another one.
    pub unsigned: bool,
    /// The kind.
    pub kind: Option<Box<str>>,
    /// What it is about.
    pub subject: Option<Box<str>>,
    /// What its order holds within.
    pub stream: Option<Box<str>>,
    /// Its place in the order of the stream.
    pub order: Option<Version>,
    /// The key of the change, where one change can arrive under two ids.
    pub twin: Option<Box<str>>,
}

impl NewEvent {
    /// An event with this key and this content.
    #[must_use]
    pub const fn new(key: Option<Key>, content: Digest) -> Self {
        Self {
            key,
            content,
            unsigned: false,
            kind: None,
            subject: None,
            stream: None,
            order: None,
            twin: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use hookproof::providers::{GITHUB, HUBSPOT, STRIPE};
    use hookproof::testing::{NOW, Sender};

    use super::*;

    fn read(sender: &Sender, body: &[u8]) -> Batch {
        let sent = sender.send(body).unwrap();
        Batch::read(EndpointId::new("e").unwrap(), &sent.verified().as_verified(), NOW)
    }

    #[test]
    fn an_event_brings_what_the_verifier_read() {
        let body = br#"{"id":"evt_1","type":"invoice.paid","created":1700000000,"data":{"object":{"id":"in_1"}}}"#;
        let batch = read(&Sender::new(&STRIPE), body);
        let event = batch.entries()[0].event().unwrap();
        assert_eq!(event.key.as_ref().unwrap().as_str(), "stripe/evt_1");
        assert_eq!(event.content, Digest::of(body));
        assert_eq!(event.kind.as_deref(), Some("invoice.paid"));
        assert_eq!(event.order, Some(Version::secs(1_700_000_000)));
        assert!(!event.unsigned);
        assert!(!batch.is_stored(Work::Here));
        assert!(batch.is_stored(Work::Later));
        let github = read(&Sender::new(&GITHUB).id("1-2-3"), b"{}");
        assert!(github.entries()[0].event().unwrap().unsigned);
    }

    #[test]
    fn a_batch_has_what_was_verified() {
        let url = "https://example.com/hooks?a=%20";
        let batch = read(&Sender::new(&HUBSPOT).target(Method::PUT, url), b"[]");
        assert_eq!((batch.endpoint().as_str(), batch.provider()), ("e", "hubspot"));
        assert_eq!((batch.method(), batch.url()), (Some(&Method::PUT), Some(url)));
        assert_eq!((&batch.body()[..], batch.received_at()), (&b"[]"[..], NOW));
        assert_eq!(batch.body_digest(), Digest::of(b"[]"));
        assert!(batch.headers().contains_key("x-hubspot-signature-v3"));
        let row = batch.to_row(DeliveryId::from_u64(7));
        assert_eq!((row.id, row.endpoint.as_str()), (DeliveryId::from_u64(7), "e"));
        assert_eq!((&*row.provider, row.received_at), ("hubspot", NOW));
        assert_eq!((row.method, row.url.as_deref()), (Some(Method::PUT), Some(url)));
        assert_eq!((row.headers, &row.body), (batch.headers().clone(), batch.body()));
    }

    #[test]
    fn the_body_of_an_owned_proof_is_not_copied() {
        let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_1","type":"x"}"#).unwrap();
        let owned = sent.verified();
        let batch = Batch::read(EndpointId::new("e").unwrap(), &owned.as_verified(), NOW);
        assert_eq!(batch.body().as_ptr(), owned.body().as_ptr());
        let again = owned.as_verified().into_owned();
        assert_eq!(again.body().as_ptr(), owned.body().as_ptr());
    }

    #[test]
    fn entries_know_their_places() {
        let good = r#"{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":5}"#;
        let batch = read(&Sender::new(&HUBSPOT), format!("[{good},7,{good}]").as_bytes());
        let batch = batch.with_entry(Entry::new(NewEvent::new(None, Digest::of(b""))));
        let places: Vec<u32> = batch.entries().iter().map(Entry::index).collect();
        assert_eq!(places, [0, 1, 2, 3]);
    }

    #[test]
    fn an_event_row_has_what_the_event_has() {
        let mut event = NewEvent::new(Some(Key::new("k").unwrap()), Digest::of(b"1"));
        event.kind = Some("kind".into());
        event.subject = Some("subject".into());
        event.stream = Some("stream".into());
        event.order = Some(Version::millis(5));
        event.twin = Some("twin".into());
        let batch = Batch::unread(
            EndpointId::new("e").unwrap(),
            "sender",
            UnixTime::from_secs(1),
            HeaderMap::new(),
            Bytes::new(),
        )
        .with_entry(Entry::new(event.clone()))
        .with_entry(Entry::new(event.clone()));
        let ids = (EventId::from_u64(2), DeliveryId::from_u64(3));
        let row = batch.to_event_row(&batch.entries()[1], ids.0, ids.1, UnixTime::from_secs(9));
        assert_eq!((row.id, row.delivery, row.index), (ids.0, ids.1, 1));
        assert_eq!((row.endpoint.as_str(), row.received_at), ("e", UnixTime::from_secs(1)));
        assert_eq!((row.key, row.kind, row.subject), (event.key, event.kind, event.subject));
        assert_eq!((row.stream, row.order, row.twin), (event.stream, event.order, event.twin));
        assert_eq!(row.progress, Progress::waiting(UnixTime::from_secs(9)));
    }

    #[test]
    fn one_bad_element_is_kept_beside_the_others() {
        let good = r#"{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":5}"#;
        let batch = read(&Sender::new(&HUBSPOT), format!("[{good},7,{good}]").as_bytes());
        let faulty: Vec<bool> =
            batch.entries().iter().map(|entry| entry.error().is_some()).collect();
        assert_eq!(faulty, [false, true, false]);
        assert!(batch.is_stored(Work::Here), "for the faulty one");
        let row = batch.to_event_row(
            &batch.entries()[1],
            EventId::from_u64(2),
            DeliveryId::from_u64(1),
            NOW,
        );
        assert_eq!((row.progress.state, row.index), (crate::State::Parked, 1));
        assert!(row.progress.error.unwrap().contains("hubspot"));
    }

    #[test]
    fn a_body_that_cannot_be_read_is_one_faulty_entry() {
        let batch = read(&Sender::new(&HUBSPOT), b"{}");
        assert_eq!(batch.entries().len(), 1);
        assert!(batch.entries()[0].error().is_some());
    }

    #[test]
    fn hostile_texts_do_not_reach_the_database() {
        let body = format!(
            r#"{{"id":"evt_1","type":"a\u0000b","data":{{"object":{{"id":"{}"}}}}}}"#,
            "x".repeat(5000)
        );
        let batch = read(&Sender::new(&STRIPE), body.as_bytes());
        let event = batch.entries()[0].event().unwrap();
        assert_eq!(event.kind.as_deref(), Some("a\u{fffd}b"));
        assert!(event.subject.as_ref().unwrap().starts_with("sha256:"));
    }
}
