//! The chunks of a body that is kept, until they are joined.

use core::mem;
use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// Chunks below this are gathered: a chunk is a part of a server's buffer, which has some kilobytes and is held by it as a
/// whole.
const SMALL: usize = 4 << 10;

/// How much is gathered in one place: what is gathered is never moved to a larger one many times its size.
const GATHERED: usize = 64 << 10;

/// What has arrived. One chunk stays as it is; several are joined at the end, once.
#[derive(Default)]
pub(crate) struct Chunks {
    first: Bytes,
    length: usize,
    /// What comes after the first chunk, which is all that most bodies have.
    rest: Option<Box<Rest>>,
}

#[derive(Default)]
struct Rest {
    chunks: VecDeque<Bytes>,
    /// What small chunks were gathered; it comes after `chunks`.
    gathered: BytesMut,
    joined: Option<BytesMut>,
}

impl Chunks {
    /// The length of all chunks.
    pub(crate) const fn len(&self) -> usize {
        self.length
    }

    /// The first chunk.
    pub(crate) fn first(&self) -> &[u8] {
        &self.first
    }

    pub(crate) fn push(&mut self, chunk: Bytes) {
        if chunk.is_empty() {
            return;
        }
        let is_first = self.length == 0;
        self.length = self.length.saturating_add(chunk.len());
        if is_first {
            self.first = chunk;
        } else {
            self.rest.get_or_insert_default().push(chunk);
        }
    }

    /// Joins some of the chunks, at most so many bytes, and lets go of each; `true` once all are one. Nothing is pushed after
    /// this.
    pub(crate) fn join(&mut self, most: usize) -> bool {
        let Some(rest) = &mut self.rest else { return true };
        let Some(joined) = rest.join(&mut self.first, self.length, most) else { return false };
        self.first = joined;
        self.rest = None;
        true
    }

    /// All of it.
    pub(crate) fn take(&mut self) -> Bytes {
        self.join(usize::MAX);
        mem::take(&mut self.first)
    }
}

impl Rest {
    fn push(&mut self, chunk: Bytes) {
        if chunk.len() < SMALL {
            self.gathered.extend_from_slice(&chunk);
            if self.gathered.len() >= GATHERED {
                self.end_gathering();
            }
        } else {
            self.end_gathering();
            self.chunks.push_back(chunk);
        }
    }

    fn end_gathering(&mut self) {
        if !self.gathered.is_empty() {
            self.chunks.push_back(mem::take(&mut self.gathered).freeze());
        }
    }

    fn join(&mut self, first: &mut Bytes, length: usize, most: usize) -> Option<Bytes> {
        if self.joined.is_none() {
            self.end_gathering();
            self.chunks.push_front(mem::take(first));
        }
        let joined = self.joined.get_or_insert_with(|| BytesMut::with_capacity(length));
        let mut left = most;
        while let Some(chunk) = self.chunks.front_mut() {
            let part = chunk.split_to(chunk.len().min(left));
            joined.extend_from_slice(&part);
            left = left.saturating_sub(part.len());
            if !chunk.is_empty() {
                return None;
            }
            self.chunks.pop_front();
        }
        Some(mem::take(joined).freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body cut into chunks of these lengths, in turn.
    fn cut(body: &[u8], lengths: &[usize]) -> Chunks {
        let mut chunks = Chunks::default();
        let mut rest = body;
        for length in lengths.iter().cycle() {
            let (chunk, after) = rest.split_at((*length).min(rest.len()));
            chunks.push(Bytes::copy_from_slice(chunk));
            rest = after;
            if rest.is_empty() {
                return chunks;
            }
        }
        chunks
    }

    #[test]
    fn chunks_of_any_length_are_joined_in_their_order() {
        let body: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        for lengths in [&[1 << 20][..], &[10], &[4096], &[1, 5000], &[5000, 1, 0, 70_000, 3, 4095]]
        {
            let mut chunks = cut(&body, lengths);
            assert_eq!(chunks.len(), body.len());
            assert!(chunks.take() == body, "{lengths:?}");
            for most in [1 << 10, 100_000] {
                let mut chunks = cut(&body, lengths);
                let mut times = 1;
                while !chunks.join(most) {
                    times += 1;
                    // The capacity of what is joined is all that is needed: it never grows.
                    assert!(times < 2 * body.len() / most + 10);
                }
                assert!(times >= body.len() / most, "{lengths:?}: {times} times {most}");
                assert!(chunks.take() == body, "{lengths:?}");
            }
        }
    }

    #[test]
    fn one_chunk_is_not_copied() {
        let body = Bytes::from(vec![1; 100]);
        let mut chunks = Chunks::default();
        chunks.push(Bytes::new());
        chunks.push(body.clone());
        assert!(chunks.join(1));
        assert_eq!(chunks.take().as_ptr(), body.as_ptr());
        assert!(Chunks::default().take().is_empty());
    }

    #[test]
    fn small_chunks_hold_no_buffers() {
        let buffer = Bytes::from(vec![1; 8192]);
        let mut chunks = Chunks::default();
        for _ in 0..100_000 {
            chunks.push(buffer.slice(..10));
        }
        let rest = chunks.rest.unwrap();
        assert!(rest.chunks.len() <= 1_000_000 / GATHERED);
        assert!(rest.gathered.capacity() <= 2 * GATHERED);
    }
}
