//! Constant time by statistics (dudect): the times of verifications whose signature is wrong in its last byte only,
//! against those whose signature is wrong from the first byte on. An example, not a gate; see README.md beside this package.

use dudect_bencher::rand::RngExt;
use dudect_bencher::{BenchRng, Class, CtRunner, ctbench_main};
use hmac::{Hmac, KeyInit, Mac};
use hookproof::{Delivery, UnixTime, Verifier, providers};
use http::HeaderMap;
use sha2::Sha256;

const SECRET: &str = "example-secret";
const BODY: &[u8] = b"{}";
const SAMPLES: usize = 200_000;

fn mac() -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.chain_update(BODY).finalize().into_bytes().into()
}

/// Candidates of both classes, mixed at random: `Left` differs in the last byte, `Right` in every byte.
fn candidates(rng: &mut BenchRng) -> Vec<(Class, [u8; 32])> {
    let right = mac();
    let candidate = |_| {
        let mut bytes = right;
        if rng.random::<bool>() {
            bytes[31] ^= rng.random_range(1..=u8::MAX);
            (Class::Left, bytes)
        } else {
            bytes.iter_mut().for_each(|byte| *byte ^= rng.random_range(1..=u8::MAX));
            (Class::Right, bytes)
        }
    };
    (0..SAMPLES).map(candidate).collect()
}

/// The whole verification.
fn verify(runner: &mut CtRunner, rng: &mut BenchRng) {
    let verifier = Verifier::builder(&providers::GITHUB).secret(SECRET).build().unwrap();
    let now = UnixTime::from_secs(1_700_000_000);
    let inputs: Vec<(Class, HeaderMap)> = candidates(rng)
        .into_iter()
        .map(|(class, bytes)| {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut headers = HeaderMap::new();
            headers.insert("x-hub-signature-256", format!("sha256={digits}").parse().unwrap());
            (class, headers)
        })
        .collect();
    for (class, headers) in &inputs {
        runner.run_one(*class, || verifier.verify_at(&Delivery::new(headers, BODY), now).is_ok());
    }
}

/// A comparison that stops at the first difference: must be seen at once.
fn planted_early_exit(runner: &mut CtRunner, rng: &mut BenchRng) {
    let right = mac();
    for (class, bytes) in candidates(rng) {
        runner.run_one(class, || {
            right.iter().zip(&bytes).all(|(left, right)| core::hint::black_box(left) == right)
        });
    }
}

ctbench_main!(verify, planted_early_exit);
