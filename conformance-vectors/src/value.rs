//! Values that a vector writes as text or, where they are not text, in another form.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A secret of the receiver.
///
/// Serialises to the form in which the vector wrote it. A vector's secrets are public, so `Debug` shows
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Secret {
    /// The text that the sender's console shows; the sender's own rule turns it into key bytes.
    Text(String),
    /// Key bytes, written as `{"base64": "…"}`.
    Base64(Vec<u8>),
    /// Key bytes, written as `{"hex": "…"}`.
    Hex(Vec<u8>),
    /// A public key, written as `{"pem": "…"}`.
    Pem(String),
    /// A set of public keys, written as `{"jwks": {…}}`.
    Jwks(serde_json::Value),
}

/// The value of a header, as the HTTP layer hands it over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderValue {
    /// Printable ASCII, blanks and tabs.
    Text(String),
    /// Other bytes, written as `{"base64": "…"}`.
    Base64(Vec<u8>),
}

impl HeaderValue {
    /// The value as bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Base64(bytes) => bytes,
        }
    }
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body {
    /// A text, in UTF-8: `body`.
    Text(String),
    /// Other bytes: `bodyBase64`.
    Base64(Vec<u8>),
    /// A text over and over: `body` with `repeat` and `times`.
    #[non_exhaustive]
    Repeat {
        /// The text.
        unit: String,
        /// How often it stands.
        times: usize,
    },
}

impl Body {
    /// The longest body that a vector may describe by repetition: 64 MiB.
    pub const MAX_REPEATED: usize = 64 << 20;

    /// The body as bytes.
    #[must_use]
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_bytes()),
            Self::Base64(bytes) => Cow::Borrowed(bytes),
            Self::Repeat { unit, times } => Cow::Owned(unit.repeat(*times).into_bytes()),
        }
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Base64(bytes) => bytes.len(),
            Self::Repeat { unit, times } => unit.len().saturating_mul(*times),
        }
    }

    /// Whether the body has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Form;

        impl<'de> Visitor<'de> for Form {
            type Value = Secret;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or an object with one of base64, hex, pem, jwks")
            }

            fn visit_str<E>(self, text: &str) -> Result<Secret, E> {
                Ok(Secret::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Secret, A::Error> {
                match SecretForm::deserialize(MapAccessDeserializer::new(map))? {
                    SecretForm::Base64(text) => from_base64(&text).map(Secret::Base64),
                    SecretForm::Hex(text) => from_hex(&text).map(Secret::Hex),
                    SecretForm::Pem(text) => Ok(Secret::Pem(text)),
                    SecretForm::Jwks(keys) if keys.is_object() => Ok(Secret::Jwks(keys)),
                    SecretForm::Jwks(_) => Err(de::Error::custom("a set of keys is an object")),
                }
            }
        }

        reader.deserialize_any(Form)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Self::Text(text) => return writer.serialize_str(text),
            Self::Base64(bytes) => SecretForm::Base64(STANDARD.encode(bytes)),
            Self::Hex(bytes) => SecretForm::Hex(hex::encode(bytes)),
            Self::Pem(text) => SecretForm::Pem(text.clone()),
            Self::Jwks(keys) => SecretForm::Jwks(keys.clone()),
        };
        form.serialize(writer)
    }
}

impl<'de> Deserialize<'de> for HeaderValue {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Form;

        impl<'de> Visitor<'de> for Form {
            type Value = HeaderValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or an object with base64")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<HeaderValue, E> {
                if text.bytes().all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte)) {
                    Ok(HeaderValue::Text(text.to_owned()))
                } else {
                    Err(E::custom(
                        "a header value as text is printable ASCII, blanks and tabs; write other bytes as base64",
                    ))
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HeaderValue, A::Error> {
                let HeaderForm::Base64(text) =
                    HeaderForm::deserialize(MapAccessDeserializer::new(map))?;
                let bytes = from_base64(&text)?;
                if bytes.iter().any(|byte| matches!(byte, b'\0' | b'\r' | b'\n')) {
                    return Err(de::Error::custom(
                        "HTTP cannot carry CR, LF or NUL in a header value",
                    ));
                }
                Ok(HeaderValue::Base64(bytes))
            }
        }

        reader.deserialize_any(Form)
    }
}

impl Serialize for HeaderValue {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => writer.serialize_str(text),
            Self::Base64(bytes) => HeaderForm::Base64(STANDARD.encode(bytes)).serialize(writer),
        }
    }
}

/// What stands in the member `body`.
#[derive(Debug)]
pub(crate) enum BodyText {
    Text(String),
    Repeat { unit: String, times: usize },
}

impl<'de> Deserialize<'de> for BodyText {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Form;

        impl<'de> Visitor<'de> for Form {
            type Value = BodyText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or an object with repeat and times")
            }

            fn visit_str<E>(self, text: &str) -> Result<BodyText, E> {
                Ok(BodyText::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BodyText, A::Error> {
                let RepeatForm { repeat, times } =
                    RepeatForm::deserialize(MapAccessDeserializer::new(map))?;
                if repeat.len().saturating_mul(times) > Body::MAX_REPEATED {
                    return Err(de::Error::custom("a repeated body is at most 64 MiB"));
                }
                Ok(BodyText::Repeat { unit: repeat, times })
            }
        }

        reader.deserialize_any(Form)
    }
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
enum SecretForm {
    Base64(String),
    Hex(String),
    Pem(String),
    Jwks(serde_json::Value),
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
enum HeaderForm {
    Base64(String),
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatForm {
    repeat: String,
    times: usize,
}

/// Canonical base64 of the standard alphabet, padded.
pub(crate) fn from_base64<E: de::Error>(text: &str) -> Result<Vec<u8>, E> {
    STANDARD
        .decode(text)
        .map_err(|error| E::custom(format_args!("not padded standard base64: {error}")))
}

fn from_hex<E: de::Error>(text: &str) -> Result<Vec<u8>, E> {
    hex::decode(text).map_err(|error| E::custom(format_args!("not hex: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{Body, HeaderValue, Secret};

    #[test]
    fn secrets_in_all_forms() {
        for text in [
            r#""whsec_x""#,
            r#"{"base64":"AP8="}"#,
            r#"{"hex":"00ff"}"#,
            r#"{"pem":"x"}"#,
            r#"{"jwks":{"keys":[]}}"#,
        ] {
            let secret: Secret = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&secret).unwrap(), text);
        }
        for text in [
            r#"{"base64":"AP8"}"#,
            r#"{"hex":"0"}"#,
            r#"{"hex":"00","pem":"x"}"#,
            "{}",
            "1",
            r#"{"text":"x"}"#,
        ] {
            assert!(serde_json::from_str::<Secret>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn header_values_are_ascii_or_base64() {
        let value: HeaderValue = serde_json::from_str(r#"{"base64":"/w=="}"#).unwrap();
        assert_eq!(value.bytes(), b"\xff");
        let value: HeaderValue = serde_json::from_str(r#""a\tb""#).unwrap();
        assert_eq!(value.bytes(), b"a\tb");
        for text in
            [r#""ä""#, r#""a\n""#, r#""a\u007f""#, r#"{"base64":"Cg=="}"#, r#"{"hex":"00"}"#, "[]"]
        {
            assert!(serde_json::from_str::<HeaderValue>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_repeated_body_has_the_length_it_says() {
        let body = Body::Repeat { unit: "ab".into(), times: 3 };
        assert_eq!((&*body.bytes(), body.len()), (&b"ababab"[..], 6));
    }
}
