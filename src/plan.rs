//! A plan of one MAC check: the message's pieces, the candidates, and the verdict over all keys.
//!
//! The plan is made from the head alone and holds slices of it, so it needs no heap. It is then run over the body, at
//! once or in chunks. Each key makes one pass for each documented reading of the message, fixed before the candidates
//! are looked at; all keys are compared with all candidates, without an early exit.

use hmac::Hmac;
use sha2::{Sha256, Sha512};

use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind};
use crate::evidence::{Coverage, Evidence};
use crate::mac::{MacKeys, State, Tag};

/// The most secrets of one verifier, so that all states of a stream fit on the stack.
pub(crate) const MAX_KEYS: usize = 8;
/// The most readings of one message: senders whose documentation leaves one question open have two.
pub(crate) const MAX_READINGS: usize = 2;
/// The most candidates of an accepted version in one delivery. No sender makes more than one a live secret; the cap
/// bounds the work that a forger can cause.
pub(crate) const MAX_CANDIDATES: usize = 32;
/// The longest value, in bytes, of a header that is read: the whole head of a request is 8 KiB in common servers.
pub(crate) const MAX_HEADER: usize = 8192;
/// The most pieces of a message beside the body, over all readings.
const MAX_PIECES: usize = 8;
/// The most headers that hold candidates: two families of one sender.
const MAX_SOURCES: usize = 2;

const STATES: usize = MAX_KEYS * MAX_READINGS;

/// Hands on a text in another form, part by part.
pub(crate) type Mapping = fn(&str, &mut dyn FnMut(&[u8]));

/// A piece of the signed message beside the body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'h> {
    /// Bytes as they stand.
    Bytes(&'h [u8]),
    /// Text that is handed on in another form, part by part.
    Mapped(&'h str, Mapping),
}

impl Piece<'_> {
    #[inline]
    fn feed<S: State>(&self, state: &mut S) {
        match *self {
            Piece::Bytes(bytes) => state.update(bytes),
            Piece::Mapped(text, map) => map(text, &mut |bytes| state.update(bytes)),
        }
    }

    fn write(&self, message: &mut Vec<u8>) {
        match *self {
            Piece::Bytes(bytes) => message.extend_from_slice(bytes),
            Piece::Mapped(text, map) => map(text, &mut |bytes| message.extend_from_slice(bytes)),
        }
    }
}

/// A header's value and the candidates in it. A delivery is genuine if one key matches in every source.
#[derive(Clone, Copy, Debug)]
struct Source<'h> {
    value: &'h [u8],
    header: &'static str,
    count: u8,
}

/// A candidate's place in its source's value. Values are at most [`MAX_HEADER`] bytes long.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u16,
    length: u16,
}

