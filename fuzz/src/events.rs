//! The target `events`: what a genuine delivery of hostile content says, by the library and by a naive reader.
//!
//! An input is one of `verify`. Where its request is not genuine it is signed anew, so that every input gets to the body.

use hookproof::{Delivery, Event, Verified};

use crate::genuine::Genuine;
use crate::input::Case;
use crate::library::{self, Received};
use crate::naive::events::{self, Answer};
use crate::naive::{self, Slip};
use crate::{Finding, bounded, same};

/// Runs the target. The answer is both sides'; there is none for an empty input.
///
/// # Errors
///
/// What the sides differ over.
pub fn run(data: &[u8]) -> Result<Option<Answer>, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What the sides differ over.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Option<Answer>, Finding> {
    Case::read(data).map(|case| check(case, slip)).transpose()
}

/// Holds both sides against each other over one case.
///
/// # Errors
///
/// What the sides differ over.
pub fn check(case: Case, slip: Slip) -> Result<Answer, Finding> {
    let Genuine { case, request, .. } = Genuine::new(case);
    let sender = case.sender();
    let about = |what: &str| format!("{}: {what}: {request:?}", sender.label());
    let verifier = library::verifier(sender, &case.secrets, case.tolerance)
        .map_err(|error| about(&error.to_string()))?;
    let received = Received::new(&request)?;
    let verified = received
        .verify(&verifier, case.now())
        .map_err(|error| about(&format!("genuine, and {error}")))?;

    let length =
        request.body.len() + request.headers.iter().map(|(_, value)| value.len()).sum::<usize>();
    let got = bounded("reading the events", length, 64, || read(&verified))??;
    let family = naive::read(sender, &request, Slip::None).family;
    let expected = events::read(sender.provider.info().id, &request, family, slip);
    same(|| about("events"), &expected, &got)?;

    let owned = verified.into_owned();
    let delivery: Delivery<'_> = owned.as_verified().delivery();
    if delivery.body() != &request.body[..] {
        return Err(about("the owned proof has another body"));
    }
    same(|| about("events of the owned proof"), &got, &read(&owned.as_verified())?)?;
    Ok(got)
}

/// What the library says, in the words of the naive side.
fn read(verified: &Verified<'_>) -> Result<Answer, Finding> {
    let info = verified.provider().info();
    let fault = |error: hookproof::EventError| -> Result<&'static str, Finding> {
        if error.provider() != info.id || error.to_string().len() > 300 {
            return Err(format!("the error names another sender or the delivery: {error:?}"));
        }
        Ok(error.kind().as_str())
    };
    let events = match verified.events() {
        Ok(events) => events,
        Err(error) => return Ok(Err(fault(error)?)),
    };
    let (count, mut read) = (events.len(), Vec::new());
    for event in events {
        read.push(match event {
            Ok(event) => Ok(said(&event, verified)?),
            Err(error) => Err(fault(error)?),
        });
    }
    if read.len() != count {
        return Err(format!("{count} events were promised, {} came", read.len()));
    }
    Ok(Ok(read))
}

fn said(event: &Event<'_>, verified: &Verified<'_>) -> Result<events::Event, Finding> {
    let own = |text: Option<&str>| text.map(str::to_owned);
    let body = verified.body();
    if !body.as_ptr_range().contains(&event.raw().as_ptr()) && !event.raw().is_empty() {
        return Err("the event's bytes are not those of the body".into());
    }
    for text in [event.key(), event.twin(), event.subject(), event.stream()].into_iter().flatten() {
        let parts = naive::key::decode(text, Slip::None);
        same(|| format!("the parts of `{text}`"), &parts, &hookproof::key_parts(text))?;
        if parts.is_none() {
            return Err(format!("`{text}` is not the text of a key"));
        }
    }
    Ok(events::Event {
        key: own(event.key()),
        twin: own(event.twin()),
        kind: own(event.kind()),
        tenant: own(event.tenant()),
        subject: own(event.subject()),
        stream: own(event.stream()),
        order: event.order().map(|order| (order.value(), order.unit().as_str())),
        attempt: event.attempt(),
    })
}
