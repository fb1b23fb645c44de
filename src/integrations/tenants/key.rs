//! What a tenant is asked for by, and where it comes from: the head of a request, or a body that nobody has verified.

use core::fmt;
use std::sync::Arc;

/// The longest key that anybody is asked for. No sender has ids as long; what is longer is nobody's.
const MAX_KEY: usize = 256;

macro_rules! key {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Eq, Hash, PartialEq)]
        pub struct $name(Arc<str>);

        impl $name {
            pub(super) const fn new(key: Arc<str>) -> Self {
                Self(key)
            }

            /// The text, 1 to 256 bytes, that anybody may have sent.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

key! {
    /// Whom a request is for, by its path: what `{tenant}` stands for in a route such as `/hooks/{tenant}`, as it arrived and not
    /// decoded. Without such a part it is the whole path.
    ///
    /// No byte of the body is in it. See [`Resolve`](super::Resolve).
    Tenant
}

key! {
    /// Whom a request is for, by its body, **which nobody has verified**: anybody may have written it, and may have put any text
    /// here. Look it up and do nothing else with it. See [`Tenants::resolve_unverified`](super::Tenants::resolve_unverified).
    UnverifiedTenant
}

/// The body of a request **that nobody has verified**, for finding out whose keys to verify it with.
#[derive(Clone, Copy)]
pub struct UnverifiedBody<'a>(&'a [u8]);

impl<'a> UnverifiedBody<'a> {
    pub(super) const fn new(body: &'a [u8]) -> Self {
        Self(body)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text or the integer at this path in a JSON object, such as `account` or `data/merchant`. `None` if there is none, if
    /// the body cannot be read, or if the member or one above it is there twice: the tenant whose key it is verified with and
    /// the one that is read later must not be two.
    #[cfg(feature = "events")]
    #[must_use]
    pub fn member(self, path: &'static str) -> Option<String> {
        crate::events::member(self.0, path)
    }
}

impl fmt::Debug for UnverifiedBody<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnverifiedBody").field("length", &self.0.len()).finish_non_exhaustive()
    }
}

/// Whether somebody can be known by this key.
pub(super) fn is_key(key: &str) -> bool {
    !key.is_empty() && key.len() <= MAX_KEY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "events")]
    #[test]
    fn members_are_read_only_where_there_are_no_two_readings() {
        let member = |body: &str| UnverifiedBody::new(body.as_bytes()).member("account");
        assert_eq!(member(r#"{"id":"evt_1","account":"acct_1"}"#).as_deref(), Some("acct_1"));
        assert_eq!(member(r#"{"account":"a\u0062"}"#).as_deref(), Some("ab"));
        assert_eq!(member(r#"{"account":17}"#).as_deref(), Some("17"));
        for body in [
            "",
            "{}",
            "[]",
            r#"{"data":{"account":"acct_1"}}"#,
            r#"{"account":"acct_1","account":"acct_2"}"#,
            r#"{"account":"acct_1","acc\u006funt":"acct_2"}"#,
            r#"{"account":null}"#,
            r#"{"account":["acct_1"]}"#,
            r#"{"account":1.5}"#,
            r#"{"account":"acct_1"} {}"#,
            r#"{"account":"acct_1""#,
        ] {
            assert_eq!(member(body), None, "{body}");
        }
        assert_eq!(UnverifiedBody::new(b"{\"account\":\"\xff\"}").member("account"), None);
        let nested = UnverifiedBody::new(br#"{"data":{"merchant":"m1"}}"#);
        assert_eq!(nested.member("data/merchant").as_deref(), Some("m1"));
        assert_eq!(format!("{nested:?}"), "UnverifiedBody { length: 26, .. }");
    }

    #[test]
    fn keys_are_bounded() {
        assert!(is_key("a") && is_key(&"a".repeat(256)));
        assert!(!is_key("") && !is_key(&"a".repeat(257)));
    }
}
