//! Records of many shapes, built with the library's public builder, beside what each of them says.
//!
//! The table is finite: frames (which headers, which message, where the time is) by grammars, with encodings, algorithms
//! and formats of keys spread over them, so that every pair of a frame with a grammar, and every value of the others with
//! each of both, is there. Where families are asked for by an option, a record stands once for each value of it.

use core::time::Duration;
use std::sync::OnceLock;

use hookproof::{
    Encoding, Family, Grammar, Info, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

use crate::naive::Function;
use crate::senders::{Digits, Rules, Sender, Shape};

/// The headers of a family.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Names {
    /// The header of the signature.
    pub signature: &'static str,
    /// The header of the time.
    pub timestamp: Option<&'static str>,
    /// The header of the id.
    pub id: Option<&'static str>,
    /// The value of the option that asks for this family.
    pub label: &'static str,
}

/// What a record says, for a side that cannot look into it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The families of headers.
    pub names: &'static [Names],
    /// What holds when there are several.
    pub presence: Presence,
    /// How the signature header is written.
    pub grammar: Grammar,
    /// How a signature is spelled.
    pub digits: Digits,
    /// How it is made.
    pub function: Function,
    /// The signed message.
    pub message: &'static [Part],
    /// Where the time is.
    pub time: Option<TimeSource>,
    /// How the text of a secret becomes the key.
    pub key: KeyFormat,
    /// How far a time may be from the clock, in seconds.
    pub tolerance: u64,
    /// Beginnings of keys of another kind.
    pub refused: &'static [&'static str],
}

impl Row {
    /// The headers of a request with this signature and this time.
    pub(crate) fn sample(
        &self,
        wanted: Option<&str>,
        signature: &[u8],
        time: &[u8],
    ) -> Vec<(String, Vec<u8>)> {
        let value = match self.grammar {
            Grammar::Prefixed(word) => [word.as_bytes(), signature].concat(),
            Grammar::Pairs { separator, time: key, signatures } => {
                let key = [key.as_bytes(), b"=", time, &[separator]].concat();
                [&key, signatures[0].as_bytes(), b"=", signature].concat()
            }
            Grammar::List { version, .. } => [version.as_bytes(), b",", signature].concat(),
            _ => signature.to_vec(),
        };
        let mut headers = Vec::new();
        let asked = |names: &&Names| wanted.is_none_or(|label| label == names.label);
        for names in self.names.iter().filter(asked).take(1) {
            headers.push((names.signature.to_owned(), value.clone()));
            headers.extend(names.timestamp.map(|name| (name.to_owned(), time.to_vec())));
            headers.extend(names.id.map(|name| (name.to_owned(), b"msg_1".to_vec())));
        }
        headers
    }

    /// The record itself.
    fn scheme(&self, id: &'static str) -> Scheme {
        let family = |names: &Names| {
            let mut family = Family::new(names.signature).with_label(names.label);
            if let Some(name) = names.timestamp {
                family = family.with_timestamp(name);
            }
            if let Some(name) = names.id {
                family = family.with_id(name);
            }
            family
        };
        let families: Vec<Family> = self.names.iter().map(family).collect();
        let headers = self.names.iter().flat_map(|names| {
            [Some(names.signature), names.timestamp, names.id].into_iter().flatten()
        });
        let mut facts = Info::new("", "");
        facts.headers = leaked(headers.collect());
        let builder = match self.function {
            Function::HmacSha1 => Scheme::hmac_sha1(id, "Record"),
            Function::HmacSha512 => Scheme::hmac_sha512(id, "Record"),
            _ => Scheme::hmac_sha256(id, "Record"),
        };
        let builder = builder
            .families(leaked(families))
            .presence(self.presence)
            .grammar(self.grammar)
            .encoding(match self.digits {
                Digits::Base64 => Encoding::Base64,
                Digits::Hex => Encoding::Hex,
            })
            .message(self.message)
            .key(self.key)
            .refuse_keys(self.refused)
            .facts(facts);
        match self.time {
            Some(source) => builder.time(source, Duration::from_secs(self.tolerance)).build(),
            None => builder.build(),
        }
    }

