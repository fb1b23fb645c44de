//! While the database is gone, locked, full, slow: 503 with `Retry-After`, nothing half-written, and all is well after it.

use core::time::Duration;

use hookproof::providers::{HUBSPOT, STRIPE};
use hookproof_inbox::StoreErrorKind::{Busy, Unavailable};
use hookproof_inbox::{ReceiveError, Recorded};
use http::header::RETRY_AFTER;

use crate::databases::{Broken, Path};
use crate::support::NOW;
use crate::{receiver, sent};

/// A batch that needs new pages, and a single event, whose effect does.
fn bodies() -> [Vec<u8>; 2] {
    let note = "x".repeat(4000);
    let element = |id: u32| {
        format!(
            r#"{{"eventId":{id},"subscriptionId":2,"portalId":3,"occurredAt":{id},"subscriptionType":"contact.creation","attemptNumber":0,"objectId":{id},"note":"{note}"}}"#
        )
    };
    let batch: Vec<String> = (1..=100).map(element).collect();
    [format!("[{}]", batch.join(",")).into_bytes(), br#"{"id":"evt_1","type":"x"}"#.to_vec()]
}

pub async fn what_cannot_be_stored_is_answered_with_503<P: Path>(path: &P) {
    let [batch, single] = bodies();
    let (batch, single) = (sent(&HUBSPOT, "1", &batch), sent(&STRIPE, "evt_1", &single));
    for Broken { why, inbox, kept } in path.broken().await {
        let receiver_of = |provider| {
            let receiver = receiver(inbox.clone(), provider);
            // Only what is slow takes so long.
            let limit = if why == "slow" { 100 } else { 20_000 };
            receiver.time_limit(Duration::from_millis(limit))
        };
        let later = receiver_of(&HUBSPOT).receive(&batch.delivery(), NOW).await;
        let (receiver, delivery) = (receiver_of(&STRIPE), single.delivery());
        let here = receiver.receive_here(&delivery, NOW, |tx, _| {
            Box::pin(async move { Ok(P::note(tx, &"an effect".repeat(10_000)).await?) })
        });
        for receipt in [later, here.await] {
            assert_eq!(receipt.status(), 503, "{why}: {receipt}");
            let after =
                receipt.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(after.as_deref(), Some("5"), "{why}");
            assert!(receipt.recorded().is_empty(), "{why}");
            match receipt.error().unwrap() {
                ReceiveError::Store(error) => {
                    assert!(matches!(error.kind(), Busy | Unavailable), "{why}: {error:?}");
                }
                ReceiveError::TimeLimit => assert_eq!(why, "slow"),
                // There was room for the record: it goes with its effect.
                ReceiveError::Effect(_) => assert_eq!(why, "full"),
                error => panic!("{why}: {error}"),
            }
        }
        drop((kept, inbox));
        assert_eq!(path.rows().await, (0, 0), "{why}: half-written");
        assert_eq!(path.notes().await, 0, "{why}: an effect of nothing");
    }
    // All of it is well again, on a connection that saw nothing of it.
    let receipt = receiver(path.another(), &HUBSPOT).receive(&batch.delivery(), NOW).await;
    assert_eq!(receipt.status(), 200, "{receipt}");
    assert!(receipt.recorded().iter().all(Recorded::is_new));
    assert_eq!(path.rows().await, (1, 100));
}
