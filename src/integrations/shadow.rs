//! A verdict that is only logged: bodies are hashed while somebody else reads them.

use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Uri};

use super::endpoint::Endpoint;
use super::incoming::{Incoming, Seen};
use super::peer::Peer;
use super::report::Accepted;
use crate::error::{Error, ErrorKind};

/// How much is hashed at once; beyond it other tasks have their turn.
pub(super) const PART: usize = 64 << 10;

/// Judges one delivery whose body goes by, and reports the verdict once: at its end, when it breaks off, or when it is
/// dropped before.
///
/// A check borrows the head of its request, and a body outlives the request's parts: so the check lives in a future that owns
/// a copy of the head and is run by hand, once for each part of the body. It never waits for anything else.
pub(super) struct Watch {
    feed: Arc<Mutex<Feed>>,
    judge: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

#[derive(Default)]
struct Feed {
    part: Option<Bytes>,
    end: Option<End>,
}

/// How a body went.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// Broken off, or not read to its end.
    Incomplete,
    /// Read to its end.
    Whole,
}

/// What the check needs of a request's head.
struct Copied {
    headers: HeaderMap,
    method: Method,
    uri: Uri,
    at_least: u64,
    peer: Option<Peer>,
}

impl Watch {
    /// Reads the head. A fault of the head is reported at once.
    pub(super) fn begin(endpoint: Endpoint, parts: &Parts, at_least: u64) -> Self {
        let feed = Arc::new(Mutex::new(Feed::default()));
        let copied = Copied {
            headers: parts.headers.clone(),
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            at_least,
            peer: parts.extensions.get().copied(),
        };
        let judge = Box::pin(judge(endpoint, copied, Arc::clone(&feed)));
        let mut watch = Self { feed, judge: Some(judge) };
        watch.run();
        watch
    }

    /// Whether there is still a verdict to come.
    pub(super) const fn is_open(&self) -> bool {
        self.judge.is_some()
    }

    /// Takes the next part of the body.
    pub(super) fn update(&mut self, part: Bytes) {
        if self.is_open() {
            lock(&self.feed).part = Some(part);
            self.run();
        }
    }

    /// Ends the body. Only the first time counts.
    pub(super) fn end(&mut self, end: End) {
        if self.is_open() {
            lock(&self.feed).end = Some(end);
            self.run();
        }
    }

    fn run(&mut self) {
        let Some(judge) = &mut self.judge else { return };
        if judge.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            self.judge = None;
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end(End::Incomplete);
    }
}

fn lock(feed: &Mutex<Feed>) -> std::sync::MutexGuard<'_, Feed> {
    feed.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn judge(endpoint: Endpoint, copied: Copied, feed: Arc<Mutex<Feed>>) {
    let incoming = Incoming {
        headers: &copied.headers,
        method: &copied.method,
        path_and_query: copied.uri.path_and_query().map_or("/", |path| path.as_str()),
        at_least: Some(copied.at_least),
        peer: copied.peer,
    };
    let mut seen = Seen { shadow: true, ..Seen::of(&incoming) };
    let verdict = verdict(&endpoint, incoming, &feed, &mut seen).await;
    endpoint.report(&seen, verdict);
}

async fn verdict(
    endpoint: &Endpoint,
    incoming: Incoming<'_>,
    feed: &Mutex<Feed>,
    seen: &mut Seen,
) -> Result<Accepted, Error> {
    endpoint.target(&incoming, seen)?;
    let head = incoming.head(seen.url.as_deref());
    // Nothing is kept of a body that can be hashed as it goes by.
    if let Ok(streaming) = endpoint.verifier().streaming() {
        let mut stream = streaming.begin(head)?;
        while let Some(part) = next(endpoint, feed).await? {
            seen.body_length = seen.body_length.saturating_add(part.len());
            if seen.body_length > endpoint.limit() {
                return Err(endpoint.error(ErrorKind::BodyTooLarge));
            }
            stream.update(&part);
        }
        let now = endpoint.now();
        seen.judged_at = Some(now);
        let proof = stream.finish(now)?;
        return Ok(Accepted::new(proof.key(), proof.signed_at()));
    }
    let mut collector = endpoint.verifier().collect(head, endpoint.limit())?;
    while let Some(part) = next(endpoint, feed).await? {
        seen.body_length = seen.body_length.saturating_add(part.len());
        collector.push(part)?;
    }
    let now = endpoint.now();
    seen.judged_at = Some(now);
    let proof = collector.finish(now)?;
    Ok(Accepted::new(proof.key(), proof.signed_at()))
}

/// The next part of the body; `None` at its end.
async fn next(endpoint: &Endpoint, feed: &Mutex<Feed>) -> Result<Option<Bytes>, Error> {
    poll_fn(|_| {
        let mut feed = lock(feed);
        match (feed.part.take(), feed.end) {
            (Some(part), _) => Poll::Ready(Ok(Some(part))),
            (None, Some(End::Whole)) => Poll::Ready(Ok(None)),
            (None, Some(End::Incomplete)) => {
                Poll::Ready(Err(endpoint.error(ErrorKind::BodyIncomplete)))
            }
            (None, None) => Poll::Pending,
        }
    })
    .await
}
