//! One request with one set-up, and what becomes of it when something is changed.

use std::time::Duration;

use hookproof::{ConfigError, Delivery, Error, Provider, Secret, UnixTime, Verifier};
use http::{HeaderMap, HeaderValue, Method};
use zeroize::Zeroizing;

/// A secret as text or as key bytes.
#[derive(Clone)]
pub(super) enum Key {
    Bytes(Zeroizing<Vec<u8>>),
    Text(Zeroizing<String>),
}

impl Key {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(Zeroizing::new(text.to_owned()))
    }

    pub(super) fn bytes(bytes: &[u8]) -> Self {
        Self::Bytes(Zeroizing::new(bytes.to_vec()))
    }

    pub(super) fn secret(&self) -> Result<Secret, ConfigError> {
        match self {
            Self::Bytes(bytes) => Secret::from_bytes(bytes),
            Self::Text(text) => Secret::new(text),
        }
    }
}

/// A request and a set-up.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) provider: &'static dyn Provider,
    pub(super) options: Vec<(String, String)>,
    pub(super) keys: Vec<Key>,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) url: Option<String>,
    /// The URL that the request's own head suggests.
    pub(super) url_hint: Option<String>,
    pub(super) body: Vec<u8>,
    /// What was captured after a body that its Content-Length has cut.
    pub(super) surplus: Vec<u8>,
}

/// A signature that is right.
#[derive(Clone, Copy)]
pub(super) struct Match {
    pub(super) key: usize,
    pub(super) signed_at: Option<UnixTime>,
}

impl Case {
    /// The verdict at a time.
    pub(super) fn verify(
        &self,
        now: UnixTime,
        tolerance: Option<u64>,
    ) -> Result<Result<Match, Error>, ConfigError> {
        let mut builder = self.builder()?;
        if let Some(seconds) = tolerance {
            builder = builder.tolerance(Duration::from_secs(seconds));
        }
        let verifier = builder.build()?;
        Ok(self.with(&verifier, now))
    }

    /// Whether the signature is right, at whatever time.
    pub(super) fn matches(&self) -> bool {
        let Ok(builder) = self.builder() else { return false };
        let verifier = builder.dangerous().accept_any_age().build();
        verifier.is_ok_and(|verifier| self.with(&verifier, UnixTime::from_millis(0)).is_ok())
    }

    fn with(&self, verifier: &Verifier, now: UnixTime) -> Result<Match, Error> {
        let verified = verifier.verify_at(&self.delivery(), now)?;
        Ok(Match { key: verified.key(), signed_at: verified.signed_at() })
    }

    fn builder(&self) -> Result<hookproof::Builder, ConfigError> {
        let mut builder = Verifier::builder(self.provider);
        for key in &self.keys {
            builder = builder.key(key.secret()?);
        }
        for (name, value) in &self.options {
            builder = builder.option(name, value);
        }
        Ok(builder)
    }

    fn delivery(&self) -> Delivery<'_> {
        let delivery = Delivery::new(&self.headers, &self.body).with_method(&self.method);
        match &self.url {
            Some(url) => delivery.with_url(url),
            None => delivery,
        }
    }

    /// What must have been signed, one message for each reading.
    pub(super) fn messages(&self) -> Result<Vec<Vec<u8>>, String> {
        let verifier = self
            .builder()
            .and_then(hookproof::Builder::build)
            .map_err(|error| error.to_string())?;
        verifier.signed_bytes(&self.delivery()).map_err(|error| error.to_string())
    }

    /// Whether the sender signs the URL.
    pub(super) fn needs_url(&self) -> bool {
        self.builder()
            .and_then(hookproof::Builder::build)
            .is_ok_and(|verifier| verifier.needs().url)
    }

    /// The time in the headers, whether it is right or not.
    pub(super) fn signed_at(&self) -> Option<UnixTime> {
        let digits = |text: &str| text.trim().parse::<u64>().ok();
        let millis =
            |value: u64| if value > 100_000_000_000 { value } else { value.saturating_mul(1000) };
        let values = self.provider.info().headers.iter().filter_map(|name| self.headers.get(*name));
        let texts = values.filter_map(|value| value.to_str().ok());
        let found = texts
            .flat_map(|text| text.split(','))
            .find_map(|item| digits(item.trim().strip_prefix("t=").unwrap_or(item)));
        found.map(|value| UnixTime::from_millis(millis(value)))
    }

    /// The id in the headers, for senders that sign one.
    pub(super) fn id(&self) -> Option<String> {
        let name = self
            .provider
            .info()
            .headers
            .iter()
            .find(|name| name.ends_with("-id") && self.headers.contains_key(**name))?;
        self.headers.get(*name)?.to_str().ok().map(str::to_owned)
    }

    /// The same case with another body.
    pub(super) fn with_body(&self, body: Vec<u8>) -> Self {
        Self { body, surplus: Vec::new(), ..self.clone() }
    }

    /// The same case with another URL.
    pub(super) fn with_url(&self, url: String) -> Self {
        Self { url: Some(url), ..self.clone() }
    }

    /// The same case with the value of every header that is read changed.
    pub(super) fn with_headers(
        &self,
        change: impl Fn(&str, &[u8]) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let mut case = self.clone();
        let mut changed = false;
        for name in self.provider.info().headers {
            if let Some(value) = case.headers.get_mut(*name)
                && let Some(new) = change(name, value.as_bytes())
                && let Ok(new) = HeaderValue::from_bytes(&new)
                && new != *value
            {
                *value = new;
                changed = true;
            }
        }
        changed.then_some(case)
    }
}

/// A case in which one mistake is undone.
pub(super) struct Variation {
    /// What the mistake is and what to do about it.
    pub(super) message: String,
    pub(super) case: Case,
}

impl Variation {
    pub(super) fn new(message: impl Into<String>, case: Case) -> Self {
        Self { message: message.into(), case }
    }

    pub(super) fn matches(&self) -> bool {
        self.case.matches()
    }
}
