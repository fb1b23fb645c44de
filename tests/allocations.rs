//! A verification by a MAC over the body as it stands allocates nothing, whatever its outcome.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use hookproof_vectors::Outcome;
use support::Request;

/// Vectors with bodies above this are left out: what is counted does not depend on the body.
const BIG: usize = 1 << 16;

#[test]
fn verification_does_not_allocate() {
    let (mut accepted, mut refused) = (0, 0);
    for file in &support::files() {
        for (group, test) in file.tests().filter(|(_, test)| test.body.len() < BIG) {
            let Some((sender, options)) = support::sender(&file.provider, group) else { continue };
            let Ok(secrets) = support::secrets(group) else { continue };
            let Ok(verifier) = support::verifier(sender, &options, group, secrets) else {
                continue;
            };
            let request = Request::new(test);
            let delivery = request.delivery();
            let now = support::now(test);
            let whole = allocation_counter::measure(|| {
                let _ = std::hint::black_box(verifier.verify_at(&delivery, now));
            });
            assert_eq!((whole.count_total, whole.bytes_total), (0, 0), "{}: whole", test.id);
            let streaming = verifier.streaming().unwrap();
            let streamed = allocation_counter::measure(|| {
                let Ok(mut stream) = streaming.begin(delivery.head()) else { return };
                delivery.body().chunks(100).for_each(|chunk| stream.update(chunk));
                let _ = std::hint::black_box(stream.finish(now));
            });
            assert_eq!(
                (streamed.count_total, streamed.bytes_total),
                (0, 0),
                "{}: streamed",
                test.id
            );
            match test.outcome {
                Outcome::Valid => accepted += 1,
                _ => refused += 1,
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

#[test]
fn eight_keys_and_thirty_two_candidates_do_not_allocate() {
    let mut builder = hookproof::Verifier::builder(&hookproof::providers::STRIPE);
    for key in 0..8 {
        builder = builder.secret(&format!("whsec_{key}"));
    }
    let verifier = builder.build().unwrap();
    let value = format!("t=1700000000{}", format!(",v1={}", "a".repeat(64)).repeat(32));
    let mut headers = http::HeaderMap::new();
    headers.insert("stripe-signature", value.parse().unwrap());
    let delivery = hookproof::Delivery::new(&headers, b"{}");
    let info = allocation_counter::measure(|| {
        let error = verifier
            .verify_at(&delivery, hookproof::UnixTime::from_secs(1_700_000_000))
            .unwrap_err();
        assert_eq!(error.kind(), hookproof::ErrorKind::SignatureMismatch);
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn the_counter_counts() {
    let info = allocation_counter::measure(|| {
        std::hint::black_box(vec![0u8; 100]);
    });
    assert_eq!(info.count_total, 1);
}
