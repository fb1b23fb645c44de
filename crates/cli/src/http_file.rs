//! A captured HTTP request: request line, headers, an empty line, the body's bytes as they came.
//!
//! The head may have LF or CRLF; nothing in the body is touched. What the head says about the body
//! (`Content-Length`, `chunked`) is held against the file, since a body that is not whole cannot be verified.

use std::fmt;

use http::header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// A captured request.
#[derive(Debug)]
pub(crate) struct Captured {
    /// The method of the request line.
    pub(crate) method: Method,
    /// The headers, repeated lines in their order.
    pub(crate) headers: HeaderMap,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// What the file has after a body that its Content-Length has cut.
    pub(crate) surplus: Vec<u8>,
    /// What a person should know, such as a body that was cut.
    pub(crate) notes: Vec<String>,
    /// What the sender may have called, put together from the head. Anyone can send that, so it is for messages only.
    pub(crate) url_hint: Option<String>,
}

/// Why a file is not a captured request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadCapture {
    line: Option<usize>,
    message: String,
}

impl fmt::Display for BadCapture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Reads a captured request.
pub(crate) fn parse(file: &[u8]) -> Result<Captured, BadCapture> {
    let mut lines = Lines { rest: file, number: 0 };
    let (method, target) = loop {
        match lines.next()? {
            // Empty lines before a request are skipped, as servers do.
            b"" if lines.rest.is_empty() => return Err(whole("the file is empty")),
            b"" => {}
            line => break request_line(line).map_err(|message| lines.fault(message))?,
        }
    };
    let mut headers = HeaderMap::new();
    loop {
        let line = lines.next()?;
        if line.is_empty() {
            break;
        }
        let (name, value) = header(line).map_err(|message| lines.fault(message))?;
        headers.try_append(name, value).map_err(|_| lines.fault("too many headers"))?;
    }
    let mut notes = Vec::new();
    let (body, surplus) = body(&headers, lines.rest, &mut notes)?;
    let url_hint = url_hint(&target, &headers);
    Ok(Captured { method, headers, body, surplus, notes, url_hint })
}

/// The lines of the head.
struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a [u8], BadCapture> {
        self.number += 1;
        let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') else {
            let message = match self.number {
                1 if self.rest.is_empty() => "the file is empty",
                1 => {
                    "not a captured request: it needs a request line, headers, an empty line and the body"
                }
                _ => {
                    "the file ends inside the head; an empty line has to stand before the body, also before an empty one"
                }
            };
            return Err(self.fault(message));
        };
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        Ok(line.strip_suffix(b"\r").unwrap_or(line))
    }

    fn fault(&self, message: impl Into<String>) -> BadCapture {
        BadCapture { line: Some(self.number), message: message.into() }
    }
}

fn whole(message: impl Into<String>) -> BadCapture {
    BadCapture { line: None, message: message.into() }
}

fn request_line(line: &[u8]) -> Result<(Method, String), &'static str> {
    const FORM: &str = "expected a request line such as `POST /hooks HTTP/1.1`";
    if line.starts_with(b"\xef\xbb\xbf") {
        return Err("the file begins with a byte order mark; save it without one");
    }
    if line.starts_with(b"HTTP/") {
        return Err("this is a response; a captured request is needed");
    }
    let text = str::from_utf8(line).map_err(|_| FORM)?;
    let mut words = text.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(FORM);
    };
    if !version.starts_with("HTTP/") || target.is_empty() {
        return Err(FORM);
    }
    let method = Method::from_bytes(method.as_bytes())
        .map_err(|_| "the request line does not begin with a method")?;
    Ok((method, target.to_owned()))
}

fn header(line: &[u8]) -> Result<(HeaderName, HeaderValue), &'static str> {
    if line.starts_with(b" ") || line.starts_with(b"\t") {
        return Err(
            "a header that is folded over several lines; join the lines as the server would have seen them",
        );
    }
    let Some(colon) = line.iter().position(|&byte| byte == b':') else {
        return Err("expected `Name: value`; is the empty line before the body missing?");
    };
    let (name, value) = line.split_at(colon);
    let name = HeaderName::from_bytes(name)
        .map_err(|_| "the header's name has a character that HTTP does not allow")?;
    let value = without_outer_blanks(value.get(1..).unwrap_or_default());
    let value =
        HeaderValue::from_bytes(value).map_err(|_| "the header's value has a control character")?;
    Ok((name, value))
}

/// The value without outer blanks and tabs. A stray CR stays and is refused.
fn without_outer_blanks(value: &[u8]) -> &[u8] {
    let solid = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let start = value.iter().position(solid).unwrap_or(value.len());
    let end = value.iter().rposition(solid).map_or(start, |last| last + 1);
    value.get(start..end).unwrap_or_default()
}

