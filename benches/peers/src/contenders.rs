//! The crates that verify the same request, each as its documentation says.

use std::hint::black_box;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hookproof::{Delivery, Provider, UnixTime, Verifier, providers};
use http::{HeaderMap, HeaderValue};
use sha2::Sha256;

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

/// What is measured, and the proof that it does its work.
pub struct Contender {
    pub name: &'static str,
    pub work: Box<dyn Fn()>,
    pub check: Box<dyn Fn()>,
}

impl Contender {
    /// `verify` says whether the request is accepted.
    fn new(name: &'static str, verify: impl Fn() -> bool + 'static) -> Self {
        let verify = Arc::new(verify);
        let work = Arc::clone(&verify);
        Self {
            name,
            work: Box::new(move || {
                black_box(work());
            }),
            check: Box::new(move || assert!(verify(), "{name} refuses the request")),
        }
    }
}

/// The secret: text for the first and the last, base64 for Standard Webhooks.
const SECRET: &str = "whsec_aG9va3Byb29mLXRlc3Qtc2VjcmV0";
const ID: &str = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W";

/// A head as servers hand it over: eleven headers or so, the signature among them.
fn head(own: &[(&'static str, String)]) -> HeaderMap {
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
    for (name, value) in own {
        headers.insert(*name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

/// The first is the bare MAC with a kept key: what nobody can be faster than with this implementation of SHA-256.
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

    let mut contenders = Vec::new();
    {
        let (body, prefix) = (Arc::clone(&body), prefix.clone());
        contenders.push(Contender::new("bare `hmac`, kept key", move || {
            let mac = bare.clone().chain_update(&prefix).chain_update(&body);
            black_box(mac.finalize().into_bytes());
            true
        }));
    }
    {
        let sender: &'static dyn Provider = match scheme {
            Scheme::Stripe => &providers::STRIPE,
            Scheme::StandardWebhooks => &providers::STANDARD_WEBHOOKS,
            Scheme::GitHub => &providers::GITHUB,
        };
        let verifier = Verifier::builder(sender).secret(SECRET).build().unwrap();
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        let now = UnixTime::from_secs(seconds);
        contenders.push(Contender::new("**hookproof**", move || {
            verifier.verify_at(&Delivery::new(&headers, &body), now).is_ok()
        }));
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
        contenders.push(Contender::new("webhook-verify 0.1.0", move || {
            verify(provider, &*headers, &body, &secret, VerifyOptions::default()).is_ok()
        }));
    }
    if scheme == Scheme::StandardWebhooks {
        let webhook = standardwebhooks::Webhook::new(SECRET).unwrap();
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        contenders.push(Contender::new("standardwebhooks 1.0.1", move || {
            webhook.verify(&body, &headers).is_ok()
        }));
    }
    #[cfg(feature = "svix")]
    if scheme == Scheme::StandardWebhooks {
        let webhook = svix::webhooks::Webhook::new(SECRET).unwrap();
        let (headers, body) = (Arc::clone(&headers), Arc::clone(&body));
        contenders
            .push(Contender::new("svix 2.9.1", move || webhook.verify(&body, &headers).is_ok()));
    }
    {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key);
        let (body, prefix) = (Arc::clone(&body), prefix.clone());
        contenders.push(Contender::new("bare `ring`, kept key", move || {
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
        contenders.push(Contender::new("bare `aws-lc-rs`, kept key", move || {
            let mut context = aws_lc_rs::hmac::Context::with_key(&key);
            context.update(&prefix);
            context.update(&body);
            context.sign().as_ref() == tag
        }));
    }
    contenders
}
