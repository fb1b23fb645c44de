//! What the test binaries share: vectors turned into this crate's types.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::type_complexity,
    reason = "each test binary uses its own part of this module"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookproof::{
    ConfigError, Delivery, ErrorKind, Provider, Secret, UnixTime, Verifier, dangerous, providers,
};
use hookproof_vectors::{Group, Policy, Secret as VectorSecret, Test, VectorFile};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// The folder of the vectors.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance-vectors")
}

/// Every vector file of the folder.
pub fn files() -> Vec<VectorFile> {
    hookproof_vectors::load_path(&folder()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// The policy that this crate keeps.
pub fn policy() -> Policy {
    let path = folder().join("policies/hookproof.json");
    let text = std::fs::read_to_string(&path).unwrap();
    Policy::parse("policies/hookproof.json", &text).unwrap_or_else(|faults| panic!("{faults}"))
}

/// The sender of a group, and the options that are left for its builder. `None` if this build lacks what it needs.
pub fn sender(
    provider: &str,
    group: &Group,
) -> Option<(&'static dyn Provider, Vec<(String, String)>)> {
    let mut sender = providers::find(provider).unwrap_or_else(|| {
        panic!("no sender has the id `{provider}`: add its module to src/providers")
    });
    let mut options = Vec::new();
    for (name, value) in &group.options {
        let text = match value {
            serde_json::Value::Bool(flag) => flag.to_string(),
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(items) => {
                items.iter().filter_map(|item| item.as_str()).collect::<Vec<_>>().join(",")
            }
            other => panic!("an option of the vectors is {other}"),
        };
        match (name.as_str(), text.as_str()) {
            ("legacySha1", "false") => {}
            ("legacySha1", _) => {
                let relaxed = dangerous::relaxed(provider, name);
                assert!(
                    relaxed.is_some() || cfg!(not(feature = "sha1")),
                    "no SHA-1 for {provider}"
                );
                sender = relaxed?;
            }
            _ => options.push((name.clone(), text)),
        }
    }
    Some((sender, options))
}

/// A verifier as the group sets it up, with these secrets.
pub fn verifier(
    sender: &'static dyn Provider,
    options: &[(String, String)],
    group: &Group,
    secrets: Vec<Secret>,
) -> Result<Verifier, ConfigError> {
    let mut builder = Verifier::builder(sender);
    for secret in secrets {
        builder = builder.key(secret);
    }
    for (name, value) in options {
        builder = builder.option(name, value);
    }
    if let Some(seconds) = group.tolerance_seconds {
        builder = builder.tolerance(Duration::from_secs(seconds));
    }
    builder.build()
}

/// The secrets of a group.
pub fn secrets(group: &Group) -> Result<Vec<Secret>, ConfigError> {
    let secret = |secret: &VectorSecret| match secret {
        VectorSecret::Text(text) => Secret::new(text),
        VectorSecret::Base64(bytes) | VectorSecret::Hex(bytes) => Secret::from_bytes(bytes),
        other => panic!("secrets of the form {other:?} are not used yet"),
    };
    group.secrets.iter().map(secret).collect()
}

/// The request of a vector, owned.
#[derive(Clone)]
pub struct Request {
    pub headers: HeaderMap,
    pub method: Option<Method>,
    pub url: Option<String>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn new(test: &Test) -> Self {
        let mut headers = HeaderMap::new();
        for (name, value) in test.headers() {
            let name = HeaderName::from_bytes(name.as_bytes())
                .unwrap_or_else(|_| panic!("{}: not a header's name: {name}", test.id));
            let value = HeaderValue::from_bytes(value)
                .unwrap_or_else(|_| panic!("{}: not a header's value: {name}", test.id));
            headers.append(name, value);
        }
        let method =
            test.method.as_ref().map(|method| Method::from_bytes(method.as_bytes()).unwrap());
        Self { headers, method, url: test.url.clone(), body: test.body.bytes().into_owned() }
    }

    pub fn delivery(&self) -> Delivery<'_> {
        let mut delivery = Delivery::new(&self.headers, &self.body);
        if let Some(method) = &self.method {
            delivery = delivery.with_method(method);
        }
        if let Some(url) = &self.url {
            delivery = delivery.with_url(url);
        }
        delivery
    }
}

pub fn now(test: &Test) -> UnixTime {
    UnixTime::from_millis(test.now_ms)
}

/// What a run answered: the index of the key, or the reason.
pub type Answer = Result<usize, ErrorKind>;

/// Verifies whole.
pub fn whole(verifier: &Verifier, request: &Request, now: UnixTime) -> Answer {
    verifier
        .verify_at(&request.delivery(), now)
        .map(|verified| verified.key())
        .map_err(|error| error.kind())
}
