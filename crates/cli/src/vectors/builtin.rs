//! The implementation that is built in: the library itself.

use std::time::Duration;

use hookproof::{
    ConfigError, ConfigErrorKind, Delivery, Event, EventError, Secret, UnixTime, Verified, Verifier,
};
use hookproof_vectors::Secret as Written;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Map, Value, json};

use crate::library::{self, Options};
use crate::vectors::grade::{Accepted, Answer};
use crate::vectors::select::Case;

/// What the library makes of a case.
pub(crate) fn answer(case: &Case<'_>) -> Answer {
    match verdict(case) {
        Ok(accepted) => Answer::Accept(accepted),
        Err(Refusal::Reason(reason)) => Answer::Reject(Some(reason.to_owned())),
        Err(Refusal::Unable(message)) => Answer::Error(message),
    }
}

enum Refusal {
    Reason(&'static str),
    Unable(String),
}

impl From<ConfigError> for Refusal {
    fn from(error: ConfigError) -> Self {
        match error.kind() {
            ConfigErrorKind::BadSecret => Self::Reason(error.kind().as_str()),
            _ => Self::Unable(error.to_string()),
        }
    }
}

fn verdict(case: &Case<'_>) -> Result<Accepted, Refusal> {
    let (group, test) = (case.group, case.test);
    let mut options = options(case)?;
    let provider = library::provider(&case.file.provider, &mut options);
    let provider = provider.map_err(|failure| Refusal::Unable(failure.to_string()))?;
    let mut builder = Verifier::builder(provider);
    for secret in &group.secrets {
        builder = builder.key(written(secret)?);
    }
    for (name, value) in &options {
        builder = builder.option(name, value);
    }
    if let Some(seconds) = group.tolerance_seconds {
        builder = builder.tolerance(Duration::from_secs(seconds));
    }
    let verifier = builder.build()?;

    let mut headers = HeaderMap::new();
    for (name, value) in test.headers() {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_bytes(value);
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(Refusal::Unable("a header that HTTP cannot carry".to_owned()));
        };
        headers.try_append(name, value).map_err(|_| {
            Refusal::Unable("a request has more headers than HTTP servers take".to_owned())
        })?;
    }
    let method =
        test.method.as_ref().map(|method| Method::from_bytes(method.as_bytes())).transpose();
    let method =
        method.map_err(|_| Refusal::Unable("a method that HTTP cannot carry".to_owned()))?;
    let body = test.body.bytes();
    let mut delivery = Delivery::new(&headers, &body);
    if let Some(method) = &method {
        delivery = delivery.with_method(method);
    }
    if let Some(url) = &test.url {
        delivery = delivery.with_url(url);
    }
    match verifier.verify_at(&delivery, UnixTime::from_millis(test.now_ms)) {
        Ok(verified) => Ok(Accepted { key: Some(verified.key()), events: Some(events(&verified)) }),
        Err(error) => Err(Refusal::Reason(error.kind().as_str())),
    }
}

/// The events as the vectors write them, or the word for the first fault.
fn events(verified: &Verified<'_>) -> Result<Vec<Value>, String> {
    let word = |error: EventError| error.kind().as_str().to_owned();
    let events = verified.events().map_err(word)?;
    events.map(|event| event.map(|event| as_value(&event)).map_err(word)).collect()
}

/// An event with the members that it has; `key` is always there.
fn as_value(event: &Event<'_>) -> Value {
    let mut members = Map::new();
    members.insert("key".to_owned(), event.key().into());
    let order =
        event.order().map(|order| json!({ "value": order.value(), "unit": order.unit().as_str() }));
    for (name, value) in [
        ("twin", event.twin().map(Value::from)),
        ("kind", event.kind().map(Value::from)),
        ("subject", event.subject().map(Value::from)),
        ("stream", event.stream().map(Value::from)),
        ("order", order),
        ("attempt", event.attempt().map(Value::from)),
    ] {
        members.extend(value.map(|value| (name.to_owned(), value)));
    }
    Value::Object(members)
}

fn written(secret: &Written) -> Result<Secret, Refusal> {
    match secret {
        Written::Text(text) => Ok(Secret::new(text)?),
        Written::Base64(bytes) | Written::Hex(bytes) => Ok(Secret::from_bytes(bytes)?),
        Written::Pem(text) => Ok(Secret::new(text.trim_ascii())?),
        Written::Jwks(keys) => Ok(Secret::new(&keys.to_string())?),
        _ => Err(Refusal::Unable("a form of secret that is not known here".to_owned())),
    }
}

/// The options as texts: `true`, `false`, and lists joined by commas.
fn options(case: &Case<'_>) -> Result<Options, Refusal> {
    let text = |value: &Value| match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            items.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|items| items.join(","))
        }
        _ => None,
    };
    let options = &case.group.options;
    options
        .iter()
        .map(|(name, value)| match text(value) {
            Some(text) => Ok((name.clone(), text)),
            None => {
                Err(Refusal::Unable(format!("the option `{name}` has a value that is no text")))
            }
        })
        .collect()
}
