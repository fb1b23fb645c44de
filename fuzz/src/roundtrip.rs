//! The target `roundtrip`: what is signed is accepted, and one change makes it refused.
//!
//! Senders, secrets, target, id, time and body are the input's, and so is the change. What may be accepted after a change
//! is listed here and nothing else is: the case of a hexadecimal digit, a header that does not count, a URL that a
//! documented reading makes equal, a target that is not signed, a clock within the tolerance, keys that HMAC itself does
//! not tell apart.

use hookproof::{Outgoing, Sample, Secret, Signer, UnixTime, Verifier, testing};
use http::{HeaderValue, Method};

use crate::genuine::SECRET;
use crate::input::Case;
use crate::library::{self, Received};
use crate::naive::{self, Answer, Function, Key, Request, Shown, Slip};
use crate::senders::{Digits, Sender};
use crate::{Finding, same};

/// Times of more than 19 digits are no times to a verifier.
const LATEST: u64 = 9_999_999_999_999_999_999;
/// The longest id: what a header may hold.
const MAX_ID: usize = 8192;
/// Methods to change to.
const METHODS: &[&str] = &["GET", "PUT", "post", "POSTX", "X"];

/// What a run saw: the answer to the changed delivery, if there was a change.
pub type Seen = Option<Answer>;

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
    Case::read(data).map_or(Ok(None), |case| check(case, slip))
}

/// Signs what a case gives, verifies it, and makes its change.
///
/// # Errors
///
/// What contradicts a property.
pub fn check(mut case: Case, slip: Slip) -> Result<Seen, Finding> {
    let sender = case.sender();
    if naive::keys(sender, &case.secrets).is_err() {
        case.secrets = vec![Key::Text(SECRET.into())];
    }
    rotation(sender, &case)?;
    case.secrets.truncate(1);
    let trial = Trial::new(sender, &case, slip)?;
    let Some((change, expected)) = trial.change() else { return Ok(None) };
    let got = trial.answer(&change)?;
    let about = || format!("{}: {change:?} of {:?}", sender.label(), trial.case);
    match (expected, got) {
        (Expected::Accepted, Ok(_)) | (Expected::Refused, Err(_)) => {}
        (Expected::For(reason), Err(given)) => same(about, &reason, &given)?,
        (expected, got) => return Err(format!("{}: expected {expected:?}, got {got:?}", about())),
    }
    let judged =
        naive::judge(sender, &change.keys, &change.request, (change.now, case.tolerance), slip);
    same(about, &judged, &got)?;
    Ok(Some(got))
}

/// With several secrets, each alone accepts if the sender makes several signatures, else only the first does.
fn rotation(sender: &Sender, case: &Case) -> Result<(), Finding> {
    let request = sign(sender, case)?;
    let received = Received::new(&request)?;
    let about = |what: &str| format!("{}: {what} of {case:?}", sender.label());
    let answer = |secrets: &[Key]| {
        library::whole(&build(sender, secrets, case)?, &received, signed_at(case))
    };
    let key = answer(&case.secrets)?.map(|shown| shown.key);
    same(|| about("all secrets"), &Ok(0), &key)?;
    let keys = naive::keys(sender, &case.secrets)?;
    let function = function(sender, &request);
    for (index, secret) in case.secrets.iter().enumerate().skip(1) {
        let signs = sender.provider.info().several_signatures
            || function.is_same_key(&keys[0], &keys[index]);
        let expected = if signs { Ok(0) } else { Err("signature-mismatch") };
        let got = answer(core::slice::from_ref(secret))?.map(|shown| shown.key);
        same(|| about(&format!("secret {index} alone")), &expected, &got)?;
    }
    Ok(())
}

/// The request that the library's signer makes.
fn sign(sender: &Sender, case: &Case) -> Result<Request, Finding> {
    let mut builder = Signer::builder(sender.provider);
    for (name, value) in &sender.options {
        builder = builder.option(name, value);
    }
    for secret in &case.secrets {
        builder = match secret {
            Key::Text(text) => builder.secret(text),
            Key::Bytes(bytes) => {
                builder.key(Secret::from_bytes(bytes).map_err(|error| error.to_string())?)
            }
        };
    }
    let signer = builder.build().map_err(|error| error.to_string())?;
    let method = case.method.as_deref().unwrap_or("POST");
    let method = Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
    let url = case.url.as_deref().unwrap_or(testing::URL);
    let mut outgoing = Outgoing::new(&case.body).with_method(&method).with_url(url);
    let at = UnixTime::from_millis(signed_at(case));
    match case.id.as_deref() {
        Some(id) if is_usable(id) => outgoing = outgoing.with_id(id),
        Some(id) if carries_id(sender) && signer.sign(&outgoing.with_id(id), at).is_ok() => {
            return Err(format!("{}: signed an id that no header holds: {case:?}", sender.label()));
        }
        _ => {}
    }
    let signed = signer
        .sign(&outgoing, at)
        .map_err(|error| format!("{}: {error}: {case:?}", sender.label()))?;
    if signed.body() != &case.body || signed.url() != Some(url) || signed.method() != method {
        return Err(format!("{}: the signer changed the request: {case:?}", sender.label()));
    }
    let header = |(name, value): (&http::HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), value.as_bytes().to_vec())
    };
    Ok(Request {
        headers: signed.headers().iter().map(header).collect(),
        method: Some(method.as_str().to_owned()),
        url: Some(url.to_owned()),
        body: case.body.clone(),
    })
}

