//! Signature headers that were changed on their way or are written as another sender writes them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::explain::case::{Case, Variation};

/// The same case with its headers as the sender may have written them.
pub(super) fn variations(case: &Case) -> Vec<Variation> {
    let mut list = Vec::new();
    let mut add = |message: &str, case: Option<Case>| {
        list.extend(case.map(|case| Variation::new(message, case)))
    };
    let runs = |convert: fn(&str) -> Option<String>| {
        case.with_headers(|name, value| is_signature(name).then(|| converted(value, convert))?)
    };
    add(
        "the signature is base64 where this sender writes hex: is it this sender's?",
        runs(base64_to_hex),
    );
    add(
        "the signature is hex where this sender writes base64: is it this sender's?",
        runs(hex_to_base64),
    );
    add(
        "the signature is base64 of another alphabet or without padding: something on the way has rewritten it",
        runs(canonical_base64),
    );
    add(
        "a `+` of the signature has become a blank on its way, as when a header is decoded like a form",
        case.with_headers(|name, value| is_signature(name).then(|| replaced(value, b' ', b'+'))),
    );
    add(
        "the signature stands in quotes that do not belong to it",
        case.with_headers(|_, value| {
            value.strip_prefix(b"\"")?.strip_suffix(b"\"").map(<[u8]>::to_vec)
        }),
    );
    for prefix in ["sha256=", "sha1=", "v1="] {
        let message = format!("the signature has lost its prefix `{prefix}`");
        add(
            &message,
            case.with_headers(|name, value| {
                is_signature(name).then(|| [prefix.as_bytes(), value].concat())
            }),
        );
        let message =
            format!("the signature has a prefix `{prefix}` that this sender does not write");
        add(
            &message,
            case.with_headers(|_, value| value.strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec)),
        );
    }
    add(
        "the signed time is in milliseconds where the header has seconds",
        case.with_headers(|name, value| {
            time_scaled(name, value, |seconds| seconds.checked_mul(1000))
        }),
    );
    add(
        "the signed time is in seconds where the header has milliseconds",
        case.with_headers(|name, value| time_scaled(name, value, |millis| Some(millis / 1000))),
    );
    list
}

fn is_signature(name: &str) -> bool {
    name.contains("signature") || name.contains("hmac")
}

fn replaced(value: &[u8], from: u8, to: u8) -> Vec<u8> {
    value.iter().map(|byte| if *byte == from { to } else { *byte }).collect()
}

/// The value with every run of characters that may be a signature converted.
fn converted(value: &[u8], convert: fn(&str) -> Option<String>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let is_run = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_run(c)).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(length);
        let padding = tail.len() - tail.trim_start_matches('=').len();
        let (padding, after) = tail.split_at(if length >= 40 { padding } else { 0 });
        match convert(run).filter(|_| length >= 40) {
            Some(new) => out.push_str(&new),
            None => {
                out.push_str(run);
                out.push_str(padding);
            }
        }
        let (other, tail) = after.split_at(after.find(is_run).unwrap_or(after.len()));
        out.push_str(other);
        rest = tail;
    }
    Some(out.into_bytes())
}

fn bytes(run: &str) -> Option<Vec<u8>> {
    [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|engine| engine.decode(run).ok())
}

fn base64_to_hex(run: &str) -> Option<String> {
    bytes(run)
        .filter(|bytes| bytes.len() == 32)
        .map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn canonical_base64(run: &str) -> Option<String> {
    bytes(run).filter(|bytes| bytes.len() == 32).map(|bytes| STANDARD.encode(bytes))
}

fn hex_to_base64(run: &str) -> Option<String> {
    let (pairs, rest) = run.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|[high, low]| Some((digit(*high)? << 4) | digit(*low)?)).collect();
    bytes.filter(|bytes| rest.is_empty() && bytes.len() == 32).map(|bytes| STANDARD.encode(bytes))
}

/// The time of a header scaled: the whole value, or the item `t=`.
fn time_scaled(name: &str, value: &[u8], scale: impl Fn(u64) -> Option<u64>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    if name.ends_with("timestamp") {
        return Some(scale(text.parse().ok()?)?.to_string().into_bytes());
    }
    let items = text.split(',').map(|item| {
        match item.trim().strip_prefix("t=").and_then(|time| time.parse().ok()) {
            Some(time) => scale(time).map_or_else(|| item.to_owned(), |time| format!("t={time}")),
            None => item.to_owned(),
        }
    });
    Some(items.collect::<Vec<_>>().join(",").into_bytes())
}
