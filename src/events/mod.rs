//! What a verified delivery says: its events, and the key, subject and order of each.

mod content;
mod error;
pub(crate) mod json;
mod key;
mod reader;
mod time;

use core::fmt;
use core::iter::FusedIterator;
use core::time::Duration;

pub use error::{EventError, EventErrorKind};
pub use key::key_parts;

use reader::{Element, Reader};

use crate::evidence::Coverage;
use crate::identity::{Document, Identity, OrderUnit, Place, Trust};
use crate::verified::{Verified, VerifiedBuf};

/// The most events of one batch. Senders stay below: HubSpot sends up to 100.
const MAX_EVENTS: usize = 1000;

/// The text or the integer at this path of a JSON object, where there is exactly one.
#[cfg(feature = "_read")]
pub(crate) fn member(body: &[u8], path: &'static str) -> Option<String> {
    let members = json::Members::read(json::text(body)?, core::iter::once(path))?;
    match members.at(path) {
        json::Member::Value(value) if json::is_integer(value) => Some(value.to_owned()),
        json::Member::Value(value) => json::decoded(value),
        _ => None,
    }
}

impl<'a> Verified<'a> {
    /// The events of this delivery, one for most senders, one an element for those that send batches.
    ///
    /// The identity is read from the verified bytes and headers by the sender's rules, without building a tree of the
    /// body. What the key does not need is absent where the body does not have it.
    ///
    /// ```
    /// use hookproof::{providers::STRIPE, testing::Sender};
    ///
    /// let body = br#"{"id":"evt_1","type":"invoice.paid","created":1700000000,"data":{"object":{"id":"in_1"}}}"#;
    /// let sent = Sender::new(&STRIPE).send(body)?;
    /// for event in sent.verified().events()? {
    ///     let event = event?;
    ///     assert_eq!(event.key(), Some("stripe/evt_1"));
    ///     assert_eq!(event.kind(), Some("invoice.paid"));
    ///     assert_eq!(event.subject(), Some("in_1"));
    ///     assert_eq!(event.order().map(|order| order.value()), Some(1_700_000_000));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`MalformedBody`](EventErrorKind::MalformedBody) if the body is not what the sender documents, or a batch has more
    /// than 1,000 events. Faults of one event come from the iterator, so that one bad element of a batch neither loses
    /// nor holds back the others.
    pub fn events(&self) -> Result<Events<'a>, EventError> {
        let provider = self.provider().info().id;
        let malformed =
            |problem| EventError::new(EventErrorKind::MalformedBody, provider, "", problem);
        let Some(identity) = self.provider().info().identity else {
            return Err(malformed("has no identity by the rules of this sender"));
        };
        let elements = match identity.document {
            Document::Form | Document::Json => vec![self.body()],
            Document::JsonArray => json::text(self.body())
                .and_then(|text| json::elements(text, MAX_EVENTS))
                .ok_or_else(|| malformed("is not a list of at most 1,000 events"))?
                .into_iter()
                .map(str::as_bytes)
                .collect(),
        };
        Ok(Events { verified: *self, identity, elements: elements.into_iter() })
    }
}

#[cfg(feature = "metrics")]
impl Verified<'_> {
    /// How often the sender had tried before, the highest of a batch; `None` without reading where it does not say so.
    pub(crate) fn attempt(&self) -> Option<u64> {
        self.provider().info().identity?.attempt?;
        self.events().ok()?.filter_map(|event| event.ok()?.attempt()).max()
    }
}

impl VerifiedBuf {
    /// The events of this delivery; see [`Verified::events`].
    ///
    /// # Errors
    ///
    /// As [`Verified::events`].
    pub fn events(&self) -> Result<Events<'_>, EventError> {
        self.as_verified().events()
    }
}

