//! `hookproof explain`: what was signed, step by step, and the mistake that would make a mismatch match.

mod body;
mod case;
mod header;
mod json_text;
mod secret;
mod sender;
mod target;
#[cfg(test)]
mod tests;

use hookproof::{Error, ErrorKind, Fault, Outgoing, Signer, UnixTime};
use serde_json::{Value, json};

use crate::args::ExplainArgs;
use crate::explain::case::{Case, Variation};
use crate::failure::{Ending, Failure, Outcome};
use crate::output::{BAD, GOOD, NAME, Screen, paint, plain};
use crate::{library, time};

/// How much of the signed bytes is shown at either end.
const SHOWN: usize = 120;
/// Bodies above this are tried with single mistakes only.
const PAIRS_UP_TO: usize = 1 << 18;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, screen: &mut Screen) -> Outcome {
    let now = UnixTime::from_millis(args.capture.now.unwrap_or_else(time::system_now));
    let examined = case(args).and_then(|case| {
        let verdict = case.verify(now, args.capture.tolerance);
        Ok((verdict.map_err(|error| library::configuration(&error))?, case))
    });
    let (verdict, case) = match examined {
        Ok(examined) => examined,
        Err(failure) => {
            if args.json {
                screen.json(&failed(&failure));
            }
            return Err(failure);
        }
    };
    let found = match &verdict {
        Ok(_) => Vec::new(),
        Err(error) if error.fault() == Fault::Operator => target::hints(&case),
        Err(error) if error.signed_at().is_some() => clock(error, now),
        Err(_) => diagnose(&case),
    };
    let report = Report { case: &case, now, verdict, found };
    if args.json {
        screen.json(&report.json());
    } else {
        report.show(screen);
    }
    match &report.verdict {
        Err(error) if error.fault() == Fault::Operator => {
            return Err(Failure::of_kind(error.kind().as_str(), error.to_string()));
        }
        _ => {}
    }
    if args.reveal_expected_signature {
        reveal(&case, &report, now, screen)?;
    }
    Ok(Ending::good_if(report.verdict.is_ok()))
}

/// The request and the set-up of the command line.
fn case(args: &ExplainArgs) -> Result<Case, Failure> {
    let named = library::named(&args.capture.sender)?;
    library::note_tolerance(named.provider.info(), args.capture.tolerance);
    let captured = library::capture(&args.capture.file, args.capture.sender.secrets.take_stdin())?;
    Ok(Case {
        provider: named.provider,
        options: named.options,
        keys: named.texts.iter().map(|text| case::Key::text(text)).collect(),
        method: args.capture.method.clone().unwrap_or(captured.method),
        headers: captured.headers,
        url: args.capture.url.clone(),
        url_hint: captured.url_hint,
        body: captured.body,
        surplus: captured.surplus,
    })
}

/// The object of a run that has no verdict.
fn failed(failure: &Failure) -> Value {
    json!({
        "verdict": "error", "kind": failure.kind(), "message": failure.to_string(),
        "key": null, "signedAt": null, "signedBytes": [], "causes": [], "notes": [],
    })
}

/// The mistakes that would make the signature match: single ones first, then two at a time.
fn diagnose(case: &Case) -> Vec<String> {
    let groups = [
        body::variations(case),
        secret::variations(case),
        target::variations(case),
        header::variations(case),
        sender::variations(case),
    ];
    let single: Vec<String> = groups
        .iter()
        .flatten()
        .filter(|variation| variation.matches())
        .map(|variation| variation.message.clone())
        .collect();
    if !single.is_empty() || case.body.len() > PAIRS_UP_TO {
        return distinct(single);
    }
    let [bodies, secrets, targets, ..] = &groups;
    let mut pairs = Vec::new();
    for first in secrets.iter().chain(targets) {
        let second =
            body::variations(&first.case).into_iter().chain(target::variations(&first.case));
        for second in second.chain(sender::variations(&first.case)).filter(Variation::matches) {
            pairs.push(format!("two things at once: {}; and {}", first.message, second.message));
        }
    }
    for first in bodies {
        for second in body::newlines(&first.case).iter().filter(|second| second.matches()) {
            pairs.push(format!("two things at once: {}; and {}", first.message, second.message));
        }
    }
    distinct(pairs)
}

fn distinct(mut messages: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    messages.retain(|message| seen.insert(message.clone()));
    messages
}

/// The signature is right and the time is not: a unit that was mixed up, or a clock.
fn clock(error: &Error, now: UnixTime) -> Vec<String> {
    /// Two times this close are taken to be meant as one.
    const CLOSE: u64 = 7 * 86_400_000;
    let Some(signed) = error.signed_at() else { return Vec::new() };
    let close = |millis: u64| millis.abs_diff(now.as_millis()) < CLOSE;
    if close(signed.as_millis() / 1000) {
        return vec![
            "the signed time is in milliseconds, and this sender signs seconds".to_owned(),
        ];
    }
    if close(signed.as_millis().saturating_mul(1000)) {
        return vec![
            "the signed time is in seconds, and this sender signs milliseconds".to_owned(),
        ];
    }
    let distance = time::distance(signed.as_millis(), now.as_millis());
    let side = match error.kind() {
        ErrorKind::TimestampInFuture => "ahead of",
        _ => "before",
    };
    let with = time::as_now(signed.as_millis());
    vec![format!(
        "the delivery is genuine and was signed {distance} {side} the time it is verified at; with --now {with} it is accepted"
    )]
}

/// What is said about a case.
struct Report<'c> {
    case: &'c Case,
    now: UnixTime,
    verdict: Result<case::Match, Error>,
    found: Vec<String>,
}

