//! Deliveries of each kind of comparison, verified with undefined keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hookproof::{
    Delivery, Encoding, Family, Grammar, Head, Part, Provider, Scheme, Secret, UnixTime, Verifier,
    dangerous, providers,
};
use http::{HeaderMap, Method};
use sha2::{Digest, Sha256, Sha512};

use crate::memcheck;
use crate::planted;

const NOW: UnixTime = UnixTime::from_secs(1_700_000_000);
const SECONDS: &str = "1700000000";
const MILLIS: &str = "1700000000000";
const URL: &str = "https://example.com/hooks?to=a%3Ab";
/// Above a block of either hash function, and no multiple of one.
const BODY: &[u8] = &[b'x'; 1000];

/// A sender, the options of its verifier, and what it sends.
pub struct Case {
    pub name: &'static str,
    provider: &'static dyn Provider,
    options: &'static [(&'static str, &'static str)],
    encoding: Encoding,
    mac: fn(&[u8]) -> Vec<u8>,
    head: fn(&[String]) -> Vec<(&'static str, String)>,
    /// Whether its header may hold several signatures.
    several: bool,
    /// Whether the comparison is wrong on purpose.
    pub planted: bool,
}

/// A sender with the longest MAC.
static LONG: Scheme = Scheme::hmac_sha512("long", "Long")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::Whole)
    .encoding(Encoding::Base64)
    .message(&[Part::Body])
    .build();

pub static CASES: &[Case] = &[
    Case {
        name: "hmac-sha256-hex",
        provider: &providers::GITHUB,
        options: &[],
        encoding: Encoding::Hex,
        mac: |key| hmac(key, &[BODY]),
        head: |signatures| vec![("x-hub-signature-256", format!("sha256={}", signatures[0]))],
        several: false,
        planted: false,
    },
    Case {
        name: "hmac-sha256-hex-list",
        provider: &providers::STRIPE,
        options: &[],
        encoding: Encoding::Hex,
        mac: |key| hmac(key, &[SECONDS.as_bytes(), b".", BODY]),
        head: |signatures| {
            vec![("stripe-signature", format!("t={SECONDS},v1={}", signatures.join(",v1=")))]
        },
        several: true,
        planted: false,
    },
    Case {
        name: "hmac-sha256-base64-list",
        provider: &providers::STANDARD_WEBHOOKS,
        options: &[],
        encoding: Encoding::Base64,
        mac: |key| hmac(key, &[b"msg_1.", SECONDS.as_bytes(), b".", BODY]),
        head: |signatures| {
            vec![
                ("webhook-id", "msg_1".to_owned()),
                ("webhook-timestamp", SECONDS.to_owned()),
                ("webhook-signature", format!("v1,{}", signatures.join(" v1,"))),
            ]
        },
        several: true,
        planted: false,
    },
    Case {
        name: "hmac-sha256-base64-two-headers",
        provider: &providers::SHOPIFY,
        options: &[],
        encoding: Encoding::Base64,
        mac: |key| hmac(key, &[BODY]),
        head: |signatures| {
            vec![
                ("x-shopify-hmac-sha256", signatures[0].clone()),
                ("shopify-hmac-sha256", signatures[0].clone()),
            ]
        },
        several: false,
        planted: false,
    },
    Case {
        name: "hmac-sha256-base64-two-readings",
        provider: &providers::HUBSPOT,
        options: &[],
        encoding: Encoding::Base64,
        mac: |key| hmac(key, &[b"POST", URL.as_bytes(), BODY, MILLIS.as_bytes()]),
        head: |signatures| {
            vec![
                ("x-hubspot-signature-v3", signatures[0].clone()),
                ("x-hubspot-request-timestamp", MILLIS.to_owned()),
            ]
        },
        several: false,
        planted: false,
    },
    Case {
        name: "sha256-hex",
        provider: &providers::HUBSPOT,
        options: &[("versions", "v1")],
        encoding: Encoding::Hex,
        mac: |key| Sha256::new().chain_update(key).chain_update(BODY).finalize().to_vec(),
        head: |signatures| vec![("x-hubspot-signature", signatures[0].clone())],
        several: false,
        planted: false,
    },
    Case {
        name: "sha256-hex-two-readings",
        provider: &providers::HUBSPOT,
        options: &[("versions", "v1,v2")],
        encoding: Encoding::Hex,
        mac: |key| {
            let hash = Sha256::new().chain_update(key).chain_update("POST").chain_update(URL);
            hash.chain_update(BODY).finalize().to_vec()
        },
        head: |signatures| vec![("x-hubspot-signature", signatures[0].clone())],
        several: false,
        planted: false,
    },
    Case {
        name: "hmac-sha1-hex",
        provider: &dangerous::GITHUB_SHA1,
        options: &[],
        encoding: Encoding::Hex,
        mac: |key| {
            Hmac::<sha1::Sha1>::new_from_slice(key)
                .unwrap()
                .chain_update(BODY)
                .finalize()
                .into_bytes()
                .to_vec()
        },
        head: |signatures| vec![("x-hub-signature", format!("sha1={}", signatures[0]))],
        several: false,
        planted: false,
    },
    Case {
        name: "hmac-sha512-base64",
        provider: &LONG,
        options: &[],
        encoding: Encoding::Base64,
        mac: |key| {
            Hmac::<Sha512>::new_from_slice(key)
                .unwrap()
                .chain_update(BODY)
                .finalize()
                .into_bytes()
                .to_vec()
        },
        head: |signatures| vec![("x-signature", signatures[0].clone())],
        several: false,
        planted: false,
    },
    Case {
        name: "planted-early-exit",
        provider: &planted::EARLY_EXIT,
        options: &[],
        encoding: Encoding::Hex,
        mac: |key| hmac(key, &[BODY]),
        head: |signatures| vec![("x-signature", signatures[0].clone())],
        several: false,
        planted: true,
    },
    Case {
        name: "planted-encoded",
        provider: &planted::ENCODED,
        options: &[],
        encoding: Encoding::Hex,
        mac: |key| hmac(key, &[BODY]),
        head: |signatures| vec![("x-signature", signatures[0].clone())],
        several: false,
        planted: true,
    },
];

