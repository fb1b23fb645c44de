//! A delivery as it is kept: the original bytes, so that it can be verified again.

use core::fmt;

use bytes::Bytes;
use hookproof::{Delivery, Error, UnixTime, Verified, Verifier};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::id::{DeliveryId, Digest, EndpointId};

/// A stored delivery.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeliveryRow {
    /// Its number.
    pub id: DeliveryId,
    /// The endpoint at which it arrived.
    pub endpoint: EndpointId,
    /// The id of the sender, as [`Info::id`](hookproof::Info::id).
    pub provider: Box<str>,
    /// When it arrived.
    pub received_at: UnixTime,
    /// The method, where the sender signs it.
    pub method: Option<Method>,
    /// The public URL, where the sender signs it.
    pub url: Option<Box<str>>,
    /// All headers.
    pub headers: HeaderMap,
    /// The raw body.
    pub body: Bytes,
}

impl DeliveryRow {
    /// A row with a body and nothing else that is optional.
    #[must_use]
    pub fn new(
        id: DeliveryId,
        endpoint: EndpointId,
        provider: impl Into<Box<str>>,
        received_at: UnixTime,
        body: Bytes,
    ) -> Self {
        let (headers, provider) = (HeaderMap::new(), provider.into());
        Self { id, endpoint, provider, received_at, method: None, url: None, headers, body }
    }

    /// The digest of the body.
    #[must_use]
    pub fn body_digest(&self) -> Digest {
        Digest::of(&self.body)
    }

    /// Verifies the delivery again, as of the moment of its arrival.
    ///
    /// ```
    /// use hookproof::{Verifier, providers::STRIPE, testing::{SECRET, Sender}};
    /// use hookproof_inbox::{Batch, EndpointId, DeliveryId};
    ///
    /// let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_1","type":"invoice.paid"}"#)?;
    /// let batch = Batch::read(EndpointId::new("billing")?, &sent.verified().as_verified(), hookproof::testing::NOW);
    /// let row = batch.to_row(DeliveryId::from_u64(1));
    ///
    /// let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
    /// assert!(row.verify(&verifier).is_ok(), "years later, too");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify_at`]: the secret was changed since, or the row was.
    pub fn verify(&self, verifier: &Verifier) -> Result<Verified<'_>, Error> {
        let mut delivery = Delivery::new(&self.headers, &self.body);
        if let Some(method) = &self.method {
            delivery = delivery.with_method(method);
        }
        if let Some(url) = &self.url {
            delivery = delivery.with_url(url);
        }
        verifier.verify_at(&delivery, self.received_at)
    }
}

/// Headers as a store keeps them: a line `name: value` each, ended by CR LF, values byte for byte.
///
/// ```
/// use hookproof_inbox::{headers_from_bytes, headers_to_bytes};
/// let mut headers = http::HeaderMap::new();
/// headers.insert("x-github-event", "ping".parse()?);
/// let bytes = headers_to_bytes(&headers);
/// assert_eq!(bytes, b"x-github-event: ping\r\n");
/// assert_eq!(headers_from_bytes(&bytes)?, headers);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn headers_to_bytes(headers: &HeaderMap) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(part);
        }
    }
    bytes
}

/// Headers from a store.
///
/// # Errors
///
/// [`HeadersError`] if these are not the bytes that [`headers_to_bytes`] writes.
pub fn headers_from_bytes(mut bytes: &[u8]) -> Result<HeaderMap, HeadersError> {
    let mut headers = HeaderMap::new();
    while !bytes.is_empty() {
        let end = bytes.windows(2).position(|pair| pair == b"\r\n").ok_or(HeadersError)?;
        let (line, rest) = bytes.split_at(end);
        bytes = rest.get(2..).ok_or(HeadersError)?;
        let colon = line.windows(2).position(|pair| pair == b": ").ok_or(HeadersError)?;
        let (name, value) = line.split_at(colon);
        let name = HeaderName::from_bytes(name).map_err(|_| HeadersError)?;
        let value = value.get(2..).ok_or(HeadersError)?;
        let value = HeaderValue::from_bytes(value).map_err(|_| HeadersError)?;
        headers.try_append(name, value).map_err(|_| HeadersError)?;
    }
    Ok(headers)
}

/// Stored headers cannot be read: the row was changed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct HeadersError;

impl fmt::Display for HeadersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stored headers are not lines of the form `name: value`")
    }
}

impl core::error::Error for HeadersError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_byte_for_byte() {
        let mut headers = HeaderMap::new();
        let values: [&[u8]; 5] = [b"", b" outer blanks\t", b"a: b", b"\xff\xfe", b"\"q\""];
        for value in values {
            headers.append("x-value", HeaderValue::from_bytes(value).unwrap());
        }
        headers.append("x-other", HeaderValue::from_static("1"));
        let bytes = headers_to_bytes(&headers);
        assert_eq!(headers_from_bytes(&bytes).unwrap(), headers);
        assert_eq!(headers_from_bytes(b"").unwrap(), HeaderMap::new());
        for changed in
            [&b"x"[..], b"x: 1", b"x:1\r\n", b": 1\r\n", b"a b: 1\r\n", b"x: \0\r\n", b"\r\n"]
        {
            assert_eq!(headers_from_bytes(changed), Err(HeadersError), "{changed:?}");
        }
        assert!(HeadersError.to_string().contains("`name: value`"));
    }
}
