//! The target `header`: every grammar, read strictly, before the first byte of the body.
//!
//! Secrets, clock, target and body are fixed; the input gives the lines of the headers. Beside the comparison with the
//! naive reader, properties that need none are checked, so that a misunderstanding that both sides share is found too.

use std::sync::OnceLock;

use hookproof::{Verifier, testing};

use crate::input::{Case, UNRELATED, USUAL_NOW};
use crate::library::{self, Received};
use crate::naive::{self, Answer, Key, Request, Slip, rank, trim};
use crate::placeholder::fill;
use crate::senders::{self, Sender};
use crate::{Finding, same};

const BODY: &[u8] = b"{\"id\":1}";
const URL: &str = "https://example.com/hooks?a=%3A%2f";
/// The most lines that are doubled in one run.
const MAX_DOUBLED: usize = 12;

/// Runs the target. The answer is both sides'; there is none for an empty input.
///
/// # Errors
///
/// What contradicts a property.
pub fn run(data: &[u8]) -> Result<Option<Answer>, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What contradicts a property.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Option<Answer>, Finding> {
    let Some(read) = Case::read(data) else { return Ok(None) };
    let fixed = fixed(&read);
    let request = fill(&fixed, &keys(fixed.sender()));
    let trial = Trial { sender: fixed.sender(), verifier: &verifiers()[fixed.sender], slip };
    trial.head_and_whole_agree(&request)?;
    let answer = trial.answer(&request)?;
    trial.blanks_change_nothing(&request, answer)?;
    trial.unrelated_header_changes_nothing(&request, answer)?;
    trial.doubled_lines_are_faults(&request, answer)?;
    Ok(Some(answer))
}

/// The case with everything but the headers fixed.
fn fixed(read: &Case) -> Case {
    Case {
        sender: read.sender,
        headers: read.headers.clone(),
        method: Some("POST".into()),
        url: Some(URL.into()),
        body: BODY.to_vec(),
        ..Case::default()
    }
}

fn secrets() -> [Key; 2] {
    [Key::Text(testing::SECRET.into()), Key::Bytes(b"previous".to_vec())]
}

fn keys(sender: &Sender) -> Vec<Vec<u8>> {
    naive::keys(sender, &secrets()).expect("the secrets are good for every sender")
}

fn verifiers() -> &'static [Verifier] {
    static VERIFIERS: OnceLock<Vec<Verifier>> = OnceLock::new();
    VERIFIERS.get_or_init(|| {
        let built = senders::all().iter().map(|sender| library::verifier(sender, &secrets(), None));
        built.collect::<Result<_, _>>().expect("the secrets are good for every sender")
    })
}

struct Trial {
    sender: &'static Sender,
    verifier: &'static Verifier,
    slip: Slip,
}

impl Trial {
    fn answer(&self, request: &Request) -> Result<Answer, Finding> {
        library::whole(self.verifier, &Received::new(request)?, USUAL_NOW)
    }

    fn about(&self, what: &str, request: &Request) -> String {
        format!("{}: {what}: {request:?}", self.sender.label())
    }

    /// The streamed `begin`, the whole `verify_at` and the naive reader agree on the first fault of the head, and a head
    /// without a fault leaves only a wrong signature, a time that is not fresh, or acceptance.
    fn head_and_whole_agree(&self, request: &Request) -> Result<(), Finding> {
        let begun = library::begin(self.verifier, &Received::new(request)?)?;
        let head = naive::read(self.sender, request, self.slip);
        let expected = head.fault(self.slip).map_or(Ok(()), Err);
        same(|| self.about("the head", request), &expected, &begun)?;
        let whole = self.answer(request)?;
        match (begun, whole) {
            (Err(fault), whole) => {
                same(|| self.about("the whole request", request), &Err(fault), &whole)?;
            }
            (Ok(()), Err("signature-mismatch" | "timestamp-too-old" | "timestamp-in-future")) => {}
            (Ok(()), Ok(_)) => {}
            (Ok(()), Err(fault)) => {
                let what = format!("{fault} after the head was accepted");
                return Err(self.about(&what, request));
            }
        }
        let clock = (USUAL_NOW, None);
        let judged = naive::judge(self.sender, &keys(self.sender), request, clock, self.slip);
        same(|| self.about("the whole request, naively", request), &judged, &whole)
    }

    /// Blanks and tabs around a value are not part of it.
    fn blanks_change_nothing(&self, request: &Request, answer: Answer) -> Result<(), Finding> {
        let mut padded = request.clone();
        for (_, value) in &mut padded.headers {
            *value = [b" \t", &value[..], b"\t  "].concat();
        }
        let got = self.answer(&padded)?;
        same(|| self.about("blanks around the values", request), &answer, &got)
    }

    /// A header that the scheme does not read is not read.
    fn unrelated_header_changes_nothing(
        &self,
        request: &Request,
        answer: Answer,
    ) -> Result<(), Finding> {
        let mut more = request.clone();
        let value = request.headers.first().map_or(b"x".to_vec(), |(_, value)| value.clone());
        more.headers.insert(0, (UNRELATED.to_owned(), value));
        let got = self.answer(&more)?;
        same(|| self.about("a header that is not read", request), &answer, &got)
    }

    /// A second line of a header that counts is `repeated-header` or a fault before it in rank; a second line of one that
    /// does not count changes nothing.
    fn doubled_lines_are_faults(&self, request: &Request, answer: Answer) -> Result<(), Finding> {
        let read = naive::read(self.sender, request, self.slip).read;
        let lines = request.headers.iter().filter(|(_, value)| !trim(value).is_empty());
        for (name, value) in lines.take(MAX_DOUBLED) {
            let mut doubled = request.clone();
            doubled.headers.push((name.clone(), value.clone()));
            let got = self.answer(&doubled)?;
            if !read.contains(&name.as_str()) {
                same(|| self.about(&format!("`{name}` twice"), request), &answer, &got)?;
            } else if !matches!(got, Err(reason) if rank(reason) <= rank("repeated-header")) {
                return Err(self.about(&format!("`{name}` twice gives {got:?}"), request));
            }
        }
        Ok(())
    }
}
