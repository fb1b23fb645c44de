//! Texts: header values, decimals, base64, URLs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Slip;

/// The longest value of a header that is read, outer blanks off.
const MAX_VALUE: usize = 8192;

/// The escapes that the documentation of HubSpot wants decoded before signing.
const ESCAPES: [(&str, char); 12] = [
    ("%3A", ':'),
    ("%2F", '/'),
    ("%3F", '?'),
    ("%40", '@'),
    ("%21", '!'),
    ("%24", '$'),
    ("%27", '\''),
    ("%28", '('),
    ("%29", ')'),
    ("%2A", '*'),
    ("%2C", ','),
    ("%3B", ';'),
];

/// A header of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Field {
    /// No line, or nothing but blanks.
    Absent,
    /// Why it cannot be read.
    Fault(&'static str),
    /// The value, outer blanks off.
    Value(Vec<u8>),
}

/// Reads a header, whose name is in lower case.
#[must_use]
pub(super) fn field(headers: &[(String, Vec<u8>)], name: &str, slip: Slip) -> Field {
    let mut values: Vec<&[u8]> = headers
        .iter()
        .filter(|(own, _)| own == name)
        .map(|(_, value)| if slip == Slip::BlanksKept { value } else { trim(value) })
        .collect();
    if slip == Slip::FirstLineWins {
        values.truncate(1);
    }
    if values.iter().all(|value| value.is_empty()) {
        Field::Absent
    } else if values.len() > 1 {
        Field::Fault("repeated-header")
    } else if values[0].len() > MAX_VALUE {
        Field::Fault("malformed-header")
    } else {
        Field::Value(values[0].to_vec())
    }
}

/// A value without spaces and tabs at its ends.
#[must_use]
pub fn trim(value: &[u8]) -> &[u8] {
    let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    match (value.iter().position(|byte| !blank(byte)), value.iter().rposition(|byte| !blank(byte)))
    {
        (Some(first), Some(last)) => &value[first..=last],
        _ => &[],
    }
}

/// A value without spaces and tabs at its start.
#[must_use]
pub(super) fn trim_start(value: &[u8]) -> &[u8] {
    let start = value.iter().position(|byte| *byte != b' ' && *byte != b'\t');
    &value[start.unwrap_or(value.len())..]
}

/// The two sides of the first such byte.
#[must_use]
pub(super) fn split_once(value: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let index = value.iter().position(|byte| *byte == at)?;
    Some((&value[..index], &value[index + 1..]))
}

/// A number of 1 to 19 digits that is printed the same way.
#[must_use]
pub(super) fn canonical_decimal(text: &[u8], slip: Slip) -> Option<u64> {
    let text = core::str::from_utf8(text).ok()?;
    let number: u64 = text.parse().ok()?;
    let canonical = number.to_string() == text && text.len() <= 19;
    (canonical || slip == Slip::LaxDecimal).then_some(number)
}

/// Decodes base64 that is padded, of the standard alphabet, and spelled as it would be encoded.
#[must_use]
pub(super) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text).ok()?;
    (STANDARD.encode(&bytes).as_bytes() == text).then_some(bytes)
}

/// The URL with the documented escapes decoded once, from left to right.
#[must_use]
pub fn decode_url(url: &str, slip: Slip) -> String {
    let mut decoded = String::new();
    let mut rest = url;
    while let Some(letter) = rest.chars().next() {
        let begins = |escape: &str| match rest.get(..escape.len()) {
            Some(start) if slip == Slip::AnyCaseEscapes => start.eq_ignore_ascii_case(escape),
            start => start == Some(escape),
        };
        let escape = ESCAPES.iter().find(|(escape, _)| begins(escape));
        let length = match escape {
            Some((escape, plain)) => {
                decoded.push(*plain);
                escape.len()
            }
            None => {
                decoded.push(letter);
                letter.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    if slip == Slip::BlankEscape { decoded.replace("%20", " ") } else { decoded }
}

/// The URL with the first character that has a documented escape written as that escape.
#[must_use]
pub(crate) fn escape_url(url: &str, from: usize) -> Option<String> {
    let (at, letter) = url
        .char_indices()
        .filter(|(at, _)| *at >= from)
        .find(|(_, letter)| escape_of(*letter).is_some())?;
    Some(format!("{}{}{}", &url[..at], escape_of(letter)?, &url[at + letter.len_utf8()..]))
}

fn escape_of(letter: char) -> Option<&'static str> {
    ESCAPES.iter().find(|(_, plain)| *plain == letter).map(|(escape, _)| *escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_canonical() {
        for (text, number) in [
            ("0", Some(0)),
            ("17", Some(17)),
            ("9999999999999999999", Some(9_999_999_999_999_999_999)),
        ] {
            assert_eq!(canonical_decimal(text.as_bytes(), Slip::None), number, "{text}");
        }
        for text in ["", "00", "01", "+1", "-1", " 1", "1 ", "1.0", "10000000000000000000", "１"] {
            assert_eq!(canonical_decimal(text.as_bytes(), Slip::None), None, "{text}");
        }
    }

    #[test]
    fn urls_are_decoded_once() {
        assert_eq!(decode_url("a%253Ab%3A%2Fé%3a%", Slip::None), "a%253Ab:/é%3a%");
        assert_eq!(escape_url("é:/", 3).as_deref(), Some("é:%2F"));
        assert_eq!(escape_url("é", 0), None);
    }

    #[test]
    fn base64_is_canonical() {
        assert_eq!(decode_base64(b"AQ==").as_deref(), Some(&[1][..]));
        for text in ["AQ", "AQ=", "AR==", "A_==", "AQ==\n"] {
            assert_eq!(decode_base64(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_field_is_absent_once_or_a_fault() {
        let headers = |values: &[&str]| -> Vec<(String, Vec<u8>)> {
            values.iter().map(|value| ("a".to_owned(), value.as_bytes().to_vec())).collect()
        };
        let read = |values: &[&str]| field(&headers(values), "a", Slip::None);
        assert_eq!(read(&[]), Field::Absent);
        assert_eq!(read(&[" ", "\t"]), Field::Absent);
        assert_eq!(read(&[" x\t"]), Field::Value(b"x".to_vec()));
        assert_eq!(read(&["x", ""]), Field::Fault("repeated-header"));
        assert_eq!(read(&[&"x".repeat(8193)]), Field::Fault("malformed-header"));
        assert_eq!(field(&headers(&["x"]), "b", Slip::None), Field::Absent);
    }
}
