//! What happens to bodies between the sender and the verifier.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::explain::case::{Case, Variation};
use crate::explain::json_text::{self, Spacing};

/// The most bytes that a compressed body may become.
const UNPACKED: u64 = 32 << 20;

const RAW: &str = "verify the raw bytes of the request";

/// Bodies that the sender may have signed instead.
pub(super) fn variations(case: &Case) -> Vec<Variation> {
    let mut list: Vec<Variation> = Vec::new();
    let mut add = |message: &str, body: Option<Vec<u8>>| {
        let Some(body) = body else { return };
        // The first way to a body names it.
        if body != case.body && !list.iter().any(|other| other.case.body == body) {
            list.push(Variation::new(message, case.with_body(body)));
        }
    };
    let body = case.body.as_slice();
    add(
        "the body goes on after its Content-Length, and the sender signed all of it: the length was counted in \
         characters, or belongs to another form of the body; verify all bytes that came",
        Some([body, &case.surplus].concat()),
    );
    for newline in newlines(case) {
        add(&newline.message, Some(newline.case.body));
    }
    let endings = format!("the line endings of the body were changed: {RAW}");
    add(&endings, Some(replaced(body, b"\r\n", b"\n")));
    add(&endings, Some(replaced(&replaced(body, b"\r\n", b"\n"), b"\n", b"\r\n")));
    add(
        &format!("the body has lost its byte order mark: {RAW}"),
        Some([b"\xef\xbb\xbf", body].concat()),
    );
    add(
        &format!("a byte order mark was added to the body: {RAW}"),
        body.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec),
    );
    add(
        "the body is still compressed and the sender signed what it holds: decompress it before verifying",
        unpacked(body),
    );
    add(
        "the body is base64 of the real one, as gateways hand it over: decode it first",
        STANDARD.decode(body).ok(),
    );
    add("the body is a JSON text that holds the real one: verify what it holds", inner_text(body));
    add(
        "the body is what a form's `payload` holds, and the sender signed the form: verify the raw bytes",
        Some(as_payload(body)),
    );
    add(
        "the sender signed what the form's `payload` holds: this is not a delivery as the sender documents it",
        payload(body),
    );
    for (message, text) in rewritten(body) {
        add(&message, Some(text.into_bytes()));
    }
    list
}

/// The body with a final newline more or less.
pub(super) fn newlines(case: &Case) -> Vec<Variation> {
    let lost = format!("the body has lost its final newline: {RAW}");
    let added = format!("a newline was added to the end of the body: {RAW}");
    let body = case.body.as_slice();
    let more = [&b"\n"[..], b"\r\n"].map(|newline| (&lost, Some([body, newline].concat())));
    let less = [&b"\n"[..], b"\r\n"]
        .map(|newline| (&added, body.strip_suffix(newline).map(<[u8]>::to_vec)));
    let bodies = more.into_iter().chain(less).filter_map(|(message, body)| Some((message, body?)));
    bodies.map(|(message, body)| Variation::new(message.as_str(), case.with_body(body))).collect()
}

/// The body as a JSON library would have written it.
fn rewritten(body: &[u8]) -> Vec<(String, String)> {
    let Ok(text) = std::str::from_utf8(body) else { return Vec::new() };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut sorted = value;
    sorted.sort_all_objects();
    let texts = [
        (text.to_owned(), ""),
        (sorted.to_string(), ", its members sorted"),
        (json_text::escaped(text), ", other scripts' characters escaped"),
        (json_text::unescaped(text), ", other scripts' characters not escaped"),
        (json_text::slashes_escaped(text), ", slashes escaped"),
        (json_text::slashes_plain(text), ", slashes not escaped"),
    ];
    let mut list = Vec::new();
    for (text, how) in &texts {
        for (spacing, name) in Spacing::ALL {
            let message = format!(
                "the body was parsed and written again; the sender signed it {name}{how}: {RAW}"
            );
            list.push((message, json_text::spaced(text, *spacing)));
        }
        if !how.is_empty() {
            list.push((format!("the body was parsed and written again; the sender signed it as it is{how}: {RAW}"), text.clone()));
        }
    }
    list
}

fn replaced(body: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((first, tail)) = rest.split_first() {
        match rest.strip_prefix(from) {
            Some(after) => {
                out.extend_from_slice(to);
                rest = after;
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

fn unpacked(body: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(body).take(UNPACKED).read_to_end(&mut plain).ok()?;
    Some(plain)
}

fn inner_text(body: &[u8]) -> Option<Vec<u8>> {
    serde_json::from_slice::<String>(body).ok().map(String::into_bytes)
}

fn as_payload(body: &[u8]) -> Vec<u8> {
    let mut form = b"payload=".to_vec();
    for byte in body {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"*-._".contains(byte) => form.push(*byte),
            b' ' => form.push(b'+'),
            byte => form.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    form
}

fn payload(body: &[u8]) -> Option<Vec<u8>> {
    let mut bytes =
        body.strip_prefix(b"payload=")?.split(|byte| *byte == b'&').next()?.iter().copied();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: u8| {
                    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
                };
                (digit(bytes.next()?)? << 4) | digit(bytes.next()?)?
            }
            byte => byte,
        });
    }
    Some(plain)
}