fn hmac(key: &[u8], message: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    message.iter().for_each(|piece| mac.update(piece));
    mac.finalize().into_bytes().to_vec()
}

/// The key with this index. The longest is above a block of SHA-512, so that it is hashed first.
fn key(index: usize) -> Vec<u8> {
    let length = [24, 64, 200][index % 3];
    (0..length).map(|at| (at as u8).wrapping_mul(37).wrapping_add(index as u8)).collect()
}

impl Case {
    /// Verifies by every way in, with one key and three, matched by the first, the last and none. Each verification must
    /// cause a report: the verdict's. One that causes none did not see an undefined MAC.
    pub fn run(&self) {
        for keys in [1, 3] {
            for matching in [Some(0), Some(keys - 1), None] {
                for streamed in [false, true] {
                    let before = memcheck::reports();
                    self.verify(keys, matching, streamed);
                    if memcheck::is_running() {
                        assert!(
                            memcheck::reports() > before,
                            "{}: {keys} keys, {matching:?} matching, streamed {streamed}: no report at all, so nothing was checked",
                            self.name
                        );
                    }
                }
            }
        }
    }

    fn verify(&self, keys: usize, matching: Option<usize>, streamed: bool) {
        let text = |bytes: &[u8]| match self.encoding {
            Encoding::Hex => hex::encode(bytes),
            _ => STANDARD.encode(bytes),
        };
        let right = text(&(self.mac)(&key(matching.unwrap_or(keys))));
        let signatures = if self.several {
            // A wrong one that shares all but its last digits, one that cannot be decoded, and the right one last.
            let mut near = (self.mac)(&key(matching.unwrap_or(keys)));
            *near.last_mut().unwrap() ^= 1;
            vec![text(&near), "junk".to_owned(), right]
        } else {
            vec![right]
        };
        let mut headers = HeaderMap::new();
        for (name, value) in (self.head)(&signatures) {
            headers.insert(name, value.parse().unwrap());
        }
        let mut builder = Verifier::builder(self.provider);
        for index in 0..keys {
            let mut bytes = key(index);
            memcheck::undefine(&mut bytes);
            builder = builder.key(Secret::from_bytes(&bytes).unwrap());
        }
        for (name, value) in self.options {
            builder = builder.option(name, value);
        }
        let verifier = builder.build().unwrap();
        let matched = if streamed {
            let head = Head::new(&headers).with_method(&Method::POST).with_url(URL);
            let mut stream = verifier.streaming().unwrap().begin(head).unwrap();
            BODY.chunks(77).for_each(|chunk| stream.update(chunk));
            let mut result = stream.finish(NOW);
            memcheck::define(&mut result);
            result.map(|verified| verified.key())
        } else {
            let delivery = Delivery::new(&headers, BODY).with_method(&Method::POST).with_url(URL);
            let mut result = verifier.verify_at(&delivery, NOW);
            memcheck::define(&mut result);
            result.map(|verified| verified.key())
        };
        if !self.planted {
            assert_eq!(matched.ok(), matching, "{}: not verified as expected", self.name);
        }
    }
}