    fn rules(&'static self) -> Rules {
        Rules {
            shape: Shape::Record(self),
            tolerance: self.tolerance * 1000,
            base64_secret: match self.key {
                KeyFormat::Base64 { prefix } => Some(prefix),
                _ => None,
            },
            foreign_keys: self.refused,
        }
    }
}

/// Records hold data that lives for ever, as those in a `static` do.
fn leaked<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

/// Which headers, which message, where the time is.
struct Frame {
    names: &'static [Names],
    presence: Presence,
    message: &'static [Part],
    time: Option<TimeSource>,
}

const fn names(signature: &'static str) -> Names {
    Names { signature, timestamp: None, id: None, label: "" }
}

const ALONE: &[Names] = &[names("x-sign")];
const WITH_ID: &[Names] = &[Names { id: Some("x_id"), ..names("x-sign") }];
const WITH_TIME: &[Names] = &[Names { timestamp: Some("x-time"), ..names("x-sign") }];
const WITH_BOTH: &[Names] =
    &[Names { timestamp: Some("x-time"), id: Some("x-id"), ..names("x-sign") }];
const TWO: &[Names] = &[names("a-sign"), names("b-sign")];
const TWO_WITH_ID: &[Names] =
    &[Names { id: Some("a-id"), ..names("a-sign") }, Names { id: Some("b-id"), ..names("b-sign") }];
const TWO_WITH_BOTH: &[Names] = &[
    Names { timestamp: Some("a-time"), id: Some("a-id"), ..names("a-sign") },
    Names { timestamp: Some("b-time"), id: Some("b-id"), ..names("b-sign") },
];
const TWO_LABELLED: &[Names] =
    &[Names { label: "a", ..names("a-sign") }, Names { label: "b", ..names("b-sign") }];
const EVERY: Presence = Presence::EveryPresent { option: "family" };

const HEADER_S: Option<TimeSource> = Some(TimeSource::Header(TimeUnit::Seconds));
const HEADER_MS: Option<TimeSource> = Some(TimeSource::Header(TimeUnit::Millis));
const PAIRS_S: Option<TimeSource> = Some(TimeSource::Pairs(TimeUnit::Seconds));
const PAIRS_MS: Option<TimeSource> = Some(TimeSource::Pairs(TimeUnit::Millis));

const DOT: Part = Part::Literal(".");

const fn frame(
    names: &'static [Names],
    presence: Presence,
    message: &'static [Part],
    time: Option<TimeSource>,
) -> Frame {
    Frame { names, presence, message, time }
}

const FRAMES: &[Frame] = {
    use Part::{Body, Id, Literal, Method, Timestamp, Url};
    use Presence::OneOf;
    &[
        frame(ALONE, OneOf, &[Body], None),
        frame(ALONE, OneOf, &[Literal("v0:é\n"), Body], None),
        frame(ALONE, OneOf, &[Body, Literal("\0")], None),
        frame(ALONE, OneOf, &[Method, Literal(" "), Url, DOT, Body], None),
        frame(ALONE, OneOf, &[Method, Body, Method], None),
        frame(ALONE, OneOf, &[Url, Url, DOT, DOT, Body, DOT, Url, Method], None),
        frame(WITH_ID, OneOf, &[Id, DOT, Body], None),
        frame(WITH_ID, OneOf, &[Id, Body, Id], None),
        frame(WITH_TIME, OneOf, &[Timestamp, DOT, Body], HEADER_S),
        frame(WITH_TIME, OneOf, &[Method, Url, Body, Timestamp], HEADER_MS),
        frame(WITH_TIME, OneOf, &[Timestamp, Body, Timestamp], HEADER_MS),
        frame(WITH_BOTH, OneOf, &[Id, DOT, Timestamp, DOT, Body], HEADER_S),
        frame(WITH_BOTH, OneOf, &[Body, Timestamp, Id], HEADER_MS),
        frame(TWO, OneOf, &[Body], None),
        frame(TWO_WITH_ID, OneOf, &[Body, DOT, Id], None),
        frame(TWO_WITH_BOTH, OneOf, &[Id, DOT, Timestamp, DOT, Body], HEADER_S),
        frame(TWO_LABELLED, EVERY, &[Body], None),
        frame(TWO_LABELLED, EVERY, &[Literal("a"), Body, Url], None),
        frame(ALONE, OneOf, &[Timestamp, DOT, Body], PAIRS_S),
        frame(ALONE, OneOf, &[Body, Timestamp], PAIRS_MS),
        frame(ALONE, OneOf, &[Method, Url, Timestamp, Body, Literal("end")], PAIRS_S),
        frame(WITH_ID, OneOf, &[Id, Timestamp, Body], PAIRS_MS),
        frame(TWO, OneOf, &[Timestamp, DOT, Body], PAIRS_S),
    ]
};

