//! Runs every vector of the folder: whole, streamed and collected, and mutated. A new file is a new test.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use bytes::Bytes;
use hookproof::{Coverage, ErrorKind, Secret, UnixTime, Verifier};
use hookproof_vectors::{Outcome, Policy, Test, VectorFile};
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;

use support::{Answer, Request};

/// Chunk sizes of streamed runs; bodies above [`BIG`] take the large ones only.
const CHUNKS: [usize; 4] = [1, 3, 64, 1000];
const BIG: usize = 1 << 16;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let policy = Arc::new(support::policy());
    let files: Vec<Arc<VectorFile>> = support::files().into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for file in &files {
        for (group_index, group) in file.test_groups.iter().enumerate() {
            for (test_index, test) in group.tests.iter().enumerate() {
                let checks: [(&str, Check); 2] = [("", run), ("/mutated", mutated)];
                for (suffix, check) in checks {
                    let (file, policy) = (Arc::clone(file), Arc::clone(&policy));
                    let case = Case { file, group_index, test_index };
                    let supported = support::sender(&case.file.provider, group).is_some();
                    let name = format!("{}/{}{suffix}", case.file.provider, test.id);
                    trials.push(
                        Trial::test(name, move || check(&case, &policy))
                            .with_ignored_flag(!supported),
                    );
                }
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Check = fn(&Case, &Policy) -> Result<(), Failed>;

struct Case {
    file: Arc<VectorFile>,
    group_index: usize,
    test_index: usize,
}

impl Case {
    fn group(&self) -> &hookproof_vectors::Group {
        &self.file.test_groups[self.group_index]
    }

    fn test(&self) -> &Test {
        &self.group().tests[self.test_index]
    }

    /// The verifier of the group, or `bad-secret`.
    fn verifier(&self, secrets: Option<Vec<Secret>>) -> Result<Verifier, &'static str> {
        let Some((sender, options)) = support::sender(&self.file.provider, self.group()) else {
            return Err("unsupported");
        };
        let built = match secrets {
            Some(secrets) => Ok(secrets),
            None => support::secrets(self.group()),
        };
        built
            .and_then(|secrets| support::verifier(sender, &options, self.group(), secrets))
            .map_err(|error| error.kind().as_str())
    }
}

fn run(case: &Case, policy: &Policy) -> Result<(), Failed> {
    let test = case.test();
    let expected = match &test.outcome {
        Outcome::Valid => None,
        Outcome::Acceptable if policy.accepts(&case.file, test) => None,
        Outcome::Acceptable => Some("any reason"),
        other => other.reason(),
    };
    let verifier = match case.verifier(None) {
        Ok(verifier) => verifier,
        Err(kind) if matches!(expected, Some("any reason")) || expected == Some(kind) => {
            return Ok(());
        }
        Err(kind) => {
            return Err(
                format!("expected {expected:?}, the configuration was refused: {kind}").into()
            );
        }
    };
    let request = Request::new(test);
    let now = support::now(test);
    let whole = support::whole(&verifier, &request, now);
    match (&whole, expected) {
        (Ok(key), None) => {
            let wanted = test.expect.as_ref().and_then(|expect| expect.key);
            if wanted.is_some_and(|wanted| wanted != *key) {
                return Err(format!("expected key {wanted:?}, got {key}").into());
            }
            let signed = test.expect.as_ref().and_then(|expect| expect.signed_bytes.as_ref());
            let messages =
                verifier.signed_bytes(&request.delivery()).map_err(|error| error.to_string())?;
            if signed.is_some_and(|signed| !messages.contains(signed)) {
                return Err("the signed bytes are not those of the vector".into());
            }
            #[cfg(feature = "events")]
            events(test, &verifier, &request, now)?;
        }
        (Err(_), Some("any reason")) => {}
        (Err(kind), Some(reason)) if kind.as_str() == reason => {}
        (got, expected) => return Err(format!("expected {expected:?}, got {got:?}").into()),
    }
    both_ways(&verifier, &request, now, whole)
}

/// What the delivery says is what the vector says.
#[cfg(feature = "events")]
fn events(
    test: &Test,
    verifier: &Verifier,
    request: &Request,
    now: UnixTime,
) -> Result<(), Failed> {
    let delivery = request.delivery();
    let verified = verifier.verify_at(&delivery, now).map_err(|error| error.to_string())?;
    let events: Result<Vec<hookproof::Event<'_>>, hookproof::EventError> =
        verified.events().and_then(|events| events.collect());
    match (&events, &test.events, &test.events_error) {
        (_, None, None) => Ok(()),
        (Err(error), None, Some(reason)) if error.kind().as_str() == reason => Ok(()),
        (Ok(got), Some(wanted), None) => {
            let got: Vec<serde_json::Value> = got.iter().map(event_json).collect();
            let wanted = serde_json::to_value(wanted).map_err(|error| error.to_string())?;
            if serde_json::Value::from(got.clone()) == wanted {
                return Ok(());
            }
            Err(format!("expected events {wanted}, got {}", serde_json::Value::from(got)).into())
        }
        (got, wanted, error) => {
            Err(format!("expected events {wanted:?} or {error:?}, got {got:?}").into())
        }
    }
}

#[cfg(feature = "events")]
fn event_json(event: &hookproof::Event<'_>) -> serde_json::Value {
    let mut json = serde_json::json!({ "key": event.key() });
    let mut put = |name: &str, value: Option<serde_json::Value>| {
        if let Some(value) = value {
            json[name] = value;
        }
    };
    put("twin", event.twin().map(Into::into));
    put("kind", event.kind().map(Into::into));
    put("subject", event.subject().map(Into::into));
    put("stream", event.stream().map(Into::into));
    put(
        "order",
        event.order().map(
            |order| serde_json::json!({ "value": order.value(), "unit": order.unit().as_str() }),
        ),
    );
    put("attempt", event.attempt().map(Into::into));
    json
}

/// A body in chunks, kept or not, has the same outcome as the whole body.
fn both_ways(
    verifier: &Verifier,
    request: &Request,
    now: UnixTime,
    whole: Answer,
) -> Result<(), Failed> {
    let head = request.delivery().head();
    let sizes = CHUNKS.into_iter().filter(|size| request.body.len() < BIG || *size >= 1000);
    for size in sizes.chain([request.body.len().max(1)]) {
        let streamed =
            verifier.streaming().map_err(|error| error.to_string())?.begin(head).and_then(
                |mut stream| {
                    request.body.chunks(size).for_each(|chunk| stream.update(chunk));
                    stream.finish(now)
                },
            );
        let streamed = streamed.map(|verified| verified.key()).map_err(|error| error.kind());
        if streamed != whole {
            return Err(
                format!("whole {whole:?}, but streamed in chunks of {size} {streamed:?}").into()
            );
        }
        let collected = verifier.collect(head, request.body.len()).and_then(|mut collector| {
            for chunk in request.body.chunks(size) {
                collector.push(Bytes::copy_from_slice(chunk))?;
            }
            collector.finish(now)
        });
        if let Ok(verified) = &collected
            && verified.body() != &request.body
        {
            return Err("the collected body is not the body".into());
        }
        let collected = collected.map(|verified| verified.key()).map_err(|error| error.kind());
        if collected != whole {
            return Err(format!(
                "whole {whole:?}, but collected in chunks of {size} {collected:?}"
            )
            .into());
        }
    }
    Ok(())
}

/// A valid delivery that is changed in any covered place is refused.
fn mutated(case: &Case, _: &Policy) -> Result<(), Failed> {
    let test = case.test();
    if test.outcome != Outcome::Valid {
        return Ok(());
    }
    let verifier = case.verifier(None)?;
    let request = Request::new(test);
    let now = support::now(test);
    let delivery = request.delivery();
    let verified = verifier.verify_at(&delivery, now).map_err(|error| error.to_string())?;
    let expect =
        |what: &str, request: &Request, now: UnixTime, kinds: &[ErrorKind]| match support::whole(
            &verifier, request, now,
        ) {
            Err(kind) if kinds.is_empty() || kinds.contains(&kind) => Ok(()),
            got => Err(Failed::from(format!("{what}: expected {kinds:?}, got {got:?}"))),
        };
    let mismatch = &[ErrorKind::SignatureMismatch];

    let covers_body = matches!(verified.coverage(), Coverage::Body | Coverage::BodyAndTarget);
    assert!(covers_body, "every sender so far covers the body");
    let length = request.body.len();
    for at in [0, length / 2, length.saturating_sub(1)].into_iter().filter(|at| *at < length) {
        let mut changed = request.clone();
        changed.body[at] ^= 1;
        expect("a bit of the body flipped", &changed, now, mismatch)?;
    }
    let mut changed = request.clone();
    changed.body.push(b' ');
    expect("a blank added to the body", &changed, now, mismatch)?;
    if length > 0 {
        changed.body.truncate(length - 1);
        expect("the body cut short", &changed, now, mismatch)?;
    }

    if verified.coverage() == Coverage::BodyAndTarget {
        let mut changed = request.clone();
        changed.url = changed.url.map(|url| url + "/");
        expect("the URL changed", &changed, now, mismatch)?;
        let mut changed = request.clone();
        changed.method = changed.method.map(|method| {
            if method == http::Method::PUT { http::Method::PATCH } else { http::Method::PUT }
        });
        expect("the method changed", &changed, now, mismatch)?;
        changed.method = None;
        expect("the method left out", &changed, now, &[ErrorKind::MissingTarget])?;
    }

    let read = verifier.provider().info().headers;
    let present: Vec<&str> =
        read.iter().copied().filter(|name| request.headers.contains_key(*name)).collect();
    let mut changed = request.clone();
    for name in &present {
        changed.headers.remove(*name);
    }
    expect("every header that is read left out", &changed, now, &[ErrorKind::MissingHeader])?;
    let signatures: Vec<&str> = present
        .iter()
        .copied()
        .filter(|name| name.contains("signature") || name.contains("hmac"))
        .collect();
    if let [signature] = signatures.as_slice() {
        let mut changed = request.clone();
        changed.headers.remove(*signature);
        expect("the signature header left out", &changed, now, &[ErrorKind::MissingHeader])?;
    }
    if verified.signed_at().is_some() {
        let family = |name: &str| name.split('-').next().map(str::to_owned);
        let read_with =
            |name: &&&str| signatures.iter().any(|signature| family(signature) == family(name));
        for name in present.iter().filter(|name| !signatures.contains(name)).filter(read_with) {
            let mut changed = request.clone();
            changed.headers.remove(*name);
            expect("a signed header left out", &changed, now, &[ErrorKind::MissingHeader])?;
        }
    }
    let mut changed = request.clone();
    for name in &signatures {
        for value in changed.headers.get_all_mut(name) {
            *value = http::HeaderValue::from_bytes(&truncated(value.as_bytes())).unwrap();
        }
    }
    expect("the signatures cut short", &changed, now, &[ErrorKind::BadEncoding])?;

    let other =
        case.verifier(Some(vec![Secret::from_bytes(b"a secret of somebody else").unwrap()]))?;
    let got = support::whole(&other, &request, now);
    if got != Err(ErrorKind::SignatureMismatch) {
        return Err(format!("another secret: got {got:?}").into());
    }

    if let (Some(signed_at), Some(tolerance)) = (verified.signed_at(), verifier.tolerance()) {
        let tolerance = u64::try_from(tolerance.as_millis()).unwrap();
        let moved = |by: Option<u64>| by.map(UnixTime::from_millis);
        if let Some(late) = moved(signed_at.as_millis().checked_add(tolerance.saturating_add(1000)))
        {
            expect("a second beyond the tolerance", &request, late, &[ErrorKind::TimestampTooOld])?;
        }
        if let Some(early) =
            moved(signed_at.as_millis().checked_sub(tolerance.saturating_add(1000)))
        {
            expect(
                "a second before the tolerance",
                &request,
                early,
                &[ErrorKind::TimestampInFuture],
            )?;
        }
    }
    Ok(())
}

/// Every run of characters that is long enough for a signature, shorter by its last one but padding.
fn truncated(value: &[u8]) -> Vec<u8> {
    let is_text = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut out = Vec::new();
    for run in value.chunk_by(|left, right| is_text(left) == is_text(right)) {
        let cut = usize::from(run.len() >= 40 && run.first().is_some_and(is_text));
        out.extend_from_slice(&run[..run.len() - cut]);
    }
    out
}

trait GetAllMut {
    fn get_all_mut(&mut self, name: &str) -> Vec<&mut http::HeaderValue>;
}

impl GetAllMut for http::HeaderMap {
    fn get_all_mut(&mut self, name: &str) -> Vec<&mut http::HeaderValue> {
        self.iter_mut().filter(|(own, _)| own.as_str() == name).map(|(_, value)| value).collect()
    }
}