/// Whether the sender's requests have an id in a header.
fn carries_id(sender: &Sender) -> bool {
    let info = sender.provider.info();
    info.samples.iter().any(|(_, sample)| *sample == Sample::Id)
        || info.headers.iter().any(|name| name.ends_with("-id"))
}

/// Whether a header can hold an id as it is.
fn is_usable(id: &str) -> bool {
    let bytes = id.as_bytes();
    !id.is_empty()
        && naive::trim(bytes) == bytes
        && bytes.len() <= MAX_ID
        && HeaderValue::from_bytes(bytes).is_ok()
}

fn signed_at(case: &Case) -> u64 {
    case.now().min(LATEST)
}

fn build(sender: &Sender, secrets: &[Key], case: &Case) -> Result<Verifier, Finding> {
    library::verifier(sender, secrets, case.tolerance).map_err(|error| error.to_string())
}

fn function(sender: &Sender, request: &Request) -> Function {
    let head = naive::read(sender, request, Slip::None);
    head.messages.first().map_or(Function::HmacSha256, |message| message.function)
}

/// A delivery that was signed with one secret, and accepted.
#[derive(Debug)]
struct Trial<'c> {
    sender: &'static Sender,
    case: &'c Case,
    request: Request,
    keys: Vec<Vec<u8>>,
    shown: Shown,
}

/// What is verified after a change.
#[derive(Clone, Debug)]
struct Change {
    request: Request,
    keys: Vec<Vec<u8>>,
    now: u64,
}

/// What has to come of a change.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Accepted,
    For(&'static str),
    Refused,
}

/// What comes of a change of something that is signed, or not.
const fn if_signed(signed: bool) -> Expected {
    if signed { MISMATCH } else { Expected::Accepted }
}

const MISMATCH: Expected = Expected::For("signature-mismatch");

impl<'c> Trial<'c> {
    fn new(sender: &'static Sender, case: &'c Case, slip: Slip) -> Result<Self, Finding> {
        let request = sign(sender, case)?;
        let verifier = build(sender, &case.secrets, case)?;
        let now = signed_at(case);
        let whole = library::whole(&verifier, &Received::new(&request)?, now)?;
        let keys = naive::keys(sender, &case.secrets)?;
        let judged = naive::judge(sender, &keys, &request, (now, case.tolerance), slip);
        same(|| format!("{}: signed: {case:?}", sender.label()), &judged, &whole)?;
        let shown = whole.map_err(|reason| format!("{}: {reason}: {case:?}", sender.label()))?;
        Ok(Self { sender, case, request, keys, shown })
    }

    fn answer(&self, change: &Change) -> Result<Answer, Finding> {
        let secrets: Vec<Key> = change.keys.iter().cloned().map(Key::Bytes).collect();
        let verifier = build(self.sender, &secrets, self.case)?;
        library::whole(&verifier, &Received::new(&change.request)?, change.now)
    }

    /// The change that the input asks for; nothing if it would change nothing.
    fn change(&self) -> Option<(Change, Expected)> {
        let mut bytes = self.case.change.iter().copied();
        let kind = bytes.next()?.wrapping_sub(b'a') % 17;
        let mut next = || bytes.next().unwrap_or_default();
        let (low, high, value) = (next(), next(), next());
        let (at, value) = (usize::from(u16::from_le_bytes([low, high])), value);
        let mut change = Change {
            request: self.request.clone(),
            keys: self.keys.clone(),
            now: signed_at(self.case),
        };
        let expected = match kind {
            0..=2 => {
                replace(&mut change.request.body, kind, at, value)?;
                MISMATCH
            }
            3..=6 => self.change_header(&mut change.request, kind - 3, at, value)?,
            7 => self.change_key(&mut change.keys)?,
            8..=11 => self.change_clock(&mut change.now, kind - 8, u64::from(low))?,
            12..=15 => self.change_url(&mut change.request, kind - 12, at, value)?,
            _ => {
                let method = METHODS[at % METHODS.len()].to_owned();
                if change.request.method.replace(method.clone()) == Some(method) {
                    return None;
                }
                if_signed(self.sender.signs_target(self.shown.coverage).0)
            }
        };
        Some((change, expected))
    }

