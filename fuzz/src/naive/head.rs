//! The head: which headers count, what they offer, and every fault in them.

use hookproof::{Grammar, Part, Presence, TimeSource, TimeUnit};

use super::text::{Field, canonical_decimal, decode_url, field, split_once, trim_start};
use super::{Function, Request, Slip, decode, rank};
use crate::records::{Names, Row};
use crate::senders::{Digits, Sender, Shape};

/// The most signatures of an accepted version.
const MAX_SIGNATURES: usize = 32;
/// The most items of any kind.
const MAX_ITEMS: usize = 64;

const SECONDS: u64 = 1000;
const MILLISECONDS: u64 = 1;

/// A head, as far as it could be read.
#[derive(Clone, Debug)]
pub struct Head {
    /// Every fault, in no order.
    pub faults: Vec<&'static str>,
    /// The names of the headers whose values count for the answer.
    pub read: Vec<&'static str>,
    /// The signatures, by header; each header must have one that is right.
    pub offers: Vec<Offer>,
    /// The messages that may be signed.
    pub messages: Vec<Message>,
    /// The signed time.
    pub time: Option<u64>,
    /// The unit of the time, in milliseconds.
    pub unit: u64,
    /// The index of the family of headers that counts, the first of them if several do.
    pub family: usize,
}

/// The signatures of one header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Offer {
    /// How they are spelled.
    pub digits: Digits,
    /// The texts.
    pub candidates: Vec<Vec<u8>>,
}

/// A message that may be signed: what stands before and after the body.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Message {
    /// How it is signed.
    pub function: Function,
    /// What stands before the body.
    pub before: Vec<u8>,
    /// What stands after the body.
    pub after: Vec<u8>,
    /// What the signature covers, in the word of the library.
    pub coverage: &'static str,
}

impl Head {
    /// The first fault in rank; nothing if there is none.
    #[must_use]
    pub fn fault(&self, slip: Slip) -> Option<&'static str> {
        let mut faults = self.faults.clone();
        faults.sort_by_key(|fault| rank(fault));
        if slip == Slip::RankReversed { faults.last().copied() } else { faults.first().copied() }
    }

    /// Whether another head, without a fault, offers the same signatures of the same messages: its version may be another word
    /// of the record's.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        other.faults.is_empty()
            && (&self.offers, &self.messages, self.time)
                == (&other.offers, &other.messages, other.time)
    }

    fn value(&mut self, request: &Request, name: &'static str, slip: Slip) -> Option<Vec<u8>> {
        self.read.push(name);
        match field(&request.headers, name, slip) {
            Field::Absent => self.faults.push("missing-header"),
            Field::Fault(fault) => self.faults.push(fault),
            Field::Value(value) => return Some(value),
        }
        None
    }

    /// Notes that the request lacks a part of the target that is signed.
    fn need_target(&mut self, request: &Request, method: bool, url: bool) {
        if (method && request.method.is_none()) || (url && request.url.is_none()) {
            self.faults.push("missing-target");
        }
    }

    fn time(&mut self, text: &[u8], slip: Slip) {
        self.time = canonical_decimal(text, slip);
        if self.time.is_none() {
            self.faults.push("malformed-header");
        }
    }

    fn body_alone(&mut self, function: Function) {
        self.message(function, &[], &[], "body");
    }

    fn message(
        &mut self,
        function: Function,
        before: &[&[u8]],
        after: &[u8],
        coverage: &'static str,
    ) {
        let before = before.concat();
        self.messages.push(Message { function, before, after: after.to_vec(), coverage });
    }

    /// Takes the signatures of a header. None at all is another fault than none that can be read.
    fn offer(&mut self, digits: Digits, length: usize, candidates: Vec<Vec<u8>>, slip: Slip) {
        let mut candidates = candidates;
        if slip == Slip::FirstSignatureOnly {
            candidates.truncate(1);
        }
        let earlier: usize = self.offers.iter().map(|offer| offer.candidates.len()).sum();
        if earlier + candidates.len() > MAX_SIGNATURES && slip != Slip::NoCap {
            self.faults.push("too-many-signatures");
        }
        if candidates.is_empty() {
            self.faults.push("unsupported-version");
        } else if candidates.iter().all(|text| decode(digits, length, text, slip).is_none()) {
            self.faults.push("bad-encoding");
        }
        self.offers.push(Offer { digits, candidates });
    }
}

