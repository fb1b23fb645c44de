//! The target `key_text`: the text of keys goes both ways, and no two lists of parts have one.
//!
//! An input is a text that may be a key's and two lists of parts, with line feeds between the three. Zero bytes cut a list
//! into its parts, and a byte of value 1 stands for a zero byte in a part. Two private senders make keys of a list, one
//! from a form, one from JSON.

use core::fmt::Write as _;

use hookproof::testing::Sender;
use hookproof::{Document, Family, Field, Identity, Provider, Scheme, key_parts};

use crate::naive::Slip;
use crate::naive::key::{self, MAX_KEY};
use crate::{Finding, same};

/// The names of the fields; the first must be there.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const FIELDS: &[Field] = &[
    Field::body("a"),
    Field::body("b").optional(),
    Field::body("c").optional(),
    Field::body("d").optional(),
    Field::body("e").optional(),
];

static FORM: Scheme = Scheme::hmac_sha256("form-of-keys", "A form of keys")
    .families(&[Family::new("x-sign")])
    .identity(Identity::new(Document::Form, FIELDS))
    .build();

static JSON: Scheme = Scheme::hmac_sha256("json-of-keys", "JSON of keys")
    .families(&[Family::new("x-sign")])
    .identity(Identity::new(Document::Json, FIELDS))
    .build();

/// What a run saw: whether the text is a key's, and the keys of the two lists, or why there is none.
pub type Seen = (bool, [Made; 2]);

/// The text of a key, or the fault.
pub type Made = Result<String, &'static str>;

/// Runs the target.
///
/// # Errors
///
/// What contradicts a property.
pub fn run(data: &[u8]) -> Result<Seen, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What contradicts a property.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Seen, Finding> {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let mut next = || lines.next().unwrap_or_default();
    let (text, lists) = (next(), [next(), next()].map(parts));
    let is_key = match core::str::from_utf8(text) {
        Ok(text) => decoded(text, slip)?,
        Err(_) => false,
    };
    let first = made(&FORM, &lists[0], slip)?;
    let second = made(&FORM, &lists[1], slip)?;
    for list in &lists {
        if list.iter().all(|part| core::str::from_utf8(part).is_ok()) {
            let _ = made(&JSON, list, slip)?;
        }
    }
    let one_key = first.is_ok() && first == second;
    if one_key != (first.is_ok() && second.is_ok() && lists[0] == lists[1]) {
        return Err(format!(
            "{:?} and {:?} have the keys {first:?} and {second:?}",
            lists[0], lists[1]
        ));
    }
    Ok((is_key, [first, second]))
}

/// A part for each field; what is left over belongs to the last.
fn parts(line: &[u8]) -> Vec<Vec<u8>> {
    let byte = |byte: &u8| if *byte == 1 { 0 } else { *byte };
    let part = |part: &[u8]| part.iter().map(byte).collect();
    let mut parts: Vec<Vec<u8>> = line.splitn(NAMES.len(), |byte| *byte == 0).map(part).collect();
    parts.resize(NAMES.len(), Vec::new());
    parts
}

/// Whether a text is a key's. If so, its parts have that text and no other.
fn decoded(text: &str, slip: Slip) -> Result<bool, Finding> {
    let got = key_parts(text);
    same(|| format!("the parts of {text:?}"), &key::decode(text, slip), &got)?;
    if let Some(parts) = &got {
        same(
            || format!("the text of {parts:?}"),
            &text.to_owned(),
            &key::encode(parts, Slip::None),
        )?;
    }
    Ok(got.is_some())
}

/// The key that the library makes of these parts, held against the rule.
fn made(sender: &'static Scheme, parts: &[Vec<u8>], slip: Slip) -> Result<Made, Finding> {
    let id = sender.info().id;
    let body = if id == FORM.info().id { form(parts) } else { json(parts)? };
    let sent = Sender::new(sender).send(body.as_bytes()).map_err(|error| error.to_string())?;
    let mut events = sent.verified().events().map_err(|error| error.to_string())?;
    let event = events.next().ok_or("a body without its event")?;
    let got = match &event {
        Ok(event) => Ok(event.key().ok_or("an event without a key")?.to_owned()),
        Err(error) => Err(error.kind().as_str()),
    };
    let whole = [&[id.as_bytes().to_vec()], parts].concat();
    let text = key::encode(&whole, slip);
    let expected = if text.len() > MAX_KEY && slip != Slip::NoKeyLimit {
        Err("malformed-body")
    } else if parts[0].is_empty() {
        Err("missing-field")
    } else {
        Ok(text)
    };
    same(|| format!("{id}: the key of {parts:?}"), &expected, &got)?;
    if let Ok(text) = &got {
        same(|| format!("{id}: the parts of {text}"), &Some(whole), &key_parts(text))?;
    }
    Ok(got)
}

fn form(parts: &[Vec<u8>]) -> String {
    let mut form = String::new();
    for (name, part) in NAMES.iter().zip(parts) {
        let _ = write!(form, "&{name}=");
        part.iter().for_each(|byte| {
            let _ = write!(form, "%{byte:02x}");
        });
    }
    form
}

fn json(parts: &[Vec<u8>]) -> Result<String, Finding> {
    let mut members = Vec::new();
    for (name, part) in NAMES.iter().zip(parts) {
        let text = core::str::from_utf8(part).map_err(|error| error.to_string())?;
        let units: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        members.push(format!("\"{name}\":\"{}\"", units.concat()));
    }
    Ok(format!("{{{}}}", members.join(",")))
}
