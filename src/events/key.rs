//! The text of keys: parts that are percent-encoded and joined, so that no two lists of parts have one text.

/// The longest key, in bytes.
pub(super) const MAX_KEY: usize = 1024;

/// Appends a part: all bytes but `A–Z a–z 0–9 - _ .` percent-encoded in capital hex.
pub(super) fn push_part(key: &mut String, part: &[u8]) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    for &byte in part {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            key.push(char::from(byte));
        } else {
            let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or_default();
            key.extend(['%', digit(byte >> 4), digit(byte & 0xf)]);
        }
    }
}

/// The text of these parts.
pub(super) fn join<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut text = String::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            text.push('/');
        }
        push_part(&mut text, part);
    }
    text
}

/// The parts of a key's text, the sender's id first; `None` if this is not the text of a key.
///
/// ```
/// let parts = hookproof::key_parts("github//72d3162e-cc78").unwrap();
/// assert_eq!(parts, [&b"github"[..], b"", b"72d3162e-cc78"]);
/// assert!(hookproof::key_parts("github/%2f").is_none(), "escapes are in capitals");
/// ```
#[must_use]
pub fn key_parts(key: &str) -> Option<Vec<Vec<u8>>> {
    let parts: Option<Vec<Vec<u8>>> = key.split('/').map(decode).collect();
    // Only what would be written so is a key: nothing is escaped that need not be.
    parts.filter(|parts| join(parts.iter().map(Vec::as_slice)) == key)
}

fn decode(part: &str) -> Option<Vec<u8>> {
    let mut bytes = part.bytes();
    let mut decoded = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let digit =
            |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
        decoded.push((high << 4) | low);
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_parts_has_a_text_of_its_own() {
        let lists: [&[&[u8]]; 8] = [
            &[b"a", b"b/c"],
            &[b"a/b", b"c"],
            &[b"a", b"b", b"c"],
            &[b"a%2Fb", b"c"],
            &[b"", b""],
            &[b""],
            &[b"\xff\x00 ~", "é".as_bytes()],
            &[b"A-Z_a.z0"],
        ];
        let mut texts = Vec::new();
        for list in lists {
            let text = join(list.iter().copied());
            assert_eq!(key_parts(&text).unwrap(), list);
            assert!(!texts.contains(&text), "{text}");
            texts.push(text);
        }
        for not_a_key in ["a%", "a%2", "a%zz", "%61", "a b", "%2f"] {
            assert_eq!(key_parts(not_a_key), None, "{not_a_key}");
        }
    }
}