/// Reads the head of a request.
#[must_use]
pub fn read(sender: &Sender, request: &Request, slip: Slip) -> Head {
    let mut head = Head {
        faults: Vec::new(),
        read: Vec::new(),
        offers: Vec::new(),
        messages: Vec::new(),
        time: None,
        unit: SECONDS,
        family: 0,
    };
    match sender.rules.shape {
        Shape::Bare(name, digits) => bare(&mut head, request, name, digits, slip),
        Shape::Twins { first, second } => {
            let wanted = sender.options.first().map(|(_, value)| *value);
            twins(&mut head, request, [(first, "x"), (second, "events")], wanted, slip);
        }
        Shape::Named(name) => named(&mut head, request, name, slip),
        Shape::NamedOrOld(name, old) => match field(&request.headers, name, slip) {
            Field::Absent => named_old(&mut head, request, old, slip),
            _ => named(&mut head, request, name, slip),
        },
        Shape::Dated(name) => dated(&mut head, request, name, slip),
        Shape::Messages(first, second) => messages(&mut head, request, [first, second], slip),
        Shape::Versions => {
            let listed = sender.options.first().map_or("v3", |(_, value)| *value);
            versions(&mut head, request, &listed.split(',').collect::<Vec<_>>(), slip);
        }
        Shape::Record(row) => {
            let wanted = sender.options.first().map(|(_, value)| *value);
            record(&mut head, request, row, wanted, slip);
        }
    }
    head
}

fn bare(head: &mut Head, request: &Request, name: &'static str, digits: Digits, slip: Slip) {
    if let Some(value) = head.value(request, name, slip) {
        head.offer(digits, 32, vec![value], slip);
    }
    head.body_alone(Function::HmacSha256);
}

