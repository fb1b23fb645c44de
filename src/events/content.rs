//! What an event says, without what the sender changes on a retry.

use core::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::events::json::Name;

/// Keeps these digests apart from digests of bytes.
const DOMAIN: &[u8] = b"hookproof/content/1\0";

/// The digest of an event's bytes without these top-level members.
pub(super) fn digest(raw: &[u8], retry_members: &[&str]) -> [u8; 32] {
    let without = |raw| {
        let mut deserializer = serde_json::Deserializer::from_slice(raw);
        let digest = deserializer.deserialize_map(Members { retry_members }).ok()?;
        deserializer.end().ok().map(|()| digest)
    };
    match retry_members {
        [] => Sha256::digest(raw).into(),
        _ => without(raw).unwrap_or_else(|| Sha256::digest(raw).into()),
    }
}

struct Members<'m> {
    retry_members: &'m [&'m str],
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = [u8; 32];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<[u8; 32], A::Error> {
        let mut hash = Sha256::new_with_prefix(DOMAIN);
        while let Some(Name(name)) = map.next_key()? {
            let value: &'de RawValue = map.next_value()?;
            if self.retry_members.iter().any(|member| member.as_bytes() == &*name) {
                continue;
            }
            // Lengths keep the border between a name and its value.
            for part in [&*name, value.get().as_bytes()] {
                hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
                hash.update(part);
            }
        }
        Ok(hash.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::digest;

    #[test]
    fn retry_members_are_left_out_and_nothing_else() {
        let retry = &["attempt"][..];
        let first = digest(br#"{"id":1,"attempt":0,"text":"a"}"#, retry);
        assert_eq!(digest(br#"{"id":1,"attempt":7,"text":"a"}"#, retry), first);
        assert_eq!(digest(br#" {"id" : 1, "\u0061ttempt":7, "text":"a"}"#, retry), first);
        for other in [
            &br#"{"id":2,"attempt":0,"text":"a"}"#[..],
            br#"{"id":1,"text":"a","more":0}"#,
            br#"{"text":"a","id":1}"#,
            br#"{"id":1,"text":{"attempt":0}}"#,
            br#"{"i":"d","text":"a"}"#,
            br#"["id",1]"#,
            b"not json",
        ] {
            assert_ne!(digest(other, retry), first, "{}", String::from_utf8_lossy(other));
        }
        let whole = digest(br#"{"id":1,"attempt":0}"#, &[]);
        assert_ne!(digest(br#"{"id":1,"attempt":1}"#, &[]), whole);
        assert_eq!(digest(b"", retry), digest(b"", &[]));
        // Where nothing changes on a retry the digest is that of the bytes.
        for raw in [&br#"{"id":1,"attempt":0}"#[..], b"not json"] {
            assert_eq!(digest(raw, &[])[..], Sha256::digest(raw)[..]);
        }
    }
}
