//! The crates that verify the same request, each as its documentation says.

use std::hint::black_box;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hookproof::{Delivery, Provider, UnixTime, Verifier, providers};
use http::{HeaderMap, HeaderValue};
use sha2::Sha256;
use sha2::block_api::compress256;

use crate::measure::{Contender, Times};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scheme {
    Stripe,
    StandardWebhooks,
    GitHub,
}

impl Scheme {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stripe => "Stripe",
            Self::StandardWebhooks => "Standard Webhooks",
            Self::GitHub => "GitHub",
        }
    }
}

pub const LIMIT: &str = "limit: compressions alone";
pub const BARE: &str = "bare `hmac`, kept key";
pub const OURS: &str = "**hookproof**";
pub const OURS_CLOCK: &str = "hookproof, reading the clock";
/// Other crates that verify the whole request.
pub const PEERS: [&str; 4] = [WEBHOOK_VERIFY, ASYNC_STRIPE, STANDARD_WEBHOOKS, SVIX];
pub const WEBHOOK_VERIFY: &str = "webhook-verify 0.1.0";
pub const ASYNC_STRIPE: &str = "async-stripe-webhook 1.0.0-rc.10";
pub const STANDARD_WEBHOOKS: &str = "standardwebhooks 1.0.1";
pub const SVIX: &str = "svix 2.9.1";
const RING: &str = "bare `ring`, kept key";
const AWS_LC: &str = "bare `aws-lc-rs`, kept key";

/// Whatever is measured has to accept the request each time.
fn verifier(name: &str, verify: impl Fn() -> bool + 'static) -> Contender {
    let refused = format!("{name} refuses the request");
    Contender::new(name, move || assert!(black_box(verify()), "{refused}"))
}

/// The secret: text for the first and the last, base64 for Standard Webhooks.
const SECRET: &str = "whsec_aG9va3Byb29mLXRlc3Qtc2VjcmV0";
const ID: &str = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W";

