//! What makes two deliveries of one key the same: a digest of the event's own bytes without what the sender changes on a
//! retry.

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::id::Digest;

/// Separates these digests from digests of plain bytes.
const DOMAIN: &[u8] = b"hookproof/content/1\0";

/// The members of an event that this sender changes on a retry.
///
/// The records of the senders name them, and this list repeats what the records say.
pub(crate) fn retry_members(provider: &str) -> &'static [&'static str] {
    match provider {
        "calendly" => &["retry_started_at"],
        "hubspot" => &["attemptNumber"],
        _ => &[],
    }
}

/// The digest of an event's bytes, without these top-level members.
///
/// Without any to leave out, and for what is not a JSON object, it is the SHA-256 of the bytes. Else it is over the
/// remaining members' names and raw value texts, each with its length, in order.
pub(crate) fn digest(raw: &[u8], without: &[&str]) -> Digest {
    if without.is_empty() {
        return Digest::of(raw);
    }
    let Ok(Members(members)) = serde_json::from_slice(raw) else {
        return Digest::of(raw);
    };
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    let mut field = |bytes: &[u8]| {
        hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(bytes);
    };
    for (Name(name), value) in &members {
        if !without.iter().any(|member| member.as_bytes() == name.as_ref()) {
            field(name);
            field(value.get().as_bytes());
        }
    }
    Digest::from_bytes(hash.finalize().into())
}

/// The top-level members of an object, doubled ones too, in order.
struct Members<'a>(Vec<(Name<'a>, &'a RawValue)>);

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'a> Visitor<'a> for Object {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Members<'a>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A member's name, decoded, as bytes: half of a surrogate pair is kept as it is.
struct Name<'a>(Cow<'a, [u8]>);

impl<'a> Deserialize<'a> for Name<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl<'a> Visitor<'a> for Bytes {
            type Value = Name<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_bytes<E>(self, name: &'a [u8]) -> Result<Name<'a>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_bytes<E>(self, name: &[u8]) -> Result<Name<'a>, E> {
                Ok(Name(Cow::Owned(name.to_vec())))
            }

            fn visit_borrowed_str<E>(self, name: &'a str) -> Result<Name<'a>, E> {
                Ok(Name(Cow::Borrowed(name.as_bytes())))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'a>, E> {
                Ok(Name(Cow::Owned(name.as_bytes().to_vec())))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATTEMPT: &[&str] = &["attemptNumber"];

    #[test]
    fn a_retry_has_the_content_of_the_first_attempt() {
        let first = br#"{"eventId":1,"attemptNumber":0,"propertyValue":"a"}"#;
        let retry = br#"{"eventId":1, "attemptNumber":9 ,"propertyValue":"a"}"#;
        assert_eq!(digest(first, ATTEMPT), digest(retry, ATTEMPT));
        let escaped = br#"{"eventId":1,"attempt\u004eumber":7,"propertyValue":"a"}"#;
        assert_eq!(digest(first, ATTEMPT), digest(escaped, ATTEMPT));
        assert_ne!(digest(first, &[]), digest(retry, &[]));
        assert_eq!(digest(first, &[]), Digest::of(first));
    }

    #[test]
    fn any_other_change_is_another_content() {
        let digests: Vec<Digest> = [
            r#"{"a":1,"b":2}"#,
            r#"{"b":2,"a":1}"#,
            r#"{"a":1,"b":2,"b":2}"#,
            r#"{"a":1,"b":"2"}"#,
            r#"{"a":1.0,"b":2}"#,
            r#"{"a1":"b2"}"#,
            r#"{"a":{"attemptNumber":1},"b":2}"#,
            r#"{"a":{"attemptNumber":2},"b":2}"#,
            r#"{}"#,
            r#"[]"#,
            r#"{"#,
            "",
        ]
        .iter()
        .map(|text| digest(text.as_bytes(), ATTEMPT))
        .collect();
        for (index, digest) in digests.iter().enumerate() {
            assert!(!digests[..index].contains(digest), "{index}");
        }
    }

    #[test]
    fn hostile_json_has_a_digest() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        let numbers = format!("{{\"a\":{},\"\\ud800\":1}}", "9".repeat(100_000));
        for text in [deep, numbers] {
            assert_eq!(digest(text.as_bytes(), ATTEMPT), digest(text.as_bytes(), ATTEMPT));
        }
        let _ = digest(b"{\"\xff\":1}", ATTEMPT);
    }
}
