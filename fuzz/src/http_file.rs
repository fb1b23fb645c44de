//! The target `http_file`: captured requests as the command line reads them.
//!
//! The command line is a program without a library, so its reader is built into this package as it stands.

use http::HeaderMap;

use crate::naive::Slip;
use crate::naive::capture::{self, Capture, Fault};
use crate::{Finding, bounded, same};

#[allow(dead_code, unreachable_pub, clippy::all, missing_docs)]
#[path = "../../crates/cli/src/http_file.rs"]
mod reader;

/// What both sides made of a file.
pub type Seen = Result<Capture, Fault>;

/// Runs the target.
///
/// # Errors
///
/// What the sides differ over.
pub fn run(data: &[u8]) -> Result<Seen, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What the sides differ over.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Seen, Finding> {
    let about = || format!("{:?}", String::from_utf8_lossy(data));
    let parsed = bounded("reading a capture", data.len(), 64, || reader::parse(data))?;
    let got = match &parsed {
        Ok(captured) => Ok(said(captured)),
        Err(bad) => Err(line(&bad.to_string())?),
    };
    same(about, &capture::read(data, slip), &got)?;
    if let Ok(capture) = &got {
        let again = reader::parse(&written(capture)).map(|captured| said(&captured));
        same(
            || format!("written again: {}", about()),
            &Ok(capture.clone()),
            &again.map_err(|bad| bad.to_string()),
        )?;
    }
    Ok(got)
}

fn said(captured: &reader::Captured) -> Capture {
    Capture {
        method: captured.method.as_str().to_owned(),
        headers: sorted(&captured.headers),
        body: captured.body.clone(),
        surplus: captured.surplus.clone(),
        url: captured.url_hint.clone(),
    }
}

fn sorted(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    let line = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.as_str().to_owned(), value.as_bytes().to_vec())
    };
    let mut lines: Vec<_> = headers.iter().map(line).collect();
    lines.sort_by(|left, right| left.0.cmp(&right.0));
    lines
}

/// The line that a message begins with.
fn line(message: &str) -> Result<Fault, Finding> {
    let Some(rest) = message.strip_prefix("line ") else { return Ok(None) };
    let number = rest.split_once(": ").and_then(|(number, _)| number.parse().ok());
    number.map(Some).ok_or_else(|| format!("a message without its line: {message}"))
}

/// A file that says the same, its chunks joined no more than they were: the head is the reader's own, and the body again
/// comes in chunks if it did.
fn written(capture: &Capture) -> Vec<u8> {
    let target = capture.url.as_deref().map_or("*", |url| {
        // Relative to the host that the head names, absolute where it names none.
        let host = capture.headers.iter().find(|(name, _)| name == "host");
        let host = host.and_then(|(_, host)| core::str::from_utf8(host).ok()).unwrap_or_default();
        url.strip_prefix(&format!("https://{host}"))
            .filter(|rest| rest.starts_with('/'))
            .unwrap_or(url)
    });
    let mut file = format!("{} {target} HTTP/1.1\r\n", capture.method).into_bytes();
    let mut chunked = false;
    for (name, value) in &capture.headers {
        chunked |= name == "transfer-encoding";
        file.extend_from_slice(&[name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    file.extend_from_slice(b"\r\n");
    if chunked {
        for chunk in capture.body.chunks(7) {
            file.extend_from_slice(
                &[format!("{:X}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat(),
            );
        }
        file.extend_from_slice(b"0\r\n\r\n");
    } else {
        file.extend_from_slice(&[&capture.body[..], &capture.surplus].concat());
    }
    file
}
