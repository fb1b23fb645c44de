//! The target `chunks`: a body in pieces is the body.
//!
//! An input is one of `verify` or, where its first byte is above `0x7f`, of `scheme`; `r` repeats the body. What is right
//! over the whole body is right however it is cut, kept or not; a body that ends early is another body; a limit is kept to
//! the byte.

use bytes::Bytes;
use hookproof::{UnixTime, Verifier};

use crate::genuine::Genuine;
use crate::input::Case;
use crate::library::{self, Received};
use crate::naive::{self, Answer, Slip};
use crate::{Finding, same};

/// Where hash functions end a block, and fill one up.
const CUTS: [usize; 14] = [1, 2, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 191, 192];
/// The sizes of chunks that are all the same.
const SIZES: [usize; 6] = [1, 63, 64, 65, 127, 128];

/// Runs the target. The answer is that to the whole body; there is none for an empty input.
///
/// # Errors
///
/// What contradicts a property.
pub fn run(data: &[u8]) -> Result<Option<Answer>, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What contradicts a property.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Option<Answer>, Finding> {
    let is_record = data.first().is_some_and(|first| *first > 0x7f);
    let read = if is_record { Case::read_record(data) } else { Case::read(data) };
    let Some(case) = read else { return Ok(None) };
    let genuine = Genuine::new(case);
    let Genuine { case, request, .. } = &genuine;
    let verifier = library::verifier(case.sender(), &case.secrets, case.tolerance)
        .map_err(|error| error.to_string())?;
    let trial = Trial { genuine: &genuine, verifier, received: Received::new(request)?, slip };
    let whole = library::whole(&trial.verifier, &trial.received, case.now())?;
    let body = &request.body[..];
    trial.agrees(&[body])?;
    trial.agrees(&[])?;
    trial.agrees(&case.chunked_like(body))?;
    for size in SIZES {
        // A long body in single bytes would be most of the time.
        if body.len() / size <= 512 {
            trial.agrees(&body.chunks(size).collect::<Vec<_>>())?;
        }
    }
    for at in CUTS.into_iter().chain([body.len().saturating_sub(1)]).filter(|at| *at < body.len()) {
        let (start, end) = body.split_at(at);
        trial.agrees(&[start, end])?;
        trial.agrees(&[&[], start, &[], &[], end, &[]])?;
        trial.agrees(&[start])?;
    }
    for limit in limits(case, body.len()) {
        trial.keeps_the_limit(&case.chunked_like(body), limit)?;
    }
    Ok(Some(whole))
}

/// Limits about the length, about the first chunk, and one that the input gives.
fn limits(case: &Case, length: usize) -> Vec<usize> {
    let given = case.chunks.iter().copied().map(usize::from);
    let mut limits = vec![0, length, length + 1, length.saturating_sub(1), usize::MAX];
    limits.extend(given.clone().take(2));
    limits.extend(given.map(|size| size.saturating_sub(1)).take(1));
    limits
}

struct Trial<'g> {
    genuine: &'g Genuine,
    verifier: Verifier,
    received: Received,
    slip: Slip,
}

impl Trial<'_> {
    fn about(&self, what: &str, chunks: &[&[u8]]) -> String {
        let sizes: Vec<usize> = chunks.iter().map(|chunk| chunk.len()).collect();
        let Genuine { case, request, .. } = self.genuine;
        format!("{}: {what}, chunks of {sizes:?}: {request:?}", case.sender().label())
    }

    /// Streamed and collected, these chunks get the answer of the body that they make.
    fn agrees(&self, chunks: &[&[u8]]) -> Result<(), Finding> {
        let Genuine { case, keys, request } = self.genuine;
        let taken = match self.slip {
            Slip::EmptyChunkEnds => {
                let end = chunks.iter().position(|chunk| chunk.is_empty());
                &chunks[..end.unwrap_or(chunks.len())]
            }
            _ => chunks,
        };
        let head = naive::read(case.sender(), request, self.slip);
        let clock = (case.now(), case.tolerance);
        let body = taken.concat();
        let expected = naive::judge_head(&head, case.sender(), keys, &body, clock, self.slip);
        let streamed = library::streamed(&self.verifier, &self.received, chunks, case.now())?;
        same(|| self.about("streamed", chunks), &expected, &streamed)?;
        let limit = chunks.concat().len();
        let collected =
            library::collected(&self.verifier, &self.received, chunks, (limit, case.now()))?;
        same(|| self.about("collected", chunks), &expected, &collected)
    }

    /// Chunks are taken as long as they stay within the limit, and after one that did not nothing is.
    fn keeps_the_limit(&self, chunks: &[&[u8]], limit: usize) -> Result<(), Finding> {
        let about = |what: &str| self.about(&format!("limit {limit}: {what}"), chunks);
        let too_large = Err("body-too-large");
        let mut collector = self
            .verifier
            .collect(self.received.head(), limit)
            .map_err(|error| about(&error.to_string()))?;
        let (mut length, mut over) = (0, false);
        for chunk in chunks {
            length += chunk.len();
            over |= length > limit || (length == limit && self.slip == Slip::LimitExcluded);
            let expected = if over { too_large } else { Ok(()) };
            let got = collector.push(Bytes::copy_from_slice(chunk));
            same(|| about("a chunk"), &expected, &got.map_err(|error| error.kind().as_str()))?;
        }
        let again = collector.push(Bytes::new()).map_err(|error| error.kind().as_str());
        same(|| about("an empty chunk"), &if over { too_large } else { Ok(()) }, &again)?;
        let now = UnixTime::from_millis(self.genuine.case.now());
        let got = collector.finish(now).map_err(|error| error.kind().as_str());
        match (over, got) {
            (true, got) => same(|| about("the end"), &too_large, &got.map(|_| ())),
            (false, Ok(verified)) if **verified.body() == *chunks.concat() => Ok(()),
            (false, got) => Err(about(&format!("the end: {:?}", got.map(|_| "another body")))),
        }
    }
}
