//! Recording.

use bytes::Bytes;
use hookproof::providers::{GITHUB, HUBSPOT};
use hookproof::testing::{SECRET, Sender};
use hookproof::{Provider, Verifier};
use http::{HeaderMap, HeaderValue, Method};

use super::Checked;
use super::support::{Desk, Failure, at, ensure, ensure_eq, event, transact};
use crate::batch::{Batch, Entry, NewEvent, Work};
use crate::error::StoreErrorKind;
use crate::event::State;
use crate::id::{Digest, Key};
use crate::recorded::Recorded;
use crate::store::{Database, Store};
use crate::stream::Version;

pub(super) async fn new_then_duplicate<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "new").await?;
    for (key, work, state) in [("a", Work::Here, State::Done), ("b", Work::Later, State::Waiting)] {
        let first = desk.batch(vec![event(key, "1")?], 0);
        let recorded = transact!(&mut desk, |store, tx| store.record(tx, &first, work));
        ensure!(matches!(recorded, Recorded::New { same_bytes: None, .. }), "{recorded:?}");
        let copy = desk.batch(vec![event(key, "1")?], 70);
        let again = transact!(&mut desk, |store, tx| store.record(tx, &copy, work));
        let expected = Recorded::Duplicate { id: recorded.id(), state, first_seen: at(0) };
        ensure_eq!(again, expected);
    }
    let waiting = desk.events().await?;
    ensure_eq!(waiting.len(), 1);
    Ok(())
}

pub(super) async fn state_of_a_duplicate<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "state").await?;
    let batch = desk.batch(vec![event("a", "1")?], 0);
    let mut seen = Vec::new();
    let mut claim = None;
    for step in 0..3 {
        match step {
            1 => claim = Some(desk.claim(super::support::RECLAIM, 1).await?),
            2 => {
                if let Some(claim) = &claim {
                    desk.complete(claim, 2).await?;
                }
            }
            _ => {
                desk.record(&batch, Work::Later).await?;
            }
        }
        let again = desk.record(&batch, Work::Later).await?;
        if let Some(Recorded::Duplicate { state, .. }) = again.first() {
            seen.push(*state);
        }
    }
    ensure_eq!(seen, [State::Waiting, State::InWork, State::Done]);
    Ok(())
}

pub(super) async fn endpoints_are_scopes<D: Database>(database: &D) -> Checked {
    for endpoint in ["scope/1", "scope/2"] {
        let mut desk = Desk::new(database, endpoint).await?;
        let batch = desk.batch(vec![event("a", "1")?], 0);
        let recorded = desk.record(&batch, Work::Here).await?;
        ensure!(recorded.iter().all(Recorded::is_new), "{endpoint}: {recorded:?}");
    }
    Ok(())
}

pub(super) async fn other_content_is_a_conflict<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "conflict").await?;
    let first = desk.batch(vec![event("a", "1")?], 0);
    let id = desk.record(&first, Work::Later).await?.first().map(Recorded::id);
    let other = desk.batch(vec![event("a", "2")?], 9);
    let mut aside = Vec::new();
    for work in [Work::Here, Work::Later] {
        let recorded = desk.record(&other, work).await?;
        let [
            Recorded::Conflict {
                id: own,
                parked,
                state: State::Waiting,
                first_seen,
                stored,
                offered,
            },
        ] = recorded.as_slice()
        else {
            return Err(Failure::new(format!("no conflict: {recorded:?}")));
        };
        ensure_eq!(Some(*own), id);
        ensure_eq!((*first_seen, *stored, *offered), (at(0), Digest::of(b"1"), Digest::of(b"2")));
        aside.push(*parked);
    }
    let again = desk.record(&first, Work::Later).await?;
    ensure!(matches!(again.as_slice(), [Recorded::Duplicate { .. }]), "{again:?}");
    // The other content is kept once, for a person.
    let events = desk.events().await?;
    let [_, parked] = events.as_slice() else {
        return Err(Failure::new(format!("not one kept aside: {events:?}")));
    };
    ensure_eq!(aside, [parked.id, parked.id]);
    ensure_eq!(parked.progress.state, State::Parked);
    ensure!(
        parked.progress.error.is_some()
            && parked.key.as_ref() != first.entries().first().and_then(Entry::key),
        "{parked:?}"
    );
    let delivery = transact!(&mut desk, |store, tx| store.delivery(tx, parked.delivery));
    ensure_eq!(delivery.map(|row| row.body), Some(other.body().clone()));
    Ok(())
}

