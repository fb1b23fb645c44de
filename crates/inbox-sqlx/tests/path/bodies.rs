//! Huge and hostile bodies: stored or refused, parked where they have no usable identity, and never a panic.

use core::time::Duration;
use std::sync::Arc;

use hookproof::providers::{CALENDLY, HUBSPOT, PAYMOS, STRIPE};
use hookproof::testing::SECRET;
use hookproof::{Provider, Verifier};
use hookproof_inbox::{
    Backoff, Database, Job, LocalWake, NotDone, Recorded, Settings, Stale, State, Store, Worker,
};

use crate::databases::Path;
use crate::support::{NOW, endpoint, events};
use crate::{receiver, sent};

/// What receivers take at most.
const MOST: usize = 25 * 1024 * 1024;

pub async fn a_body_of_25_mb<P: Path>(path: &P) {
    let head = br#"{"id":"evt_1","type":"invoice.paid","note":""#;
    let mut body = head.to_vec();
    body.resize(MOST - 2, b'x');
    body.extend(br#""}"#);
    let sent = sent(&STRIPE, "evt_1", &body);
    let receiver = receiver(path.another(), &STRIPE).time_limit(Duration::from_secs(600));
    for copy in 0..2 {
        let receipt = receiver.receive(&sent.delivery(), NOW).await;
        assert_eq!(receipt.status(), 200, "{receipt}");
        assert_eq!(receipt.recorded()[0].is_new(), copy == 0);
    }
    let inbox = path.another();
    let event = events(&inbox).await.unwrap().remove(0);
    let mut connection = inbox.connect().await.unwrap();
    let mut open = inbox.begin(&mut connection).await.unwrap();
    let delivery = inbox.store().delivery(P::Inbox::tx(&mut open), event.delivery).await.unwrap();
    let delivery = delivery.unwrap();
    assert!(delivery.body == body, "byte for byte");
    assert!(delivery.verify(receiver.verifier()).is_ok());
}

pub async fn keys_of_a_kibibyte<P: Path>(path: &P) {
    let receiver = receiver(path.another(), &STRIPE);
    // The key is the sender's name, a slash and the id.
    let id = |length: usize| "i".repeat(length - "stripe/".len());
    for (length, fits) in [(1024, true), (1025, false)] {
        let body = format!(r#"{{"id":"{}","type":"invoice.paid"}}"#, id(length));
        let sent = sent(&STRIPE, "1", body.as_bytes());
        for copy in 0..2 {
            let receipt = receiver.receive(&sent.delivery(), NOW).await;
            assert_eq!(receipt.status(), 200, "{receipt}");
            match (&receipt.recorded()[0], fits) {
                (Recorded::New { .. }, true) if copy == 0 => {}
                (Recorded::Duplicate { .. }, true) if copy == 1 => {}
                // Kept, and left to a person.
                (Recorded::Faulty { .. }, false) => {}
                (other, _) => panic!("{length}, copy {copy}: {other:?}"),
            }
        }
    }
    let inbox = path.another();
    let key = hookproof_inbox::Key::new(format!("stripe/{}", id(1024))).unwrap();
    let mut connection = inbox.connect().await.unwrap();
    let mut open = inbox.begin(&mut connection).await.unwrap();
    let found = inbox.store().look_up(P::Inbox::tx(&mut open), &endpoint(), &key).await;
    assert_eq!(found.unwrap().unwrap().state, State::Waiting);
}

fn hostile() -> Vec<Vec<u8>> {
    let deep = |open: &str, close: &str, depth| {
        format!("{}{}", open.repeat(depth), close.repeat(depth)).into_bytes()
    };
    let nines = "9".repeat(5000);
    let long = "a".repeat(100_000);
    let texts = [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "[[]]".to_owned(),
        "\u{feff}{\"id\":\"a\"}".to_owned(),
        r#"{"id":"a","id":"b"}"#.to_owned(),
        r#"{"id":"a","\u0069d":"b","type":"x"}"#.to_owned(),
        r#"{"event_id":"a","event_id":"a","data":{"invoice_id":"x","invoice_id":"y"}}"#.to_owned(),
        r#"{"id":1e400,"type":1e-400,"created":1e400}"#.to_owned(),
        format!(r#"{{"id":{nines},"created":{nines}}}"#),
        format!(r#"{{"id":"a","type":"x","created":-{nines}.{nines}}}"#),
        format!(r#"{{"event_id":"a","event_type":"{long}","occurred_at":{nines},"data":{{"invoice_id":"{long}"}}}}"#),
        r#"{"id":"\u0000\ud800","type":"\udfff"}"#.to_owned(),
        r#"{"id":"a\u0000b","type":"c\u0000d","data":{"object":{"id":"\u0000"}}}"#.to_owned(),
        r#"[{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":99999999999999999999999,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":5}]"#.to_owned(),
        r#"[{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":1.5e3,"subscriptionType":"contact.\u0000","attemptNumber":-1,"objectId":5,"objectId":6},7,null,{"a":[]}]"#.to_owned(),
        r#"{"event":"invitee.created","created_at":"9999-99-99T99:99:99Z","payload":{"uri":"x"}}"#.to_owned(),
        r#"{"event":"invitee.created","created_at":"2023-11-14T22:13:19.999999999999999999Z","payload":{"uri":""}}"#.to_owned(),
        format!("[{}]", vec!["{}"; 3000].join(",")),
        r#"{"id":"a","type":"x"} trailing"#.to_owned(),
        r#"{"id":"a","type":"x""#.to_owned(),
    ];
    let mut bodies: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    bodies.push(deep("[", "]", 200_000));
    bodies.push(deep("{\"a\":", "}", 200_000));
    bodies.push([&br#"{"id":"a","data":"#[..], &deep("[", "]", 100_000)[..], b"}"].concat());
    bodies.push(br#"{"id":"#.iter().chain(b"\"\xff\xfe\"}").copied().collect());
    bodies.push(vec![0; 1000]);
    bodies.push(vec![0xff; 1000]);
    bodies
}

pub async fn hostile_json<P: Path>(path: &P) {
    let providers: [&'static dyn Provider; 4] = [&STRIPE, &HUBSPOT, &PAYMOS, &CALENDLY];
    let (mut answered, mut stored) = (0, 0);
    for provider in providers {
        let receiver = receiver(path.another(), provider);
        for body in hostile() {
            let receipt = receiver.receive(&sent(provider, "evt_1", &body).delivery(), NOW).await;
            answered += 1;
            // Genuine, so that it is kept whatever it is.
            assert_eq!(receipt.status(), 200, "{receipt}");
            stored += receipt.recorded().len();
        }
    }
    assert_eq!(answered, providers.len() * hostile().len());
    assert!(stored >= answered - providers.len(), "an empty batch has no event");
    // Whoever works on it gets it as it came, and what has no identity waits for a person.
    let handler = move |job: Job| async move {
        let delivery = job.delivery().ok_or_else(|| NotDone::park("no delivery"))?;
        let provider = hookproof::providers::find(&delivery.provider).unwrap();
        let verifier = Verifier::builder(provider).secret(SECRET).build()?;
        job.verify(&verifier)?;
        Ok::<(), NotDone>(())
    };
    let second = Duration::from_secs(1);
    let settings = Settings::new(60 * second, Stale::Park, Backoff::new(second, second, 1));
    let worker = Worker::external(Arc::new(path.another()), handler, settings, LocalWake::new());
    worker.clock(|| NOW).run_until_idle().await.unwrap();
    let inbox = path.another();
    let events = events(&inbox).await.unwrap();
    let count = |state| events.iter().filter(|event| event.progress.state == state).count();
    assert!(count(State::Done) > 0 && count(State::Parked) > 0);
    assert_eq!(count(State::Done) + count(State::Parked), events.len());
    for event in &events {
        assert_eq!(event.progress.state == State::Parked, event.progress.error.is_some());
    }
}
