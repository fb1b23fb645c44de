//! Secrets: never blank, never printed, wiped when dropped.

use core::fmt;

use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

use crate::config_error::ConfigError;
use crate::encoding::decode_base64_secret;

/// A shared secret, as text from the sender's console or as raw key bytes.
///
/// It cannot be blank, prints nothing, and is wiped when dropped. It has no `Clone`, `PartialEq` or `Serialize`.
/// Text is decoded by the sender's own rule (`whsec_…` is text for Stripe and base64 for Standard Webhooks) when a
/// verifier is built; bytes are used as they are.
///
/// ```
/// use hookproof::Secret;
/// let secret = Secret::new("whsec_example")?.with_id("2026-11");
/// assert_eq!(secret.id(), Some("2026-11"));
/// assert_eq!(format!("{secret:?}"), "Secret { id: Some(\"2026-11\"), .. }");
/// assert!(Secret::new(" whsec_example").is_err());
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
pub struct Secret {
    material: Material,
    id: Option<Box<str>>,
}

enum Material {
    Text(Zeroizing<String>),
    Bytes(Zeroizing<Vec<u8>>),
}

impl Secret {
    /// A secret as the sender's console shows it.
    ///
    /// # Errors
    ///
    /// [`BadSecret`](crate::ConfigErrorKind::BadSecret) if the text is blank, or begins or ends with white space or a
    /// byte order mark, as happens with secrets read from files.
    pub fn new(text: &str) -> Result<Self, ConfigError> {
        if text.chars().all(char::is_whitespace) {
            return Err(ConfigError::secret(
                "the secret is blank; give the one that the sender's console shows",
            ));
        }
        refuse_zeros(text.as_bytes())?;
        let outer = |c: char| c.is_whitespace() || c == '\u{feff}';
        if text.starts_with(outer) || text.ends_with(outer) {
            return Err(ConfigError::secret(
                "the secret begins or ends with white space or a byte order mark; remove it, or give raw bytes if the key holds it",
            ));
        }
        Ok(Self { material: Material::Text(Zeroizing::new(text.to_owned())), id: None })
    }

    /// Raw key bytes, used as they are. Any bytes are allowed, blank ones too, but not none at all, and not only zeros:
    /// HMAC fills keys up with zeros, so such a key is the empty one, with which anyone can sign.
    ///
    /// # Errors
    ///
    /// [`BadSecret`](crate::ConfigErrorKind::BadSecret) if there are no bytes, or only zeros.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ConfigError> {
        Self::from_vec(bytes.to_vec())
    }

    fn from_vec(bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let bytes = Zeroizing::new(bytes);
        refuse_zeros(&bytes)?;
        if bytes.is_empty() {
            return Err(ConfigError::secret(
                "the secret has no bytes; give the key that the sender uses",
            ));
        }
        Ok(Self { material: Material::Bytes(bytes), id: None })
    }

    /// The same secret with an id of your choice, by which results name it, such as the month of its creation.
    #[must_use]
    pub fn with_id(mut self, id: &str) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The id, where one was given.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The key bytes, for a private sender's own [`prepare`](crate::Provider::prepare). Do not print or store them.
    #[must_use]
    pub fn expose_bytes(&self) -> &[u8] {
        match &self.material {
            Material::Text(text) => text.as_bytes(),
            Material::Bytes(bytes) => bytes,
        }
    }

    /// The text, where the secret was given as text and is not decoded yet.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.material {
            Material::Text(text) => Some(text),
            Material::Bytes(_) => None,
        }
    }
}

/// A key of zeros signs like no key at all (RFC 2104: keys are filled up with zeros).
///
/// Every byte is looked at, so that the one branch tells nothing but the answer. The check for constant time keeps it
/// apart from others.
#[cfg_attr(hookproof_ctgrind, inline(never))]
fn refuse_zeros(bytes: &[u8]) -> Result<(), ConfigError> {
    if !bytes.is_empty() && bytes.iter().fold(0, |all, byte| all | byte) == 0 {
        return Err(ConfigError::secret(
            "the secret is nothing but zero bytes, which sign like no key; give the key that the sender uses",
        ));
    }
    Ok(())
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("id", &self.id).finish_non_exhaustive()
    }
}

impl<'de> Deserialize<'de> for Secret {
    /// From a text, as [`Secret::new`]. The format must describe itself, as JSON, TOML and YAML do.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// What is said of a value that is no text.
        const NOT_TEXT: &str = "a secret is a text; put it in quotes";

        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Secret;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a secret as text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Secret, E> {
                Secret::new(text).map_err(E::custom)
            }

            // The default messages of other kinds of values hold the value.
            fn visit_bool<E: de::Error>(self, _: bool) -> Result<Secret, E> {
                Err(E::custom(NOT_TEXT))
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Secret, E> {
                Err(E::custom(NOT_TEXT))
            }

            fn visit_i128<E: de::Error>(self, _: i128) -> Result<Secret, E> {
                Err(E::custom(NOT_TEXT))
            }

            fn visit_u64<E: de::Error>(self, _: u64) -> Result<Secret, E> {
                Err(E::custom(NOT_TEXT))
            }

            fn visit_u128<E: de::Error>(self, _: u128) -> Result<Secret, E> {
                Err(E::custom(NOT_TEXT))
            }

            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Secret, E> {
                Err(E::custom(NOT_TEXT))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Secret, E> {
                Secret::new(&Zeroizing::new(text)).map_err(E::custom)
            }
        }

        // Asked for a text, deserializers report another kind of value themselves, with the value.
        deserializer.deserialize_any(Visitor)
    }
}

/// How the text of a sender's secret becomes key bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum KeyFormat {
    /// Standard base64, padding whole or absent, after this prefix if it is there.
    Base64 {
        /// The prefix that is taken off before decoding, such as `whsec_`; may be absent from the text.
        prefix: &'static str,
    },
    /// The text itself, in UTF-8.
    Text,
}

impl KeyFormat {
    /// Decodes the text of a secret.
    pub(crate) fn decode(self, text: &str) -> Result<Secret, ConfigError> {
        match self {
            Self::Text => Secret::new(text),
            Self::Base64 { prefix } => {
                let digits =
                    Secret::new(text).map(|_| text.strip_prefix(prefix).unwrap_or(text))?;
                let bytes = decode_base64_secret(digits).ok_or_else(|| {
                    ConfigError::secret("the secret is not base64; give it as the sender's console shows it, or as raw bytes")
                })?;
                Secret::from_vec(bytes)
            }
        }
    }
}
