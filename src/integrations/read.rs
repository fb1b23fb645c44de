//! Reads a body that is arriving: under a limit and two times, hashed as it comes, and never long without a pause.

use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::endpoint::Endpoint;
use super::incoming::{Incoming, Seen, accepted};
use crate::error::{Error, ErrorKind};
use crate::stream::Collector;
use crate::time::UnixTime;
use crate::verified::{Genuine, VerifiedBuf};

/// How much is hashed at once, in bytes times keys: some 40 µs with SHA instructions.
const PART: usize = 64 << 10;

/// How much is hashed before other tasks have their turn, in bytes times keys: some 150 µs.
const TURN: usize = 256 << 10;

/// What a chunk counts at least, so that chunks of nothing, which cost no hashing, do not keep a task busy for ever.
const CHUNK: usize = 256;

/// A body that is arriving, whatever the framework.
pub(super) trait Chunks {
    /// The next chunk; `None` at the end of the body.
    fn poll_chunk(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>>;
}

/// Why a body ends before its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Broken {
    /// A limit of the framework was reached.
    Limit,
    /// The connection ended, or the framing is wrong.
    Off,
}

impl Broken {
    const fn kind(self) -> ErrorKind {
        match self {
            Self::Limit => ErrorKind::BodyTooLarge,
            Self::Off => ErrorKind::BodyIncomplete,
        }
    }
}

/// What was found of a request whose body has arrived, until its head is put with it.
pub(super) struct Received {
    genuine: Genuine,
    url: Option<Box<str>>,
}

impl Received {
    /// The proof, with the head that was verified.
    pub(super) fn with_head(self, headers: HeaderMap, method: Method) -> VerifiedBuf {
        self.genuine.with_parts(headers, Some(method), self.url)
    }
}

/// Verifies a request whose body is arriving, and reports the verdict.
///
/// The head is judged before the body is asked for anything: a client that waits for `100 Continue` then never gets it.
pub(super) async fn receive(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<Received, Error> {
    #[cfg(feature = "tracing")]
    return tracing::Instrument::instrument(judge(endpoint, incoming, chunks), endpoint.span())
        .await;
    #[cfg(not(feature = "tracing"))]
    judge(endpoint, incoming, chunks).await
}

async fn judge(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<Received, Error> {
    let mut seen = Seen::of(&incoming);
    let verdict = verify(endpoint, incoming, chunks, &mut seen).await;
    endpoint.report(&seen, verdict.as_ref().map(accepted).map_err(|error| *error));
    Ok(Received { genuine: verdict?, url: seen.url })
}

async fn verify(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    mut chunks: Pin<&mut impl Chunks>,
    seen: &mut Seen,
) -> Result<Genuine, Error> {
    seen.url = endpoint.target(&incoming)?;
    let (length, judged_at) = (&mut seen.body_length, &mut seen.judged_at);
    let head = (incoming, seen.url.as_deref());
    let begun =
        poll_fn(|cx| Poll::Ready(begin(endpoint, head, chunks.as_mut(), length, judged_at, cx)));
    let (mut collector, mut waiting) = match begun.await? {
        Begun::Settled(genuine) => return Ok(genuine),
        Begun::Arriving(collector, chunk) => (collector, chunk),
    };
    let mut deadline = Deadline::new(endpoint);
    let keys = endpoint.verifier().keys().max(1);
    let mut done = 0_usize;
    loop {
        let chunk = match waiting.take() {
            Some(chunk) => Ok(Some(chunk)),
            None => poll_fn(|cx| deadline.poll_chunk(chunks.as_mut(), cx)).await,
        };
        let Some(chunk) = chunk.map_err(|kind| endpoint.error(kind))? else { break };
        *length = length.saturating_add(chunk.len());
        collector.admit(chunk.len())?;
        done = done.saturating_add(CHUNK);
        for part in chunk.chunks(PART / keys) {
            collector.hash(part);
            done = done.saturating_add(part.len().saturating_mul(keys));
            pause(&mut done, &mut deadline).await.map_err(|kind| endpoint.error(kind))?;
        }
        pause(&mut done, &mut deadline).await.map_err(|kind| endpoint.error(kind))?;
        collector.keep(chunk);
    }
    while !collector.join(PART) {
        done = done.saturating_add(PART);
        pause(&mut done, &mut deadline).await.map_err(|kind| endpoint.error(kind))?;
    }
    let now = endpoint.now();
    *judged_at = Some(now);
    collector.prove(now)
}

/// What is known of a body once it was asked for the first time.
enum Begun<'h> {
    /// It was there, in one small chunk, and is verified.
    Settled(Genuine),
    /// There may be more: what is known of it, and a chunk that waits to be hashed.
    Arriving(Box<Collector<'h>>, Option<Bytes>),
}

/// Reads the head, and the body if it is at hand in one small chunk, as most are. What this needs is on the stack, so that the
/// futures around it stay small and such a body costs no memory of its own.
fn begin<'h>(
    endpoint: &'h Endpoint,
    (incoming, url): (Incoming<'h>, Option<&'h str>),
    mut chunks: Pin<&mut impl Chunks>,
    length: &mut usize,
    judged_at: &mut Option<UnixTime>,
    cx: &mut Context<'_>,
) -> Result<Begun<'h>, Error> {
    let mut collector = endpoint.collect(incoming, url)?;
    endpoint.check_timers(|| drop(sleep(Duration::ZERO)));
    let largest = PART / endpoint.verifier().keys().max(1);
    // The chunk, its end, and trailers or an empty frame in between.
    for _ in 0..4 {
        match chunks.as_mut().poll_chunk(cx) {
            Poll::Ready(Some(Ok(chunk))) if collector.is_first() && chunk.len() <= largest => {
                *length = length.saturating_add(chunk.len());
                collector.admit(chunk.len())?;
                collector.keep(chunk);
            }
            Poll::Ready(Some(Ok(chunk))) if chunk.is_empty() => {}
            Poll::Ready(Some(Ok(chunk))) => {
                return Ok(Begun::Arriving(Box::new(collector), Some(chunk)));
            }
            Poll::Ready(Some(Err(broken))) => return Err(endpoint.error(broken.kind())),
            Poll::Ready(None) => {
                let now = endpoint.now();
                *judged_at = Some(now);
                return collector.prove(now).map(Begun::Settled);
            }
            Poll::Pending => break,
        }
    }
    Ok(Begun::Arriving(Box::new(collector), None))
}

