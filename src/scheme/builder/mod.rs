//! Puts a record together and checks it, at compile time where records belong.

mod identity;

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::{Grammar, MAX_WORD};
use crate::identity::Identity;
use crate::info::{Info, OptionInfo};
use crate::mac::Algorithm;
use crate::scheme::{Family, MAX_FAMILIES, Part, Presence, Scheme, TimeSource};
use crate::secret::KeyFormat;

/// The longest message of a record, in parts; the body among them.
const MAX_PARTS: usize = 8;

/// Puts a [`Scheme`] together; [`build`](Self::build) checks it.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SchemeBuilder {
    scheme: Scheme,
    tolerance: Duration,
}

impl SchemeBuilder {
    pub(super) const fn new(algorithm: Algorithm, id: &'static str, name: &'static str) -> Self {
        Self {
            scheme: Scheme {
                info: Info::new(id, name),
                families: &[],
                presence: Presence::OneOf,
                grammar: Grammar::Whole,
                encoding: Encoding::Hex,
                algorithm,
                message: &[Part::Body],
                time: None,
                key: KeyFormat::Text,
                refused: &[],
            },
            tolerance: Duration::ZERO,
        }
    }

    /// The families of headers; at least one.
    pub const fn families(mut self, families: &'static [Family]) -> Self {
        self.scheme.families = families;
        self
    }

    /// What holds when there are several families; [`Presence::OneOf`] if not given.
    pub const fn presence(mut self, presence: Presence) -> Self {
        self.scheme.presence = presence;
        self
    }

    /// How the signature header is written; [`Grammar::Whole`] if not given.
    pub const fn grammar(mut self, grammar: Grammar) -> Self {
        self.scheme.grammar = grammar;
        self
    }

    /// How a signature is encoded; [`Encoding::Hex`] if not given.
    pub const fn encoding(mut self, encoding: Encoding) -> Self {
        self.scheme.encoding = encoding;
        self
    }

    /// The signed message; the raw body alone if not given.
    pub const fn message(mut self, parts: &'static [Part]) -> Self {
        self.scheme.message = parts;
        self
    }

    /// Where the signed time is, and how far it may be from now, both ways, if the verifier does not say otherwise.
    pub const fn time(mut self, source: TimeSource, tolerance: Duration) -> Self {
        self.scheme.time = Some(source);
        self.tolerance = tolerance;
        self
    }

    /// How the text of a secret becomes the key; [`KeyFormat::Text`] if not given.
    pub const fn key(mut self, format: KeyFormat) -> Self {
        self.scheme.key = format;
        self
    }