/// A copy brings nothing, so its body is not kept again.
pub(super) async fn copies_take_no_room<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "room").await?;
    let body = format!("[{},{{\"no\":\"identity\"}}]", change(1, 0));
    let mut ids = Vec::new();
    for work in [Work::Later, Work::Later, Work::Here] {
        let batch = hubspot(&desk, body.as_bytes())?;
        ids.push(desk.record(&batch, work).await?.iter().map(Recorded::id).collect::<Vec<_>>());
    }
    ids.dedup();
    ensure_eq!(ids.len(), 1);
    let events = desk.events().await?;
    ensure_eq!(events.len(), 2);
    // Numbers are given in order: what a copy had stored would stand between the first delivery and a new one.
    let (first, last) = match events.as_slice() {
        [one, other] => (one.delivery.min(other.delivery), one.delivery.max(other.delivery)),
        _ => return Err(Failure::new(format!("not two events: {events:?}"))),
    };
    ensure_eq!(first, last);
    let selection = first.as_u64()..first.as_u64() + 64;
    let mut stored = 0;
    for number in selection {
        let id = crate::id::DeliveryId::from_u64(number);
        let row = transact!(&mut desk, |store, tx| store.delivery(tx, id));
        stored += usize::from(row.is_some_and(|row| row.endpoint == desk.endpoint));
    }
    ensure_eq!(stored, 1);
    Ok(())
}

pub(super) async fn verdicts_of_a_batch<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "batch").await?;
    let stored = desk.batch(vec![event("old", "1")?], 0);
    desk.record(&stored, Work::Here).await?;
    let events = vec![
        event("b", "1")?,
        event("old", "1")?,
        event("a", "1")?,
        event("b", "1")?,
        event("old", "2")?,
        event("a", "2")?,
        event("c", "1")?,
    ];
    let batch = desk.batch(events, 5);
    let recorded = desk.record(&batch, Work::Later).await?;
    let words: Vec<&str> = recorded
        .iter()
        .map(|recorded| match recorded {
            Recorded::New { .. } => "new",
            Recorded::Duplicate { state: State::Done, .. } => "done",
            Recorded::Duplicate { state: State::Waiting, .. } => "waiting",
            Recorded::Conflict { .. } => "conflict",
            _ => "?",
        })
        .collect();
    ensure_eq!(words, ["new", "done", "new", "waiting", "conflict", "conflict", "new"]);
    let ids: Vec<_> = recorded.iter().map(Recorded::id).collect();
    ensure!(ids.first() == ids.get(3) && ids.get(2) == ids.get(5), "{ids:?}");
    let empty = desk.batch(Vec::new(), 6);
    ensure!(desk.record(&empty, Work::Later).await?.is_empty(), "a batch without entries");
    let parked = desk.states().await?.iter().filter(|state| **state == State::Parked).count();
    ensure_eq!((desk.events().await?.len(), parked), (5, 2));
    Ok(())
}

pub(super) async fn large_batches_in_other_groupings<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "large").await?;
    let key = |number: usize| format!("{}-{number:04}", "k".repeat(1019));
    let batch_of = |desk: &Desk<'_, D>, numbers: &mut dyn Iterator<Item = usize>| {
        let events =
            numbers.map(|number| event(&key(number), "1")).collect::<Result<Vec<_>, _>>()?;
        Ok::<Batch, Failure>(desk.batch(events, 0))
    };
    let first = batch_of(&desk, &mut (0..1000))?;
    let recorded = desk.record(&first, Work::Later).await?;
    ensure!(recorded.len() == 1000 && recorded.iter().all(Recorded::is_new), "first");
    let ordered = recorded.windows(2).all(|pair| match pair {
        [one, other] => one.id() != other.id(),
        _ => true,
    });
    ensure!(ordered, "numbers are given once");
    // The same events and some more, backwards and grouped otherwise.
    for group in 0..4 {
        let numbers = (group * 300..(group + 1) * 300).rev();
        let batch = batch_of(&desk, &mut numbers.clone())?;
        let recorded = desk.record(&batch, Work::Later).await?;
        for (number, recorded) in numbers.zip(&recorded) {
            ensure!(recorded.is_new() == (number >= 1000), "{number}: {recorded:?}");
        }
    }
    ensure_eq!(desk.events().await?.len(), 1200);
    Ok(())
}

