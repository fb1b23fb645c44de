//! Requests of servers that have no adapter here: headers as plain pairs, and events of AWS.
//!
//! What is on the types of `http` needs no help: [`Delivery::from`](crate::Delivery) takes a `&http::Request`, and
//! [`Endpoint::verify`](crate::Endpoint::verify) one whose body has been read.

mod aws;

use core::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};

pub use aws::AwsRequest;

/// Headers from pairs of name and value, as most servers can list them: any case, repeated lines kept apart, any bytes.
///
/// Give every line as it arrived. Where a server has joined lines of one name, or keeps the last one only, what was sent cannot
/// be told any more.
///
/// ```
/// use hookproof::{Delivery, Verifier, providers::GITHUB, raw};
///
/// let verifier = Verifier::builder(&GITHUB).secret("It's a Secret to Everybody").build()?;
/// let headers = raw::headers([
///     ("Content-Type", "text/plain"),
///     ("X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
/// ])?;
/// assert!(verifier.verify(&Delivery::new(&headers, b"Hello, World!")).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`InvalidHeader`] for what no HTTP request can hold.
pub fn headers<N, V>(pairs: impl IntoIterator<Item = (N, V)>) -> Result<HeaderMap, InvalidHeader>
where
    N: AsRef<[u8]>,
    V: AsRef<[u8]>,
{
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        append(&mut headers, name.as_ref(), value.as_ref())?;
    }
    Ok(headers)
}

fn append(headers: &mut HeaderMap, name: &[u8], value: &[u8]) -> Result<(), InvalidHeader> {
    let name = HeaderName::from_bytes(name).map_err(|_| InvalidHeader(()))?;
    let value = HeaderValue::from_bytes(value).map_err(|_| InvalidHeader(()))?;
    headers.try_append(name, value).map_err(|_| InvalidHeader(()))?;
    Ok(())
}

/// A name or value that cannot be a header's, or more headers than any server takes. The request is not well formed: answer 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct InvalidHeader(());

impl fmt::Display for InvalidHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a header has a name or value that HTTP cannot carry; the request is not as it arrived, or not well formed")
    }
}

impl core::error::Error for InvalidHeader {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_kept() {
        let pairs = [("X-A", &b"1"[..]), ("x-b", b"\xff"), ("x-a", b"2")];
        let headers = headers(pairs).unwrap();
        let values: Vec<_> = headers.get_all("x-a").iter().map(HeaderValue::as_bytes).collect();
        assert_eq!(values, [b"1", b"2"]);
        assert_eq!(headers["x-b"].as_bytes(), b"\xff");
    }

    #[test]
    fn what_http_cannot_carry_is_an_error() {
        for (name, value) in [("", "a"), ("a b", "a"), ("a", "b\r\nc: d"), ("a", "\0")] {
            let error = headers([(name, value)]).unwrap_err();
            assert!(error.to_string().starts_with("a header has a name or value"));
        }
        let many = (0..40_000).map(|number| (format!("x-{number}"), "a"));
        assert!(headers(many).is_err());
    }
}