    /// Prefixes of keys of another kind, which are refused as secrets.
    pub const fn refuse_keys(mut self, prefixes: &'static [&'static str]) -> Self {
        self.scheme.refused = prefixes;
        self
    }

    /// The facts for tables and tools. Those that follow from the record (algorithm, encoding, grammar, tolerance) are taken
    /// from it, and so are id and name.
    pub const fn facts(mut self, facts: Info) -> Self {
        self.scheme.info = Info {
            id: self.scheme.info.id,
            name: self.scheme.info.name,
            identity: self.scheme.info.identity,
            ..facts
        };
        self
    }

    /// What makes the key, subject and order of an event, for `events()`.
    pub const fn identity(mut self, identity: Identity) -> Self {
        self.scheme.info.identity = Some(identity);
        self
    }

    /// The options for tables and tools.
    pub const fn options(mut self, options: &'static [OptionInfo]) -> Self {
        self.scheme.info.options = options;
        self
    }

    /// Checks the record and ends the builder.
    ///
    /// # Panics
    ///
    /// If the record makes no sense: in a `static` or `const`, where records belong, that is an error of compilation.
    #[must_use]
    #[expect(
        clippy::panic,
        clippy::indexing_slicing,
        reason = "evaluated at compile time in a static or const"
    )]
    pub const fn build(self) -> Scheme {
        let scheme = self.scheme;
        if !is_id(scheme.info.id) {
            panic!("the id is not lower-case letters, digits and hyphens");
        }
        if scheme.info.name.is_empty() {
            panic!("the name is empty");
        }
        check_families(scheme.families, scheme.presence);
        check_names(scheme.families);
        check_message(scheme.message);
        check_grammar(&scheme.grammar);
        check_separator(&scheme.grammar, scheme.encoding);
        let mut index = 0;
        while index < scheme.refused.len() {
            if scheme.refused[index].is_empty() {
                panic!("an empty prefix refuses every secret");
            }
            index += 1;
        }
        index = 0;
        while index < scheme.families.len() {
            let family = &scheme.families[index];
            if family.timestamp.is_some() != matches!(scheme.time, Some(TimeSource::Header(_))) {
                panic!("a time in a header and the families' timestamp headers go together");
            }
            if family.id.is_some() != has_part(scheme.message, &Part::Id) {
                panic!("a signed id and the families' id headers go together");
            }
            index += 1;
        }
        if matches!(scheme.grammar, Grammar::Pairs { .. })
            != matches!(scheme.time, Some(TimeSource::Pairs(_)))
        {
            panic!("a grammar of pairs and a time in it go together");
        }
        if scheme.time.is_some() && matches!(scheme.presence, Presence::EveryPresent { .. }) {
            panic!("families that are all read cannot each have a time");
        }
        if scheme.time.is_some() != has_part(scheme.message, &Part::Timestamp) {
            panic!("a time is read if and only if it is signed");
        }
        if let Some(identity) = &scheme.info.identity {
            identity::check(identity, scheme.families);
        }
        let mut info = scheme.info;
        info.algorithm = scheme.algorithm.as_str();
        info.encoding = scheme.encoding.as_str();
        info.several_signatures = scheme.grammar.takes_several();
        info.names_versions = !matches!(scheme.grammar, Grammar::Whole);
        info.tolerance = match scheme.time {
            Some(_) => Some(self.tolerance),
            None => None,
        };
        Scheme { info, ..scheme }
    }
}

#[expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "evaluated at compile time in a static or const"
)]
const fn check_families(families: &[Family], presence: Presence) {
    if families.is_empty() || families.len() > MAX_FAMILIES {
        panic!("a sender has one or two families of headers");
    }
    if families.len() == 1 && matches!(presence, Presence::EveryPresent { .. }) {
        panic!("an option of presence needs two families");
    }
    let mut index = 0;
    while index < families.len() {
        let family = &families[index];
        if !is_header(family.signature) {
            panic!("a header's name is not lower case, or not a header's name");
        }
        if matches!(family.timestamp, Some(name) if !is_header(name))
            || matches!(family.id, Some(name) if !is_header(name))
        {
            panic!("a header's name is not lower case, or not a header's name");
        }
        if matches!(presence, Presence::EveryPresent { .. }) {
            if family.label.is_empty() || family.timestamp.is_some() {
                panic!("families chosen by an option need labels and share no time");
            }
            if family.id.is_some() {
                panic!("families that are all read cannot each have an id");
            }
            if same_text(family.label, "any")
                || (index > 0 && same_text(family.label, families[0].label))
            {
                panic!("the labels of families are unlike each other and unlike `any`");
            }
        }
        index += 1;
    }
}

/// No two headers that a record reads have one name.
#[expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "evaluated at compile time in a static or const"
)]
const fn check_names(families: &[Family]) {
    let mut names = [""; MAX_FAMILIES * 3];
    let mut index = 0;
    while index < families.len() {
        let family = &families[index];
        names[index * 3] = family.signature;
        if let Some(name) = family.timestamp {
            names[index * 3 + 1] = name;
        }
        if let Some(name) = family.id {
            names[index * 3 + 2] = name;
        }
        index += 1;
    }
    let mut left = 0;
    while left < names.len() {
        let mut right = left + 1;
        while right < names.len() {
            if !names[left].is_empty() && same_text(names[left], names[right]) {
                panic!("two headers of a record have one name");
            }
            right += 1;
        }
        left += 1;
    }
}