/// Gives other tasks their turn once enough was done.
async fn pause(done: &mut usize, deadline: &mut Deadline) -> Result<(), ErrorKind> {
    if *done < TURN {
        return Ok(());
    }
    *done = 0;
    // Not a mere wake-up: the runtime must look at its sockets and timers in between.
    tokio::task::yield_now().await;
    if deadline.is_over() { Err(ErrorKind::BodyTimeout) } else { Ok(()) }
}

/// When the body, and its next chunk, must be there. No timer where there is no limit.
struct Deadline {
    /// Made when a body keeps us waiting for the first time.
    sleep: Option<Pin<Box<Sleep>>>,
    begun: Instant,
    waiting: Option<Instant>,
    chunk: Duration,
    body: Duration,
}

impl Deadline {
    fn new(endpoint: &Endpoint) -> Self {
        let (chunk, body) = (endpoint.chunk_timeout(), endpoint.body_timeout());
        Self { sleep: None, begun: Instant::now(), waiting: None, chunk, body }
    }

    /// Whether the body as a whole has taken too long: for bodies that never keep us waiting and never end.
    fn is_over(&self) -> bool {
        self.end().is_some_and(|end| end <= Instant::now())
    }

    /// When the whole body must be there; `None` is never.
    fn end(&self) -> Option<Instant> {
        self.begun.checked_add(self.body)
    }

    /// The next chunk, or why there is none.
    fn poll_chunk(
        &mut self,
        chunks: Pin<&mut impl Chunks>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, ErrorKind>> {
        match chunks.poll_chunk(cx) {
            Poll::Ready(chunk) => {
                self.waiting = None;
                Poll::Ready(chunk.transpose().map_err(Broken::kind))
            }
            Poll::Pending => self.poll_due(cx).map(|()| Err(ErrorKind::BodyTimeout)),
        }
    }

    /// Ready once the next chunk, or the whole body, is due.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let waiting = *self.waiting.get_or_insert_with(Instant::now);
        let due = match (waiting.checked_add(self.chunk), self.end()) {
            (Some(chunk), Some(end)) => Some(chunk.min(end)),
            (chunk, end) => chunk.or(end),
        };
        let Some(due) = due else { return Poll::Pending };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(due)));
        // The timer was set for an earlier chunk: set it anew only when it ends, not with every chunk.
        loop {
            ready!(sleep.as_mut().poll(cx));
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(due);
        }
    }
}