const GRAMMARS: &[Grammar] = &[
    Grammar::Whole,
    Grammar::Prefixed("sha256="),
    Grammar::Prefixed("abcdefghijklmno-="),
    Grammar::List { separator: b' ', version: "v1" },
    Grammar::List { separator: b';', version: "V_1" },
    Grammar::List { separator: b'=', version: "s" },
];

const PAIRS: &[Grammar] = &[
    Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] },
    Grammar::Pairs { separator: b';', time: "time", signatures: &["tim", "times"] },
    Grammar::Pairs { separator: b' ', time: "t", signatures: &["v1", "v0", "v2"] },
    Grammar::Pairs { separator: b'"', time: "T", signatures: &["t"] },
];

const FUNCTIONS: [Function; 3] = [Function::HmacSha256, Function::HmacSha512, Function::HmacSha1];
const KEYS: [KeyFormat; 3] =
    [KeyFormat::Text, KeyFormat::Base64 { prefix: "whsec_" }, KeyFormat::Base64 { prefix: "" }];
const TOLERANCES: [u64; 3] = [300, 0, 1];

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (which, frame) in FRAMES.iter().enumerate() {
        let in_pairs = matches!(frame.time, Some(TimeSource::Pairs(_)));
        let grammars = if in_pairs { PAIRS } else { GRAMMARS };
        for (number, grammar) in grammars.iter().enumerate() {
            rows.push(Row {
                names: frame.names,
                presence: frame.presence,
                grammar: *grammar,
                digits: match grammar {
                    // Base64 holds the separator.
                    Grammar::List { separator: b'=', .. } => Digits::Hex,
                    _ if (which + number) % 2 == 0 => Digits::Hex,
                    _ => Digits::Base64,
                },
                function: FUNCTIONS[(which + 2 * number) % 3],
                message: frame.message,
                time: frame.time,
                key: KEYS[(which / 3 + number) % 3],
                tolerance: TOLERANCES[(which + number) % 3],
                refused: if number == 1 { &["pk_", "whsec_pk"] } else { &[] },
            });
        }
    }
    rows
}

/// Every record, as senders.
pub fn all() -> &'static [Sender] {
    static RECORDS: OnceLock<Vec<Sender>> = OnceLock::new();
    RECORDS.get_or_init(|| {
        let mut senders = Vec::new();
        for (index, row) in leaked(rows()).iter().enumerate() {
            let id: &'static str = Box::leak(format!("record-{index}").into_boxed_str());
            let scheme: &'static Scheme = Box::leak(Box::new(row.scheme(id)));
            senders.push(Sender::new(scheme, Vec::new(), row.rules()));
            if let Presence::EveryPresent { option } = row.presence {
                for names in row.names {
                    let options = vec![(option, names.label)];
                    senders.push(Sender::new(scheme, options, row.rules()));
                }
            }
        }
        senders
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte picks the record, and nothing of the table is in it in vain.
    #[test]
    fn the_table_is_whole() {
        let rows = rows();
        assert!(all().len() <= 256, "{}", all().len());
        for digits in [Digits::Base64, Digits::Hex] {
            for function in FUNCTIONS {
                let there = rows.iter().any(|row| row.digits == digits && row.function == function);
                assert!(there, "{digits:?} {function:?}");
            }
        }
        for key in KEYS {
            for timed in [false, true] {
                assert!(rows.iter().any(|row| row.key == key && row.time.is_some() == timed));
            }
        }
    }
}
