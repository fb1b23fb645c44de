//! JSON texts written in another way, token by token, so that numbers and the order of members stay as they are.

/// How a library spaces what it writes.
#[derive(Clone, Copy)]
pub(super) enum Spacing {
    /// No blanks.
    Compact,
    /// A blank after each comma and colon.
    Spaced,
    /// A line an element, indented by this text.
    Indented(&'static str),
}

impl Spacing {
    /// Every way, and what it is called.
    pub(super) const ALL: &'static [(Self, &'static str)] = &[
        (Self::Compact, "without blanks"),
        (Self::Spaced, "with blanks after commas and colons"),
        (Self::Indented("  "), "indented by two blanks"),
        (Self::Indented("    "), "indented by four blanks"),
        (Self::Indented("\t"), "indented by tabs"),
    ];
}

/// The tokens of a JSON text: strings, punctuation, and the rest.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || "{}[],:\"".contains(c))
                .unwrap_or(rest.len()),
        };
        let (token, tail) = rest.split_at(length.max(1).min(rest.len()));
        tokens.push(token);
        rest = tail.trim_start();
    }
    tokens
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The text with other blanks between its tokens.
pub(super) fn spaced(text: &str, spacing: Spacing) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(text.len());
    let mut depth = 0usize;
    let newline = |out: &mut String, depth: usize| {
        if let Spacing::Indented(indent) = spacing {
            out.push('\n');
            (0..depth).for_each(|_| out.push_str(indent));
        }
    };
    for (index, token) in tokens.iter().enumerate() {
        let before =
            index.checked_sub(1).and_then(|index| tokens.get(index)).copied().unwrap_or_default();
        let after = tokens.get(index + 1).copied().unwrap_or_default();
        match *token {
            "{" | "[" => {
                out.push_str(token);
                depth += 1;
                if !matches!(after, "}" | "]") {
                    newline(&mut out, depth);
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                if !matches!(before, "{" | "[") {
                    newline(&mut out, depth);
                }
                out.push_str(token);
            }
            "," => {
                out.push(',');
                match spacing {
                    Spacing::Spaced => out.push(' '),
                    _ => newline(&mut out, depth),
                }
            }
            ":" => out.push_str(if matches!(spacing, Spacing::Compact) { ":" } else { ": " }),
            token => out.push_str(token),
        }
    }
    out
}

/// Characters beyond ASCII as `\u` escapes, as some libraries write them.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// `\u` escapes of characters beyond ASCII as the characters themselves.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let (decoded, length) = decoded(escape);
        match decoded {
            Some(c) => out.push(c),
            None => out.push_str(escape.get(..length).unwrap_or(escape)),
        }
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The character of an escape if it is one beyond ASCII, and the length of the escape.
fn decoded(escape: &str) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return (None, 2.min(escape.len())) };
    let units: Vec<u16> = [Some(first), unit(6).filter(|_| (0xd800..0xdc00).contains(&first))]
        .into_iter()
        .flatten()
        .collect();
    match char::decode_utf16(units.iter().copied()).next() {
        Some(Ok(c)) if !c.is_ascii() => (Some(c), 6 * units.len()),
        _ => (None, 6),
    }
}

/// Slashes as `\/`, as PHP writes them.
pub(super) fn slashes_escaped(text: &str) -> String {
    slashes_plain(text).replace('/', "\\/")
}

/// `\/` as slashes.
pub(super) fn slashes_plain(text: &str) -> String {
    text.replace("\\/", "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"a": [1.0, 2e3, {}], "b\"c": "x, y: {z}", "d": []}"#;

    #[test]
    fn blanks_are_changed_and_nothing_else() {
        assert_eq!(
            spaced(TEXT, Spacing::Compact),
            r#"{"a":[1.0,2e3,{}],"b\"c":"x, y: {z}","d":[]}"#
        );
        assert_eq!(spaced(&spaced(TEXT, Spacing::Indented("\t")), Spacing::Spaced), TEXT);
        let indented = "{\n  \"a\": [\n    1.0,\n    2e3,\n    {}\n  ],\n  \"b\\\"c\": \"x, y: {z}\",\n  \"d\": []\n}";
        assert_eq!(spaced(TEXT, Spacing::Indented("  ")), indented);
    }

    #[test]
    fn escapes_come_and_go() {
        let (plain, written) = ("\"é世😀/\\n\"", "\"\\u00e9\\u4e16\\ud83d\\ude00/\\n\"");
        assert_eq!(escaped(plain), written);
        assert_eq!(unescaped(written), plain);
        assert_eq!(unescaped(r#""\u0041\ud800\\u00e9\""#), r#""\u0041\ud800\\u00e9\""#);
        assert_eq!(slashes_plain(&slashes_escaped("\"a/b\"")), "\"a/b\"");
    }
}
