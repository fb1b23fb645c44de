//! URLs that are right but were written in another way, by a proxy or by hand.

use http::Method;

use crate::explain::case::{Case, Variation};

const PUBLIC: &str = "give the public URL exactly as it is configured at the sender";

/// What to say when the URL is missing.
pub(super) fn hints(case: &Case) -> Vec<String> {
    match &case.url_hint {
        Some(url) => vec![format!(
            "the sender signs the URL: {PUBLIC}, with --url; the request itself says {url}"
        )],
        None => vec![format!("the sender signs the URL: {PUBLIC}, with --url")],
    }
}

/// The same case with each other method and URL.
pub(super) fn variations(case: &Case) -> Vec<Variation> {
    if !case.needs_url() {
        return Vec::new();
    }
    let mut list = Vec::new();
    for method in [Method::GET, Method::POST, Method::PUT] {
        if method != case.method {
            let message = format!(
                "the sender signed the method {method}: give the method as it was received"
            );
            list.push(Variation::new(message, Case { method, ..case.clone() }));
        }
    }
    let Some(url) = &case.url else { return list };
    let mut urls = rewritten(url);
    if let Some(hint) = &case.url_hint {
        urls.push(("is the one that the request itself names", hint.clone()));
        urls.extend(
            rewritten(hint)
                .into_iter()
                .map(|(_, url)| ("is like the one that the request itself names", url)),
        );
    }
    for (how, url) in urls {
        let message = format!("the URL that the sender signed {how}: {PUBLIC}");
        list.push(Variation::new(message, case.with_url(url)));
    }
    list
}

/// The URL in other spellings.
fn rewritten(url: &str) -> Vec<(&'static str, String)> {
    let mut list = Vec::new();
    let Some((scheme, rest)) = url.split_once("://") else { return list };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let other = if scheme == "https" { "http" } else { "https" };
    list.push((
        "has the other scheme, as behind a proxy that ends TLS",
        format!("{other}://{rest}"),
    ));
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
    if port.is_empty() {
        for port in ["443", "80", "8443", "8080"] {
            list.push(("has a port", format!("{scheme}://{authority}:{port}{path}")));
        }
    } else {
        list.push(("has no port", format!("{scheme}://{host}{path}")));
        list.push(("has no port and the other scheme", format!("{other}://{host}{path}")));
    }
    let (bare, query) = path.split_at(path.find(['?', '#']).unwrap_or(path.len()));
    match bare.strip_suffix('/') {
        Some(bare) => list.push((
            "has no slash at the end of its path",
            format!("{scheme}://{authority}{bare}{query}"),
        )),
        None => list.push((
            "has a slash at the end of its path",
            format!("{scheme}://{authority}{bare}/{query}"),
        )),
    }
    if !query.is_empty() {
        list.push(("has no query", format!("{scheme}://{authority}{bare}")));
    }
    list.push(("is a path without scheme and host", path.to_owned()));
    list.push((
        "has its host in small letters",
        format!("{scheme}://{}{path}", authority.to_ascii_lowercase()),
    ));
    list.push(("is decoded", decoded(url)));
    list.push(("has blanks as %20", url.replace('+', "%20")));
    list.push(("has blanks as +", url.replace("%20", "+")));
    list
}

fn decoded(url: &str) -> String {
    let mut out = Vec::new();
    let mut rest = url.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digit =
            |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if digit(*high).is_some() && digit(*low).is_some() => {
                out.push((digit(*high).unwrap_or_default() << 4) | digit(*low).unwrap_or_default());
                rest = after;
            }
            _ => {
                out.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| url.to_owned())
}
