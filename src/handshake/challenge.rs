//! What may be echoed.

use super::error::HandshakeErrorKind;

/// The longest challenge that is echoed, in bytes. The longest that a sender documents has 60 (Slack).
pub const MAX_CHALLENGE: usize = 256;

/// The challenge, if it can be nothing but one: no markup, no blank, no line end, and no colon, with which a message begins
/// that Slack and Zoom sign (`v0:`).
pub(super) fn echoed(bytes: Vec<u8>) -> Result<String, HandshakeErrorKind> {
    let harmless = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(byte);
    let fits = !bytes.is_empty() && bytes.len() <= MAX_CHALLENGE && bytes.iter().all(harmless);
    String::from_utf8(bytes).ok().filter(|_| fits).ok_or(HandshakeErrorKind::BadChallenge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_letters_digits_and_a_few_signs_of_one_line_is_echoed() {
        for byte in 0..=u8::MAX {
            let harmless = byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte);
            assert_eq!(echoed(vec![b'a', byte]).is_ok(), harmless, "{byte:#04x}");
        }
        assert!(echoed(Vec::new()).is_err());
        assert!(echoed(vec![b'a'; MAX_CHALLENGE]).is_ok());
        assert!(echoed(vec![b'a'; MAX_CHALLENGE + 1]).is_err());
    }
}
