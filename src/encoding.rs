//! Decoding of candidate signatures, strictly, and comparison of decoded bytes in constant time.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use subtle::{Choice, ConstantTimeEq};

/// How a sender writes its signature.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Encoding {
    /// Canonical base64 of the standard alphabet, padded (RFC 4648, section 4).
    Base64,
    /// Hexadecimal digits of either case, two a byte.
    Hex,
}

impl Encoding {
    /// The encoding's usual name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Hex => "hex",
        }
    }

    /// Decodes a candidate of exactly `N` bytes into `out`; `false` if it is anything else, `out` being then arbitrary.
    ///
    /// The text is the sender's, so its decoding may take a time that depends on it.
    #[inline]
    pub(crate) fn decode<const N: usize>(self, text: &[u8], out: &mut [u8; N]) -> bool {
        match self {
            Self::Hex => decode_hex(text, out),
            Self::Base64 => decode_base64(text, out),
        }
    }

    /// The text of a signature.
    #[cfg(feature = "sign")]
    pub(crate) fn encode(self, bytes: &[u8]) -> String {
        match self {
            Self::Base64 => STANDARD.encode(bytes),
            Self::Hex => hex::encode(bytes),
        }
    }
}

/// Own decoding of hex digits: `hex` takes as long as a compression of the hash function.
///
/// Both digits of a byte are worked on at once, in the two halves of a word, without a branch; no sum carries from one
/// half into the other, since every half is below 0x80 first. A compiler turns the loop into vector instructions.
#[inline]
fn decode_hex<const N: usize>(text: &[u8], out: &mut [u8; N]) -> bool {
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return false;
    }
    let mut bad = 0u16;
    for (byte, pair) in out.iter_mut().zip(pairs) {
        let digits = u16::from_le_bytes(*pair);
        let ascii = digits & 0x7f7f;
        // The top bit of each half: set unless the half is `0` to `9`.
        let not_decimal = (ascii ^ 0x3030).wrapping_add(0x7676);
        // Letters of either case become 1 to 6; the top bit of each half: set if it is one of these.
        let letter = (ascii | 0x2020) ^ 0x6060;
        let is_letter = letter.wrapping_add(0x7f7f) & !letter.wrapping_add(0x7979);
        bad |= digits | (not_decimal & !is_letter);
        let values = (ascii & 0x0f0f) + ((is_letter & 0x8080) >> 7) * 9;
        let [value, _] = ((values << 4) | (values >> 8)).to_le_bytes();
        *byte = value;
    }
    bad & 0x8080 == 0
}

#[inline]
fn decode_base64<const N: usize>(text: &[u8], out: &mut [u8; N]) -> bool {
    // The decoder wants room for what the length alone allows, up to two bytes more than there are.
    let mut buffer = [0u8; 66];
    if text.len() != N.div_ceil(3) * 4 || text.len() > 88 {
        return false;
    }
    match STANDARD.decode_slice(text, &mut buffer) {
        Ok(length) if length == N => match buffer.first_chunk::<N>() {
            Some(bytes) => {
                *out = *bytes;
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// Decodes a base64 secret: standard alphabet, padding whole or absent, unused bits zero.
pub(crate) fn decode_base64_secret(text: &str) -> Option<Vec<u8>> {
    let engine = if text.ends_with('=') { STANDARD } else { STANDARD_NO_PAD };
    // Sized beforehand, so that no copy of the secret is left behind by growing.
    let mut bytes = Vec::with_capacity(text.len());
    match engine.decode_vec(text, &mut bytes) {
        Ok(()) => Some(bytes),
        Err(_) => {
            zeroize::Zeroize::zeroize(&mut bytes);
            None
        }
    }
}

/// Compares in constant time, eight bytes at a step: the words are folded without a branch and the result judged by `subtle`.
#[inline]
pub(crate) fn equal<const N: usize>(left: &[u8; N], right: &[u8; N]) -> Choice {
    let (left_words, left_rest) = left.as_chunks::<8>();
    let (right_words, right_rest) = right.as_chunks::<8>();
    let mut difference = 0u64;
    for (left, right) in left_words.iter().zip(right_words) {
        difference |= u64::from_ne_bytes(*left) ^ u64::from_ne_bytes(*right);
    }
    for (left, right) in left_rest.iter().zip(right_rest) {
        difference |= u64::from(left ^ right);
    }
    difference.ct_eq(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_takes_either_case_and_exact_length() {
        let mut out = [0u8; 4];
        assert!(Encoding::Hex.decode(b"00ffA9be", &mut out));
        assert_eq!(out, [0x00, 0xff, 0xa9, 0xbe]);
        for bad in [
            "00ffA9b",
            "00ffA9be0",
            "00ffA9be00",
            "00ffA9bg",
            "00ffA9b ",
            "0x00ffA9",
            "",
            "00ff a9b",
        ] {
            assert!(!Encoding::Hex.decode(bad.as_bytes(), &mut out), "{bad:?}");
        }
        for byte in 0..=u8::MAX {
            let value = char::from(byte).to_digit(16);
            let low = Encoding::Hex
                .decode(&[b'0', b'0', b'F', byte, b'0', b'0', b'0', b'0'], &mut out)
                .then_some(out[1]);
            assert_eq!(low.map(u32::from), value.map(|value| 0xf0 | value), "{byte}");
            let high = Encoding::Hex
                .decode(&[b'0', b'0', byte, b'f', b'0', b'0', b'0', b'0'], &mut out)
                .then_some(out[1]);
            assert_eq!(high.map(u32::from), value.map(|value| value << 4 | 0xf), "{byte}");
        }
    }

    #[test]
    fn base64_is_canonical_and_padded() {
        let mut out = [0u8; 32];
        let good = STANDARD.encode([0xfbu8; 32]);
        assert!(Encoding::Base64.decode(good.as_bytes(), &mut out));
        assert_eq!(out, [0xfb; 32]);
        let unpadded = good.trim_end_matches('=');
        let url_safe = good.replace('+', "-").replace('/', "_");
        let last_bits = format!("{}t=", unpadded.get(..42).unwrap());
        for bad in [
            unpadded,
            url_safe.as_str(),
            last_bits.as_str(),
            "",
            "====",
            &format!("{good}="),
            &format!(" {good}"),
        ] {
            assert!(!Encoding::Base64.decode(bad.as_bytes(), &mut out), "{bad:?}");
        }
        let mut out = [0u8; 64];
        assert!(Encoding::Base64.decode(STANDARD.encode([7u8; 64]).as_bytes(), &mut out));
    }

    #[test]
    fn equality_sees_every_bit() {
        let left = [0x5au8; 20];
        assert!(bool::from(equal(&left, &left)));
        for bit in 0..160 {
            let mut right = left;
            right[bit / 8] ^= 1 << (bit % 8);
            assert!(!bool::from(equal(&left, &right)), "{bit}");
        }
    }

    #[test]
    fn base64_secrets_have_whole_padding_or_none() {
        assert_eq!(decode_base64_secret("AQID").unwrap(), [1, 2, 3]);
        assert_eq!(decode_base64_secret("AQ==").unwrap(), [1]);
        assert_eq!(decode_base64_secret("AQ").unwrap(), [1]);
        for bad in ["AQ=", "AR==", "AR", "A", "AQI-", "A QI", "AQID\n"] {
            assert_eq!(decode_base64_secret(bad), None, "{bad:?}");
        }
    }
}
