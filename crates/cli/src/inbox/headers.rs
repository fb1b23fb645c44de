//! Headers and URLs of a delivery, without what lets somebody pass as the sender or as a user.

use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::bytes;

/// Words in the names of headers whose values are credentials or signatures.
const SECRETIVE: &[&str] = &[
    "api-key",
    "apikey",
    "assertion",
    "auth",
    "cert",
    "cookie",
    "credential",
    "digest",
    "hmac",
    "jwt",
    "passw",
    "secret",
    "session",
    "signature",
    "token",
];

/// Whether the value of a header is hidden unless somebody asks for it.
pub(crate) fn is_secretive(name: &HeaderName, value: &HeaderValue) -> bool {
    let scheme = value.as_bytes().split(|byte| *byte == b' ').next().unwrap_or_default();
    let credentials = ["basic", "bearer", "digest", "negotiate"];
    SECRETIVE.iter().any(|word| name.as_str().contains(word))
        || credentials.iter().any(|word| scheme.eq_ignore_ascii_case(word.as_bytes()))
}

/// A header in a line.
pub(crate) fn line(name: &HeaderName, value: &HeaderValue, reveal: bool) -> String {
    if !reveal && is_secretive(name, value) {
        return format!("{name}: ({} hidden)", bytes(value.len()));
    }
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => format!("{name}: {text}"),
        Err(_) => format!("{name}: {}", value.as_bytes().escape_ascii()),
    }
}

/// A header as JSON: its value is null where it is hidden.
pub(crate) fn object(name: &HeaderName, value: &HeaderValue, reveal: bool) -> Value {
    let hidden = !reveal && is_secretive(name, value);
    let shown = match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => json!(text),
        Err(_) => json!(value.as_bytes().escape_ascii().to_string()),
    };
    json!({
        "name": name.as_str(),
        "value": if hidden { Value::Null } else { shown },
        "hidden": hidden,
    })
}

/// A URL; its query and its user may be credentials.
pub(crate) fn url(url: &str, reveal: bool) -> String {
    if reveal {
        return url.to_owned();
    }
    let (rest, query) = match url.split_once('?') {
        Some((rest, query)) => (rest, format!("?({} hidden)", bytes(query.len()))),
        None => (url, String::new()),
    };
    let (scheme, rest) = rest.split_once("://").unwrap_or(("", rest));
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host
        .rsplit_once('@')
        .map_or_else(|| host.to_owned(), |(_, host)| format!("(hidden)@{host}"));
    let colon = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{colon}{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use hookproof::providers;
    use hookproof::testing::Sender;

    use super::*;

    /// What a sender signs with is hidden, for every sender; what is not secret is seen.
    #[test]
    fn no_sender_s_signature_is_shown() {
        let mut hidden = 0;
        for provider in providers::ALL {
            let sent = Sender::new(*provider).send(br#"{"id":"evt_1"}"#).unwrap();
            let delivery = sent.delivery();
            for (name, value) in delivery.head().headers() {
                // The longest run of base64 or hex digits: a MAC of SHA-256 has 43 at least, an id of ours has none.
                let digits = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
                let longest = value.as_bytes().split(|byte| !digits(byte)).map(<[u8]>::len).max();
                let is_mac = longest.is_some_and(|longest| longest >= 40);
                assert_eq!(is_secretive(name, value), is_mac, "{} {name}", provider.info().id);
                hidden += usize::from(is_mac);
            }
        }
        assert!(hidden >= providers::ALL.len(), "{hidden}");
    }

    #[test]
    fn credentials_are_hidden_by_name_or_by_scheme() {
        for (name, value, shown) in [
            ("authorization", "Basic dTpw", "authorization: (10 bytes hidden)"),
            ("x-forwarded", "bearer abc", "x-forwarded: (10 bytes hidden)"),
            ("cookie", "a=b", "cookie: (3 bytes hidden)"),
            ("x-api-key", "k", "x-api-key: (1 byte hidden)"),
            ("x-goog-iap-jwt-assertion", "k", "x-goog-iap-jwt-assertion: (1 byte hidden)"),
            ("content-type", "text/plain", "content-type: text/plain"),
            ("x-request-id", "42", "x-request-id: 42"),
        ] {
            let name = HeaderName::from_static(name);
            let value = HeaderValue::from_static(value);
            assert_eq!(line(&name, &value, false), shown);
            assert_eq!(line(&name, &value, true), format!("{name}: {}", value.to_str().unwrap()));
        }
    }

    #[test]
    fn a_url_is_shown_without_query_and_user() {
        for (full, shown) in [
            ("https://example.com/hooks", "https://example.com/hooks"),
            ("https://example.com/hooks?token=abc", "https://example.com/hooks?(9 bytes hidden)"),
            ("https://u:p@example.com/a@b", "https://(hidden)@example.com/a@b"),
            ("/hooks?a", "/hooks?(1 byte hidden)"),
            ("https://u@example.com", "https://(hidden)@example.com"),
        ] {
            assert_eq!(url(full, false), shown);
            assert_eq!(url(full, true), full);
        }
    }
}
