//! The text of keys: the rule of `conformance-vectors/README.md`, both ways.

use super::Slip;

/// The longest key, in bytes.
pub const MAX_KEY: usize = 1024;

const PLAIN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

/// The text of these parts: every byte but the plain ones percent-encoded with capital digits, joined by `/`.
#[must_use]
pub fn encode<P: AsRef<[u8]>>(parts: &[P], slip: Slip) -> String {
    let part = |part: &P| -> String {
        let letter = |byte: &u8| match char::from(*byte) {
            letter if PLAIN.contains(letter) => letter.to_string(),
            '/' if slip == Slip::SlashesKept => "/".to_owned(),
            _ => format!("%{byte:02X}"),
        };
        part.as_ref().iter().map(letter).collect()
    };
    parts.iter().map(part).collect::<Vec<_>>().join("/")
}

/// The parts of a text; nothing if it is not the text of a key.
#[must_use]
pub fn decode(text: &str, slip: Slip) -> Option<Vec<Vec<u8>>> {
    let mut parts = vec![Vec::new()];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let part = parts.last_mut().expect("there is a first part");
        let mut length = letter.len_utf8();
        if PLAIN.contains(letter) {
            part.extend_from_slice(letter.to_string().as_bytes());
        } else if letter == '/' {
            parts.push(Vec::new());
        } else {
            length = 3;
            let digits = rest.strip_prefix('%')?.get(..2)?;
            let byte = *hex::decode(digits).ok()?.first()?;
            let needed = !PLAIN.contains(char::from(byte));
            let capital = slip == Slip::LowerCaseKeys || digits == digits.to_ascii_uppercase();
            (needed && capital).then(|| part.push(byte))?;
        }
        rest = &rest[length..];
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_both_ways() {
        let parts = [&b"a/b"[..], b"", b"\xff %.~"];
        let text = encode(&parts, Slip::None);
        assert_eq!(text, "a%2Fb//%FF%20%25.%7E");
        assert_eq!(decode(&text, Slip::None).unwrap(), parts);
        assert_eq!(decode("", Slip::None).unwrap(), [b""]);
        for bad in ["%", "%2", "%2f", "%41", "é", " ", "%zz", "%é"] {
            assert_eq!(decode(bad, Slip::None), None, "{bad}");
        }
    }
}