    /// One of the headers that the sender reads: a byte changed, a byte left out, the line left out, the line doubled.
    fn change_header(
        &self,
        request: &mut Request,
        kind: u8,
        at: usize,
        value: u8,
    ) -> Option<Expected> {
        let known = self.sender.provider.info().headers;
        let head = naive::read(self.sender, &self.request, Slip::None);
        let lines: Vec<usize> = (0..request.headers.len())
            .filter(|index| known.contains(&request.headers[*index].0.as_str()))
            .collect();
        let index = lines[at % lines.len()];
        let (name, text) = request.headers[index].clone();
        let counts = head.read.contains(&name.as_str());
        let at = at / lines.len();
        let expected = match kind {
            0 => {
                let changed = &mut request.headers[index].1;
                replace(changed, 0, at, value)?;
                HeaderValue::from_bytes(changed).ok()?;
                let at = at % text.len();
                let digits = head.offers.first().map(|offer| offer.digits);
                let length = head.messages.first()?.function.length() * 2;
                let in_signature = text.len().checked_sub(length).is_some_and(|start| at >= start);
                let other_case = in_signature
                    && digits == Some(Digits::Hex)
                    && text[at].eq_ignore_ascii_case(&changed[at]);
                let same = head.says_the_same(&naive::read(self.sender, request, Slip::None));
                if other_case || same { Expected::Accepted } else { Expected::Refused }
            }
            1 => {
                replace(&mut request.headers[index].1, 2, at, value)?;
                let same = head.says_the_same(&naive::read(self.sender, request, Slip::None));
                if same { Expected::Accepted } else { Expected::Refused }
            }
            2 => {
                request.headers.remove(index);
                if self.sender.can_do_without(&name) {
                    Expected::Accepted
                } else {
                    Expected::For("missing-header")
                }
            }
            _ => {
                request.headers.push((name, text));
                Expected::For("repeated-header")
            }
        };
        Some(if counts { expected } else { Expected::Accepted })
    }

    fn change_key(&self, keys: &mut [Vec<u8>]) -> Option<Expected> {
        let mut other = self.case.other.clone();
        // A key of zeros is none.
        if other.iter().all(|byte| *byte == 0) {
            other = [&self.keys[0][..], b"x"].concat();
        }
        let equal = function(self.sender, &self.request).is_same_key(&self.keys[0], &other);
        keys[0] = other;
        Some(if equal { Expected::Accepted } else { MISMATCH })
    }

    /// Late or early, by more than the tolerance or by all of it.
    fn change_clock(&self, now: &mut u64, kind: u8, more: u64) -> Option<Expected> {
        let unit = naive::read(self.sender, &self.request, Slip::None).unit;
        let tolerance = self.case.tolerance.unwrap_or(self.sender.rules.tolerance) / unit;
        let signed = signed_at(self.case) / unit;
        let beyond = tolerance.checked_add(1)?.checked_add(more);
        let (changed, expected) = match kind {
            0 => (signed.checked_add(beyond?)?, Expected::For("timestamp-too-old")),
            1 => (signed.checked_sub(beyond?)?, Expected::For("timestamp-in-future")),
            2 => (signed.checked_add(tolerance)?, Expected::Accepted),
            _ => (signed.checked_sub(tolerance)?, Expected::Accepted),
        };
        // The rest of the unit is cut off.
        *now = changed.checked_mul(unit)?.checked_add(unit - 1)?;
        Some(if self.shown.signed_at.is_some() { expected } else { Expected::Accepted })
    }

    /// A letter of the URL changed, added, left out, or written as an escape.
    fn change_url(
        &self,
        request: &mut Request,
        kind: u8,
        at: usize,
        value: u8,
    ) -> Option<Expected> {
        let url = self.request.url.clone()?;
        let changed = if kind < 3 {
            let mut bytes = url.clone().into_bytes();
            replace(&mut bytes, kind, at, value)?;
            String::from_utf8(bytes).ok()?
        } else {
            naive::escape_url(&url, at % (url.len() + 1))?
        };
        let equal = self.sender.decodes_url()
            && naive::read(self.sender, &self.request, Slip::None).messages.len() > 1
            && naive::decode_url(&changed, Slip::None) == url;
        request.url = Some(changed);
        let signed = self.sender.signs_target(self.shown.coverage).1;
        Some(if equal { Expected::Accepted } else { if_signed(signed) })
    }
}

/// Changes one byte (kind 0), adds one (1) or leaves one out (2); nothing if that cannot be.
fn replace(bytes: &mut Vec<u8>, kind: u8, at: usize, value: u8) -> Option<()> {
    match kind {
        1 => bytes.insert(at % (bytes.len() + 1), value),
        _ if bytes.is_empty() => return None,
        0 => {
            let at = at % bytes.len();
            bytes[at] ^= if value == 0 { 1 } else { value };
        }
        _ => {
            bytes.remove(at % bytes.len());
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::senders;

    /// A short header has no signature in it: the case of its letters counts.
    #[test]
    fn the_case_of_a_version_is_no_case_of_a_digit() {
        let sender = senders::find("hubspot", &[("versions".into(), "v2".into())]).unwrap();
        // Of two headers that are read the second, its first byte, the bit of the case.
        let change = vec![b'a' + 3, 1, 0, 0x20];
        let case = Case { sender, change, ..Case::default() };
        assert_eq!(run(&case.write()), Ok(Some(Err("unsupported-version"))));
    }
}
