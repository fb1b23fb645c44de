//! Signed requests, as values and as the bytes of a connection.

use bytes::Bytes;
use hookproof::{Outgoing, Provider, Signed, Signer, UnixTime, testing};
use http::{HeaderMap, Method};

use crate::Error;

/// The request of a sender, signed now.
pub(crate) fn sign(sender: &'static dyn Provider, body: &[u8]) -> Result<Signed, Error> {
    let signer = Signer::builder(sender).secret(testing::SECRET).build()?;
    let outgoing = Outgoing::new(body).with_method(&Method::POST).with_url(testing::URL);
    Ok(signer.sign(&outgoing, UnixTime::from(std::time::SystemTime::now()))?)
}

/// The same request to a path of the server, as it goes over a connection. Its headers are as many as senders behind a proxy have.
pub(crate) fn wire(
    sender: &'static dyn Provider,
    path: &str,
    body: &[u8],
) -> Result<Vec<u8>, Error> {
    let signed = sign(sender, body)?;
    let mut wire = head(path, signed.headers(), body.len());
    wire.extend_from_slice(body);
    Ok(wire)
}

/// A head with the length of its body declared.
pub(crate) fn head(path: &str, headers: &HeaderMap, length: usize) -> Vec<u8> {
    let mut head = format!(
        "POST {path} HTTP/1.1\r\nHost: hooks.example.com\r\nUser-Agent: sender/1.0 (+https://example.com)\r\n\
         Accept: */*\r\nAccept-Encoding: gzip\r\nCache-Control: no-cache\r\nX-Forwarded-For: 192.0.2.1\r\n\
         X-Forwarded-Proto: https\r\nX-Request-Id: 0123456789abcdef\r\nContent-Length: {length}\r\n"
    )
    .into_bytes();
    if !headers.contains_key("content-type") {
        head.extend_from_slice(b"Content-Type: application/json\r\n");
    }
    for (name, value) in headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// A body of JSON, of this length.
pub(crate) fn body(length: usize) -> Bytes {
    let frame = r#"{"id":"evt_1","pad":""}"#.len();
    Bytes::from(format!(r#"{{"id":"evt_1","pad":"{}"}}"#, "a".repeat(length.saturating_sub(frame))))
}
