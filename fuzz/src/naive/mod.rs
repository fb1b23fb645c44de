//! A naive verifier: what the library must answer, computed the slow and obvious way.
//!
//! It shares no code with the library and is written from the senders' documentation and the rules in
//! `conformance-vectors/README.md`: texts are split into lists, messages are joined into one buffer, every fault is
//! collected and the first in rank is reported. [`Slip`] plants faults in it, so that tests can show that a comparison
//! notices.

pub mod capture;
pub mod events;
mod form;
mod head;
pub mod json;
pub mod key;
mod text;
mod time;
pub mod vector;

use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

pub use head::{Head, read};
pub(crate) use text::escape_url;
pub use text::{decode_url, trim};

use crate::senders::{Digits, Sender};

/// The reasons, in the order in which they are reported.
pub const RANK: &[&str] = &[
    "bad-secret",
    "missing-target",
    "missing-header",
    "repeated-header",
    "malformed-header",
    "too-many-signatures",
    "unsupported-version",
    "bad-encoding",
    "signature-mismatch",
    "timestamp-too-old",
    "timestamp-in-future",
];

/// The place of a reason in [`RANK`].
///
/// # Panics
///
/// If there is no such reason.
#[must_use]
pub fn rank(reason: &str) -> usize {
    RANK.iter()
        .position(|known| *known == reason)
        .unwrap_or_else(|| panic!("`{reason}` is no reason for the senders so far"))
}

/// A fault that is planted in the naive side.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Slip {
    /// Decodes escapes of either case.
    AnyCaseEscapes,
    /// Takes a list of any length for a batch of events.
    AnyLengthBatch,
    /// Decodes the escape of a blank in a URL, too.
    BlankEscape,
    /// Leaves blanks around header values where they are.
    BlanksKept,
    /// Signs the body last, wherever the record has it.
    BodyLast,
    /// Takes hexadecimal digits in lower case only.
    CaseSensitiveHex,
    /// Takes the first number that a Content-Length has, whatever follows.
    CutLength,
    /// Ends a body at its first empty chunk.
    EmptyChunkEnds,
    /// Looks at the first family of headers only.
    FirstFamilyOnly,
    /// Looks at the first signature of a list only.
    FirstSignatureOnly,
    /// Takes the first of several lines of a header.
    FirstLineWins,
    /// Takes the last of several members of one name.
    LastMemberWins,
    /// Takes base64 without its padding.
    LaxBase64,
    /// Takes times with leading zeros.
    LaxDecimal,
    /// Refuses a body of exactly the limit.
    LimitExcluded,
    /// Takes line ends with a line feed alone for no line ends.
    LineFeedsOnly,
    /// Takes escapes of either case in the text of a key.
    LowerCaseKeys,
    /// Looks at any number of signatures.
    NoCap,
    /// Takes keys of any length.
    NoKeyLimit,
    /// No fault.
    #[default]
    None,
    /// Takes a null for an absent member of a vector, and of an event.
    NullIsAbsent,
    /// Takes objects whose members stand in a list.
    ObjectsAsLists,
    /// Lets an older version serve when the signature of the newest is there.
    OlderRescues,
    /// Refuses times in the past only.
    OneSidedClock,
    /// Leaves a plus of a form as it is.
    PlusKept,
    /// Reports the last fault in rank.
    RankReversed,
    /// Takes every time for seconds.
    SecondsOnly,
    /// Joins the parts of a key without encoding the slash in them.
    SlashesKept,
    /// Takes members that are not known.
    UnknownMembers,
    /// Signs the URL as it is given, and in no other reading.
    VerbatimUrlOnly,
}

/// A secret as the receiver has it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Key {
    /// As the sender's console shows it.
    Text(String),
    /// Key bytes.
    Bytes(Vec<u8>),
}

/// A request.
#[derive(Clone, Default)]
pub struct Request {
    /// Names, in lower case, and values, in their order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The method.
    pub method: Option<String>,
    /// The URL.
    pub url: Option<String>,
    /// The raw body.
    pub body: Vec<u8>,
}