/// What a plan begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'h> {
    pub(crate) keys: &'h MacKeys,
    pub(crate) encoding: Encoding,
    pub(crate) provider: &'static str,
    /// The coverage of the first reading.
    pub(crate) coverage: Coverage,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct MacPlan<'h> {
    keys: &'h MacKeys,
    provider: &'static str,
    evidence: Evidence,
    coverage: [Coverage; MAX_READINGS],
    encoding: Encoding,
    /// Pieces before the body of the first reading, of the second, then those after the body, which both share.
    pieces: [Piece<'h>; MAX_PIECES],
    first: u8,
    second: u8,
    after: u8,
    readings: u8,
    sources: [Source<'h>; MAX_SOURCES],
    source_count: u8,
    spans: [Span; MAX_CANDIDATES],
    span_count: u8,
}

impl<'h> MacPlan<'h> {
    #[inline]
    pub(crate) fn new(frame: Frame<'h>) -> Self {
        Self {
            keys: frame.keys,
            provider: frame.provider,
            evidence: Evidence::new(frame.coverage),
            coverage: [frame.coverage; MAX_READINGS],
            encoding: frame.encoding,
            pieces: [Piece::Bytes(&[]); MAX_PIECES],
            first: 0,
            second: 0,
            after: 0,
            readings: 1,
            sources: [Source { value: &[], header: "", count: 0 }; MAX_SOURCES],
            source_count: 0,
            spans: [Span { start: 0, length: 0 }; MAX_CANDIDATES],
            span_count: 0,
        }
    }

    /// Adds a piece before the body, to the reading begun last.
    pub(crate) fn before(&mut self, piece: Piece<'h>) {
        let at = usize::from(self.first + self.second);
        if let Some(slot) = self.pieces.get_mut(at) {
            *slot = piece;
            if self.readings == 1 {
                self.first += 1;
            } else {
                self.second += 1;
            }
        }
    }

    /// Begins a second reading of the same delivery; the pieces before the body are given anew.
    pub(crate) fn second_reading(&mut self, coverage: Coverage) {
        self.readings = 2;
        let [_, second] = &mut self.coverage;
        *second = coverage;
    }

    /// Adds a piece after the body, to every reading. To be called after the last `before`.
    pub(crate) fn after(&mut self, piece: Piece<'h>) {
        let at = usize::from(self.first + self.second + self.after);
        if let Some(slot) = self.pieces.get_mut(at) {
            *slot = piece;
            self.after += 1;
        }
    }

    pub(crate) fn evidence_mut(&mut self) -> &mut Evidence {
        &mut self.evidence
    }

    /// Begins a source of candidates: the next candidates are parts of this value.
    pub(crate) fn source(&mut self, header: &'static str, value: &'h [u8]) {
        if let Some(slot) = self.sources.get_mut(usize::from(self.source_count)) {
            *slot = Source { value, header, count: 0 };
            self.source_count += 1;
        }
    }

    /// Adds a candidate of the source begun last; `false` if there are too many.
    #[inline]
    pub(crate) fn candidate(&mut self, start: usize, length: usize) -> bool {
        let (Ok(start), Ok(length)) = (u16::try_from(start), u16::try_from(length)) else {
            return false;
        };
        let Some(slot) = self.spans.get_mut(usize::from(self.span_count)) else { return false };
        let Some(source) = self.sources.get_mut(usize::from(self.source_count).wrapping_sub(1))
        else {
            return false;
        };
        *slot = Span { start, length };
        self.span_count += 1;
        source.count += 1;
        true
    }

    /// Refuses a plan of which a source has no candidate that can be decoded. Whole runs find the same at their end.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.keys {
            #[cfg(feature = "sha1")]
            MacKeys::HmacSha1(_) => self.check_with::<Hmac<sha1::Sha1>>(),
            MacKeys::HmacSha256(_) => self.check_with::<Hmac<Sha256>>(),
            MacKeys::HmacSha512(_) => self.check_with::<Hmac<Sha512>>(),
            MacKeys::Sha256(_) => self.check_with::<Sha256>(),
        }
    }

    fn check_with<S: State>(&self) -> Result<(), Error> {
        self.each_candidate::<S::Tag>(|_, _| ())
    }

    /// Runs the plan over a whole body.
    pub(crate) fn run(&self, body: &[u8]) -> Result<Evidence, Error> {
        match self.keys {
            #[cfg(feature = "sha1")]
            MacKeys::HmacSha1(keys) => self.run_with(keys, body),
            MacKeys::HmacSha256(keys) => self.run_with(keys, body),
            MacKeys::HmacSha512(keys) => self.run_with(keys, body),
            MacKeys::Sha256(keys) => self.run_with(keys, body),
        }
    }

    fn run_with<S: State>(&self, keys: &[S], body: &[u8]) -> Result<Evidence, Error> {
        // The usual case apart: its single tag needs no array.
        match keys {
            [key] if self.readings == 1 => {
                let tag = self.tag(key, 0, body);
                let mut hit = 0u8;
                self.each_candidate(|source, candidate| hit |= matches(&tag, candidate) << source)?;
                self.verdict(&[hit], 1)
            }
            _ => {
                let mut tags = [S::Tag::ZERO; STATES];
                let mut count = 0;
                let passes = (0..usize::from(self.readings))
                    .flat_map(|reading| keys.iter().map(move |key| (reading, key)));
                for (tag, (reading, key)) in tags.iter_mut().zip(passes) {
                    *tag = self.tag(key, reading, body);
                    count += 1;
                }
                self.judge(tags.get(..count).unwrap_or_default())
            }
        }
    }

    #[inline]
    fn tag<S: State>(&self, key: &S, reading: usize, body: &[u8]) -> S::Tag {
        let mut state = key.clone();
        self.open(&mut state, reading);
        state.update(body);
        self.close(state)
    }

    #[inline]
    fn open<S: State>(&self, state: &mut S, reading: usize) {
        self.pieces_before(reading).iter().for_each(|piece| piece.feed(state));
    }

    #[inline]
    fn close<S: State>(&self, mut state: S) -> S::Tag {
        if self.after > 0 {
            self.pieces_after().iter().for_each(|piece| piece.feed(&mut state));
        }
        state.finish()
    }

    /// Compares every tag with every candidate. The tags are ordered by reading, then by key.
    fn judge<T: Tag>(&self, tags: &[T]) -> Result<Evidence, Error> {
        let mut hits = [0u8; STATES];
        self.each_candidate(|source, candidate| {
            for (hit, tag) in hits.iter_mut().zip(tags) {
                *hit |= matches(tag, candidate) << source;
            }
        })?;
        let hits = hits.get(..tags.len()).unwrap_or_default();
        self.verdict(hits, tags.len() / usize::from(self.readings))
    }

    /// Decodes every candidate, and hands it on with the index of its source.
    #[inline]
    fn each_candidate<T: Tag>(&self, mut hand_on: impl FnMut(usize, &T)) -> Result<(), Error> {
        let mut spans = self.spans.iter();
        for (index, source) in self.used_sources().iter().enumerate() {
            let mut decoded = false;
            for span in spans.by_ref().take(usize::from(source.count)) {
                let mut candidate = T::ZERO;
                if T::decode(self.encoding, source.text(*span), &mut candidate) {
                    decoded = true;
                    hand_on(index, &candidate);
                }
            }
            if !decoded {
                return Err(self.error(ErrorKind::BadEncoding, source));
            }
        }
        Ok(())
    }

    /// The lowest key that matched in every source, one bit a source, by its first reading that did. The outcome is public, so this may
    /// branch. The check for constant time keeps it apart, to tell its branches from others.
    #[cfg_attr(hookproof_ctgrind, inline(never))]
    #[cfg_attr(not(hookproof_ctgrind), inline)]
    fn verdict(&self, hits: &[u8], keys: usize) -> Result<Evidence, Error> {
        let all = (1u8 << self.source_count).wrapping_sub(1);
        let mut best: Option<(usize, usize)> = None;
        for (index, _) in hits.iter().enumerate().filter(|(_, hit)| **hit == all && all != 0) {
            let (reading, key) = if index < keys { (0, index) } else { (1, index - keys) };
            if best.is_none_or(|(lowest, _)| key < lowest) {
                best = Some((key, reading));
            }
        }
        let Some((key, reading)) = best else {
            let [first, ..] = &self.sources;
            return Err(self.error(ErrorKind::SignatureMismatch, first));
        };
        let mut evidence = self.evidence;
        evidence.key = u8::try_from(key).unwrap_or(u8::MAX);
        evidence.coverage = self.coverage.get(reading).copied().unwrap_or(evidence.coverage);
        Ok(evidence)
    }

    /// The message of each reading, for people who look for a difference.
    pub(crate) fn messages(&self, body: &[u8]) -> Vec<Vec<u8>> {
        let message = |reading| {
            let mut message = Vec::new();
            self.pieces_before(reading).iter().for_each(|piece| piece.write(&mut message));
            message.extend_from_slice(body);
            self.pieces_after().iter().for_each(|piece| piece.write(&mut message));
            message
        };
        (0..usize::from(self.readings)).map(message).collect()
    }

    #[inline]
    fn pieces_before(&self, reading: usize) -> &[Piece<'h>] {
        let (start, end) =
            if reading == 0 { (0, self.first) } else { (self.first, self.first + self.second) };
        self.pieces.get(usize::from(start)..usize::from(end)).unwrap_or_default()
    }

    #[inline]
    fn pieces_after(&self) -> &[Piece<'h>] {
        let start = self.first + self.second;
        let end = start + self.after;
        self.pieces.get(usize::from(start)..usize::from(end)).unwrap_or_default()
    }

    #[inline]
    fn used_sources(&self) -> &[Source<'h>] {
        self.sources.get(..usize::from(self.source_count)).unwrap_or_default()
    }

    fn error(&self, kind: ErrorKind, source: &Source<'_>) -> Error {
        Error::new(kind, self.provider).with_header(source.header)
    }
}

