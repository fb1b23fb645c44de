//! The target `url`: the readings of a URL that is signed, and of bodies that are written like one.
//!
//! An input is one of `verify`, of which method, URL, secrets and body count. The first byte picks one of the senders and
//! records that sign the URL.

use std::sync::OnceLock;

use crate::genuine::{Genuine, SECRET};
use crate::input::Case;
use crate::library::{self, Received};
use crate::naive::{self, Slip};
use crate::placeholder::{self, NOW, SIGNATURE};
use crate::senders;
use crate::{Finding, events, records, same};

/// What a run saw: the number of readings, and of other spellings of the URL that were refused.
pub type Seen = (usize, usize);

/// The indices of the senders and records that sign the URL.
///
/// # Panics
///
/// If a sender cannot be set up.
pub fn signers() -> &'static [usize] {
    static SIGNERS: OnceLock<Vec<usize>> = OnceLock::new();
    SIGNERS.get_or_init(|| {
        let needs_url = |index: &usize| {
            let secret = [naive::Key::Text(SECRET.into())];
            let verifier = library::verifier(senders::get(*index), &secret, None);
            verifier.expect("the usual secret is good for every sender").needs().url
        };
        (0..senders::all().len() + records::all().len()).filter(needs_url).collect()
    })
}

/// Runs the target; there is no answer for an empty input.
///
/// # Errors
///
/// What contradicts a property.
pub fn run(data: &[u8]) -> Result<Option<Seen>, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What contradicts a property.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Option<Seen>, Finding> {
    let Some(read) = Case::read(data) else { return Ok(None) };
    forms(&read, slip)?;
    let which = usize::from(data[0].wrapping_sub(b'A')) % signers().len();
    let sender = senders::get(signers()[which]);
    let case = Case {
        sender: signers()[which],
        secrets: read.secrets.iter().take(1).cloned().collect(),
        method: read.method,
        url: Some(read.url.unwrap_or_default()),
        headers: sender.sample(&[SIGNATURE], &[NOW]),
        body: read.body,
        ..Case::default()
    };
    let genuine = Genuine::new(case);
    let trial = Trial { genuine: &genuine, slip };
    let readings = trial.readings()?;
    let refused = trial.other_spellings(&readings)?;
    Ok(Some((readings.len(), refused)))
}

/// The body as a form, for the senders of forms: the other place where escapes are decoded.
fn forms(read: &Case, slip: Slip) -> Result<(), Finding> {
    let is_form = |index: &usize| naive::events::is_form(senders::get(*index).provider.info().id);
    for index in (0..senders::all().len()).filter(is_form) {
        let case = Case { sender: index, body: read.body.clone(), ..Case::default() };
        let _ = events::check(case, slip)?;
    }
    Ok(())
}

struct Trial<'g> {
    genuine: &'g Genuine,
    slip: Slip,
}

impl Trial<'_> {
    fn about(&self, what: &str) -> String {
        let Genuine { case, request, .. } = self.genuine;
        format!("{}: {what}: {request:?}", case.sender().label())
    }

    fn answer(&self, request: &naive::Request) -> Result<naive::Answer, Finding> {
        let case = &self.genuine.case;
        let verifier = library::verifier(case.sender(), &case.secrets, case.tolerance)
            .map_err(|error| self.about(&error.to_string()))?;
        library::whole(&verifier, &Received::new(request)?, case.now())
    }

    /// The messages that the library says must have been signed are those of the naive side, and a signature over each of
    /// them is accepted.
    fn readings(&self) -> Result<Vec<Vec<u8>>, Finding> {
        let Genuine { case, keys, request } = self.genuine;
        let head = naive::read(case.sender(), request, self.slip);
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for message in &head.messages {
            let whole = [&message.before, &request.body[..], &message.after].concat();
            if !expected.contains(&whole) {
                expected.push(whole);
            }
        }
        let verifier = library::verifier(case.sender(), &case.secrets, case.tolerance)
            .map_err(|error| self.about(&error.to_string()))?;
        let messages = Received::new(request)?
            .signed_bytes(&verifier)
            .map_err(|error| self.about(&error.to_string()))?;
        same(|| self.about("the signed bytes"), &expected, &messages)?;
        for number in 0..expected.len() {
            // Placeholders from the fifth on are signatures over the second reading.
            let which = SIGNATURE + 4 * u8::try_from(number).expect("two readings");
            let headers = case.sender().sample(&[which], &[NOW]);
            let signed = placeholder::fill(&Case { headers, ..case.clone() }, keys);
            let answer = self.answer(&signed)?;
            same(
                || self.about(&format!("signed over reading {number}")),
                &Ok(0),
                &answer.map(|shown| shown.key),
            )?;
        }
        Ok(expected)
    }

    /// A signature over another spelling of the URL, which is no documented reading, is refused.
    fn other_spellings(&self, readings: &[Vec<u8>]) -> Result<usize, Finding> {
        let Genuine { case, keys, request } = self.genuine;
        let mut refused = 0;
        for url in spellings(request.url.as_deref().unwrap_or_default()) {
            let other = Case { url: Some(url), ..case.clone() };
            let mut signed = placeholder::fill(&other, keys);
            let head = naive::read(case.sender(), &signed, Slip::None);
            let message = head
                .messages
                .first()
                .map(|message| [&message.before, &request.body[..], &message.after].concat());
            if message.is_none_or(|message| readings.contains(&message)) {
                continue;
            }
            signed.url.clone_from(&request.url);
            let answer = self.answer(&signed)?;
            let expected = Err("signature-mismatch");
            same(|| self.about(&format!("signed for {:?}", other.url)), &expected, &answer)?;
            refused += 1;
        }
        Ok(refused)
    }
}

/// A URL as others would write it.
fn spellings(url: &str) -> Vec<String> {
    vec![
        naive::decode_url(url, Slip::AnyCaseEscapes),
        naive::decode_url(url, Slip::BlankEscape),
        url.to_lowercase(),
        url.to_uppercase(),
        url.replace('+', " "),
        url.replace("%20", "+"),
        url.replace("%25", "%"),
        url.replace('%', "%25"),
        url.trim_end_matches('/').to_owned(),
        format!("{url}/"),
        url.split(['#', '?']).next().unwrap_or_default().to_owned(),
        naive::escape_url(url, 0).unwrap_or_default(),
        url.chars().rev().collect(),
    ]
}