impl fmt::Debug for Request {
    /// Values and body as text, as far as they are text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let line = |(name, value): &(String, Vec<u8>)| (name.clone(), text(value));
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &self.headers.iter().map(line).collect::<Vec<_>>())
            .field("body", &text(&self.body))
            .finish()
    }
}

/// What an accepted delivery has shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Shown {
    /// The index of the secret.
    pub key: usize,
    /// What is covered, in the word of the library.
    pub coverage: &'static str,
    /// The signed time, in milliseconds.
    pub signed_at: Option<u64>,
}

/// An answer: what was shown, or the reason for refusing.
pub type Answer = Result<Shown, &'static str>;

/// How a signature is made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Function {
    /// HMAC-SHA1.
    HmacSha1,
    /// HMAC-SHA256.
    HmacSha256,
    /// HMAC-SHA512.
    HmacSha512,
    /// SHA-256 over secret and message.
    Sha256,
}

impl Function {
    /// The signature of a message.
    ///
    /// # Panics
    ///
    /// Never: HMAC takes keys of every length.
    #[must_use]
    pub fn sign(self, key: &[u8], message: &[u8]) -> Vec<u8> {
        match self {
            Self::HmacSha1 => {
                let mut mac = Hmac::<sha1::Sha1>::new_from_slice(key).expect("any length");
                mac.update(message);
                mac.finalize().into_bytes().to_vec()
            }
            Self::HmacSha256 => {
                let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
                mac.update(message);
                mac.finalize().into_bytes().to_vec()
            }
            Self::HmacSha512 => {
                let mut mac = Hmac::<Sha512>::new_from_slice(key).expect("any length");
                mac.update(message);
                mac.finalize().into_bytes().to_vec()
            }
            Self::Sha256 => Sha256::digest([key, message].concat()).to_vec(),
        }
    }

    /// Whether two keys are one to this function: HMAC hashes long keys and fills up short ones with zeros.
    #[must_use]
    pub fn is_same_key(self, left: &[u8], right: &[u8]) -> bool {
        let block = |key: &[u8]| {
            let length = match self {
                Self::Sha256 => return key.to_vec(),
                Self::HmacSha1 | Self::HmacSha256 => 64,
                Self::HmacSha512 => 128,
            };
            let mut block = match self {
                Self::HmacSha1 if key.len() > length => sha1::Sha1::digest(key).to_vec(),
                Self::HmacSha256 if key.len() > length => Sha256::digest(key).to_vec(),
                Self::HmacSha512 if key.len() > length => Sha512::digest(key).to_vec(),
                _ => key.to_vec(),
            };
            block.resize(length, 0);
            block
        };
        block(left) == block(right)
    }

    /// The length of a signature, in bytes.
    #[must_use]
    pub const fn length(self) -> usize {
        match self {
            Self::HmacSha1 => 20,
            Self::HmacSha256 | Self::Sha256 => 32,
            Self::HmacSha512 => 64,
        }
    }
}

/// The key bytes of the receiver's secrets.
///
/// # Errors
///
/// `bad-secret`.
pub fn keys(sender: &Sender, secrets: &[Key]) -> Result<Vec<Vec<u8>>, &'static str> {
    if secrets.is_empty() || secrets.len() > 8 {
        return Err("bad-secret");
    }
    // HMAC fills keys up with zeros, so a key of zeros is none.
    let usable = |bytes: &Vec<u8>| bytes.iter().any(|byte| *byte != 0);
    secrets.iter().map(|secret| key(sender, secret).filter(usable).ok_or("bad-secret")).collect()
}

