//! How the bytes of a fuzzer become a case, and a case bytes.
//!
//! The first byte picks the sender, `A` being the first of [`senders::all`] or, for [`Case::read_record`], of
//! [`records::all`]. Lines follow, each with a letter that says
//! what it is; an empty line ends them, and what is left is the body. Lines end where header values cannot: at a line
//! feed. So plain text mutations move, double and cut whole values.
//!
//! | letter | the rest of the line |
//! |---|---|
//! | `h` | a letter for one of the headers that the sender reads (one more: a header that it does not read), then the value |
//! | `H` | name, `:`, value |
//! | `s`, `S` | a secret as text; the same, the text in hexadecimal digits |
//! | `k` | a secret as key bytes, in hexadecimal digits |
//! | `n` | the clock, milliseconds since 1970 |
//! | `o` | the tolerance, in milliseconds |
//! | `m`, `u` | method, URL |
//! | `c` | the sizes of the chunks, one byte each, over and over |
//! | `r` | how often the body stands, up to some kilobytes |
//! | `i`, `e`, `z` | round trips: id of the delivery, key bytes of another secret, the change |
//!
//! Other lines, and lines that make no sense, are skipped. In header values the bytes of
//! [`placeholder`](crate::placeholder) stand for texts that a fuzzer cannot guess; other bytes that no header can hold
//! are dropped.

use http::{HeaderName, HeaderValue, Method};

use crate::naive::Key;
use crate::placeholder::is_placeholder;
use crate::records;
use crate::senders::{self, Sender};

/// The clock unless an input says otherwise: that of the constructed vectors.
pub const USUAL_NOW: u64 = 1_700_000_000_000;
/// A header that no sender reads.
pub const UNRELATED: &str = "x-unrelated";
/// The most lines of headers and the most secrets that are taken; the rest is skipped.
const MAX_LINES: usize = 100;
/// The longest body by repetition.
const MAX_REPEATED: usize = 4096;

/// One case, as far as an input describes it.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The index of the sender, as [`senders::get`] takes it.
    pub sender: usize,
    /// The secrets of the receiver.
    pub secrets: Vec<Key>,
    /// The clock, in milliseconds since 1970.
    pub now: Option<u64>,
    /// The tolerance, in milliseconds.
    pub tolerance: Option<u64>,
    /// The method; always one that HTTP allows.
    pub method: Option<String>,
    /// The URL.
    pub url: Option<String>,
    /// Names, in lower case, and values of the headers, placeholders in them.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The sizes of the chunks.
    pub chunks: Vec<u8>,
    /// The id of the delivery, for round trips.
    pub id: Option<String>,
    /// The key bytes of another secret, for round trips.
    pub other: Vec<u8>,
    /// The change, for round trips.
    pub change: Vec<u8>,
    /// How often the body of the input stands in [`body`](Self::body); nothing for once.
    pub times: Option<u64>,
    /// The raw body.
    pub body: Vec<u8>,
}

impl Case {
    /// Reads an input; `None` if it is empty. Anything else is a case.
    #[must_use]
    pub fn read(data: &[u8]) -> Option<Self> {
        Self::read_from(data, 0, senders::all().len())
    }

    /// Reads an input whose sender is a record.
    #[must_use]
    pub fn read_record(data: &[u8]) -> Option<Self> {
        Self::read_from(data, senders::all().len(), records::all().len())
    }