/// 1 if the two are equal, else 0, without a branch.
#[inline]
fn matches<T: Tag>(tag: &T, candidate: &T) -> u8 {
    tag.equals(candidate).unwrap_u8()
}

impl<'h> Source<'h> {
    #[inline]
    fn text(&self, span: Span) -> &'h [u8] {
        let start = usize::from(span.start);
        self.value.get(start..start + usize::from(span.length)).unwrap_or_default()
    }
}

/// A plan being run over a body that is still arriving: all its states, held on the stack.
pub(crate) struct MacRun<'h> {
    plan: MacPlan<'h>,
    states: States,
}

/// One array per algorithm, filled as far as there are keys and readings.
// The states live on the stack by design: a stream allocates nothing.
#[expect(
    clippy::large_enum_variant,
    reason = "a stream's states live on the stack, so that it allocates nothing"
)]
enum States {
    Unopened,
    #[cfg(feature = "sha1")]
    HmacSha1([Option<Hmac<sha1::Sha1>>; STATES]),
    HmacSha256([Option<Hmac<Sha256>>; STATES]),
    HmacSha512([Option<Hmac<Sha512>>; STATES]),
    Sha256([Option<Sha256>; STATES]),
}

impl<'h> MacRun<'h> {
    /// A run of a plan whose candidates can be decoded: see [`MacPlan::check`].
    #[inline]
    pub(crate) const fn new(plan: MacPlan<'h>) -> Self {
        Self { plan, states: States::Unopened }
    }

