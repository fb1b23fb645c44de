//! Bodies that are still arriving: hashed chunk by chunk, kept or not.

use core::fmt;

use bytes::Bytes;

use crate::chunks::Chunks;
use crate::delivery::Head;
use crate::error::{Error, ErrorKind};
use crate::provider::{Opened, Session};
use crate::time::UnixTime;
use crate::verified::{Genuine, VerifiedBuf, VerifiedStream};
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
        let session = self.verifier.begin(head)?;
        session.check()?;
        Ok(Stream { verifier: self.verifier, opened: session.open() })
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
    check: Check<'h>,
    limit: usize,
    body: Chunks,
    overflowed: bool,
}

/// Most bodies are one chunk, which is checked as a whole: that is cheaper, and needs none of the states.
#[expect(
    clippy::large_enum_variant,
    reason = "a session stays in its place, so that a body of one chunk allocates nothing"
)]
enum Check<'h> {
    /// No byte is hashed yet; there is one chunk at most.
    Held(Option<Session<'h>>),
    /// All that has arrived is hashed. In a place of its own: the states are kilobytes.
    Running(Box<Opened<'h>>),
}

impl<'h> Collector<'h> {
    pub(crate) fn begin(
        verifier: &'h Verifier,
        head: Head<'h>,
        limit: usize,
    ) -> Result<Self, Error> {
        let session = verifier.begin(head)?;
        session.check()?;
        let check = Check::Held(Some(session));
        Ok(Self { verifier, head, check, limit, body: Chunks::default(), overflowed: false })
    }

    /// Takes the next chunk of the body, in order.
    ///
    /// # Errors
    ///
    /// [`BodyTooLarge`](ErrorKind::BodyTooLarge) if the chunk leads beyond the limit; it is then neither kept nor hashed, and
    /// so is every further one.
    pub fn push(&mut self, chunk: Bytes) -> Result<(), Error> {
        self.admit(chunk.len())?;
        if !self.is_first() {
            self.hash(&chunk);
        }
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

    /// Whether the next chunk is the first: it need not be hashed before it is kept.
    pub(crate) fn is_first(&self) -> bool {
        matches!(self.check, Check::Held(_)) && self.body.len() == 0
    }

    /// The second: hashes the next part of an admitted chunk, and the first chunk before it if that was kept only.
    pub(crate) fn hash(&mut self, part: &[u8]) {
        if let Check::Held(session) = &mut self.check
            && let Some(session) = session.take()
        {
            let mut opened = Box::new(session.open());
            opened.update(self.body.first());
            self.check = Check::Running(opened);
        }
        if let Check::Running(opened) = &mut self.check {
            opened.update(part);
        }
    }

    /// The last: keeps a chunk that was hashed, or the first.
    pub(crate) fn keep(&mut self, chunk: Bytes) {
        self.body.push(chunk);
    }

    /// Joins some of what has arrived, at most so much; `true` once it is all in one piece. For integrations: a body of many
    /// megabytes is not copied in one go.
    #[cfg(feature = "_read")]
    pub(crate) fn join(&mut self, most: usize) -> bool {
        self.body.join(most)
    }

    /// What was kept, without a verdict.
    #[cfg(feature = "_read")]
    pub(crate) fn into_kept(mut self) -> Bytes {
        self.body.take()
    }

    /// Ends the body and verifies the delivery as of `now`. The proof holds the bytes that were hashed.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify_at`], and [`BodyTooLarge`](ErrorKind::BodyTooLarge) if a chunk led beyond the limit.
    pub fn finish(mut self, now: UnixTime) -> Result<VerifiedBuf, Error> {
        let head = self.head;
        Ok(self.prove(now)?.with_head(head))
    }

    /// The same for those who own the head and can give it away. Once: the body is taken.
    pub(crate) fn prove(&mut self, now: UnixTime) -> Result<Genuine, Error> {
        if self.overflowed {
            return Err(self.too_large());
        }
        let body = self.body.take();
        let evidence = match &mut self.check {
            Check::Held(Some(session)) => session.run(&body),
            Check::Running(opened) => opened.finish(|| Ok(body.clone())),
            // Never: what takes the session leaves a running check.
            Check::Held(None) => {
                Err(Error::new(ErrorKind::SignatureMismatch, self.verifier.provider().info().id))
            }
        }?;
        self.verifier.judge(&evidence, now)?;
        Ok(Genuine::new(self.verifier.provider(), evidence, body))
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
