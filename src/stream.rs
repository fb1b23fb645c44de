//! Bodies that are still arriving: hashed chunk by chunk, kept or not.

use core::fmt;

use bytes::{Bytes, BytesMut};

use crate::delivery::Head;
use crate::error::{Error, ErrorKind};
use crate::provider::Opened;
use crate::time::UnixTime;
use crate::verified::{VerifiedBuf, VerifiedStream};
use crate::verifier::Verifier;

/// Verification of bodies that need not be kept; see [`Verifier::streaming`].
///
/// ```
/// use hookproof::{Head, UnixTime, Verifier, providers::GITHUB};
///
/// let verifier = Verifier::builder(&GITHUB).secret("It's a Secret to Everybody").build()?;
/// let mut headers = http::HeaderMap::new();
/// headers.insert(
///     "x-hub-signature-256",
///     "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17".parse()?,
/// );
/// let mut stream = verifier.streaming()?.begin(Head::new(&headers))?;
/// stream.update(b"Hello, ");
/// stream.update(b"World!");
/// let verified = stream.finish(UnixTime::from_secs(1_700_000_000))?;
/// assert_eq!(verified.key(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Streaming<'v> {
    verifier: &'v Verifier,
}

impl<'v> Streaming<'v> {
    pub(crate) fn new(verifier: &'v Verifier) -> Self {
        Self { verifier }
    }

    /// Reads the head of a delivery, before any byte of its body.
    ///
    /// # Errors
    ///
    /// The first fault of the head, in the order of [`ErrorKind`].
    pub fn begin<'h>(&self, head: Head<'h>) -> Result<Stream<'h>, Error>
    where
        'v: 'h,
    {
        Ok(Stream { verifier: self.verifier, opened: self.verifier.begin(head)?.open()? })
    }
}

/// One delivery whose body is arriving. Holds all hash states, some kilobytes, and no heap.
pub struct Stream<'h> {
    verifier: &'h Verifier,
    opened: Opened<'h>,
}

impl Stream<'_> {
    /// Takes the next chunk of the body, in order.
    pub fn update(&mut self, chunk: &[u8]) {
        self.opened.update(chunk);
    }

    /// Ends the body and verifies the delivery as of `now`.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify_at`].
    pub fn finish(mut self, now: UnixTime) -> Result<VerifiedStream, Error> {
        let id = self.verifier.provider().info().id;
        // Checks of whole bodies are never streamed: `Verifier::streaming` refuses them.
        let evidence = self.opened.finish(|| Err(Error::new(ErrorKind::MalformedBody, id)))?;
        self.verifier.judge(&evidence, now)?;
        Ok(VerifiedStream::new(self.verifier.provider(), evidence))
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("verifier", self.verifier).finish_non_exhaustive()
    }
}

/// One delivery whose body is arriving and is kept; see [`Verifier::collect`]. Works for every sender.
///
/// ```
/// use bytes::Bytes;
/// use hookproof::{Head, UnixTime, Verifier, providers::GITHUB};
///
/// let verifier = Verifier::builder(&GITHUB).secret("It's a Secret to Everybody").build()?;
/// let mut headers = http::HeaderMap::new();
/// headers.insert(
///     "x-hub-signature-256",
///     "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17".parse()?,
/// );
/// let mut collector = verifier.collect(Head::new(&headers), 1 << 20)?;
/// collector.push(Bytes::from_static(b"Hello, "))?;
/// collector.push(Bytes::from_static(b"World!"))?;
/// let verified = collector.finish(UnixTime::from_secs(1_700_000_000))?;
/// assert_eq!(verified.body().as_ref(), b"Hello, World!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Collector<'h> {
    verifier: &'h Verifier,
    head: Head<'h>,
    opened: Opened<'h>,
    limit: usize,
    body: Body,
    overflowed: bool,
}

/// What has arrived: one chunk stays as it is, several are joined.
enum Body {
    Empty,
    One(Bytes),
    Joined(BytesMut),
}

impl<'h> Collector<'h> {
    pub(crate) fn begin(
        verifier: &'h Verifier,
        head: Head<'h>,
        limit: usize,
    ) -> Result<Self, Error> {
        let opened = verifier.begin(head)?.open()?;
        Ok(Self { verifier, head, opened, limit, body: Body::Empty, overflowed: false })
    }

    /// Takes the next chunk of the body, in order.
    ///
    /// # Errors
    ///
    /// [`BodyTooLarge`](ErrorKind::BodyTooLarge) if the chunk leads beyond the limit; it is then neither kept nor hashed, and
    /// so is every further one.
    pub fn push(&mut self, chunk: Bytes) -> Result<(), Error> {
        self.admit(chunk.len())?;
        self.hash(&chunk);
        self.keep(chunk);
        Ok(())
    }

    /// The first third of [`push`](Self::push), for integrations, which hash large chunks in parts: whether a chunk of this
    /// length is within the limit. Once one was not, none is.
    pub(crate) fn admit(&mut self, length: usize) -> Result<(), Error> {
        if self.overflowed || length > self.limit.saturating_sub(self.body.len()) {
            self.overflowed = true;
            return Err(self.too_large());
        }
        Ok(())
    }

    /// The second: hashes the next part of an admitted chunk.
    pub(crate) fn hash(&mut self, part: &[u8]) {
        self.opened.update(part);
    }

    /// The last: keeps a chunk that was hashed.
    pub(crate) fn keep(&mut self, chunk: Bytes) {
        self.body.push(chunk);
    }

    /// What was kept, without a verdict.
    #[cfg(feature = "_read")]
    pub(crate) fn into_kept(self) -> Bytes {
        self.body.into_bytes()
    }

    /// Ends the body and verifies the delivery as of `now`. The proof holds the bytes that were hashed.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify_at`], and [`BodyTooLarge`](ErrorKind::BodyTooLarge) if a chunk led beyond the limit.
    pub fn finish(mut self, now: UnixTime) -> Result<VerifiedBuf, Error> {
        if self.overflowed {
            return Err(self.too_large());
        }
        let body = self.body.into_bytes();
        let evidence = self.opened.finish(|| Ok(body.clone()))?;
        self.verifier.judge(&evidence, now)?;
        Ok(VerifiedBuf::new(self.verifier.provider(), self.head, body, evidence))
    }
}

impl Collector<'_> {
    fn too_large(&self) -> Error {
        Error::new(ErrorKind::BodyTooLarge, self.verifier.provider().info().id)
    }
}

impl fmt::Debug for Collector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector")
            .field("verifier", self.verifier)
            .field("limit", &self.limit)
            .field("length", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl Body {
    fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One(bytes) => bytes.len(),
            Self::Joined(bytes) => bytes.len(),
        }
    }

    fn push(&mut self, chunk: Bytes) {
        if chunk.is_empty() {
            return;
        }
        *self = match core::mem::replace(self, Self::Empty) {
            Self::Empty => Self::One(chunk),
            Self::One(first) => {
                let mut joined = BytesMut::with_capacity(first.len() + chunk.len());
                joined.extend_from_slice(&first);
                joined.extend_from_slice(&chunk);
                Self::Joined(joined)
            }
            Self::Joined(mut joined) => {
                joined.extend_from_slice(&chunk);
                Self::Joined(joined)
            }
        };
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Empty => Bytes::new(),
            Self::One(bytes) => bytes,
            Self::Joined(bytes) => bytes.freeze(),
        }
    }
}
