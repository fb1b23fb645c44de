//! `hookproof inbox show`: an event, what was tried with it, and the delivery that brought it.

use hookproof_inbox::{AttemptRow, DeliveryRow, EventRow, Found, Key, State, Store as _};
use serde_json::{Map, Value, json};

use super::args::ShowArgs;
use super::database::Inbox;
use super::event::{self, moment, or_dash, order};
use super::reverify::{self, Verdict};
use super::table::Table;
use super::{body, bytes, find, headers};
use crate::failure::{Ending, Failure, Outcome};
use crate::output::{NAME, Screen, paint, plain, plain_line};
use crate::time;

/// What is known of an event.
struct Known {
    /// The event, unless it was done in the transaction that recorded it.
    event: Option<EventRow>,
    /// What is stored under its key, if that was asked for.
    found: Option<Found>,
    attempts: Vec<AttemptRow>,
    /// Its delivery, unless it was never stored or is purged.
    delivery: Option<DeliveryRow>,
}

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &ShowArgs, screen: &mut Screen) -> Outcome {
    let known = look(inbox, args).await?;
    if let Some(path) = &args.body {
        let delivery = known.delivery.as_ref().ok_or_else(gone)?;
        body::write(&delivery.body, path, screen)?;
        return Ok(Ending::Good);
    }
    let verdict = match (args.verify, &known.delivery) {
        (true, Some(delivery)) => Some(reverify::verify(args, delivery)?),
        (true, None) => return Err(gone()),
        (false, _) => None,
    };
    if args.json {
        screen.json(&object(args, &known, verdict.as_ref()));
    } else {
        print(args, &known, verdict.as_ref(), screen);
    }
    Ok(Ending::good_if(verdict.is_none_or(|verdict| verdict.is_good())))
}

fn gone() -> Failure {
    Failure::of_kind("missing", "the delivery is not stored: it was purged, or never kept")
}

async fn look<I: Inbox>(inbox: &I, args: &ShowArgs) -> Result<Known, Failure> {
    let store = inbox.store();
    let mut open = inbox.look().await?;
    let tx = I::link(&mut open);
    let (event, found) = match (&args.id, &args.endpoint, &args.key) {
        (Some(id), _, _) => (Some(find::known(store, tx, *id).await?), None),
        (None, Some(endpoint), Some(key)) => {
            let found = store.look_up(tx, endpoint, key).await?.ok_or_else(|| {
                Failure::of_kind("missing", format!("the endpoint {endpoint} has no event {key}"))
            })?;
            (find::event(store, tx, found.id).await?, Some(found))
        }
        _ => return Err(Failure::new("which event? Give a number, or --endpoint with --key")),
    };
    let Some(row) = &event else {
        return Ok(Known { event, found, attempts: Vec::new(), delivery: None });
    };
    let attempts = store.attempts(tx, row.id).await?;
    let delivery = store.delivery(tx, row.delivery).await?;
    Ok(Known { event, found, attempts, delivery })
}

fn print(args: &ShowArgs, known: &Known, verdict: Option<&Verdict>, screen: &mut Screen) {
    match (&known.event, &known.found, &args.key) {
        (Some(event), ..) => print_event(event, screen),
        (None, Some(found), Some(key)) => {
            screen.line(paint(NAME, format_args!("event {}  {}", found.id, found.state)));
            screen.line(format_args!("  key        {key}"));
            screen.line(format_args!("  recorded   {}", moment(found.first_seen)));
            screen.line(format_args!("  content    {}", found.content));
            screen.line(
                "  it was done in the transaction that recorded it, and nothing else is kept",
            );
        }
        _ => {}
    }
    if !known.attempts.is_empty() {
        print_attempts(&known.attempts, screen);
    }
    match (&known.delivery, &known.event) {
        (Some(delivery), _) => print_delivery(args, delivery, screen),
        (None, Some(event)) => {
            screen.line(paint(NAME, format_args!("delivery {}", event.delivery)));
            screen.line("  its payload is purged");
        }
        (None, None) => {}
    }
    if let Some(verdict) = verdict {
        screen.line(verdict.line());
    }
}

