//! Reads a body that is arriving: under a limit and two times, hashed as it comes, and never long without a pause.

use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::endpoint::Endpoint;
use super::incoming::{Incoming, Seen};
use super::standing::Chosen;
use crate::error::{Error, ErrorKind};
use crate::stream::Collector;
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

/// Verifies a request whose body is arriving by the endpoint that was chosen, and reports the verdict.
///
/// The head is judged before the body is asked for anything: a client that waits for `100 Continue` then never gets it.
pub(super) async fn receive(
    chosen: &Chosen,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<Received, Error> {
    #[cfg(feature = "tracing")]
    return tracing::Instrument::instrument(
        judge(chosen, incoming, chunks),
        chosen.endpoint.span(),
    )
    .await;
    #[cfg(not(feature = "tracing"))]
    judge(chosen, incoming, chunks).await
}

async fn judge(
    chosen: &Chosen,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<Received, Error> {
    let endpoint = &chosen.endpoint;
    let mut seen = Seen { tenant: chosen.standing, ..Seen::of(&incoming) };
    let mut verdict = verify(endpoint, incoming, chunks, &mut seen).await;
    if chosen.is_unknown() && verdict.is_ok() {
        verdict = Err(endpoint.error(ErrorKind::UnknownKey));
    }
    endpoint.report(
        &seen,
        verdict.as_ref().map(|found| seen.accepted(found, incoming)).map_err(|error| *error),
    );
    Ok(Received { genuine: verdict?, url: seen.url })
}

async fn verify(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
    seen: &mut Seen,
) -> Result<Genuine, Error> {
    endpoint.target(&incoming, seen)?;
    // In a place of its own, so that the futures around this stay small: they are moved, and made for every request.
    let mut collector = Box::new(endpoint.collect(incoming, seen.url.as_deref())?);
    gather(endpoint, &mut collector, chunks, &mut seen.body_length, Hashing::AsItComes).await?;
    let now = endpoint.now();
    seen.judged_at = Some(now);
    collector.prove(now)
}

/// Reads a body that is needed before it is known whose it is: by the endpoint for those who are not known, which reads the
/// head first. What is refused here is reported.
pub(super) async fn keep(
    chosen: &Chosen,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<Bytes, Error> {
    let mut seen = Seen { tenant: chosen.standing, ..Seen::of(&incoming) };
    let body = collect(&chosen.endpoint, incoming, chunks, &mut seen).await;
    if let Err(error) = body {
        chosen.endpoint.report(&seen, Err(error));
    }
    body
}

async fn collect(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
    seen: &mut Seen,
) -> Result<Bytes, Error> {
    endpoint.target(&incoming, seen)?;
    let mut collector = Box::new(endpoint.collect(incoming, seen.url.as_deref())?);
    gather(endpoint, &mut collector, chunks, &mut seen.body_length, Hashing::Never).await?;
    Ok(collector.into_kept())
}

/// Whether a body is hashed while it is read.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Hashing {
    AsItComes,
    Never,
}

/// Reads a body to its end, into one piece.
async fn gather(
    endpoint: &Endpoint,
    collector: &mut Collector<'_>,
    mut chunks: Pin<&mut impl Chunks>,
    body_length: &mut usize,
    hashing: Hashing,
) -> Result<(), Error> {
    let mut deadline = Deadline::new(endpoint);
    let keys = endpoint.verifier().keys().max(1);
    let mut done = 0_usize;
    loop {
        let chunk = poll_fn(|cx| deadline.poll_chunk(chunks.as_mut(), cx)).await;
        let Some(chunk) = chunk.map_err(|kind| endpoint.error(kind))? else { break };
        *body_length = body_length.saturating_add(chunk.len());
        collector.admit(chunk.len())?;
        done = done.saturating_add(CHUNK);
        // A first chunk that is small is likely the whole body, and is hashed at its end.
        let waits = collector.is_first() && chunk.len() <= PART / keys;
        if hashing == Hashing::AsItComes && !waits {
            for part in chunk.chunks(PART / keys) {
                collector.hash(part);
                done = done.saturating_add(part.len().saturating_mul(keys));
                pause(&mut done, &mut deadline).await.map_err(|kind| endpoint.error(kind))?;
            }
        }
        pause(&mut done, &mut deadline).await.map_err(|kind| endpoint.error(kind))?;
        collector.keep(chunk);
    }
    while !collector.join(PART) {
        done = done.saturating_add(PART);
        pause(&mut done, &mut deadline).await.map_err(|kind| endpoint.error(kind))?;
    }
    Ok(())
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

/// When the body, and its next chunk, must be there. No timer where there is no limit, nor for a body that comes at once.
struct Deadline {
    asked: bool,
    sleep: Option<Pin<Box<Sleep>>>,
    begun: Option<Instant>,
    waiting: Option<Instant>,
    chunk: Duration,
    body: Duration,
}

impl Deadline {
    fn new(endpoint: &Endpoint) -> Self {
        endpoint.check_timers(|| drop(sleep(Duration::ZERO)));
        Self {
            asked: false,
            sleep: None,
            begun: None,
            waiting: None,
            chunk: endpoint.chunk_timeout(),
            body: endpoint.body_timeout(),
        }
    }

    /// Whether the body as a whole has taken too long: for bodies that never keep us waiting and never end.
    fn is_over(&mut self) -> bool {
        self.end().is_some_and(|end| end <= Instant::now())
    }

    /// When the whole body must be there; `None` is never. Time runs from the first time that a body keeps us waiting, or
    /// others.
    fn end(&mut self) -> Option<Instant> {
        self.begun.get_or_insert_with(Instant::now).checked_add(self.body)
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
            // Servers begin to hand on a body when it is asked for, and most is there then. A timer costs more than to ask
            // once more.
            Poll::Pending if !self.asked => {
                self.asked = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => self.poll_due(cx).map(|()| Err(ErrorKind::BodyTimeout)),
        }
    }

    /// Ready once the next chunk, or the whole body, is due.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let waiting = *self.waiting.get_or_insert_with(Instant::now);
        let due = match (waiting.checked_add(self.chunk), self.end()) {
            (Some(chunk), Some(end)) => chunk.min(end),
            (Some(due), None) | (None, Some(due)) => due,
            (None, None) => return Poll::Pending,
        };
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
