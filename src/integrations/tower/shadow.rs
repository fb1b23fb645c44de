//! The layer that logs its verdict and lets every request through.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::Request;
use http_body::{Body, Frame, SizeHint};
use tower_layer::Layer;
use tower_service::Service;

use crate::integrations::endpoint::Endpoint;
use crate::integrations::shadow::{End, PART, Watch};

/// Reports what [`VerifyLayer`](super::VerifyLayer) would answer and changes nothing: to try a set-up beside the check that
/// is there already.
///
/// Requests go on at once, with their body as it arrives, and answers come back as they are. The body is hashed while the
/// inner service reads it, up to the endpoint's limit, and is not kept. There is one report for each request, when its body
/// ends; a body that the inner service does not read to its end is `body-incomplete`. The endpoint's times do not apply.
#[derive(Clone, Debug)]
pub struct ShadowLayer {
    endpoint: Endpoint,
}

impl ShadowLayer {
    /// A layer that judges by this endpoint.
    #[must_use]
    pub const fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }
}

impl<S> Layer<S> for ShadowLayer {
    type Service = Shadow<S>;

    fn layer(&self, inner: S) -> Shadow<S> {
        Shadow { inner, endpoint: self.endpoint.clone() }
    }
}

/// The service of [`ShadowLayer`].
#[derive(Clone, Debug)]
pub struct Shadow<S> {
    inner: S,
    endpoint: Endpoint,
}

impl<S, B> Service<Request<B>> for Shadow<S>
where
    S: Service<Request<ShadowBody<B>>>,
    B: Body,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> S::Future {
        let (parts, body) = request.into_parts();
        let watch = Watch::begin(self.endpoint.clone(), &parts, body.size_hint().lower());
        let mut body = ShadowBody { body, watch, held: None };
        if body.body.is_end_stream() {
            body.watch.end(End::Whole);
        }
        self.inner.call(Request::from_parts(parts, body))
    }
}

pin_project_lite::pin_project! {
    /// A body that is hashed while it is read; it gives the same frames, and the same errors.
    pub struct ShadowBody<B> {
        #[pin]
        body: B,
        watch: Watch,
        held: Option<Held>,
    }
}

/// Data that is not wholly hashed yet.
struct Held {
    data: Bytes,
    hashed: usize,
}

impl<B: Body> Body for ShadowBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let mut this = self.project();
        let mut held = match this.held.take() {
            Some(held) => held,
            None => match ready!(this.body.as_mut().poll_frame(cx)).map(|frame| frame.map(bytes)) {
                None => {
                    this.watch.end(End::Whole);
                    return Poll::Ready(None);
                }
                Some(Err(error)) => {
                    this.watch.end(End::Incomplete);
                    return Poll::Ready(Some(Err(error)));
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => Held { data, hashed: 0 },
                    Err(other) => {
                        if this.body.is_end_stream() {
                            this.watch.end(End::Whole);
                        }
                        return Poll::Ready(Some(Ok(other)));
                    }
                },
            },
        };
        if this.watch.is_open() {
            let end = held.hashed.saturating_add(PART).min(held.data.len());
            this.watch.update(held.data.slice(held.hashed..end));
            if end < held.data.len() && this.watch.is_open() {
                held.hashed = end;
                *this.held = Some(held);
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        if this.body.is_end_stream() {
            this.watch.end(End::Whole);
        }
        Poll::Ready(Some(Ok(Frame::data(held.data))))
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.held.as_ref().map_or(0, |held| held.data.len());
        let held = u64::try_from(held).unwrap_or(u64::MAX);
        let inner = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(held));
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper.saturating_add(held));
        }
        hint
    }
}

fn bytes<D: Buf>(frame: Frame<D>) -> Frame<Bytes> {
    frame.map_data(|mut data| data.copy_to_bytes(data.remaining()))
}

impl<B> fmt::Debug for ShadowBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShadowBody { .. }")
    }
}
