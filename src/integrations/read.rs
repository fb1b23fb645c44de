//! Reads a body that is arriving: under a limit and two times, hashed as it comes, and never long without a pause.

use core::future::poll_fn;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, ready};
use core::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep};

use super::endpoint::Endpoint;
use super::incoming::{Incoming, Seen, accepted};
use super::standing::Chosen;
use crate::error::{Error, ErrorKind};
use crate::verified::VerifiedBuf;

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

/// Verifies a request whose body is arriving by the endpoint that was chosen, and reports the verdict.
///
/// The head is judged before the body is asked for anything: a client that waits for `100 Continue` then never gets it.
pub(super) async fn receive(
    chosen: &Chosen,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<VerifiedBuf, Error> {
    // Without a variable in between: a future that is moved takes its place twice, and this one holds all hash states.
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
) -> Result<VerifiedBuf, Error> {
    let endpoint = &chosen.endpoint;
    let mut seen = Seen { tenant: chosen.standing, ..Seen::of(&incoming) };
    let mut verdict = verify(endpoint, incoming, chunks, &mut seen).await;
    if chosen.is_unknown() && verdict.is_ok() {
        verdict = Err(endpoint.error(ErrorKind::UnknownKey));
    }
    endpoint.report(&seen, verdict.as_ref().map(accepted).map_err(|error| *error));
    verdict
}

async fn verify(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    mut chunks: Pin<&mut impl Chunks>,
    seen: &mut Seen,
) -> Result<VerifiedBuf, Error> {
    endpoint.target(&incoming, seen)?;
    let mut collector = endpoint.collect(incoming, seen.url.as_deref())?;
    let mut deadline = pin!(Deadline::new(endpoint.chunk_timeout(), endpoint.body_timeout()));
    let keys = endpoint.verifier().keys().max(1);
    let mut done = 0_usize;
    loop {
        let chunk = poll_fn(|cx| deadline.as_mut().poll_chunk(chunks.as_mut(), cx)).await;
        let Some(chunk) = chunk.map_err(|kind| endpoint.error(kind))? else { break };
        seen.body_length = seen.body_length.saturating_add(chunk.len());
        collector.admit(chunk.len())?;
        done = done.saturating_add(CHUNK);
        for part in chunk.chunks(PART / keys) {
            collector.hash(part);
            done = done.saturating_add(part.len().saturating_mul(keys));
            pause(&mut done, &deadline).await.map_err(|kind| endpoint.error(kind))?;
        }
        pause(&mut done, &deadline).await.map_err(|kind| endpoint.error(kind))?;
        collector.keep(chunk);
    }
    let now = endpoint.now();
    seen.judged_at = Some(now);
    collector.finish(now)
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
    mut chunks: Pin<&mut impl Chunks>,
    seen: &mut Seen,
) -> Result<Bytes, Error> {
    endpoint.target(&incoming, seen)?;
    let mut collector = endpoint.collect(incoming, seen.url.as_deref())?;
    let mut deadline = pin!(Deadline::new(endpoint.chunk_timeout(), endpoint.body_timeout()));
    let mut done = 0_usize;
    loop {
        let chunk = poll_fn(|cx| deadline.as_mut().poll_chunk(chunks.as_mut(), cx)).await;
        let Some(chunk) = chunk.map_err(|kind| endpoint.error(kind))? else { break };
        seen.body_length = seen.body_length.saturating_add(chunk.len());
        collector.admit(chunk.len())?;
        done = done.saturating_add(CHUNK);
        pause(&mut done, &deadline).await.map_err(|kind| endpoint.error(kind))?;
        collector.keep(chunk);
    }
    Ok(collector.into_kept())
}

/// Gives other tasks their turn once enough was done.
async fn pause(done: &mut usize, deadline: &Deadline) -> Result<(), ErrorKind> {
    if *done < TURN {
        return Ok(());
    }
    *done = 0;
    // Not a mere wake-up: the runtime must look at its sockets and timers in between.
    tokio::task::yield_now().await;
    if deadline.is_over() { Err(ErrorKind::BodyTimeout) } else { Ok(()) }
}

pin_project_lite::pin_project! {
    /// When the body, and its next chunk, must be there. No timer where there is no limit.
    struct Deadline {
        #[pin]
        sleep: Option<Sleep>,
        begun: Option<Instant>,
        waiting: Option<Instant>,
        chunk: Duration,
        body: Duration,
    }
}

impl Deadline {
    // The timer is made for every body and looked at only when one keeps us waiting: a runtime without timers then shows
    // with the first request, and a body at hand costs next to nothing.
    fn new(chunk: Duration, body: Duration) -> Self {
        let limited = chunk < Duration::MAX || body < Duration::MAX;
        let sleep = limited.then(|| sleep(chunk.min(body)));
        let begun = limited.then(Instant::now);
        Self { sleep, begun, waiting: None, chunk, body }
    }

    /// Whether the body as a whole has taken too long: for bodies that never keep us waiting and never end.
    fn is_over(&self) -> bool {
        self.end().is_some_and(|end| end <= Instant::now())
    }

    /// When the whole body must be there; `None` is never.
    fn end(&self) -> Option<Instant> {
        self.begun.and_then(|begun| begun.checked_add(self.body))
    }

    /// The next chunk, or why there is none.
    fn poll_chunk(
        mut self: Pin<&mut Self>,
        chunks: Pin<&mut impl Chunks>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, ErrorKind>> {
        match chunks.poll_chunk(cx) {
            Poll::Ready(chunk) => {
                *self.as_mut().project().waiting = None;
                Poll::Ready(chunk.transpose().map_err(|broken| match broken {
                    Broken::Limit => ErrorKind::BodyTooLarge,
                    Broken::Off => ErrorKind::BodyIncomplete,
                }))
            }
            Poll::Pending => self.poll_due(cx).map(|()| Err(ErrorKind::BodyTimeout)),
        }
    }

    /// Ready once the next chunk, or the whole body, is due.
    fn poll_due(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let end = self.end();
        let mut this = self.project();
        let Some(mut sleep) = this.sleep.as_mut().as_pin_mut() else { return Poll::Pending };
        let waiting = *this.waiting.get_or_insert_with(Instant::now);
        let due = match (waiting.checked_add(*this.chunk), end) {
            (Some(chunk), Some(end)) => Some(chunk.min(end)),
            (chunk, end) => chunk.or(end),
        };
        // The timer was set for an earlier chunk: set it anew only when it ends, not with every chunk.
        loop {
            ready!(sleep.as_mut().poll(cx));
            match due {
                Some(due) if Instant::now() < due => sleep.as_mut().reset(due),
                _ => return Poll::Ready(()),
            }
        }
    }
}
