//! Events in rows, in words and as JSON.

use hookproof::UnixTime;
use hookproof_inbox::{AttemptRow, EventRow, Key, State, Version};
use serde_json::{Value, json};

use crate::time;

/// A moment as it is shown.
pub(crate) fn moment(at: UnixTime) -> String {
    time::show(at.as_millis())
}

/// A text that may be missing.
pub(crate) fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

/// What an event is about: its subject, else its key.
pub(crate) fn about(event: &EventRow) -> String {
    or_dash(event.subject.as_deref().or_else(|| event.key.as_ref().map(Key::as_str)))
}

/// Its place in the order of its stream, with the unit.
pub(crate) fn order(order: Version) -> String {
    format!("{} {}", order.value(), order.unit().as_str())
}

/// An event as JSON.
pub(crate) fn object(event: &EventRow) -> Value {
    let progress = &event.progress;
    json!({
        "id": event.id.as_u64(),
        "endpoint": event.endpoint.as_str(),
        "key": event.key.as_ref().map(Key::as_str),
        "kind": event.kind,
        "subject": event.subject,
        "stream": event.stream,
        "order": event.order.map(|order| json!({
            "value": order.value(), "unit": order.unit().as_str(),
        })),
        "twin": event.twin,
        "delivery": event.delivery.as_u64(),
        "index": event.index,
        "receivedAt": moment(event.received_at),
        "state": progress.state.as_str(),
        "attempts": progress.attempts,
        "replays": progress.replays,
        "due": (progress.state == State::Waiting).then(|| moment(progress.due)),
        "leaseEnd": progress.lease.map(|lease| moment(lease.end)),
        "note": progress.error,
    })
}

/// An attempt as JSON.
pub(crate) fn attempt(attempt: &AttemptRow) -> Value {
    json!({
        "number": attempt.number,
        "token": attempt.token.as_u64(),
        "replays": attempt.replays,
        "startedAt": moment(attempt.started_at),
        "endedAt": moment(attempt.ended_at),
        "outcome": attempt.outcome.as_str(),
        "error": attempt.error,
    })
}
