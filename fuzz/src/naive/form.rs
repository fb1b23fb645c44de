//! URL-encoded forms, as bytes.

use super::Slip;

/// The decoded values of a field.
pub(super) fn values(body: &[u8], name: &str, slip: Slip) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    for field in body.split(|byte| *byte == b'&') {
        let mut halves = field.splitn(2, |byte| *byte == b'=');
        let own = halves.next().unwrap_or_default();
        let value = halves.next().unwrap_or_default();
        if decode(own, slip) == name.as_bytes() {
            values.push(decode(value, slip));
        }
    }
    values
}

/// `+` is a blank, `%` and two digits are a byte, everything else stays.
fn decode(text: &[u8], slip: Slip) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut rest = text;
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        let escaped = others.get(..2).and_then(|digits| hex::decode(digits).ok());
        match (first, escaped.as_deref()) {
            (b'%', Some([byte])) => {
                decoded.push(*byte);
                rest = &others[2..];
            }
            (b'+', _) if slip != Slip::PlusKept => decoded.push(b' '),
            _ => decoded.push(*first),
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_decoded_once() {
        assert_eq!(values(b"a=1&%61=+%2B%zz%&b=2&a", "a", Slip::None), [&b"1"[..], b" +%zz%", b""]);
        assert!(values(b"", "a", Slip::None).is_empty());
    }
}