fn twins(
    head: &mut Head,
    request: &Request,
    names: [(&'static str, &str); 2],
    wanted: Option<&str>,
    slip: Slip,
) {
    let mut present = 0;
    for (index, (name, label)) in names.into_iter().enumerate() {
        let absent = field(&request.headers, name, slip) == Field::Absent;
        if !absent || wanted == Some(label) {
            if present == 0 {
                head.family = index;
            }
            present += 1;
            if let Some(value) = head.value(request, name, slip) {
                head.offer(Digits::Base64, 32, vec![value], slip);
            }
        }
    }
    if present == 0 {
        head.faults.push("missing-header");
    }
    head.body_alone(Function::HmacSha256);
}

fn named(head: &mut Head, request: &Request, name: &'static str, slip: Slip) {
    if let Some(value) = head.value(request, name, slip) {
        after_word(head, &value, "sha256=", (Digits::Hex, 32), slip);
    }
    head.body_alone(Function::HmacSha256);
}

fn named_old(head: &mut Head, request: &Request, name: &'static str, slip: Slip) {
    if let Some(value) = head.value(request, name, slip) {
        after_word(head, &value, "sha1=", (Digits::Hex, 20), slip);
    }
    head.body_alone(Function::HmacSha1);
}

fn dated(head: &mut Head, request: &Request, name: &'static str, slip: Slip) {
    let Some(value) = head.value(request, name, slip) else { return };
    if let Some(text) = pairs(head, &value, (b',', "t", &["v1"]), (Digits::Hex, 32), slip) {
        head.message(Function::HmacSha256, &[&text, b"."], &[], "body");
    }
}

/// One signature after a word and its `=`.
fn after_word(head: &mut Head, value: &[u8], word: &str, spelled: (Digits, usize), slip: Slip) {
    if let Some(digits) = value.strip_prefix(word.as_bytes()) {
        head.offer(spelled.0, spelled.1, vec![digits.to_vec()], slip);
        return;
    }
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    let is_word = |word: &[u8]| (1..=16).contains(&word.len()) && word.iter().all(letter);
    head.faults.push(match split_once(value, b'=') {
        Some((word, _)) if is_word(word) => "unsupported-version",
        _ => "malformed-header",
    });
}

/// Items `key=value` at a separator, one of which is the time, whose text is returned.
fn pairs(
    head: &mut Head,
    value: &[u8],
    (separator, time, keys): (u8, &str, &[&str]),
    (digits, length): (Digits, usize),
    slip: Slip,
) -> Option<Vec<u8>> {
    let items: Vec<&[u8]> = value.split(|byte| *byte == separator).map(trim_start).collect();
    let pairs: Vec<(&[u8], &[u8])> =
        items.iter().filter_map(|item| split_once(item, b'=')).collect();
    let of = |keys: &[&str]| -> Vec<Vec<u8>> {
        let ours = pairs.iter().filter(|(own, _)| keys.iter().any(|key| key.as_bytes() == *own));
        ours.map(|(_, value)| value.to_vec()).collect()
    };
    if items.len() > MAX_ITEMS && slip != Slip::NoCap {
        head.faults.push("too-many-signatures");
    }
    let text = match &of(&[time])[..] {
        [text] => {
            head.time(text, slip);
            Some(text.clone())
        }
        _ => {
            head.faults.push("malformed-header");
            None
        }
    };
    head.offer(digits, length, of(keys), slip);
    text
}

/// Items `version,signature` at a separator.
fn list(
    head: &mut Head,
    value: &[u8],
    (separator, version): (u8, &str),
    (digits, length): (Digits, usize),
    slip: Slip,
) {
    let items: Vec<&[u8]> = value.split(|byte| *byte == separator).collect();
    let versions: Vec<_> = items.iter().filter_map(|item| split_once(item, b',')).collect();
    if items.len() > MAX_ITEMS && slip != Slip::NoCap {
        head.faults.push("too-many-signatures");
    }
    if versions.is_empty() {
        head.faults.push("malformed-header");
    }
    let ours = versions.iter().filter(|(own, _)| *own == version.as_bytes());
    head.offer(digits, length, ours.map(|(_, text)| text.to_vec()).collect(), slip);
}

/// The three headers of a family.
const fn family_headers(family: &str) -> [&'static str; 3] {
    match family.as_bytes() {
        b"webhook" => ["webhook-signature", "webhook-timestamp", "webhook-id"],
        b"svix" => ["svix-signature", "svix-timestamp", "svix-id"],
        _ => panic!("a family of headers without names"),
    }
}

fn messages(head: &mut Head, request: &Request, families: [&str; 2], slip: Slip) {
    let present: Vec<[&'static str; 3]> = families
        .into_iter()
        .map(family_headers)
        .filter(|[signature, ..]| field(&request.headers, signature, slip) != Field::Absent)
        .collect();
    head.family = usize::from(present.first() == Some(&family_headers(families[1])));
    let [[signature, timestamp, id]] = present[..] else {
        // Neither family, or both: then it is not known whose time and id count.
        for [signature, ..] in present {
            head.value(request, signature, slip);
            head.faults.push("malformed-header");
        }
        if head.read.is_empty() {
            head.faults.push("missing-header");
        }
        return;
    };
    if let Some(value) = head.value(request, signature, slip) {
        list(head, &value, (b' ', "v1"), (Digits::Base64, 32), slip);
    }
    let time = head.value(request, timestamp, slip);
    let id = head.value(request, id, slip);
    if let Some(text) = &time {
        head.time(text, slip);
    }
    if let (Some(id), Some(time)) = (id, time) {
        head.message(Function::HmacSha256, &[&id, b".", &time, b"."], &[], "body");
    }
}

fn versions(head: &mut Head, request: &Request, listed: &[&str], slip: Slip) {
    let (v1, v2, v3) = (listed.contains(&"v1"), listed.contains(&"v2"), listed.contains(&"v3"));
    head.need_target(request, v2 || v3, v2 || v3);
    let method = request.method.clone().unwrap_or_default().into_bytes();
    let url = request.url.clone().unwrap_or_default();
    let newest = field(&request.headers, "x-hubspot-signature-v3", slip) != Field::Absent;
    if v3 && (newest || !(v1 || v2)) && !(slip == Slip::OlderRescues && (v1 || v2)) {
        head.unit = MILLISECONDS;
        if let Some(value) = head.value(request, "x-hubspot-signature-v3", slip) {
            head.offer(Digits::Base64, 32, vec![value], slip);
        }
        if let Some(text) = head.value(request, "x-hubspot-request-timestamp", slip) {
            head.time(&text, slip);
            let mut readings = vec![url.clone(), decode_url(&url, slip)];
            readings.truncate(if slip == Slip::VerbatimUrlOnly { 1 } else { 2 });
            for url in readings {
                let before = [&method[..], url.as_bytes()];
                head.message(Function::HmacSha256, &before, &text, "body-and-target");
            }
        }
        return;
    }
    if let Some(value) = head.value(request, "x-hubspot-signature", slip) {
        head.offer(Digits::Hex, 32, vec![value], slip);
    }
    head.read.push("x-hubspot-signature-version");
    let named = match field(&request.headers, "x-hubspot-signature-version", slip) {
        Field::Absent => None,
        Field::Fault(fault) => {
            head.faults.push(fault);
            None
        }
        Field::Value(value) => Some(value),
    };
    let counts = |version: &str| named.as_ref().is_none_or(|named| named == version.as_bytes());
    let (v1, v2) = (v1 && counts("v1"), v2 && counts("v2"));
    if !v1 && !v2 {
        head.faults.push("unsupported-version");
    }
    if v1 {
        head.body_alone(Function::Sha256);
    }
    if v2 {
        let before = [&method[..], url.as_bytes()];
        head.message(Function::Sha256, &before, &[], "body-and-target");
    }
}

/// What the public meaning of a record says: the families that are present or asked for, their headers, the message in
/// the order of its parts.
fn record(head: &mut Head, request: &Request, row: &Row, wanted: Option<&str>, slip: Slip) {
    let signs = |wanted: Part| row.message.contains(&wanted);
    head.need_target(request, signs(Part::Method), signs(Part::Url));
    let counts = |(_, names): &(usize, &Names)| {
        field(&request.headers, names.signature, slip) != Field::Absent
            || wanted == Some(names.label)
    };
    let mut families: Vec<(usize, &Names)> = row.names.iter().enumerate().filter(counts).collect();
    if slip == Slip::FirstFamilyOnly {
        families.truncate(1);
    }
    let Some((first, _)) = families.first() else {
        head.faults.push("missing-header");
        return;
    };
    head.family = *first;
    if families.len() > 1 && row.presence == Presence::OneOf {
        for (_, names) in families {
            head.value(request, names.signature, slip);
        }
        head.faults.push("malformed-header");
        return;
    }
    let (mut time, mut id) = (None, None);
    for (_, names) in families {
        if let Some(value) = head.value(request, names.signature, slip) {
            time = signatures(head, row, &value, slip);
        }
        if let Some(name) = names.timestamp {
            time = head.value(request, name, slip);
            if let Some(text) = &time {
                head.time(text, slip);
            }
        }
        if let Some(name) = names.id {
            id = head.value(request, name, slip);
        }
    }
    let millis = TimeSource::Header(TimeUnit::Millis);
    if slip != Slip::SecondsOnly
        && (row.time == Some(millis) || row.time == Some(TimeSource::Pairs(TimeUnit::Millis)))
    {
        head.unit = MILLISECONDS;
    }
    let text = |part: &Part| match part {
        Part::Id => id.clone().unwrap_or_default(),
        Part::Literal(text) => text.as_bytes().to_vec(),
        Part::Method => request.method.clone().unwrap_or_default().into_bytes(),
        Part::Timestamp => time.clone().unwrap_or_default(),
        Part::Url => request.url.clone().unwrap_or_default().into_bytes(),
        other => panic!("the naive side does not know the part {other:?}"),
    };
    let body = row.message.iter().position(|part| *part == Part::Body).expect("a body is signed");
    let before: Vec<u8> = row.message[..body].iter().flat_map(text).collect();
    let after: Vec<u8> = row.message[body + 1..].iter().flat_map(text).collect();
    let coverage = if signs(Part::Url) { "body-and-target" } else { "body" };
    if slip == Slip::BodyLast {
        head.message(row.function, &[&before, &after], &[], coverage);
    } else {
        head.message(row.function, &[&before], &after, coverage);
    }
}

/// Takes the signatures of a record's header, and returns the text of the time, where the header holds it.
fn signatures(head: &mut Head, row: &Row, value: &[u8], slip: Slip) -> Option<Vec<u8>> {
    let spelled = (row.digits, row.function.length());
    match row.grammar {
        Grammar::Whole => head.offer(spelled.0, spelled.1, vec![value.to_vec()], slip),
        Grammar::Prefixed(word) => after_word(head, value, word, spelled, slip),
        Grammar::Pairs { separator, time, signatures } => {
            return pairs(head, value, (separator, time, signatures), spelled, slip);
        }
        Grammar::List { separator, version } => {
            list(head, value, (separator, version), spelled, slip);
        }
        other => panic!("the naive side does not know the grammar {other:?}"),
    }
    None
}