    fn read_from(data: &[u8], start: usize, count: usize) -> Option<Self> {
        let (&first, mut rest) = data.split_first()?;
        let sender = start + usize::from(first.wrapping_sub(b'A')) % count;
        let mut case = Self { sender, ..Self::default() };
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let line = &rest[..end.unwrap_or(rest.len())];
            rest = end.map_or(&[], |end| &rest[end + 1..]);
            match line.split_first() {
                Some((letter, text)) => case.read_line(*letter, text),
                None => break,
            }
        }
        let times = case.times.and_then(|times| usize::try_from(times).ok()).unwrap_or(1);
        let most = MAX_REPEATED / rest.len().max(1);
        case.body = rest.repeat(times.min(most).max(1));
        Some(case)
    }

    fn read_line(&mut self, letter: u8, text: &[u8]) {
        let utf8 = || core::str::from_utf8(text).ok().map(str::to_owned);
        let digits = || hex::decode(text).ok();
        let number = || utf8()?.parse::<u64>().ok();
        match letter {
            b'h' => {
                if let Some((which, value)) = text.split_first() {
                    let names = self.sender().names();
                    let which = usize::from(which.wrapping_sub(b'a')) % names.len();
                    self.read_header(names[which], value);
                }
            }
            b'H' => {
                if let Some(colon) = text.iter().position(|byte| *byte == b':')
                    && let Ok(name) = HeaderName::from_bytes(&text[..colon])
                {
                    self.read_header(name.as_str(), &text[colon + 1..]);
                }
            }
            b's' => self.read_secret(utf8().map(Key::Text)),
            b'S' => self.read_secret(
                digits().and_then(|bytes| String::from_utf8(bytes).ok()).map(Key::Text),
            ),
            b'k' => self.read_secret(digits().map(Key::Bytes)),
            b'n' => self.now = number().or(self.now),
            b'o' => self.tolerance = number().or(self.tolerance),
            b'm' => {
                self.method =
                    Method::from_bytes(text).ok().map(|method| method.as_str().to_owned());
            }
            b'u' => self.url = utf8(),
            b'r' => self.times = number().or(self.times),
            b'c' => self.chunks = text.to_vec(),
            b'i' => self.id = utf8(),
            b'e' => self.other = digits().unwrap_or_default(),
            b'z' => self.change = text.to_vec(),
            _ => {}
        }
    }

    fn read_header(&mut self, name: &str, value: &[u8]) {
        if self.headers.len() < MAX_LINES {
            let keep = |byte: &u8| {
                is_placeholder(*byte)
                    || HeaderValue::from_bytes(core::slice::from_ref(byte)).is_ok()
            };
            let value = value.iter().copied().filter(keep).collect();
            self.headers.push((name.to_owned(), value));
        }
    }

    fn read_secret(&mut self, secret: Option<Key>) {
        if self.secrets.len() < MAX_LINES {
            self.secrets.extend(secret);
        }
    }

    /// The input that reads as this case.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let senders = senders::all().len();
        let index = self.sender.checked_sub(senders).unwrap_or(self.sender);
        let first = u8::try_from(index).expect("a byte picks the sender");
        let mut out = vec![b'A'.wrapping_add(first)];
        let mut line = |letter: &str, text: &[u8]| {
            out.extend_from_slice(letter.as_bytes());
            out.extend_from_slice(text);
            out.push(b'\n');
        };
        for secret in &self.secrets {
            match secret {
                Key::Text(text) if text.contains('\n') => line("S", hex::encode(text).as_bytes()),
                Key::Text(text) => line("s", text.as_bytes()),
                Key::Bytes(bytes) => line("k", hex::encode(bytes).as_bytes()),
            }
        }
        for (letter, number) in [("n", self.now), ("o", self.tolerance), ("r", self.times)] {
            if let Some(number) = number {
                line(letter, number.to_string().as_bytes());
            }
        }
        for (letter, text) in [("m", &self.method), ("u", &self.url), ("i", &self.id)] {
            if let Some(text) = text {
                line(letter, text.as_bytes());
            }
        }
        for (name, value) in &self.headers {
            match self.sender().names().iter().position(|known| known == name) {
                Some(index) => {
                    let letter = char::from(b'a' + u8::try_from(index).expect("a few headers"));
                    line(&format!("h{letter}"), value);
                }
                None => line(&format!("H{name}:"), value),
            }
        }
        for (letter, bytes) in [("c", &self.chunks), ("z", &self.change)] {
            if !bytes.is_empty() {
                line(letter, bytes);
            }
        }
        if !self.other.is_empty() {
            line("e", hex::encode(&self.other).as_bytes());
        }
        line("", b"");
        let times = self.times.and_then(|times| usize::try_from(times).ok()).unwrap_or(1).max(1);
        out.extend_from_slice(&self.body[..self.body.len() / times]);
        out
    }

    /// The sender.
    #[must_use]
    pub fn sender(&self) -> &'static Sender {
        senders::get(self.sender)
    }

    /// The clock, or the usual one.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now.unwrap_or(USUAL_NOW)
    }

    /// The body in the chunks that the input asks for; some of them may be empty.
    #[must_use]
    pub fn chunked(&self) -> Vec<&[u8]> {
        self.chunked_like(&self.body)
    }

    /// A body in such chunks.
    #[must_use]
    pub fn chunked_like<'b>(&self, body: &'b [u8]) -> Vec<&'b [u8]> {
        let mut sizes = self.chunks.iter().copied().map(usize::from).cycle();
        let all_empty = self.chunks.iter().all(|size| *size == 0);
        let mut chunks = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            let size = if all_empty { rest.len() } else { sizes.next().unwrap_or(1) };
            let (chunk, others) = rest.split_at(size.min(rest.len()));
            chunks.push(chunk);
            rest = others;
        }
        chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let case = Case {
            sender: 1,
            secrets: vec![Key::Text("a".into()), Key::Text("b\n".into()), Key::Bytes(vec![0, 10])],
            now: Some(5),
            tolerance: Some(7),
            method: Some("PUT".into()),
            url: Some("https://example.com/é".into()),
            headers: vec![
                (case_header(1), b"t=1,v1=\x01".to_vec()),
                (UNRELATED.into(), b"x".to_vec()),
                ("x-other".into(), b"\xff".to_vec()),
            ],
            chunks: vec![0, 3],
            id: Some("id".into()),
            other: vec![1, 2],
            change: vec![3, 4],
            times: Some(2),
            body: b"\nbody\nbody".to_vec(),
        };
        let read = Case::read(&case.write()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{case:?}"));
        assert_eq!(read.chunked(), [&b""[..], b"\nbo", b"", b"dy\n", b"", b"bod", b"", b"y"]);
        assert!(Case::read(b"").is_none());
    }

    fn case_header(sender: usize) -> String {
        senders::all()[sender].names()[0].to_owned()
    }
}