fn key(sender: &Sender, secret: &Key) -> Option<Vec<u8>> {
    let text = match secret {
        Key::Bytes(bytes) => return (!bytes.is_empty()).then(|| bytes.clone()),
        Key::Text(text) => text,
    };
    // A byte order mark at either end comes from a file, as white space does.
    let stripped = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    let rules = &sender.rules;
    if text.is_empty()
        || stripped != text
        || rules.foreign_keys.iter().any(|prefix| text.starts_with(prefix))
    {
        return None;
    }
    let Some(prefix) = rules.base64_secret else { return Some(text.clone().into_bytes()) };
    let digits = text.strip_prefix(prefix).unwrap_or(text);
    let padded = if digits.contains('=') {
        digits.to_owned()
    } else {
        let missing = (4 - digits.len() % 4) % 4;
        format!("{digits}{}", "=".repeat(missing))
    };
    text::decode_base64(padded.as_bytes()).filter(|bytes| !bytes.is_empty())
}

/// Decodes a candidate; nothing unless it is spelled right and has the right length.
#[must_use]
pub fn decode(digits: Digits, length: usize, candidate: &[u8], slip: Slip) -> Option<Vec<u8>> {
    let bytes = match digits {
        Digits::Base64 if slip == Slip::LaxBase64 && !candidate.ends_with(b"=") => {
            text::decode_base64(&[candidate, b"="].concat())
        }
        Digits::Base64 => text::decode_base64(candidate),
        Digits::Hex if slip == Slip::CaseSensitiveHex => {
            hex::decode(candidate).ok().filter(|bytes| hex::encode(bytes).as_bytes() == candidate)
        }
        Digits::Hex => hex::decode(candidate).ok(),
    };
    bytes.filter(|bytes| bytes.len() == length)
}

/// Judges a request: `now` and `tolerance` in milliseconds, the tolerance the sender's if none is given.
///
/// # Errors
///
/// The reason for refusing.
pub fn judge(
    sender: &Sender,
    keys: &[Vec<u8>],
    request: &Request,
    (now, tolerance): (u64, Option<u64>),
    slip: Slip,
) -> Answer {
    judge_head(&read(sender, request, slip), sender, keys, &request.body, (now, tolerance), slip)
}

/// Judges a request whose head is read.
///
/// # Errors
///
/// The reason for refusing.
pub fn judge_head(
    head: &Head,
    sender: &Sender,
    keys: &[Vec<u8>],
    body: &[u8],
    (now, tolerance): (u64, Option<u64>),
    slip: Slip,
) -> Answer {
    if let Some(fault) = head.fault(slip) {
        return Err(fault);
    }
    let (key, coverage) = matching(head, keys, body, slip).ok_or("signature-mismatch")?;
    let signed_at = match head.time {
        Some(time) => {
            let tolerance = tolerance.unwrap_or(sender.rules.tolerance);
            fresh(time, head.unit, now, tolerance, slip)?;
            Some(time.saturating_mul(head.unit))
        }
        None => None,
    };
    Ok(Shown { key, coverage, signed_at })
}

/// The first key that has made a signature in every header that carries some, all over the same reading of the message.
fn matching(
    head: &Head,
    keys: &[Vec<u8>],
    body: &[u8],
    slip: Slip,
) -> Option<(usize, &'static str)> {
    for (index, key) in keys.iter().enumerate() {
        for message in &head.messages {
            let whole = [&message.before, body, &message.after].concat();
            let right = message.function.sign(key, &whole);
            let made = |offer: &head::Offer| {
                let decoded = |candidate: &Vec<u8>| {
                    decode(offer.digits, right.len(), candidate, slip).as_ref() == Some(&right)
                };
                offer.candidates.iter().any(decoded)
            };
            if !head.offers.is_empty() && head.offers.iter().all(made) {
                return Some((index, message.coverage));
            }
        }
    }
    None
}

/// Whether a time is close enough, both ways, in the sender's unit.
fn fresh(time: u64, unit: u64, now: u64, tolerance: u64, slip: Slip) -> Result<(), &'static str> {
    let age = i128::from(now / unit) - i128::from(time);
    let limit = i128::from(tolerance / unit);
    if age > limit {
        Err("timestamp-too-old")
    } else if -age > limit && slip != Slip::OneSidedClock {
        Err("timestamp-in-future")
    } else {
        Ok(())
    }
}
