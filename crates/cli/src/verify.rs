//! `hookproof verify`: the verdict on one captured request.

use std::time::Duration;

use hookproof::{Coverage, Delivery, Error, Fault, UnixTime, Verified, Verifier};
use serde_json::{Value, json};

use crate::args::VerifyArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::http_file::Captured;
use crate::output::{BAD, GOOD, Screen, paint};
use crate::{library, time};

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs, screen: &mut Screen) -> Outcome {
    let outcome = judge(args, screen);
    if let (true, Err(failure)) = (args.json, &outcome) {
        screen.json(&object("error", Some(failure.kind()), Some(failure.to_string()), None));
    }
    outcome
}

fn judge(args: &VerifyArgs, screen: &mut Screen) -> Outcome {
    let now = args.capture.now.unwrap_or_else(time::system_now);
    let sender = library::sender(&args.capture.sender)?;
    let keys = sender.secrets.len();
    let mut builder = Verifier::builder(sender.provider);
    for secret in sender.secrets {
        builder = builder.key(secret);
    }
    for (name, value) in &sender.options {
        builder = builder.option(name, value);
    }
    library::note_tolerance(sender.provider.info(), args.capture.tolerance);
    if let Some(seconds) = args.capture.tolerance {
        builder = builder.tolerance(Duration::from_secs(seconds));
    }
    let verifier = builder.build().map_err(|error| library::configuration(&error))?;
    let captured = library::capture(&args.capture.file, args.capture.sender.secrets.take_stdin())?;
    let method = args.capture.method.as_ref().unwrap_or(&captured.method);
    let mut delivery = Delivery::new(&captured.headers, &captured.body).with_method(method);
    if let Some(url) = &args.capture.url {
        delivery = delivery.with_url(url);
    }
    match verifier.verify_at(&delivery, UnixTime::from_millis(now)) {
        Ok(verified) if args.json => {
            screen.json(&object("accepted", None, None, Some(&verified)));
            Ok(Ending::Good)
        }
        Ok(verified) => {
            accepted(&verified, keys, now, screen);
            Ok(Ending::Good)
        }
        Err(error) if error.fault() == Fault::Operator => Err(operator(&error, &captured)),
        Err(error) => {
            if args.json {
                let message = hint(&error)
                    .map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"));
                let mut answer =
                    object("rejected", Some(error.kind().as_str()), Some(message), None);
                if let (Some(at), Some(members)) = (error.signed_at(), answer.as_object_mut()) {
                    members.insert("signedAt".into(), time::show(at.as_millis()).into());
                }
                screen.json(&answer);
            } else {
                rejected(&error, now, screen);
            }
            Ok(Ending::Bad)
        }
    }
}

/// An error that only this request could show and that is not the sender's.
fn operator(error: &Error, captured: &Captured) -> Failure {
    let hint = match &captured.url_hint {
        Some(url) => {
            format!("here with --url; the request says {url}, which only you can know to be right")
        }
        None => "here with --url".to_owned(),
    };
    Failure::of_kind(error.kind().as_str(), format!("{error}, {hint}"))
}

fn accepted(verified: &Verified<'_>, keys: usize, now: u64, screen: &mut Screen) {
    let key = verified.key();
    let which = match (key, keys) {
        (_, 1) => "",
        (0, _) => " (the current one)",
        _ => " (a previous one)",
    };
    screen.line(format_args!("{}  {}", paint(GOOD, "accepted"), verified.provider().info().id));
    screen.line(format_args!("  secret   {} of {keys}{which}", key + 1));
    match verified.signed_at() {
        Some(at) => screen.line(format_args!("  signed   {}", age(at.as_millis(), now))),
        None => screen.line("  signed   no time: an old delivery cannot be told from a new one"),
    }
    screen.line(format_args!("  covered  {}", covered(verified.coverage())));
}

fn covered(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::BodyAndTarget => "body, method and URL; headers are not signed",
        Coverage::Body => "body; method, URL and other headers are not signed",
        Coverage::Fields => "some fields, joined without separators",
        Coverage::Checksum => "a checksum of the body, which shows damage but not intent",
        Coverage::Credential => "nothing of the request: the sender proved a credential only",
        other => other.as_str(),
    }
}

fn rejected(error: &Error, now: u64, screen: &mut Screen) {
    screen.line(format_args!("{}  {}", paint(BAD, "rejected"), error.kind()));
    screen.line(format_args!("  {error}"));
    if let Some(at) = error.signed_at() {
        screen.line(format_args!("  signed   {}", age(at.as_millis(), now)));
    }
    if let Some(hint) = hint(error) {
        screen.line(format_args!("  {hint}"));
    }
}

/// What would make a genuine delivery at another time acceptable.
fn hint(error: &Error) -> Option<String> {
    let at = error.signed_at()?;
    Some(format!("with --now {} it is accepted", time::as_now(at.as_millis())))
}

fn age(signed: u64, now: u64) -> String {
    let side = if signed <= now { "before" } else { "after" };
    format!("{}, {} {side} now", time::show(signed), time::distance(signed, now))
}

fn object(
    verdict: &str,
    kind: Option<&str>,
    message: Option<String>,
    verified: Option<&Verified<'_>>,
) -> Value {
    json!({
        "verdict": verdict,
        "kind": kind,
        "message": message,
        "key": verified.map(Verified::key),
        "signedAt": verified.and_then(Verified::signed_at).map(|at| time::show(at.as_millis())),
        "coverage": verified.map(|verified| verified.coverage().as_str()),
    })
}
