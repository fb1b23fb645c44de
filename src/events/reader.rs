//! Applies a sender's identity rules to one event.

use std::borrow::Cow;

use http::HeaderMap;
use sha2::{Digest, Sha256};

use crate::events::error::EventErrorKind;
use crate::events::json::{self, Member, Members};
use crate::events::{Order, key, time};
use crate::form;
use crate::header::trim;
use crate::identity::{Field, Identity, OrderFormat, OrderUnit, Place, ValueKind};

/// What an event is read from.
#[derive(Debug)]
pub(super) enum Element<'a> {
    Form(&'a [u8]),
    Members(Members<'a>),
    /// The body is not what the rules expect, and the key does not need it.
    Nothing,
}

/// One event, and the head of its delivery.
#[derive(Debug)]
pub(super) struct Reader<'r, 'a> {
    pub(super) identity: &'r Identity,
    pub(super) headers: &'a HeaderMap,
    /// The index of the header family that was verified.
    pub(super) family: usize,
    pub(super) element: Element<'a>,
}

/// A fault of a field that the key needs.
pub(super) type KeyFault = (EventErrorKind, &'static str, &'static str);

const MALFORMED: (EventErrorKind, &str) =
    (EventErrorKind::MalformedBody, "is not what the sender documents");
const REPEATED: (EventErrorKind, &str) = (EventErrorKind::RepeatedField, "is there more than once");
const MISSING: (EventErrorKind, &str) = (EventErrorKind::MissingField, "is missing or empty");
const MISMATCH: (EventErrorKind, &str) =
    (EventErrorKind::IdMismatch, "is not the id of the signed body");
const TOO_LONG: (EventErrorKind, &str) =
    (EventErrorKind::MalformedBody, "holds an identity longer than any sender's");

/// A field's value as it was found.
enum Found<'a> {
    Absent,
    Null,
    Faulty((EventErrorKind, &'static str)),
    Bytes(Cow<'a, [u8]>),
}

/// A value that the key does not need.
enum Soft {
    Absent,
    Faulty,
    Value(String),
}

impl<'a> Reader<'_, 'a> {
    /// The text of the key; `None` where events of this kind have none.
    pub(super) fn key(
        &self,
        provider: &str,
        kind: Option<&str>,
    ) -> Result<Option<String>, KeyFault> {
        let identity = self.identity;
        let keyed =
            identity.keyed_kinds.is_none_or(|kinds| kind.is_some_and(|kind| kinds.contains(&kind)));
        let mut fault = None;
        let mut filled = identity.one_of.is_empty();
        let mut parts: Vec<Cow<'_, [u8]>> = vec![Cow::Borrowed(provider.as_bytes())];
        for field in identity.key {
            let part = self.key_part(field, kind);
            if let Place::Body(path) = field.place
                && identity.one_of.contains(&path)
            {
                // A faulty one is there, too: its own fault is the one to report.
                filled |= part.as_ref().map_or(true, |part| !part.is_empty());
            }
            parts.push(part.unwrap_or_else(|problem| {
                // Without a key only what names the kind is needed.
                if keyed || identity.kind.is_some_and(|kind| kind.place == field.place) {
                    note(&mut fault, problem, self.name(field.place));
                }
                Cow::Borrowed(&[])
            }));
        }
        let text = key::join(parts.iter().map(AsRef::as_ref));
        if keyed {
            if !filled {
                note(&mut fault, MISSING, identity.one_of.first().copied().unwrap_or_default());
            }
            if text.len() > key::MAX_KEY {
                note(&mut fault, TOO_LONG, "");
            }
            self.note_agreement(parts.get(1).map(AsRef::as_ref).unwrap_or_default(), &mut fault);
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok(keyed.then_some(text)),
        }
    }

    fn key_part(
        &self,
        field: &Field,
        kind: Option<&str>,
    ) -> Result<Cow<'a, [u8]>, (EventErrorKind, &'static str)> {
        if kind.is_some_and(|kind| field.unless.contains(&kind)) {
            return Ok(Cow::Borrowed(&[]));
        }
        match self.found(field, field.kind) {
            Found::Bytes(bytes) if !bytes.is_empty() => Ok(bytes),
            Found::Faulty(problem) => Err(problem),
            Found::Null if field.required => Err(MALFORMED),
            _ if field.required => Err(MISSING),
            _ => Ok(Cow::Borrowed(&[])),
        }
    }

    fn note_agreement(&self, id: &[u8], fault: &mut Option<KeyFault>) {
        let Some(header) = self.identity.agrees else { return };
        match self.header(header) {
            Found::Bytes(bytes) if *bytes != *id => note(fault, MISMATCH, header),
            Found::Faulty(problem) => note(fault, problem, header),
            _ => {}
        }
    }

    /// A value that the key does not need: absent if anything is wrong with it.
    pub(super) fn text(&self, field: Option<Field>) -> Option<String> {
        self.first(field.as_slice())
    }

    /// The first of these fields that is there; a faulty one lets no other take its place.
    fn first(&self, fields: &[Field]) -> Option<String> {
        for field in fields {
            match self.soft(field, field.kind) {
                Soft::Absent => {}
                Soft::Faulty => return None,
                Soft::Value(text) => return Some(text),
            }
        }
        None
    }

    /// The parts of the subject, if all of them are there.
    pub(super) fn subject(&self) -> Option<Vec<String>> {
        let slots = self.identity.subject;
        let parts: Option<Vec<String>> =
            slots.iter().map(|alternatives| self.first(alternatives)).collect();
        parts.filter(|parts| !parts.is_empty())
    }

    pub(super) fn attempt(&self) -> Option<u64> {
        self.text(self.identity.attempt)?
            .parse()
            .ok()
            .filter(|attempt| *attempt < 1_000_000_000_000_000_000)
    }

    pub(super) fn order(&self) -> Option<Order> {
        for (field, format) in self.identity.order {
            let (number, text) = match format {
                OrderFormat::Number(unit) => {
                    (Some((*unit, self.soft(field, ValueKind::Number))), None)
                }
                OrderFormat::Rfc3339 => (None, Some(self.soft(field, ValueKind::Text))),
                OrderFormat::NumberOrRfc3339(unit) => (
                    Some((*unit, self.soft(field, ValueKind::Number))),
                    Some(self.soft(field, ValueKind::Text)),
                ),
            };
            match (number, text) {
                (Some((unit, Soft::Value(number))), _) => {
                    return small(&number).map(|value| Order { value, unit });
                }
                (_, Some(Soft::Value(text))) => {
                    return time::rfc3339_micros(&text)
                        .map(|value| Order { value, unit: OrderUnit::Micros });
                }
                (None | Some((_, Soft::Absent)), None | Some(Soft::Absent)) => {}
                _ => return None,
            }
        }
        None
    }

    fn soft(&self, field: &Field, kind: ValueKind) -> Soft {
        match self.found(field, kind) {
            Found::Absent | Found::Null => Soft::Absent,
            Found::Faulty(_) => Soft::Faulty,
            Found::Bytes(bytes) if bytes.is_empty() => Soft::Absent,
            Found::Bytes(bytes) => match String::from_utf8(bytes.into_owned()) {
                Ok(text) => Soft::Value(text),
                Err(_) => Soft::Faulty,
            },
        }
    }

    fn found(&self, field: &Field, kind: ValueKind) -> Found<'a> {
        let found = match (field.place, &self.element) {
            (Place::Header(_) | Place::FamilyHeader(_), _) => self.header(self.name(field.place)),
            (Place::Body(path), Element::Members(members)) => typed(members.at(path), kind),
            (Place::Body(name), Element::Form(body)) => {
                let mut values = form::values(body, name);
                match (values.next(), values.next()) {
                    (Some(value), None) => Found::Bytes(Cow::Owned(value)),
                    (None, _) => Found::Absent,
                    _ => Found::Faulty(REPEATED),
                }
            }
            (Place::Body(_), Element::Nothing) => Found::Absent,
        };
        match (found, field.cut) {
            (Found::Bytes(bytes), Some(end)) => {
                let head = bytes.split(|byte| *byte == end).next().unwrap_or_default();
                Found::Bytes(Cow::Owned(head.to_vec()))
            }
            (found, _) => found,
        }
    }

    /// The name of a place in messages and look-ups.
    fn name(&self, place: Place) -> &'static str {
        match place {
            Place::Body(name) | Place::Header(name) => name,
            Place::FamilyHeader(names) => names.get(self.family).copied().unwrap_or_default(),
        }
    }

    fn header(&self, name: &str) -> Found<'a> {
        let mut lines = self.headers.get_all(name).iter().map(|line| trim(line.as_bytes()));
        let Some(first) = lines.next() else { return Found::Absent };
        let rest = lines.fold(None, |blank, line| Some(blank.unwrap_or(true) && line.is_empty()));
        match rest {
            None | Some(true) if first.is_empty() => Found::Absent,
            None => Found::Bytes(Cow::Borrowed(first)),
            Some(_) => Found::Faulty(REPEATED),
        }
    }
}