#[expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "evaluated at compile time in a static or const"
)]
const fn check_message(parts: &[Part]) {
    if parts.len() > MAX_PARTS {
        panic!("a message has too many parts");
    }
    let mut bodies = 0;
    let mut index = 0;
    while index < parts.len() {
        match parts[index] {
            Part::Body => bodies += 1,
            Part::Literal(text) if text.is_empty() => panic!("a literal part is empty"),
            _ => {}
        }
        index += 1;
    }
    if bodies != 1 {
        panic!("the body must be signed, exactly once");
    }
}

#[expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "evaluated at compile time in a static or const"
)]
const fn check_grammar(grammar: &Grammar) {
    match grammar {
        Grammar::Whole => {}
        Grammar::Prefixed(prefix) => match prefix.as_bytes() {
            [word @ .., b'='] if is_word(word) => {}
            _ => panic!("a prefix is a word of at most 16 bytes and its `=`"),
        },
        Grammar::Pairs { separator, time, signatures } => {
            if *separator == b'=' || is_word_byte(*separator) {
                panic!("a separator cannot be told from what it separates");
            }
            if time.is_empty() || signatures.is_empty() {
                panic!("pairs need the key of the time and a key of signatures");
            }
            let mut index = 0;
            while index < signatures.len() {
                if signatures[index].is_empty() || same_text(signatures[index], time) {
                    panic!("a key of signatures is empty or the key of the time");
                }
                if !is_word(signatures[index].as_bytes()) {
                    panic!("a key or a version is a word of at most 16 bytes");
                }
                index += 1;
            }
            if !is_word(time.as_bytes()) {
                panic!("a key or a version is a word of at most 16 bytes");
            }
        }
        Grammar::List { separator, version } => {
            if *separator == b',' || is_word_byte(*separator) {
                panic!("a separator cannot be told from what it separates");
            }
            if version.is_empty() {
                panic!("a list needs a version");
            }
            if !is_word(version.as_bytes()) {
                panic!("a key or a version is a word of at most 16 bytes");
            }
        }
    }
}

/// A separator can stand in a header, and in no signature.
#[expect(clippy::panic, reason = "evaluated at compile time in a static or const")]
const fn check_separator(grammar: &Grammar, encoding: Encoding) {
    let (Grammar::Pairs { separator, .. } | Grammar::List { separator, .. }) = grammar else {
        return;
    };
    if !matches!(separator, b'\t' | b' '..=b'~') {
        panic!("a separator is a character that a header can hold");
    }
    if matches!(encoding, Encoding::Base64) && matches!(separator, b'+' | b'/' | b'=') {
        panic!("a separator cannot be told from what it separates");
    }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// What the grammars take for a word.
const fn is_word(word: &[u8]) -> bool {
    let mut rest = word;
    while let [byte, others @ ..] = rest {
        if !is_word_byte(*byte) {
            return false;
        }
        rest = others;
    }
    !word.is_empty() && word.len() <= MAX_WORD
}

const fn has_part(parts: &[Part], wanted: &Part) -> bool {
    let mut rest = parts;
    while let [first, others @ ..] = rest {
        match (first, wanted) {
            (Part::Id, Part::Id) | (Part::Timestamp, Part::Timestamp) => return true,
            _ => rest = others,
        }
    }
    false
}

pub(super) const fn same_text(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        if *first != *second {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    left.is_empty() && right.is_empty()
}

const fn is_id(text: &str) -> bool {
    all_of(text, false)
}

pub(super) const fn is_header(text: &str) -> bool {
    all_of(text, true)
}

/// Lower-case letters, digits and hyphens, and for headers underscores; at least one.
const fn all_of(text: &str, underscore: bool) -> bool {
    let mut rest = text.as_bytes();
    if rest.is_empty() {
        return false;
    }
    while let [byte, others @ ..] = rest {
        if !(matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-') || (underscore && *byte == b'_')) {
            return false;
        }
        rest = others;
    }
    true
}