/// A head as servers hand it over: eleven headers or so, the signature among them.
fn head(own: &[(&'static str, String)]) -> HeaderMap {
    let mut headers = usual_headers();
    for (name, value) in own {
        headers.insert(*name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

/// What servers hand over beside the sender's own headers.
pub fn usual_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("host", "example.com"),
        ("user-agent", "sender/1.0"),
        ("accept", "*/*"),
        ("content-type", "application/json; charset=utf-8"),
        ("content-length", "1024"),
        ("accept-encoding", "gzip, deflate"),
        ("cache-control", "no-cache"),
        ("x-forwarded-for", "203.0.113.7"),
        ("x-forwarded-proto", "https"),
        ("x-request-id", "f058ebd6-02f7-4d3f-942e-904344e8cde5"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
}

/// The compressions that an HMAC-SHA256 over this many bytes cannot do without once its key is prepared, over a block that
/// is ready.
fn limit(length: usize) -> Contender {
    let blocks = vec![[0x5au8; 64]; (length + 9).div_ceil(64)];
    Contender::new(LIMIT, move || {
        let mut state = [0x6a09_e667u32; 8];
        compress256(&mut state, &blocks);
        let mut outer = [0xbb67_ae85u32; 8];
        let mut block = [0u8; 64];
        for (bytes, word) in block.chunks_exact_mut(4).zip(state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        compress256(&mut outer, &[block]);
        black_box(outer);
    })
}

/// Everybody who verifies a request of this sender, and what none of them can be faster than.
pub fn all(scheme: Scheme, size: usize) -> Vec<Contender> {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let time = seconds.to_string();
    let body: Arc<[u8]> = vec![b'x'; size].into();
    let key = match scheme {
        Scheme::StandardWebhooks => {
            STANDARD.decode(SECRET.strip_prefix("whsec_").unwrap()).unwrap()
        }
        _ => SECRET.as_bytes().to_vec(),
    };
    let prefix: Vec<u8> = match scheme {
        Scheme::Stripe => format!("{time}.").into_bytes(),
        Scheme::StandardWebhooks => format!("{ID}.{time}.").into_bytes(),
        Scheme::GitHub => Vec::new(),
    };
    let bare = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let tag: [u8; 32] =
        bare.clone().chain_update(&prefix).chain_update(&body).finalize().into_bytes().into();
    let (hex, base64) = (hex::encode(tag), STANDARD.encode(tag));
    let headers = Arc::new(match scheme {
        Scheme::Stripe => head(&[("stripe-signature", format!("t={time},v1={hex},v0={hex}"))]),
        Scheme::StandardWebhooks => head(&[
            ("webhook-id", ID.to_owned()),
            ("webhook-timestamp", time.clone()),
            ("webhook-signature", format!("v1,{base64}")),
        ]),
        Scheme::GitHub => head(&[("x-hub-signature-256", format!("sha256={hex}"))]),
    });

    let mut contenders = vec![limit(prefix.len() + size)];
    {
        let (body, prefix) = (Arc::clone(&body), prefix.clone());
        contenders.push(Contender::new(BARE, move || {
            let mut mac = bare.clone();
            if !prefix.is_empty() {
                mac.update(&prefix);
            }
            mac.update(&body);
            black_box(mac.finalize().into_bytes());
        }));
    }
    for clock in [false, true] {
        let sender: &'static dyn Provider = match scheme {
            Scheme::Stripe => &providers::STRIPE,
            Scheme::StandardWebhooks => &providers::STANDARD_WEBHOOKS,
            // Signs no time, so that no clock is read.
            Scheme::GitHub if clock => continue,
            Scheme::GitHub => &providers::GITHUB,
        };
        let ours = Verifier::builder(sender).secret(SECRET).build().unwrap();
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        let now = UnixTime::from_secs(seconds);
        contenders.push(if clock {
            verifier(OURS_CLOCK, move || ours.verify(&Delivery::new(&headers, &body)).is_ok())
        } else {
            verifier(OURS, move || ours.verify_at(&Delivery::new(&headers, &body), now).is_ok())
        });
    }
    {
        use webhook_verify::{Provider, Secret, VerifyOptions, verify};
        let provider = match scheme {
            Scheme::Stripe => Provider::Stripe,
            Scheme::StandardWebhooks => Provider::StandardWebhooks,
            Scheme::GitHub => Provider::GitHub,
        };
        let secret = Secret::new(SECRET);
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        contenders.push(verifier(WEBHOOK_VERIFY, move || {
            verify(provider, &*headers, &body, &secret, VerifyOptions::default()).is_ok()
        }));
    }
    #[cfg(feature = "async-stripe")]
    if scheme == Scheme::Stripe {
        use stripe_webhook::{Webhook, WebhookError};
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        // It verifies and parses in one call. The body is no JSON, at whose first byte its parser gives up; that it comes
        // to the parser shows that the signature was right. It wants text.
        contenders.push(verifier(ASYNC_STRIPE, move || {
            let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok());
            let body = std::str::from_utf8(&body).ok();
            let result = Webhook::construct_event(body.unwrap(), signature.unwrap(), SECRET);
            matches!(result, Err(WebhookError::BadParse(_)))
        }));
    }
    if scheme == Scheme::StandardWebhooks {
        let webhook = standardwebhooks::Webhook::new(SECRET).unwrap();
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        contenders
            .push(verifier(STANDARD_WEBHOOKS, move || webhook.verify(&body, &headers).is_ok()));
    }
    #[cfg(feature = "svix")]
    if scheme == Scheme::StandardWebhooks {
        let webhook = svix::webhooks::Webhook::new(SECRET).unwrap();
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        contenders.push(verifier(SVIX, move || webhook.verify(&body, &headers).is_ok()));
    }
    {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key);
        let (body, prefix) = (Arc::clone(&body), prefix.clone());
        contenders.push(verifier(RING, move || {
            let mut context = ring::hmac::Context::with_key(&key);
            context.update(&prefix);
            context.update(&body);
            context.sign().as_ref() == tag
        }));
    }
    #[cfg(feature = "aws-lc")]
    {
        let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &key);
        let (body, prefix) = (Arc::clone(&body), prefix.clone());
        contenders.push(verifier(AWS_LC, move || {
            let mut context = aws_lc_rs::hmac::Context::with_key(&key);
            context.update(&prefix);
            context.update(&body);
            context.sign().as_ref() == tag
        }));
    }
    contenders
}

/// The order of the rows of a table.
pub fn order(times: &Times) -> Vec<String> {
    let peers = PEERS.iter().copied();
    let names = [LIMIT, BARE, OURS, OURS_CLOCK].into_iter().chain(peers).chain([RING, AWS_LC]);
    names.filter(|name| times.has(name)).map(str::to_owned).collect()
}
