//! The library's side: verifiers from cases, and its answers in the words of the naive side.

use bytes::Bytes;
use core::time::Duration;
use hookproof::{
    ConfigError, Coverage, Delivery, Error, Head, Secret, UnixTime, Verified, Verifier,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::Finding;
use crate::naive::{Answer, Key, Request, Shown};
use crate::senders::Sender;

/// A verifier for these secrets; `tolerance` in milliseconds.
///
/// # Errors
///
/// What the library says of the configuration.
pub fn verifier(
    sender: &Sender,
    secrets: &[Key],
    tolerance: Option<u64>,
) -> Result<Verifier, ConfigError> {
    let mut builder = Verifier::builder(sender.provider);
    for (name, value) in &sender.options {
        builder = builder.option(name, value);
    }
    for secret in secrets {
        builder = match secret {
            Key::Text(text) => builder.secret(text),
            Key::Bytes(bytes) => builder.key(Secret::from_bytes(bytes)?),
        };
    }
    if let Some(tolerance) = tolerance {
        builder = builder.tolerance(Duration::from_millis(tolerance));
    }
    builder.build()
}

/// A request as the library takes it.
#[derive(Clone, Debug)]
pub struct Received {
    headers: HeaderMap,
    method: Option<Method>,
    url: Option<String>,
    body: Vec<u8>,
}

impl Received {
    /// The same request.
    ///
    /// # Errors
    ///
    /// If HTTP does not allow it, which cases never lead to.
    pub fn new(request: &Request) -> Result<Self, Finding> {
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let name = HeaderName::from_bytes(name.as_bytes());
            let value = HeaderValue::from_bytes(value);
            let (Ok(name), Ok(value)) = (name, value) else {
                return Err("the fuzz targets made a header that HTTP does not allow".into());
            };
            headers.append(name, value);
        }
        let method = match &request.method {
            Some(method) => Some(
                Method::from_bytes(method.as_bytes())
                    .map_err(|_| "the fuzz targets made a method that HTTP does not allow")?,
            ),
            None => None,
        };
        Ok(Self { headers, method, url: request.url.clone(), body: request.body.clone() })
    }

    /// The proof of the request.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    pub fn verify(&self, verifier: &Verifier, now: u64) -> Result<Verified<'_>, Error> {
        let delivery = Delivery::from_parts(self.head(), &self.body);
        verifier.verify_at(&delivery, UnixTime::from_millis(now))
    }

    /// The bytes that must have been signed, one message a reading.
    ///
    /// # Errors
    ///
    /// The fault of the head.
    pub fn signed_bytes(&self, verifier: &Verifier) -> Result<Vec<Vec<u8>>, Error> {
        verifier.signed_bytes(&Delivery::from_parts(self.head(), &self.body))
    }

    /// The head of the request.
    #[must_use]
    pub fn head(&self) -> Head<'_> {
        let mut head = Head::new(&self.headers);
        if let Some(method) = &self.method {
            head = head.with_method(method);
        }
        if let Some(url) = &self.url {
            head = head.with_url(url);
        }
        head
    }
}

/// What an answer of the library says, whichever way the body came.
macro_rules! answer {
    ($verified:expr) => {
        match &$verified {
            Ok(verified) => Ok(Shown {
                key: verified.key(),
                coverage: Coverage::as_str(verified.coverage()),
                signed_at: verified.signed_at().map(UnixTime::as_millis),
            }),
            Err(error) => Err(Error::kind(error).as_str()),
        }
    };
}

/// Verifies a body at hand, and checks that the proof holds that body and that an owned proof says the same.
///
/// # Errors
///
/// If the proof is not one of this delivery.
pub fn whole(verifier: &Verifier, received: &Received, now: u64) -> Result<Answer, Finding> {
    let verified = received.verify(verifier, now);
    let answer = answer!(verified);
    match verified {
        Ok(verified) => {
            if !core::ptr::eq(verified.body(), received.body.as_slice()) {
                return Err("the proof does not hold the body that was given".into());
            }
            let owned = verified.into_owned();
            if owned.body() != &received.body || Ok(shown(&owned)) != answer {
                return Err("the owned proof differs from the borrowed one".into());
            }
        }
        Err(error) => {
            let info = verifier.provider().info();
            let known = error.header().is_none_or(|name| info.headers.contains(&name));
            if error.provider() != info.id || !known || error.to_string().is_empty() {
                return Err(format!("the error names another sender or header: {error:?}"));
            }
        }
    }
    Ok(answer)
}

fn shown(verified: &hookproof::VerifiedBuf) -> Shown {
    Shown {
        key: verified.key(),
        coverage: verified.coverage().as_str(),
        signed_at: verified.signed_at().map(UnixTime::as_millis),
    }
}

/// Reads the head alone.
///
/// # Errors
///
/// If the sender cannot be streamed.
pub fn begin(
    verifier: &Verifier,
    received: &Received,
) -> Result<Result<(), &'static str>, Finding> {
    let streaming = verifier.streaming().map_err(|error| error.to_string())?;
    Ok(match streaming.begin(received.head()) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.kind().as_str()),
    })
}

/// Verifies a body that comes in chunks and is not kept.
///
/// # Errors
///
/// If the sender cannot be streamed.
pub fn streamed(
    verifier: &Verifier,
    received: &Received,
    chunks: &[&[u8]],
    now: u64,
) -> Result<Answer, Finding> {
    let streaming = verifier.streaming().map_err(|error| error.to_string())?;
    let verified = streaming.begin(received.head()).and_then(|mut stream| {
        chunks.iter().for_each(|chunk| stream.update(chunk));
        stream.finish(UnixTime::from_millis(now))
    });
    Ok(answer!(verified))
}

/// Verifies a body that comes in chunks and is kept, up to `limit` bytes.
///
/// # Errors
///
/// If the proof does not hold the chunks.
pub fn collected(
    verifier: &Verifier,
    received: &Received,
    chunks: &[&[u8]],
    (limit, now): (usize, u64),
) -> Result<Answer, Finding> {
    let verified = verifier.collect(received.head(), limit).and_then(|mut collector| {
        for chunk in chunks {
            collector.push(Bytes::copy_from_slice(chunk))?;
        }
        collector.finish(UnixTime::from_millis(now))
    });
    if let Ok(verified) = &verified
        && **verified.body() != *chunks.concat()
    {
        return Err("the proof does not hold the chunks that were pushed".into());
    }
    Ok(answer!(verified))
}