/// The events of a delivery, in the order of the body; see [`Verified::events`].
#[derive(Clone)]
pub struct Events<'a> {
    verified: Verified<'a>,
    identity: Identity,
    elements: std::vec::IntoIter<&'a [u8]>,
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("left", &self.elements.len()).finish_non_exhaustive()
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Event<'a>, EventError>;

    fn next(&mut self) -> Option<Self::Item> {
        let raw = self.elements.next()?;
        Some(self.read(raw))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl ExactSizeIterator for Events<'_> {}

impl FusedIterator for Events<'_> {}

impl<'a> Events<'a> {
    fn read(&self, raw: &'a [u8]) -> Result<Event<'a>, EventError> {
        let provider = self.verified.provider().info().id;
        let fail = |(kind, field, problem)| EventError::new(kind, provider, field, problem);
        let reader = Reader {
            identity: &self.identity,
            headers: self.verified.headers(),
            family: self.verified.family(),
            element: self.element(raw).ok_or_else(|| {
                fail((EventErrorKind::MalformedBody, "", "is not JSON as the sender documents it"))
            })?,
        };
        let kind = reader.text(self.identity.kind);
        let key = reader.key(provider, kind.as_deref()).map_err(fail)?;
        let subject = reader.subject();
        let parts = |more: Option<&str>| {
            let parts = subject.iter().flatten().map(String::as_bytes);
            key::join(parts.chain(more.map(str::as_bytes)))
        };
        let twin = match (&subject, &kind, self.identity.twin) {
            (Some(_), Some(kind), true) => {
                Some(format!("{}/{}", key::join([provider.as_bytes()]), parts(Some(kind))))
            }
            _ => None,
        };
        let within = reader.text(self.identity.stream);
        Ok(Event {
            key,
            twin,
            stream: subject.as_ref().map(|_| parts(within.as_deref())),
            subject: subject.as_ref().map(|_| parts(None)),
            tenant: reader.text(self.identity.tenant),
            order: reader.order(),
            attempt: reader.attempt(),
            kind,
            raw,
            identity: self.identity,
            body_is_signed: matches!(
                self.verified.coverage(),
                Coverage::Body | Coverage::BodyAndTarget
            ),
        })
    }

    /// What the rules read from; `None` if the key needs a body and this is none.
    fn element(&self, raw: &'a [u8]) -> Option<Element<'a>> {
        if self.identity.document == Document::Form {
            return Some(Element::Form(raw));
        }
        let members = json::text(raw).and_then(|text| json::Members::read(text, self.paths()));
        let needed = self.identity.key.iter().any(|field| matches!(field.place, Place::Body(_)));
        match members {
            Some(members) => Some(Element::Members(members)),
            None if needed => None,
            None => Some(Element::Nothing),
        }
    }

    /// Every path of the body that the rules name.
    fn paths(&self) -> impl Iterator<Item = &'static str> {
        let identity = self.identity;
        let single = [identity.kind, identity.tenant, identity.stream, identity.attempt]
            .into_iter()
            .flatten();
        let fields = identity.key.iter().copied().chain(single);
        let fields = fields.chain(identity.subject.iter().copied().flatten().copied());
        let fields = fields.chain(identity.order.iter().map(|(field, _)| *field));
        let paths = fields.filter_map(|field| match field.place {
            Place::Body(path) => Some(path),
            _ => None,
        });
        paths.chain(identity.one_of.iter().copied())
    }
}

/// One event of a delivery.
#[derive(Clone)]
pub struct Event<'a> {
    key: Option<String>,
    twin: Option<String>,
    kind: Option<String>,
    tenant: Option<String>,
    subject: Option<String>,
    stream: Option<String>,
    order: Option<Order>,
    attempt: Option<u64>,
    raw: &'a [u8],
    identity: Identity,
    body_is_signed: bool,
}

impl<'a> Event<'a> {
    /// The de-duplication key: equal for every delivery of this event to one endpoint, and different for every other
    /// event. `None` where the sender gives nothing that tells two events of this kind apart: fetch the object, then
    /// write idempotently.
    ///
    /// Scope it by endpoint: two endpoints of one account may get the same key. Its parts are percent-encoded and joined
    /// by `/`, the sender's id first; see [`key_parts`].
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// How far the key can be trusted. An unsigned key stops accidental duplicates, not a replay under another id.
    #[must_use]
    pub fn key_trust(&self) -> Trust {
        self.worth(self.identity.key_trust())
    }

    /// The key of the change rather than of the event, where one change can arrive under two ids.
    #[must_use]
    pub fn twin(&self) -> Option<&str> {
        self.twin.as_deref()
    }

    /// The kind, such as `invoice.paid`.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// How far the kind can be trusted; `None` where the sender gives none.
    #[must_use]
    pub fn kind_trust(&self) -> Option<Trust> {
        self.identity.kind.map(|field| self.worth(field.trust))
    }

    /// The account, shop or portal to which the event belongs.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// How far the tenant can be trusted; `None` where the sender gives none.
    #[must_use]
    pub fn tenant_trust(&self) -> Option<Trust> {
        self.identity.tenant.map(|field| self.worth(field.trust))
    }

    /// What the event is about. Its parts are percent-encoded and joined by `/`, like those of a key.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// How far the subject can be trusted: as far as its least trustworthy part; `None` where the sender gives none.
    #[must_use]
    pub fn subject_trust(&self) -> Option<Trust> {
        let fields = self.identity.subject.iter().copied().flatten();
        let trusts = fields.map(|field| self.worth(field.trust));
        trusts.reduce(|first, trust| if first == Trust::SignedBody { trust } else { first })
    }

    /// What the order holds within: the subject, or a property of it.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        self.stream.as_deref()
    }

    /// The place in the order of the stream. Equal places are ties, not duplicates.
    #[must_use]
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// Which attempt of delivery this is, as the sender counts.
    #[must_use]
    pub fn attempt(&self) -> Option<u64> {
        self.attempt
    }

    /// The event's own bytes: the body, or one element of it.
    #[must_use]
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// A digest of the event's bytes without what the sender changes on a retry: equal for two deliveries of one event,
    /// different where one key comes with another content.
    ///
    /// SHA-256 over the bytes; for senders that change members on a retry, over the names and value texts of the other
    /// top-level members, in order, each after its length.
    #[must_use]
    pub fn content_digest(&self) -> [u8; 32] {
        content::digest(self.raw, self.identity.retry_members)
    }

    fn worth(&self, trust: Trust) -> Trust {
        match trust {
            Trust::UnsignedHeader | Trust::SignedHeader => trust,
            _ if self.body_is_signed => trust,
            _ => Trust::UnsignedBody,
        }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("key", &self.key)
            .field("kind", &self.kind)
            .field("subject", &self.subject)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

/// The place of an event in the order of its stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Order {
    value: i64,
    unit: OrderUnit,
}

impl Order {
    /// The value, in its unit, counted from 1970.
    #[must_use]
    pub const fn value(self) -> i64 {
        self.value
    }

    /// The unit.
    #[must_use]
    pub const fn unit(self) -> OrderUnit {
        self.unit
    }

    /// The grain: two events closer together than this can have equal values.
    #[must_use]
    pub const fn grain(self) -> Duration {
        match self.unit {
            OrderUnit::Micros => Duration::from_micros(1),
            OrderUnit::Millis => Duration::from_millis(1),
            OrderUnit::Seconds => Duration::from_secs(1),
        }
    }
}
