//! Fields of a URL-encoded form, as bytes: the usual decoders replace what is not UTF-8.

/// The decoded values of a field, in their order.
pub(crate) fn values<'a>(body: &'a [u8], name: &'a str) -> impl Iterator<Item = Vec<u8>> + 'a {
    body.split(|byte| *byte == b'&').filter_map(move |field| {
        let mut halves = field.splitn(2, |byte| *byte == b'=');
        let own = halves.next()?;
        (decode(own) == name.as_bytes()).then(|| decode(halves.next().unwrap_or_default()))
    })
}

/// `+` becomes a blank and `%` with two hex digits a byte; other `%` stay as they are.
fn decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| {
        byte.and_then(|byte| char::from(*byte).to_digit(16))
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'+' => decoded.push(b' '),
            b'%' => match (digit(text.get(at)), digit(text.get(at + 1))) {
                (Some(high), Some(low)) => {
                    decoded.push((high << 4) | low);
                    at += 2;
                }
                _ => decoded.push(b'%'),
            },
            byte => decoded.push(byte),
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn fields_are_decoded_as_bytes() {
        let get = |body: &[u8], name| values(body, name).collect::<Vec<_>>();
        assert_eq!(get(b"action=a+b%2Fc&id=7", "action"), [b"a b/c"]);
        assert_eq!(get(b"i%64=7&id=%ff%", "id"), [&b"7"[..], b"\xff%"]);
        assert_eq!(get(b"id&x=1&=2", "id"), [b""]);
        assert_eq!(get(b"id=a=b", "id"), [b"a=b"]);
        assert_eq!(get(b"id=%4", "id"), [b"%4"]);
        assert!(get(b"", "id").is_empty());
    }
}
