//! Events by which AWS hands HTTP requests to a function, read without any crate of AWS.

use core::fmt;
use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method};
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::append;
use crate::delivery::Delivery;

/// A request as AWS hands it to a function: API Gateway's REST (1.0) and HTTP (2.0) payloads, function URLs, and load
/// balancers, with single or multi-value headers.
///
/// Deserialize it from the event. Header names are taken in any case; where the event has multi-value headers those are used,
/// so that a line that was sent twice is seen. The 2.0 payload joins such lines with a comma before anybody sees them. A body
/// that is marked as base64 is decoded.
///
/// A REST API hands on bodies as text unless their media type is among its binary ones: bytes that are no UTF-8 are lost
/// there, and such a delivery is refused.
///
/// ```
/// use hookproof::{Verifier, providers::GITHUB, raw::AwsRequest};
///
/// let verifier = Verifier::builder(&GITHUB).secret("It's a Secret to Everybody").build()?;
/// let event = r#"{
///   "version": "2.0",
///   "rawPath": "/github",
///   "headers": {"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
///   "requestContext": {"http": {"method": "POST", "path": "/github"}},
///   "body": "SGVsbG8sIFdvcmxkIQ==",
///   "isBase64Encoded": true
/// }"#;
/// let request: AwsRequest = serde_json::from_str(event)?;
/// let verified = verifier.verify(&request.delivery())?;
/// assert_eq!(verified.body(), b"Hello, World!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For senders that sign the URL add the public one, from the configuration: `request.delivery().with_url(…)`.
#[derive(Clone)]
pub struct AwsRequest {
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

impl AwsRequest {
    /// The request as a delivery, without a URL.
    #[must_use]
    pub fn delivery(&self) -> Delivery<'_> {
        Delivery::new(&self.headers, &self.body).with_method(&self.method)
    }

    /// The method.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// The headers, every line that the event has.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The raw body.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }
}

/// The method, the names of the headers and the length of the body: values can be credentials.
impl fmt::Debug for AwsRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AwsRequest").field(&self.delivery()).finish()
    }
}

impl<'de> Deserialize<'de> for AwsRequest {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(Event::default())?.into_request().map_err(D::Error::custom)
    }
}

/// What is read of an event. Later members of one name replace earlier ones, as everywhere at AWS.
#[derive(Default)]
struct Event {
    method: Option<String>,
    single: Option<BTreeMap<String, Option<String>>>,
    multiple: Option<BTreeMap<String, Option<Vec<String>>>>,
    body: Option<String>,
    is_base64: bool,
}

impl Event {
    fn into_request(self) -> Result<AwsRequest, &'static str> {
        let method = self.method.ok_or("the event is no HTTP request: it has no method")?;
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| "the event's method cannot be one of HTTP")?;
        let mut headers = HeaderMap::new();
        let multiple = self.multiple.unwrap_or_default();
        let lines = multiple.iter().flat_map(|(name, values)| {
            values.iter().flatten().map(move |value| (name.as_str(), value.as_str()))
        });
        // Both are there with REST APIs, where each name is in both.
        let is_multiple =
            |wanted: &str| multiple.keys().any(|name| name.eq_ignore_ascii_case(wanted));
        let single = self.single.unwrap_or_default();
        let rest = single.iter().filter(|(name, _)| !is_multiple(name));
        let rest = rest.filter_map(|(name, value)| Some((name.as_str(), value.as_deref()?)));
        for (name, value) in lines.chain(rest) {
            append(&mut headers, name.as_bytes(), value.as_bytes())
                .map_err(|_| "the event has a header that HTTP cannot carry")?;
        }
        let text = self.body.unwrap_or_default();
        let body = if self.is_base64 {
            STANDARD.decode(text).map_err(|_| "the event's body is marked as base64 and is not")?
        } else {
            text.into_bytes()
        };
        Ok(AwsRequest { method, headers, body: body.into() })
    }
}

impl<'de> Visitor<'de> for Event {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an HTTP event of API Gateway, a function URL or a load balancer")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "httpMethod" => self.method = map.next_value()?,
                "requestContext" => {
                    if let Some(method) = map.next_value_seed(Member(&["http", "method"]))? {
                        self.method = Some(method);
                    }
                }
                "headers" => self.single = map.next_value()?,
                "multiValueHeaders" => self.multiple = map.next_value()?,
                "body" => self.body = map.next_value()?,
                "isBase64Encoded" => {
                    self.is_base64 = map.next_value::<Option<bool>>()?.unwrap_or(false)
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(self)
    }
}

/// The text at a path of members, if it is there.
struct Member(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Member {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Option<String>, D::Error> {
        if self.0.is_empty() {
            return Option::deserialize(reader);
        }
        reader.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Member {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the context of a request")
    }

    fn visit_none<E>(self) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<Option<String>, D::Error> {
        reader.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<String>, A::Error> {
        let mut found = None;
        while let Some(name) = map.next_key::<String>()? {
            match self.0.split_first() {
                Some((first, rest)) if name == *first => {
                    found = map.next_value_seed(Self(rest))?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}
