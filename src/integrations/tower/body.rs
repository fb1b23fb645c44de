//! Bodies on their way through a layer: read chunk by chunk, and handed on once they are verified.

use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::error::Error;

use bytes::{Buf, Bytes};
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use http_body_util::LengthLimitError;

use crate::integrations::read::{Broken, Chunks};

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// The body of a verified request: the very bytes that were verified, and the trailers that came with them.
///
/// Trailers are signed by no sender.
#[derive(Clone, Debug, Default)]
pub struct VerifiedBody {
    data: Option<Bytes>,
    trailers: Option<HeaderMap>,
}

impl VerifiedBody {
    pub(super) fn new(data: Bytes, trailers: Option<HeaderMap>) -> Self {
        Self { data: Some(data).filter(|data| !data.is_empty()), trailers }
    }
}

impl Body for VerifiedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = match self.data.take() {
            Some(data) => Some(Frame::data(data)),
            None => self.trailers.take().map(Frame::trailers),
        };
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none() && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.data.as_ref().map_or(0, Bytes::len);
        SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
    }
}

pin_project_lite::pin_project! {
    /// The chunks of a body; its trailers are kept aside.
    pub(in crate::integrations) struct Frames<B> {
        #[pin]
        body: B,
        trailers: Option<HeaderMap>,
    }
}

impl<B: Body> Frames<B> {
    pub(in crate::integrations) fn new(body: B) -> Self {
        Self { body, trailers: None }
    }

    pub(in crate::integrations) fn at_least(&self) -> u64 {
        self.body.size_hint().lower()
    }

    /// The trailers, once the body is at its end.
    pub(super) fn take_trailers(self: Pin<&mut Self>) -> Option<HeaderMap> {
        self.project().trailers.take()
    }
}

impl<B> Chunks for Frames<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    fn poll_chunk(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>> {
        let this = self.project();
        let Some(frame) = ready!(this.body.poll_frame(cx)) else { return Poll::Ready(None) };
        let chunk = match frame.map(Frame::into_data) {
            Ok(Ok(mut data)) => Ok(data.copy_to_bytes(data.remaining())),
            // Trailers end a body; a frame of another kind is none of ours.
            Ok(Err(other)) => {
                if let Ok(trailers) = other.into_trailers() {
                    *this.trailers = Some(trailers);
                }
                Ok(Bytes::new())
            }
            Err(error) => Err(broken(&*error.into())),
        };
        Poll::Ready(Some(chunk))
    }
}

/// Whether a body ends because a layer outside of ours limits it.
fn broken(error: &(dyn Error + 'static)) -> Broken {
    let mut cause = Some(error);
    // Errors wrap a handful of others at most.
    for _ in 0..16 {
        match cause {
            Some(error) if error.is::<LengthLimitError>() => return Broken::Limit,
            Some(error) => cause = error.source(),
            None => break,
        }
    }
    Broken::Off
}
