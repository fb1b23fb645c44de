//! Names and numbers: endpoints, keys, digests, and the ids that a store gives.

use core::fmt;

use sha2::{Digest as _, Sha256};

/// The longest name of an endpoint, in bytes.
const MAX_ENDPOINT: usize = 128;
/// The longest key, in bytes.
const MAX_KEY: usize = 1024;

/// The name of an endpoint: the scope within which a key is unique.
///
/// One URL that one sender's subscription points to is one endpoint. Two subscriptions of one account are two endpoints,
/// since a sender may give them equal ids.
///
/// ```
/// use hookproof_inbox::EndpointId;
/// assert_eq!(EndpointId::new("billing/stripe")?.as_str(), "billing/stripe");
/// assert!(EndpointId::new("").is_err());
/// assert!(EndpointId::new("a b").is_err());
/// # Ok::<(), hookproof_inbox::NameError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct EndpointId(Box<str>);

impl EndpointId {
    /// An endpoint of this name: 1 to 128 of `A-Z a-z 0-9 - _ . : /`.
    ///
    /// # Errors
    ///
    /// A [`NameError`] if the name is empty, too long or holds another character.
    pub fn new(name: impl Into<Box<str>>) -> Result<Self, NameError> {
        let name = name.into();
        let fits = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'/')
        };
        if name.is_empty() || name.len() > MAX_ENDPOINT || !name.bytes().all(fits) {
            return Err(NameError(
                "the name of an endpoint is 1 to 128 of the characters A-Z a-z 0-9 - _ . : /",
            ));
        }
        Ok(Self(name))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The key of an event: equal for every delivery of it to one endpoint, and different for every other event.
///
/// It comes from [`Event::key`](hookproof::Event::key); a receiver without that may make its own.
///
/// ```
/// use hookproof_inbox::Key;
/// assert_eq!(Key::new("stripe/evt_1")?.as_str(), "stripe/evt_1");
/// assert!(Key::new("k".repeat(1025)).is_err());
/// # Ok::<(), hookproof_inbox::NameError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Key(Box<str>);

impl Key {
    /// A key of this text: 1 to 1,024 printable ASCII characters without blanks.
    ///
    /// # Errors
    ///
    /// A [`NameError`] if the text is empty, too long or holds another character.
    pub fn new(text: impl Into<Box<str>>) -> Result<Self, NameError> {
        let text = text.into();
        if text.is_empty()
            || text.len() > MAX_KEY
            || !text.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(NameError("a key is 1 to 1,024 printable ASCII characters without blanks"));
        }
        Ok(Self(text))
    }

    /// A key of what is kept aside. It holds a `~`, which no sender's key has; if it is too long, its digest stands for it.
    pub(crate) fn of_problem(text: &str) -> Self {
        if text.len() <= MAX_KEY {
            return Self(text.into());
        }
        Self(format!("~sha256/{}", Digest::of(text.as_bytes())).into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a name cannot be used. It does not repeat the name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NameError(&'static str);

impl NameError {
    pub(crate) const fn new(rule: &'static str) -> Self {
        Self(rule)
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for NameError {}

/// A SHA-256 digest.
///
/// ```
/// use hookproof_inbox::Digest;
/// let digest = Digest::of(b"abc");
/// assert!(digest.to_string().starts_with("ba7816bf"));
/// assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
/// ```
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Digest([u8; 32]);

impl Digest {
    /// A digest from its bytes, as a store keeps them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A digest from 64 lower-case hex digits; `None` if the text is anything else.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        if text.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Some(Self(bytes))
    }

    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub struct $name(u64);

        impl $name {
            /// The number as a store keeps it.
            #[must_use]
            pub const fn from_u64(number: u64) -> Self {
                Self(number)
            }

            /// The number.
            #[must_use]
            pub const fn as_u64(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

numbers! {
    /// The number of a stored delivery.
    DeliveryId;
    /// The number of a recorded event. Later events have higher numbers, with gaps.
    EventId;
    /// A fencing token: it grows with every claim of an event, and only the holder of the latest may finish it.
    Token;
}

impl Token {
    /// The token of an event that was never claimed.
    pub const NEVER: Self = Self(0);

    /// The token of the next claim.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bounded() {
        for good in ["a", "A-z_0.9:/x", &"e".repeat(128)] {
            assert!(EndpointId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "ä", "a\n", "a%", &"e".repeat(129)] {
            assert!(EndpointId::new(bad).is_err(), "{bad}");
        }
        for good in ["x", "stripe/evt_1", "github//%2F", &"k".repeat(1024)] {
            assert!(Key::new(good).is_ok(), "{good}");
        }
        for bad in ["", " ", "a b", "é", "a\0", &"k".repeat(1025)] {
            assert!(Key::new(bad).is_err(), "{bad}");
        }
        let rule = EndpointId::new("").unwrap_err().to_string();
        assert!(rule.starts_with("the name of an endpoint is 1 to 128"), "{rule}");
        let rule = Key::new("").unwrap_err().to_string();
        assert!(rule.starts_with("a key is 1 to 1,024"), "{rule}");
        assert_eq!(EndpointId::new("a/b").unwrap().to_string(), "a/b");
        assert_eq!(Key::new("a/b").unwrap().to_string(), "a/b");
    }

    #[test]
    fn digests_have_one_text() {
        let digest = Digest::of(b"");
        assert_eq!(
            digest.to_string(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
        assert_eq!(format!("{digest:?}"), format!("Digest({digest})"));
        let capitals = digest.to_string().to_uppercase();
        for bad in ["", "e3", capitals.as_str(), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(Digest::from_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn tokens_only_grow() {
        assert!(Token::NEVER < Token::NEVER.next());
        assert_eq!(Token::from_u64(u64::MAX).next(), Token::from_u64(u64::MAX));
    }
}
