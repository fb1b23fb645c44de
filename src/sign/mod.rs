//! Making the requests that a sender would send, for tests and tools.

mod scheme;

use core::fmt;

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request};

use crate::builder::Keyring;
use crate::config_error::ConfigError;
use crate::delivery::Delivery;
use crate::header::trim;
use crate::info::{Info, Sample};
use crate::plan::MAX_HEADER;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::time::UnixTime;

pub(crate) use scheme::scheme_signer;

/// Makes the deliveries of one sender; the counterpart of [`Verifier`](crate::Verifier).
///
/// ```
/// use hookproof::{Outgoing, Signer, UnixTime, Verifier, providers::STRIPE};
///
/// let now = UnixTime::from_secs(1_700_000_000);
/// let signer = Signer::builder(&STRIPE).secret("whsec_example").build()?;
/// let signed = signer.sign(&Outgoing::new(b"{}"), now)?;
///
/// let verifier = Verifier::builder(&STRIPE).secret("whsec_example").build()?;
/// assert!(verifier.verify_at(&signed.delivery(), now).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Signer {
    provider: &'static dyn Provider,
    sign: Box<dyn Sign>,
}

impl Signer {
    /// Begins a signer for this sender.
    pub fn builder(provider: &'static dyn Provider) -> SignerBuilder {
        SignerBuilder { keyring: Keyring::new(provider) }
    }

    /// The sender.
    #[must_use]
    pub fn provider(&self) -> &'static dyn Provider {
        self.provider
    }

    /// Makes the request that the sender would send at this time.
    ///
    /// Where the sender makes one signature a secret, there is one for each; where it makes one only, the first secret
    /// signs.
    ///
    /// # Errors
    ///
    /// A [`SignError`] if the method or URL is signed and missing, or the id cannot stand in a header.
    pub fn sign(&self, outgoing: &Outgoing<'_>, at: UnixTime) -> Result<Signed, SignError> {
        self.sign.sign(outgoing, at)
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("provider", &self.provider.info().id).finish_non_exhaustive()
    }
}

/// Sets up a [`Signer`].
#[derive(Debug)]
#[must_use]
pub struct SignerBuilder {
    keyring: Keyring,
}

impl SignerBuilder {
    /// Adds a secret, as the sender's console shows it.
    pub fn secret(mut self, text: &str) -> Self {
        self.keyring.text(text);
        self
    }

    /// Adds a secret of any form.
    pub fn key(mut self, secret: Secret) -> Self {
        self.keyring.key(secret);
        self
    }

    /// Sets an option of the sender.
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.keyring.option(name, value);
        self
    }

    /// Checks the configuration and prepares the keys.
    ///
    /// # Errors
    ///
    /// As [`Builder::build`](crate::Builder::build).
    pub fn build(self) -> Result<Signer, ConfigError> {
        let provider = self.keyring.provider();
        let (sign, _) = self.keyring.prepare(|setup| provider.prepare_sign(setup))?;
        Ok(Signer { provider, sign })
    }
}

/// A sender prepared to make deliveries.
pub trait Sign: Send + Sync {
    /// Makes the request; see [`Signer::sign`].
    ///
    /// # Errors
    ///
    /// As [`Signer::sign`].
    fn sign(&self, outgoing: &Outgoing<'_>, at: UnixTime) -> Result<Signed, SignError>;
}

/// What is to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    body: &'a [u8],
    method: Option<&'a Method>,
    url: Option<&'a str>,
    id: Option<&'a str>,
}

impl<'a> Outgoing<'a> {
    /// A POST of this body.
    #[must_use]
    pub const fn new(body: &'a [u8]) -> Self {
        Self { body, method: None, url: None, id: None }
    }

    /// With another method than POST.
    #[must_use]
    pub const fn with_method(mut self, method: &'a Method) -> Self {
        self.method = Some(method);
        self
    }

    /// With the public URL of the receiver.
    #[must_use]
    pub const fn with_url(mut self, url: &'a str) -> Self {
        self.url = Some(url);
        self
    }