pub(super) async fn retries_are_not_conflicts<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "retries").await?;
    let mut verdicts = Vec::new();
    for attempt in 0..3 {
        let body = format!("[{}]", change(1, attempt));
        let batch = hubspot(&desk, body.as_bytes())?;
        verdicts.extend(desk.record(&batch, Work::Here).await?);
    }
    let [first, second, third] = verdicts.as_slice() else {
        return Err(Failure::new(format!("not three verdicts: {verdicts:?}")));
    };
    ensure!(first.is_new(), "{first:?}");
    for retry in [second, third] {
        ensure!(matches!(retry, Recorded::Duplicate { .. }), "{retry:?}");
    }
    Ok(())
}

pub(super) async fn unsigned_ids_with_equal_bytes<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "unsigned").await?;
    let body = br#"{"action":"opened"}"#;
    let notice = async |desk: &mut Desk<'_, D>, id: &str, body: &[u8]| {
        let sent = Sender::new(&GITHUB).id(id).send(body)?;
        let verified = sent.verified().as_verified();
        let batch = Batch::read(desk.endpoint.clone(), &verified, at(0));
        match desk.record(&batch, Work::Later).await?.as_slice() {
            [Recorded::New { same_bytes, .. }] => {
                Ok(same_bytes.as_ref().map(|key| key.as_str().to_owned()))
            }
            other => Err(Failure::new(format!("a notice never drops: {other:?}"))),
        }
    };
    ensure_eq!(notice(&mut desk, "first", body).await?, None);
    let same = notice(&mut desk, "second", body).await?;
    ensure!(same.as_deref().is_some_and(|key| key.ends_with("first")), "{same:?}");
    ensure_eq!(notice(&mut desk, "third", b"{}").await?, None);
    let mut other = Desk::new(database, "unsigned/other").await?;
    ensure_eq!(notice(&mut other, "fourth", body).await?, None);
    // Signed ids: equal bodies are the sender's business.
    for key in ["a", "b"] {
        let empty = Batch::unread(
            desk.endpoint.clone(),
            "kit",
            at(0),
            HeaderMap::new(),
            Bytes::from_static(body),
        );
        let recorded =
            desk.record(&empty.with_entry(Entry::new(event(key, "1")?)), Work::Later).await?;
        ensure!(matches!(recorded.as_slice(), [Recorded::New { same_bytes: None, .. }]), "{key}");
    }
    Ok(())
}

pub(super) async fn events_without_key<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "unkeyed").await?;
    let unkeyed = || NewEvent::new(None, Digest::of(b"1"));
    let batch = desk.batch(vec![unkeyed(), unkeyed()], 0);
    let mut ids = Vec::new();
    for _ in 0..2 {
        for recorded in desk.record(&batch, Work::Later).await? {
            ensure!(matches!(recorded, Recorded::Unkeyed { .. }), "{recorded:?}");
            ids.push(recorded.id());
        }
    }
    ids.dedup();
    ensure_eq!(ids.len(), 4);
    ensure_eq!(desk.events().await?.len(), 4);
    Ok(())
}

pub(super) async fn faulty_elements_are_kept<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "faulty").await?;
    let body = format!("[{},{{\"no\":\"identity\"}},{}]", change(1, 0), change(2, 0));
    let batch = hubspot(&desk, body.as_bytes())?;
    let recorded = desk.record(&batch, Work::Here).await?;
    let [first, Recorded::Faulty { id, error }, third] = recorded.as_slice() else {
        return Err(Failure::new(format!("not in order: {recorded:?}")));
    };
    ensure!(first.is_new() && third.is_new(), "{first:?} {third:?}");
    let events = desk.events().await?;
    let [parked] = events.as_slice() else {
        return Err(Failure::new(format!("only the faulty one is worked on later: {events:?}")));
    };
    ensure_eq!((parked.id, parked.index, parked.progress.state), (*id, 1, State::Parked));
    ensure_eq!(parked.progress.error.as_deref(), Some(error.to_string().as_str()));
    let delivery = transact!(&mut desk, |store, tx| store.delivery(tx, parked.delivery));
    let kept = delivery.is_some_and(|delivery| delivery.body == body.as_bytes());
    ensure!(kept, "its delivery is kept");
    let request = desk.request(super::support::RECLAIM);
    ensure!(desk.claim_as(&request, 9).await?.claims.is_empty(), "parked is not claimed");
    Ok(())
}