impl Report<'_> {
    fn show(&self, screen: &mut Screen) {
        let info = self.case.provider.info();
        screen.line(format_args!("{}  {}", paint(NAME, "sender"), info.name));
        for name in info.headers {
            let lines = self.case.headers.get_all(*name).iter().count();
            if lines > 0 {
                let times = if lines == 1 { String::new() } else { format!(", {lines} lines") };
                screen.line(format_args!("  header   {name}{times}"));
            }
        }
        match self.case.messages() {
            Ok(messages) if messages.is_empty() => {
                screen.line("  signed   not shown: the sender makes no plain MAC")
            }
            Ok(messages) => {
                messages.iter().for_each(|message| show_signed(message, &info.signed, screen))
            }
            Err(error) => screen.line(format_args!("  signed   not known: {error}")),
        }
        match &self.verdict {
            Ok(found) => {
                screen.line(format_args!(
                    "{}  by secret {} of {}",
                    paint(GOOD, "accepted"),
                    found.key + 1,
                    self.case.keys.len()
                ));
                if let Some(note) = self.other_secret() {
                    screen.line(format_args!("  note     {note}"));
                }
                if let Some(at) = found.signed_at {
                    screen.line(format_args!(
                        "  age      {}",
                        time::distance(at.as_millis(), self.now.as_millis())
                    ));
                }
            }
            Err(error) => {
                let word = if self.is_unknown() { "no verdict" } else { "rejected" };
                screen.line(format_args!("{}  {}", paint(BAD, word), error.kind()));
                screen.line(format_args!("  {error}"));
                if self.found.is_empty() {
                    screen.line("  cause    none of the usual mistakes makes it match: the secret is another one, or it is a forgery");
                }
                for message in &self.found {
                    screen.line(format_args!("  {}    {message}", paint(NAME, "cause")));
                }
            }
        }
    }

    /// Whether the set-up, not the request, keeps it from being verified.
    fn is_unknown(&self) -> bool {
        self.verdict.as_ref().is_err_and(|error| error.fault() == Fault::Operator)
    }

    /// What to say when it is not the current secret that matches.
    fn other_secret(&self) -> Option<String> {
        let key = self.verdict.as_ref().ok().map(|found| found.key).filter(|key| *key > 0)?;
        Some(format!(
            "another configured secret than the current one matches, number {}: the rotation is not finished at the \
             sender, or this secret is another endpoint's",
            key + 1,
        ))
    }

    fn json(&self) -> Value {
        let signed: Vec<Value> = self
            .case
            .messages()
            .unwrap_or_default()
            .iter()
            .map(|message| signed_json(message))
            .collect();
        let (key, signed_at) = match &self.verdict {
            Ok(found) => (Some(found.key), found.signed_at),
            Err(error) => (None, error.signed_at()),
        };
        let error = self.verdict.as_ref().err();
        json!({
            "verdict": match error {
                None => "accepted",
                Some(_) if self.is_unknown() => "error",
                Some(_) => "rejected",
            },
            "kind": error.map(|error| error.kind().as_str()),
            "message": error.map(ToString::to_string),
            "key": key,
            "signedAt": signed_at.map(|at| time::show(at.as_millis())),
            "signedBytes": signed,
            "causes": self.found,
            "notes": self.other_secret().into_iter().collect::<Vec<_>>(),
        })
    }
}

/// The first and last bytes of what was signed, as text where they are text.
fn show_signed(message: &[u8], template: &hookproof::Fact, screen: &mut Screen) {
    screen.line(format_args!("  signed   {} bytes, {}:", message.len(), template.text));
    for line in ends(message) {
        screen.line(format_args!("           {line}"));
    }
}

fn ends(message: &[u8]) -> Vec<String> {
    if message.len() <= 2 * SHOWN {
        return vec![shown(message)];
    }
    let (head, rest) = message.split_at(SHOWN);
    let tail = rest.get(rest.len() - SHOWN..).unwrap_or_default();
    vec![shown(head), format!("… {} bytes …", rest.len() - tail.len()), shown(tail)]
}

/// Text in quotes with everything that cannot be seen written out, or hex digits.
fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => plain(format_args!("{text:?}")),
        Err(_) => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
    }
}

fn signed_json(message: &[u8]) -> Value {
    use base64::Engine as _;
    json!({ "length": message.len(), "base64": base64::engine::general_purpose::STANDARD.encode(message) })
}

/// Prints what the sender's headers would have to be. Only on demand: the value is as good as a signature.
fn reveal(
    case: &Case,
    report: &Report<'_>,
    now: UnixTime,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let mut builder = Signer::builder(case.provider);
    for key in &case.keys {
        builder = builder.key(key.secret().map_err(|error| library::configuration(&error))?);
    }
    for (name, value) in &case.options {
        builder = builder.option(name, value);
    }
    let signer = builder.build().map_err(|error| library::configuration(&error))?;
    let at = match &report.verdict {
        Ok(found) => found.signed_at,
        Err(error) => error.signed_at().or_else(|| case.signed_at()),
    };
    let id = case.id();
    let mut outgoing = Outgoing::new(&case.body).with_method(&case.method);
    if let Some(url) = &case.url {
        outgoing = outgoing.with_url(url);
    }
    if let Some(id) = &id {
        outgoing = outgoing.with_id(id);
    }
    let signed = signer
        .sign(&outgoing, at.unwrap_or(now))
        .map_err(|error| Failure::new(error.to_string()))?;
    screen.line("expected, for this body and time:");
    for name in case.provider.info().headers {
        for value in signed.headers().get_all(*name) {
            screen.line(format_args!("  {name}: {}", String::from_utf8_lossy(value.as_bytes())));
        }
    }
    Ok(())
}