/// The body, as long as the head says, and what is left over.
fn body(
    headers: &HeaderMap,
    rest: &[u8],
    notes: &mut Vec<String>,
) -> Result<(Vec<u8>, Vec<u8>), BadCapture> {
    let length = content_length(headers)?;
    if headers.contains_key(TRANSFER_ENCODING) {
        if !is_chunked(headers) {
            return Err(whole(
                "the Transfer-Encoding is not `chunked`, and no other is understood",
            ));
        }
        if length.is_some() {
            notes.push(
                "the head has both Transfer-Encoding and Content-Length; the chunks decide"
                    .to_owned(),
            );
        }
        return unchunk(rest, notes).map(|body| (body, Vec::new()));
    }
    let Some((body, surplus)) = rest.split_at_checked(length.unwrap_or(rest.len())) else {
        return Err(whole(too_short(length.unwrap_or_default(), rest.len())));
    };
    if let (Some(length), extra @ 1..) = (length, surplus.len()) {
        let newline = if matches!(surplus, b"\n" | b"\r\n") { " (a final newline)" } else { "" };
        notes.push(format!(
            "Content-Length says {length} bytes; {extra} more in the file{newline} are left out"
        ));
    }
    Ok((body.to_vec(), surplus.to_vec()))
}

/// A body that is shorter than its Content-Length.
fn too_short(length: usize, found: usize) -> String {
    let missing = match length - found {
        1 => "1 byte is missing, perhaps a final newline".to_owned(),
        missing => format!("{missing} bytes are missing"),
    };
    format!(
        "Content-Length says {length} bytes, but the file has {found} after the head: {missing}; the capture is not \
         whole (or line ends were changed), and what is left cannot be verified"
    )
}

fn content_length(headers: &HeaderMap) -> Result<Option<usize>, BadCapture> {
    let mut length = None;
    for value in headers.get_all(CONTENT_LENGTH) {
        let number = str::from_utf8(value.as_bytes())
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(number) = number.and_then(|text| text.parse::<usize>().ok()) else {
            return Err(whole("the Content-Length is not a number of bytes"));
        };
        if length.is_some_and(|first| first != number) {
            return Err(whole("two Content-Length headers that differ"));
        }
        length = Some(number);
    }
    Ok(length)
}

fn is_chunked(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(TRANSFER_ENCODING).iter();
    let only = values.next().filter(|_| values.next().is_none());
    only.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"chunked"))
}

/// The bytes of a chunked body.
fn unchunk(file: &[u8], notes: &mut Vec<String>) -> Result<Vec<u8>, BadCapture> {
    let mut rest = file;
    let mut body = Vec::new();
    loop {
        let at = file.len() - rest.len();
        let (start, size) = match chunk_size(rest) {
            Ok(httparse::Status::Complete((start, size))) => (start, size),
            Ok(httparse::Status::Partial) => return Err(not_whole(at)),
            Err(_) => {
                return Err(whole(format!(
                    "Transfer-Encoding says chunked, but there is no chunk size at byte {at} of the body; \
                     if the chunks were joined when it was captured, remove that header from the file",
                )));
            }
        };
        rest = rest.get(start..).unwrap_or_default();
        if size == 0 {
            break;
        }
        let size = usize::try_from(size).map_err(|_| not_whole(at))?;
        let (chunk, after) = rest.split_at_checked(size).ok_or_else(|| not_whole(at))?;
        body.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").ok_or_else(|| {
            whole(format!("the chunk at byte {at} of the body is not followed by CRLF; are its line ends still as they came?"))
        })?;
    }
    // Trailers are no part of what is signed; the empty line after them ends the message.
    let trailers = rest.windows(4).position(|end| end == b"\r\n\r\n").map(|start| start + 4);
    let end = if rest.starts_with(b"\r\n") { Some(2) } else { trailers };
    match end {
        Some(end) if end < rest.len() => {
            notes.push(format!("{} bytes after the last chunk are left out", rest.len() - end))
        }
        Some(_) => {}
        None => notes.push("the empty line after the last chunk is missing".to_owned()),
    }
    Ok(body)
}

/// Where the bytes of a chunk start, and how many there are. `httparse` alone takes a line without a digit for a size of 0,
/// and a line feed for a part of an extension: both are signs of line ends that were changed.
fn chunk_size(rest: &[u8]) -> Result<httparse::Status<(usize, u64)>, httparse::InvalidChunkSize> {
    let parsed = httparse::parse_chunk_size(rest)?;
    if let httparse::Status::Complete((start, _)) = parsed {
        let line = rest.get(..start).unwrap_or_default();
        let digit = line.first().is_some_and(u8::is_ascii_hexdigit);
        if !digit || line.iter().filter(|byte| **byte == b'\n').count() > 1 {
            return Err(httparse::InvalidChunkSize);
        }
    }
    Ok(parsed)
}

