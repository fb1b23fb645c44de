//! Identity rules as data: which fields of a delivery make an event's key, subject and order, and what they are worth.
//!
//! The rules are read by `events()`; see the feature `events`.

/// How far a value can be trusted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Trust {
    /// Composed of several signed fields, since the sender gives no id.
    Composite,
    /// A digest of the event's own signed bytes, since they hold no id.
    Content,
    /// One field of the signed body.
    SignedBody,
    /// One signed header.
    SignedHeader,
    /// A member of a body that the signature does not cover.
    UnsignedBody,
    /// A header that is not signed: whoever replays a delivery can change it.
    UnsignedHeader,
}

impl Trust {
    /// The trust as a kebab-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Composite => "composite",
            Self::Content => "content",
            Self::SignedBody => "signed-body",
            Self::SignedHeader => "signed-header",
            Self::UnsignedBody => "unsigned-body",
            Self::UnsignedHeader => "unsigned-header",
        }
    }
}

/// What the body of a delivery is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Document {
    /// A URL-encoded form, one event.
    Form,
    /// A JSON value, one event.
    Json,
    /// A JSON array with one event an element.
    JsonArray,
}

/// Where a field stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Place {
    /// A member of the body: names joined by `/`, or the name of a form's field.
    Body(&'static str),
    /// A header, by its lower-case name.
    Header(&'static str),
    /// A header of the family that is present, by its name in each family, in the order of the record's families.
    FamilyHeader(&'static [&'static str]),
}

/// What a field of the body must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ValueKind {
    /// `true` or `false`.
    Boolean,
    /// A text, of which the first 32 hex digits of its SHA-256 are taken.
    Digest,
    /// An integer, taken as its canonical decimal.
    Number,
    /// An integer or a text.
    NumberOrText,
    /// A list of integers, joined by commas.
    Numbers,
    /// A text.
    Text,
}

/// A field of a delivery.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Field {
    pub(crate) place: Place,
    pub(crate) kind: ValueKind,
    pub(crate) required: bool,
    pub(crate) cut: Option<u8>,
    pub(crate) trust: Trust,
    pub(crate) unless: &'static [&'static str],
}

impl Field {
    const fn new(place: Place, trust: Trust) -> Self {
        Self { place, kind: ValueKind::Text, required: true, cut: None, trust, unless: &[] }
    }

    /// A text member of the signed body, by its path: names joined by `/`.
    #[must_use]
    pub const fn body(path: &'static str) -> Self {
        Self::new(Place::Body(path), Trust::SignedBody)
    }

    /// A header that is not signed, by its lower-case name.
    #[must_use]
    pub const fn header(name: &'static str) -> Self {
        Self::new(Place::Header(name), Trust::UnsignedHeader)
    }

    /// A header of the family that is present, by its name in each family; signed or not.
    #[must_use]
    pub const fn family_header(names: &'static [&'static str], trust: Trust) -> Self {
        Self::new(Place::FamilyHeader(names), trust)
    }

    /// With another kind than text.
    #[must_use]
    pub const fn kind(mut self, kind: ValueKind) -> Self {
        self.kind = kind;
        self
    }

    /// May be absent: its slot in a key is then empty.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Only what stands before this ASCII character.
    #[must_use]
    pub const fn before(mut self, end: u8) -> Self {
        self.cut = Some(end);
        self
    }

    /// An empty slot in the keys of events of these kinds.
    #[must_use]
    pub const fn unless_kind(mut self, kinds: &'static [&'static str]) -> Self {
        self.unless = kinds;
        self
    }
}

/// The unit of an order.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum OrderUnit {
    /// Microseconds since 1970.
    Micros,
    /// Milliseconds since 1970.
    Millis,
    /// Seconds since 1970.
    Seconds,
}

impl OrderUnit {
    /// The unit's short word: `us`, `ms` or `s`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Micros => "us",
            Self::Millis => "ms",
            Self::Seconds => "s",
        }
    }
}

/// How an order is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum OrderFormat {
    /// An integer in this unit.
    Number(OrderUnit),
    /// An integer in this unit, or a time by RFC 3339.
    NumberOrRfc3339(OrderUnit),
    /// A time by RFC 3339, taken in microseconds; further digits are cut.
    Rfc3339,
}