    /// With the id of the delivery, for senders that give one in a header. The default is made from the time.
    #[must_use]
    pub const fn with_id(mut self, id: &'a str) -> Self {
        self.id = Some(id);
        self
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The method, POST unless told otherwise.
    #[must_use]
    pub fn method(&self) -> &'a Method {
        self.method.unwrap_or(&Method::POST)
    }

    /// The URL, where it was given.
    #[must_use]
    pub const fn url(&self) -> Option<&'a str> {
        self.url
    }

    /// The id, or one made from the time.
    #[must_use]
    pub fn id_at(&self, at: UnixTime) -> String {
        self.id.map_or_else(|| format!("delivery-{}", at.as_millis()), str::to_owned)
    }
}

/// A request as the sender would send it.
#[derive(Clone, Debug)]
pub struct Signed {
    method: Method,
    url: Option<String>,
    headers: HeaderMap,
    body: Bytes,
}

impl Signed {
    /// A request of this content with no headers yet. For private senders.
    #[must_use]
    pub fn new(outgoing: &Outgoing<'_>) -> Self {
        Self {
            method: outgoing.method().clone(),
            url: outgoing.url.map(str::to_owned),
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(outgoing.body),
        }
    }

    /// Adds a header line.
    ///
    /// # Errors
    ///
    /// A [`SignError`] if the name or the value cannot stand in a header as it is: blanks around a value are lost on the
    /// way, and a value that is empty or longer than 8 KiB is refused by verifiers.
    pub fn header(&mut self, name: &'static str, value: &str) -> Result<(), SignError> {
        let carried = trim(value.as_bytes());
        if carried.is_empty() || carried.len() != value.len() || value.len() > MAX_HEADER {
            return Err(SignError::NOT_A_HEADER);
        }
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| SignError::NOT_A_HEADER)?;
        let value =
            HeaderValue::from_bytes(value.as_bytes()).map_err(|_| SignError::NOT_A_HEADER)?;
        self.headers.append(name, value);
        Ok(())
    }

    /// Adds the unsigned headers that the sender's requests also carry.
    pub(crate) fn samples(&mut self, info: &Info, id: &str, time: &str) -> Result<(), SignError> {
        for (name, sample) in info.samples {
            let value = match *sample {
                Sample::Text(text) => text,
                Sample::Id => id,
                Sample::Time => time,
            };
            self.header(name, value)?;
        }
        Ok(())
    }

    /// The method.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// The URL, where one was given; some senders add to it.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The headers, in the order in which they were added as far as a map keeps it.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// The request as a receiver sees it, with its target.
    #[must_use]
    pub fn delivery(&self) -> Delivery<'_> {
        let delivery = Delivery::new(&self.headers, &self.body).with_method(&self.method);
        match &self.url {
            Some(url) => delivery.with_url(url),
            None => delivery,
        }
    }

    /// The request as an `http` request; its URI is the URL's, or `/` if there is none that it can hold.
    #[must_use]
    pub fn into_request(self) -> Request<Bytes> {
        let mut request = Request::new(self.body);
        *request.method_mut() = self.method;
        *request.headers_mut() = self.headers;
        if let Some(uri) = self.url.and_then(|url| url.parse().ok()) {
            *request.uri_mut() = uri;
        }
        request
    }
}

/// The text of a time, which has at most 19 digits.
pub(crate) fn time_text(value: u64) -> Result<String, SignError> {
    let text = value.to_string();
    if text.len() > 19 { Err(SignError::TOO_LATE) } else { Ok(text) }
}

/// Why a request could not be made. Always the caller's fault.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SignError(&'static str);

impl SignError {
    pub(crate) const NO_TARGET: Self =
        Self("the sender signs the method and the URL; give the public URL of the receiver");
    pub(crate) const TOO_LATE: Self =
        Self("the time has more digits than any sender writes; give one that is nearer");
    pub(crate) const NOT_A_HEADER: Self =
        Self("a value cannot stand in a header; use an id of visible ASCII characters");
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for SignError {}