fn not_whole(at: usize) -> BadCapture {
    whole(format!(
        "the file ends inside the chunk at byte {at} of the body; the capture is not whole"
    ))
}

fn url_hint(target: &str, headers: &HeaderMap) -> Option<String> {
    if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let absolute = ["http://", "https://"].iter().find_map(|scheme| target.strip_prefix(scheme));
    if let Some(rest) = absolute {
        // No sender calls a URL without a host.
        return (!rest.is_empty() && !rest.starts_with(['/', '?', '#'])).then(|| target.to_owned());
    }
    let host = headers.get(HOST)?.to_str().ok()?;
    (target.starts_with('/') && !host.is_empty()).then(|| format!("https://{host}{target}"))
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::{Captured, parse};

    fn good(file: &[u8]) -> Captured {
        parse(file).unwrap()
    }

    fn bad(file: &[u8]) -> String {
        parse(file).unwrap_err().to_string()
    }

    #[test]
    fn heads_with_lf_or_crlf_or_both() {
        for file in [
            &b"POST /a HTTP/1.1\nX: 1\n\nb\r\n"[..],
            b"POST /a HTTP/1.1\r\nX: 1\r\n\r\nb\r\n",
            b"POST /a HTTP/2\r\nX: 1\n\r\nb\r\n",
            b"\r\n\nPOST /a HTTP/1.1\r\nX:1\r\n\r\nb\r\n",
        ] {
            let captured = good(file);
            assert_eq!(captured.method, Method::POST);
            assert_eq!(captured.headers["x"], "1");
            assert_eq!(captured.body, b"b\r\n");
            assert!(captured.notes.is_empty());
        }
    }

    #[test]
    fn headers_stay_bytes_and_repeated_lines_stay_in_order() {
        let captured = good(b"PUT / HTTP/1.0\nx-a: \xff\xfe\t \nX-B:\nX-A: caf\xc3\xa9\n\n");
        let values: Vec<_> =
            captured.headers.get_all("x-a").iter().map(|value| value.as_bytes()).collect();
        assert_eq!(values, [&b"\xff\xfe"[..], "café".as_bytes()]);
        assert_eq!(captured.headers["x-b"], "");
        assert!(captured.body.is_empty());
    }

    #[test]
    fn faults_of_the_head_name_the_line() {
        for (file, message) in [
            (&b""[..], "line 1: the file is empty"),
            (b"\n\n", "the file is empty"),
            (b"{\"a\":1}", "line 1: not a captured request"),
            (b"{\"a\": 1, \"b\": 2}\n", "line 1: expected a request line"),
            (b"POST /\n\n", "line 1: expected a request line"),
            (b"POST  / HTTP/1.1\n\n", "line 1: expected a request line"),
            (b"POST / x HTTP/1.1\n\n", "line 1: expected a request line"),
            (b"P(ST / HTTP/1.1\n\n", "line 1: the request line does not begin with a method"),
            (b"HTTP/1.1 200 OK\n\n", "line 1: this is a response"),
            (b"\xef\xbb\xbfPOST / HTTP/1.1\n\n", "line 1: the file begins with a byte order mark"),
            (b"\xff\xfeP\0O\0\n", "line 1: expected a request line"),
            (b"POST / HTTP/1.1\nX: 1\n", "line 3: the file ends inside the head"),
            (b"POST / HTTP/1.1\nX: 1", "line 2: the file ends inside the head"),
            (b"POST / HTTP/1.1\nX: 1\n{\"id\"}\n\n", "line 3: expected `Name: value`"),
            (b"POST / HTTP/1.1\nX : 1\n\n", "line 2: the header's name"),
            (b"POST / HTTP/1.1\nX: 1\n more\n\n", "line 3: a header that is folded"),
            (
                b"POST / HTTP/1.1\nX: a\x01b\n\n",
                "line 2: the header's value has a control character",
            ),
            (
                b"POST / HTTP/1.1\nX: a\r\r\n\n",
                "line 2: the header's value has a control character",
            ),
        ] {
            let got = bad(file);
            assert!(got.starts_with(message), "{}: {got}", String::from_utf8_lossy(file));
        }
    }

    #[test]
    fn a_long_body_is_cut_and_a_short_one_refused() {
        let captured = good(b"POST / HTTP/1.1\nContent-Length: 2\n\nab\n");
        assert_eq!((captured.body, captured.surplus), (b"ab".to_vec(), b"\n".to_vec()));
        assert_eq!(
            captured.notes,
            ["Content-Length says 2 bytes; 1 more in the file (a final newline) are left out"]
        );
        let captured = good(b"POST / HTTP/1.1\nContent-Length: 2\nContent-Length: 2\n\nabcd");
        assert_eq!(
            captured.notes,
            ["Content-Length says 2 bytes; 2 more in the file are left out"]
        );
        for (length, message) in [
            (
                "3",
                "says 3 bytes, but the file has 2 after the head: 1 byte is missing, perhaps a final newline;",
            ),
            ("9", "says 9 bytes, but the file has 2 after the head: 7 bytes are missing;"),
        ] {
            let got = bad(format!("POST / HTTP/1.1\nContent-Length: {length}\n\nab").as_bytes());
            assert!(got.contains(message), "{got}");
        }
        assert!(
            bad(b"POST / HTTP/1.1\nContent-Length: 3\nContent-Length: 4\n\nabcd")
                .contains("differ")
        );
        for length in ["-1", "+1", "1.0", "", "99999999999999999999", "1, 1"] {
            let file = format!("POST / HTTP/1.1\nContent-Length: {length}\n\na");
            assert_eq!(bad(file.as_bytes()), "the Content-Length is not a number of bytes");
        }
    }

    #[test]
    fn chunks_are_joined() {
        const HEAD: &str = "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n";
        let chunked = |body: &str| parse(format!("{HEAD}{body}").as_bytes());
        let captured = chunked("3\r\nab\n\r\nA;name=value\r\n0123456789\r\n0\r\n\r\n").unwrap();
        assert_eq!(captured.body, b"ab\n0123456789");
        assert!(captured.notes.is_empty());
        assert!(chunked("0\r\n\r\n").unwrap().body.is_empty());
        assert!(chunked("0\r\nX-Trailer: 1\r\n\r\n").unwrap().notes.is_empty());
        assert_eq!(
            chunked("0\r\n\r\nxy").unwrap().notes,
            ["2 bytes after the last chunk are left out"]
        );
        assert_eq!(
            chunked("1\r\na\r\n0\r\n").unwrap().notes,
            ["the empty line after the last chunk is missing"]
        );
        for (body, message) in [
            ("{}", "there is no chunk size at byte 0"),
            ("3\r\nabc\r\nxyz\r\n", "there is no chunk size at byte 8"),
            ("", "ends inside the chunk at byte 0"),
            ("5\r\nabc", "ends inside the chunk at byte 0"),
            ("3\r\nabc\r\n", "ends inside the chunk at byte 8"),
            ("3\r\nabcd\r\n", "is not followed by CRLF"),
            ("ffffffffffffffff\r\nabc", "ends inside the chunk"),
            ("fffffffffffffffff\r\nabc", "there is no chunk size"),
            ("\r\n", "there is no chunk size at byte 0"),
            (" \r\n", "there is no chunk size at byte 0"),
            (";a\r\n", "there is no chunk size at byte 0"),
            ("1;a\nb\r\nc\r\n0\r\n\r\n", "there is no chunk size at byte 0"),
        ] {
            let got = chunked(body).unwrap_err().to_string();
            assert!(got.contains(message), "{body:?}: {got}");
        }
        assert!(
            bad(b"POST / HTTP/1.1\nTransfer-Encoding: gzip, chunked\n\n0\r\n\r\n")
                .contains("no other is understood")
        );
        let both = good(b"POST / HTTP/1.1\nTransfer-Encoding: chunked\nContent-Length: 9\n\n1\r\na\r\n0\r\n\r\n");
        assert_eq!((both.body, both.notes.len()), (b"a".to_vec(), 1));
    }

    #[test]
    fn the_url_is_guessed_for_messages_only() {
        let hint = |head: &str| good(format!("{head}\n\n").as_bytes()).url_hint;
        assert_eq!(
            hint("POST /a?b HTTP/1.1\nHost: example.com:8443").as_deref(),
            Some("https://example.com:8443/a?b")
        );
        assert_eq!(
            hint("POST http://example.com/a HTTP/1.1\nHost: x").as_deref(),
            Some("http://example.com/a")
        );
        assert_eq!(hint("POST /a HTTP/1.1"), None);
        for hostless in ["https://", "https:///a", "http://?a", "https://#a"] {
            assert_eq!(hint(&format!("POST {hostless} HTTP/1.1\nHost: x")), None, "{hostless}");
        }
        assert_eq!(hint("OPTIONS * HTTP/1.1\nHost: x"), None);
    }
}