/// The identity rules of a sender.
///
/// ```
/// use hookproof::{Document, Field, Identity};
/// // One event a delivery, its id in the signed body.
/// const IDENTITY: Identity = Identity::new(Document::Json, &[Field::body("id")]).kind(Field::body("type"));
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "events"),
    allow(dead_code, reason = "the rules are data, read with the feature `events`")
)]
pub struct Identity {
    pub(crate) document: Document,
    pub(crate) key: &'static [Field],
    pub(crate) one_of: &'static [&'static str],
    pub(crate) keyed_kinds: Option<&'static [&'static str]>,
    pub(crate) agrees: Option<&'static str>,
    pub(crate) kind: Option<Field>,
    pub(crate) tenant: Option<Field>,
    pub(crate) subject: &'static [&'static [Field]],
    pub(crate) stream: Option<Field>,
    pub(crate) order: &'static [(Field, OrderFormat)],
    pub(crate) attempt: Option<Field>,
    pub(crate) twin: bool,
    pub(crate) retry_members: &'static [&'static str],
}

impl Identity {
    /// Rules by which these fields make the key.
    #[must_use]
    pub const fn new(document: Document, key: &'static [Field]) -> Self {
        Self {
            document,
            key,
            one_of: &[],
            keyed_kinds: None,
            agrees: None,
            kind: None,
            tenant: None,
            subject: &[],
            stream: None,
            order: &[],
            attempt: None,
            twin: false,
            retry_members: &[],
        }
    }

    /// At least one of these members of the body must be there for a key.
    #[must_use]
    pub const fn one_of(mut self, paths: &'static [&'static str]) -> Self {
        self.one_of = paths;
        self
    }

    /// Only events of these kinds have a key: nothing tells two events of the other kinds apart.
    #[must_use]
    pub const fn keyed_kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.keyed_kinds = Some(kinds);
        self
    }

    /// This unsigned header repeats the key's first field, and must agree with it where it is present.
    #[must_use]
    pub const fn agrees(mut self, header: &'static str) -> Self {
        self.agrees = Some(header);
        self
    }

    /// The kind of an event.
    #[must_use]
    pub const fn kind(mut self, field: Field) -> Self {
        self.kind = Some(field);
        self
    }

    /// The account, shop or portal to which an event belongs.
    #[must_use]
    pub const fn tenant(mut self, field: Field) -> Self {
        self.tenant = Some(field);
        self
    }

    /// What an event is about: slots, each with its alternatives in order.
    #[must_use]
    pub const fn subject(mut self, slots: &'static [&'static [Field]]) -> Self {
        self.subject = slots;
        self
    }

    /// What the order holds within, beside the subject.
    #[must_use]
    pub const fn stream(mut self, field: Field) -> Self {
        self.stream = Some(field);
        self
    }

    /// The order of events of one stream, with its alternatives in order.
    #[must_use]
    pub const fn order(mut self, alternatives: &'static [(Field, OrderFormat)]) -> Self {
        self.order = alternatives;
        self
    }

    /// Which attempt of delivery it is.
    #[must_use]
    pub const fn attempt(mut self, field: Field) -> Self {
        self.attempt = Some(field);
        self
    }

    /// One change can arrive under two ids, which subject and kind tell.
    #[must_use]
    pub const fn twin(mut self) -> Self {
        self.twin = true;
        self
    }

    /// Members of an event that the sender changes on a retry.
    #[must_use]
    pub const fn retry_members(mut self, names: &'static [&'static str]) -> Self {
        self.retry_members = names;
        self
    }

    /// How far the key can be trusted: not at all if one of its fields is an unsigned header, else as its one required
    /// field, or as composed of several.
    #[must_use]
    pub const fn key_trust(&self) -> Trust {
        let mut trust = Trust::Composite;
        let mut required = 0;
        let mut rest = self.key;
        while let [field, others @ ..] = rest {
            if matches!(field.trust, Trust::UnsignedHeader) {
                return Trust::UnsignedHeader;
            }
            if field.required {
                trust = field.trust;
                required += 1;
            }
            rest = others;
        }
        if required == 1 { trust } else { Trust::Composite }
    }
}
