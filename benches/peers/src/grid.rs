//! Our verifier alone: every sender, whole and in chunks, with a second secret and with 32 signatures.

#[path = "../../../tests/support/crowded.rs"]
mod crowded;

use std::hint::black_box;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hookproof::testing::{self, Sender};
use hookproof::{Delivery, Head, Provider, Verifier};
use http::{HeaderMap, HeaderValue};
use sha2::Sha256;

use crate::contenders::usual_headers;
use crate::measure::Contender;

pub const BARE: &str = "bare `hmac`, kept key";
pub const WHOLE: &str = "whole";
pub const TWO_SECRETS: &str = "second of 2 secrets";
pub const MANY: &str = "last of 32 signatures";
pub const CHUNKS: [(&str, usize); 3] =
    [("chunks of 1,400 B", 1400), ("chunks of 8 KiB", 8 << 10), ("chunks of 64 KiB", 64 << 10)];
/// The smallest chunks, for the MAC alone: what no verifier that is built on it can save.
pub const BARE_CHUNKS: &str = "bare `hmac`, chunks of 1,400 B";
const OTHER_SECRET: &str = "whsec_aG9va3Byb29mLW90aGVyLXNlY3JldA";

/// What a sender's request is, and what its MAC is made over.
struct Request {
    sender: &'static dyn Provider,
    headers: HeaderMap,
    body: Arc<[u8]>,
}

pub fn contenders(sender: &'static dyn Provider, body: &Arc<[u8]>) -> Vec<Contender> {
    let request = Request::new(sender, body);
    let mut contenders = vec![
        request.bare(BARE, usize::MAX),
        request.bare(BARE_CHUNKS, CHUNKS[0].1),
        request.whole(WHOLE, &[testing::SECRET]),
        request.whole(TWO_SECRETS, &[OTHER_SECRET, testing::SECRET]),
    ];
    if sender.info().several_signatures {
        contenders.push(request.crowded().whole(MANY, &[testing::SECRET]));
    }
    contenders.extend(CHUNKS.map(|(name, chunk)| request.streamed(name, chunk)));
    contenders
}

impl Request {
    fn new(sender: &'static dyn Provider, body: &Arc<[u8]>) -> Self {
        let sent = Sender::new(sender).send(body).unwrap();
        let mut headers = usual_headers();
        headers.extend(sent.delivery().headers().clone());
        Self { sender, headers, body: Arc::clone(body) }
    }

    fn crowded(&self) -> Self {
        let (name, value) = crowded::crowded(self.sender, &self.headers, 31);
        let mut headers = self.headers.clone();
        headers.insert(name, HeaderValue::from_bytes(&value).unwrap());
        Self { headers, body: Arc::clone(&self.body), ..*self }
    }

    fn verifier(&self, secrets: &[&str]) -> Verifier {
        let builder = Verifier::builder(self.sender);
        secrets.iter().fold(builder, |builder, secret| builder.secret(secret)).build().unwrap()
    }

    fn whole(&self, name: &str, secrets: &[&str]) -> Contender {
        let (verifier, headers) = (self.verifier(secrets), self.headers.clone());
        let body = Arc::clone(&self.body);
        Contender::new(name, move || {
            let delivery = Delivery::from_parts(head(&headers), &body);
            let verified = black_box(verifier.verify_at(&delivery, testing::NOW));
            assert!(verified.is_ok());
        })
    }

    fn streamed(&self, name: &str, chunk: usize) -> Contender {
        let (verifier, headers) = (self.verifier(&[testing::SECRET]), self.headers.clone());
        let body = Arc::clone(&self.body);
        Contender::new(name, move || {
            let mut stream = verifier.streaming().unwrap().begin(head(&headers)).unwrap();
            body.chunks(chunk).for_each(|chunk| stream.update(chunk));
            let verified = black_box(stream.finish(testing::NOW));
            assert!(verified.is_ok());
        })
    }

    /// The MAC alone over the same bytes, given in chunks, shown to be the one that the request carries.
    fn bare(&self, name: &str, chunk: usize) -> Contender {
        let delivery = Delivery::from_parts(head(&self.headers), &self.body);
        let message = self.verifier(&[testing::SECRET]).signed_bytes(&delivery).unwrap();
        let [message] = &message[..] else { panic!("several readings") };
        let beside = message.len() - self.body.len();
        let start = (0..=beside).find(|start| message[*start..].starts_with(&self.body)).unwrap();
        let before = message[..start].to_vec();
        let after = message[start + self.body.len()..].to_vec();
        let decoded = STANDARD.decode(testing::SECRET.strip_prefix("whsec_").unwrap()).unwrap();
        let mac = [testing::SECRET.as_bytes(), &decoded].into_iter().find_map(|key| {
            let mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
            let tag = mac.clone().chain_update(message).finalize().into_bytes();
            let texts = [hex::encode(tag), STANDARD.encode(tag)];
            let carries = |value: &HeaderValue| {
                value.to_str().is_ok_and(|value| texts.iter().any(|text| value.contains(text)))
            };
            self.headers.values().any(carries).then_some(mac)
        });
        let (mac, body) = (mac.unwrap(), Arc::clone(&self.body));
        Contender::new(name, move || {
            let mut mac = mac.clone();
            if !before.is_empty() {
                mac.update(&before);
            }
            body.chunks(chunk).for_each(|chunk| mac.update(chunk));
            if !after.is_empty() {
                mac.update(&after);
            }
            black_box(mac.finalize().into_bytes());
        })
    }
}

fn head(headers: &HeaderMap) -> Head<'_> {
    Head::new(headers).with_method(&http::Method::POST).with_url(testing::URL)
}