/// The value of a member as bytes, if it is of this kind.
fn typed(member: Member<'_>, kind: ValueKind) -> Found<'_> {
    let text = match member {
        Member::Absent => return Found::Absent,
        Member::Misplaced { null: true } | Member::Value("null") => return Found::Null,
        Member::Misplaced { null: false } => return Found::Faulty(MALFORMED),
        Member::Repeated => return Found::Faulty(REPEATED),
        Member::Value(text) => text,
    };
    let owned = |text: String| Found::Bytes(Cow::Owned(text.into_bytes()));
    let string = || json::decoded(text).map_or(Found::Faulty(MALFORMED), owned);
    match kind {
        ValueKind::Boolean if matches!(text, "true" | "false") => {
            Found::Bytes(Cow::Borrowed(text.as_bytes()))
        }
        ValueKind::Number | ValueKind::NumberOrText if json::is_integer(text) => {
            Found::Bytes(Cow::Borrowed(text.as_bytes()))
        }
        ValueKind::Text | ValueKind::NumberOrText => string(),
        ValueKind::Digest => {
            json::decoded(text).map_or(Found::Faulty(MALFORMED), |text| owned(digest(&text)))
        }
        ValueKind::Numbers => json::integers(text).map_or(Found::Faulty(MALFORMED), owned),
        ValueKind::Boolean | ValueKind::Number => Found::Faulty(MALFORMED),
    }
}

/// The first 32 hex digits of SHA-256.
fn digest(text: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let [half, _] = digest.as_chunks::<16>().0 else { return String::new() };
    hex::encode(half)
}

/// An integer of at most 18 digits.
fn small(text: &str) -> Option<i64> {
    (text.trim_start_matches('-').len() <= 18).then(|| text.parse().ok())?
}

/// Keeps the first fault in order of precedence.
fn note(
    fault: &mut Option<KeyFault>,
    (kind, problem): (EventErrorKind, &'static str),
    field: &'static str,
) {
    if fault.is_none_or(|(first, ..)| kind < first) {
        *fault = Some((kind, field, problem));
    }
}