pub(super) async fn deliveries_come_back_as_they_arrived<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "payload").await?;
    let sender =
        Sender::new(&HUBSPOT).target(Method::POST, "https://example.com/a?b=%20c").at(at(3));
    let sent = sender.send(format!("[{}]\n", change(1, 0)).as_bytes())?;
    let verified = sent.verified().as_verified();
    let batch = Batch::read(desk.endpoint.clone(), &verified, at(4));
    desk.record(&batch, Work::Later).await?;
    // Any bytes, too.
    let mut headers = HeaderMap::new();
    headers.append("x-bytes", HeaderValue::from_bytes(b" \xff\xfe: \t")?);
    headers.append("x-bytes", HeaderValue::from_static(""));
    let body = Bytes::from_iter((0..=255).chain(0..=255));
    let raw = Batch::unread(desk.endpoint.clone(), "kit", at(5), headers.clone(), body.clone());
    desk.record(&raw.with_entry(Entry::new(event("raw", "1")?)), Work::Later).await?;
    let events = desk.events().await?;
    let [first, second] = events.as_slice() else {
        return Err(Failure::new(format!("not two events: {events:?}")));
    };
    let stored = transact!(&mut desk, |store, tx| store.delivery(tx, first.delivery));
    let Some(stored) = stored else { return Err(Failure::new("no delivery".to_owned())) };
    ensure_eq!((stored.received_at, &*stored.provider), (at(4), HUBSPOT.info().id));
    ensure_eq!(stored.endpoint, desk.endpoint);
    let verifier = Verifier::builder(&HUBSPOT).secret(SECRET).build()?;
    let again = stored.verify(&verifier)?;
    let verified_again = Batch::read(desk.endpoint.clone(), &again, at(4));
    ensure_eq!(verified_again.entries().first().and_then(Entry::key), first.key.as_ref());
    let stored = transact!(&mut desk, |store, tx| store.delivery(tx, second.delivery));
    let Some(stored) = stored else { return Err(Failure::new("no raw delivery".to_owned())) };
    ensure_eq!(
        (stored.headers, stored.body, stored.method, stored.url),
        (headers, body, None, None)
    );
    Ok(())
}

pub(super) async fn hostile_texts<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "hostile").await?;
    let mut hostile = event(&"%'\"\\;$1?".repeat(128), "1")?;
    hostile.kind = Some("a'b\"c\\ \u{1F980} {p} $1 ?1 :x".into());
    hostile.subject = Some("s".repeat(1024).into());
    hostile.stream = Some("'; DROP TABLE x; --".into());
    hostile.twin = Some("t".repeat(1024).into());
    hostile.order = Some(Version::micros(i64::MIN));
    let empty = Batch::unread(
        desk.endpoint.clone(),
        "kit",
        at(0),
        HeaderMap::new(),
        Bytes::from(vec![0xff; 25 * 1024 * 1024]),
    );
    let batch = empty.with_entry(Entry::new(hostile.clone()));
    desk.record(&batch, Work::Later).await?;
    let again = desk.record(&batch, Work::Later).await?;
    ensure!(matches!(again.as_slice(), [Recorded::Duplicate { .. }]), "{again:?}");
    let events = desk.events().await?;
    let [stored] = events.as_slice() else {
        return Err(Failure::new(format!("not one event: {events:?}")));
    };
    ensure_eq!(stored.key, hostile.key);
    ensure_eq!((&stored.kind, &stored.subject), (&hostile.kind, &hostile.subject));
    ensure_eq!((&stored.stream, &stored.twin), (&hostile.stream, &hostile.twin));
    ensure_eq!(stored.order, hostile.order);
    let delivery = transact!(&mut desk, |store, tx| store.delivery(tx, stored.delivery));
    ensure_eq!(delivery.map(|row| row.body_digest()), Some(batch.body_digest()));
    Ok(())
}

pub(super) async fn one_event_only<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "single").await?;
    let two = desk.batch(vec![event("a", "1")?, event("b", "1")?], 0);
    let mut open = database.begin(&mut desk.connection).await?;
    let refused = database.store().record(D::tx(&mut open), &two, Work::Here).await;
    drop(open);
    let kind = refused.err().map(|error| error.kind());
    ensure_eq!(kind, Some(StoreErrorKind::Invalid));
    let key = Key::new("a")?;
    let endpoint = desk.endpoint.clone();
    let found = transact!(&mut desk, |store, tx| store.look_up(tx, &endpoint, &key));
    ensure_eq!(found, None);
    Ok(())
}

/// A change as HubSpot tells it.
fn change(object: u32, attempt: u32) -> String {
    format!(
        r#"{{"eventId":7,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":{attempt},"objectId":{object}}}"#
    )
}

fn hubspot<D: Database>(desk: &Desk<'_, D>, body: &[u8]) -> Result<Batch, Failure> {
    let sent = Sender::new(&HUBSPOT).send(body)?;
    Ok(Batch::read(desk.endpoint.clone(), &sent.verified().as_verified(), at(0)))
}