    /// Makes the states, where they stay: a run is moved to its place first, and they are kilobytes.
    fn open(&mut self) {
        if matches!(self.states, States::Unopened) {
            self.states = match self.plan.keys {
                #[cfg(feature = "sha1")]
                MacKeys::HmacSha1(keys) => States::HmacSha1(opened(&self.plan, keys)),
                MacKeys::HmacSha256(keys) => States::HmacSha256(opened(&self.plan, keys)),
                MacKeys::HmacSha512(keys) => States::HmacSha512(opened(&self.plan, keys)),
                MacKeys::Sha256(keys) => States::Sha256(opened(&self.plan, keys)),
            };
        }
    }

    pub(crate) fn update(&mut self, chunk: &[u8]) {
        fn feed<S: State>(states: &mut [Option<S>], chunk: &[u8]) {
            for state in states.iter_mut().map_while(Option::as_mut) {
                state.update(chunk);
            }
        }
        self.open();
        match &mut self.states {
            States::Unopened => {}
            #[cfg(feature = "sha1")]
            States::HmacSha1(states) => feed(states, chunk),
            States::HmacSha256(states) => feed(states, chunk),
            States::HmacSha512(states) => feed(states, chunk),
            States::Sha256(states) => feed(states, chunk),
        }
    }

    pub(crate) fn finish(&mut self) -> Result<Evidence, Error> {
        fn closed<S: State>(
            plan: &MacPlan<'_>,
            states: &mut [Option<S>],
        ) -> Result<Evidence, Error> {
            let mut tags = [S::Tag::ZERO; STATES];
            let mut count = 0;
            for (tag, state) in tags.iter_mut().zip(states.iter_mut().map_while(Option::take)) {
                *tag = plan.close(state);
                count += 1;
            }
            plan.judge(tags.get(..count).unwrap_or_default())
        }
        self.open();
        match &mut self.states {
            // Never: it has been opened above. No tag matches then.
            States::Unopened => closed::<Sha256>(&self.plan, &mut []),
            #[cfg(feature = "sha1")]
            States::HmacSha1(states) => closed(&self.plan, states),
            States::HmacSha256(states) => closed(&self.plan, states),
            States::HmacSha512(states) => closed(&self.plan, states),
            States::Sha256(states) => closed(&self.plan, states),
        }
    }
}

fn opened<S: State>(plan: &MacPlan<'_>, keys: &[S]) -> [Option<S>; STATES] {
    let mut states = [const { None }; STATES];
    let passes = (0..usize::from(plan.readings))
        .flat_map(|reading| keys.iter().map(move |key| (reading, key)));
    for (slot, (reading, key)) in states.iter_mut().zip(passes) {
        let mut state = key.clone();
        plan.open(&mut state, reading);
        *slot = Some(state);
    }
    states
}
