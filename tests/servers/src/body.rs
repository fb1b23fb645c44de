//! Bodies that do what a test says.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};

/// What a body gives when it is asked.
pub type Next = Poll<Option<Result<Frame<Bytes>, &'static str>>>;

/// A body that gives what its function gives.
#[derive(Debug)]
pub struct Scripted<F>(F);

/// A body that gives what this function gives.
pub fn scripted<F: FnMut(&mut Context<'_>) -> Next + Unpin>(frames: F) -> Scripted<F> {
    Scripted(frames)
}

impl<F: FnMut(&mut Context<'_>) -> Next + Unpin> Body for Scripted<F> {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Next {
        (self.0)(cx)
    }
}