fn print_event(event: &EventRow, screen: &mut Screen) {
    let progress = &event.progress;
    screen.line(paint(NAME, format_args!("event {}  {}", event.id, progress.state)));
    let mut line = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            screen.line(format_args!("  {name:<10} {}", plain_line(text)));
        }
    };
    line("endpoint", Some(event.endpoint.to_string()));
    line("key", Some(or_dash(event.key.as_ref().map(Key::as_str))));
    line("kind", event.kind.as_deref().map(str::to_owned));
    line("subject", event.subject.as_deref().map(str::to_owned));
    line("stream", event.stream.as_deref().map(str::to_owned));
    line("order", event.order.map(order));
    line("twin", event.twin.as_deref().map(str::to_owned));
    line("received", Some(moment(event.received_at)));
    line("due", (progress.state == State::Waiting).then(|| moment(progress.due)));
    line("claimed", progress.lease.map(|lease| moment(lease.claimed_at)));
    line("lease end", progress.lease.map(|lease| moment(lease.end)));
    line("attempts", Some(progress.attempts.to_string()));
    line("replays", (progress.replays > 0).then(|| progress.replays.to_string()));
    let name = match progress.state {
        State::Parked => "reason",
        State::Done => "note",
        _ => "error",
    };
    line(name, progress.error.as_deref().map(str::to_owned));
}

fn print_attempts(attempts: &[AttemptRow], screen: &mut Screen) {
    let mut table = Table::new(&["attempt", "started", "took", "outcome", "error"]);
    for attempt in attempts {
        let (start, end) = (attempt.started_at.as_millis(), attempt.ended_at.as_millis());
        let replay = if attempt.replays > 0 {
            format!(", replay {}", attempt.replays)
        } else {
            String::new()
        };
        table.row(&[
            format!("{}{replay}", attempt.number),
            moment(attempt.started_at),
            time::distance(start, end.max(start)),
            attempt.outcome.as_str().to_owned(),
            or_dash(attempt.error.as_deref()),
        ]);
    }
    table.print(screen);
}

fn print_delivery(args: &ShowArgs, delivery: &DeliveryRow, screen: &mut Screen) {
    let provider = plain_line(&delivery.provider);
    screen.line(paint(NAME, format_args!("delivery {}  {provider}", delivery.id)));
    if let Some(url) = &delivery.url {
        let method = delivery.method.as_ref().map_or("", http::Method::as_str);
        let url = headers::url(url, args.reveal_headers);
        screen.line(format_args!("  {}", plain_line(format_args!("{method} {url}"))));
    }
    for (name, value) in &delivery.headers {
        screen.line(format_args!(
            "  {}",
            plain_line(headers::line(name, value, args.reveal_headers))
        ));
    }
    screen.line(format_args!("  body, {}", bytes(delivery.body.len())));
    for line in body::lines(&delivery.body, args.body_limit) {
        screen.line(format_args!("    {}", plain(line)));
    }
}

fn object(args: &ShowArgs, known: &Known, verdict: Option<&Verdict>) -> Value {
    let delivery = known.delivery.as_ref().map(|delivery| {
        let reveal = args.reveal_headers;
        let mut members = Map::new();
        members.insert("id".into(), json!(delivery.id.as_u64()));
        members.insert("provider".into(), json!(delivery.provider));
        members.insert("receivedAt".into(), json!(moment(delivery.received_at)));
        members.insert("method".into(), json!(delivery.method.as_ref().map(http::Method::as_str)));
        members.insert(
            "url".into(),
            json!(delivery.url.as_deref().map(|url| headers::url(url, reveal))),
        );
        let headers =
            delivery.headers.iter().map(|(name, value)| headers::object(name, value, reveal));
        members.insert("headers".into(), headers.collect());
        members.extend(body::members(&delivery.body, args.body_limit));
        Value::Object(members)
    });
    let recorded = known.found.as_ref().map(|found| {
        json!({
            "id": found.id.as_u64(), "state": found.state.as_str(), "firstSeen": moment(found.first_seen),
            "content": found.content.to_string(),
        })
    });
    json!({
        "event": known.event.as_ref().map(event::object),
        "recorded": recorded,
        "attempts": known.attempts.iter().map(event::attempt).collect::<Value>(),
        "delivery": delivery,
        "verified": verdict.map(Verdict::object),
    })
}
