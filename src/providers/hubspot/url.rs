//! The URL as the documentation of v3 wants it signed: twelve escapes decoded, everything else as it stands.

/// The escapes that the documentation lists, in capital hex as it writes them.
const ESCAPES: [(&str, &str); 12] = [
    ("%3A", ":"),
    ("%2F", "/"),
    ("%3F", "?"),
    ("%40", "@"),
    ("%21", "!"),
    ("%24", "$"),
    ("%27", "'"),
    ("%28", "("),
    ("%29", ")"),
    ("%2A", "*"),
    ("%2C", ","),
    ("%3B", ";"),
];

fn escape_at(text: &str) -> Option<&'static str> {
    ESCAPES.iter().find(|(escape, _)| text.starts_with(escape)).map(|(_, plain)| *plain)
}

/// Whether the second reading of the URL differs from the first.
pub(super) fn has_escape(url: &str) -> bool {
    url.match_indices('%').any(|(at, _)| url.get(at..).and_then(escape_at).is_some())
}

/// Hands on the URL with the documented escapes decoded, in one pass from left to right.
pub(super) fn decode_escapes(url: &str, put: &mut dyn FnMut(&[u8])) {
    let mut rest = url;
    while let Some(at) = rest.find('%') {
        let (plain, escape) = rest.split_at(at);
        put(plain.as_bytes());
        let (decoded, length) = match escape_at(escape) {
            Some(decoded) => (decoded, 3),
            None => ("%", 1),
        };
        put(decoded.as_bytes());
        rest = escape.get(length..).unwrap_or_default();
    }
    put(rest.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(url: &str) -> String {
        let mut out = Vec::new();
        decode_escapes(url, &mut |bytes| out.extend_from_slice(bytes));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn twelve_escapes_in_capital_hex_are_decoded_once() {
        assert_eq!(decoded("%3A%2F%3F%40%21%24%27%28%29%2A%2C%3B"), ":/?@!$'()*,;");
        for untouched in
            ["", "%", "%3", "%3a", "%2f", "%20%2B%26%3D%25%23%22", "%253a", "é%C3%A9", "%é3A"]
        {
            assert_eq!(decoded(untouched), untouched);
            assert!(!has_escape(untouched), "{untouched}");
        }
        assert_eq!(decoded("a%253Ab%3A%"), "a%253Ab:%");
        assert!(has_escape("x%%3A"));
        assert_eq!(decoded("x%%3A"), "x%:");
    }
}
