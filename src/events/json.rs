//! Members of a JSON body, read in one pass without building a tree: watched paths are kept as slices of the body,
//! everything else is skipped.

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::events::key::MAX_KEY;

/// The deepest nesting that is read. `serde_json` skips without a limit, other readers do not.
const MAX_DEPTH: usize = 128;

/// The text of a body that may be JSON: UTF-8, not nested too deeply, and without a control character in a text, which
/// `serde_json` looks for in values and not in names.
pub(crate) fn text(body: &[u8]) -> Option<&str> {
    let text = core::str::from_utf8(body).ok()?;
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        if in_string {
            match byte {
                0..=0x1f => return None,
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => in_string = true,
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > MAX_DEPTH {
                return None;
            }
        }
    }
    Some(text)
}

/// The elements of an array, of which there may be at most `limit`; reading stops at one more, so that what is held
/// does not grow with the body.
pub(crate) fn elements(text: &str, limit: usize) -> Option<Vec<&str>> {
    struct Elements(usize);

    impl<'a> Visitor<'a> for Elements {
        type Value = Vec<&'a str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {} elements", self.0)
        }

        fn visit_seq<A: SeqAccess<'a>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
            let mut texts = Vec::new();
            while let Some(element) = elements.next_element::<&RawValue>()? {
                if texts.len() == self.0 {
                    return Err(A::Error::invalid_length(self.0, &self));
                }
                texts.push(element.get());
            }
            Ok(texts)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(text);
    let elements = deserializer.deserialize_seq(Elements(limit)).ok()?;
    deserializer.end().ok()?;
    Some(elements)
}

/// What stands at a watched path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Member<'a> {
    Absent,
    /// Above it stands something that is not an object; `null` is told apart.
    Misplaced {
        null: bool,
    },
    /// It, or something above it, is there more than once.
    Repeated,
    /// The text of the value.
    Value(&'a str),
}

/// The watched paths, and what was found at each.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    found: Vec<(&'static str, Member<'a>)>,
}

impl<'a> Members<'a> {
    /// Reads `text`, which is a JSON value; `None` if it is none.
    pub(crate) fn read(text: &'a str, paths: impl Iterator<Item = &'static str>) -> Option<Self> {
        let mut members = Self { found: Vec::new() };
        for path in paths {
            if !members.found.iter().any(|(own, _)| *own == path) {
                members.found.push((path, Member::Absent));
            }
        }
        let every: Vec<usize> = (0..members.found.len()).collect();
        members.value(text, &every, 0).ok()?;
        Some(members)
    }

    /// What stands at a path that was watched.
    pub(crate) fn at(&self, path: &str) -> Member<'a> {
        self.found
            .iter()
            .find(|(own, _)| *own == path)
            .map_or(Member::Absent, |(_, member)| *member)
    }

    /// Reads the value below which these paths go on at this level.
    fn value(
        &mut self,
        text: &'a str,
        paths: &[usize],
        level: usize,
    ) -> Result<(), serde_json::Error> {
        match text.trim_start_matches([' ', '\t', '\n', '\r']).as_bytes().first() {
            Some(b'{') => {
                let mut deserializer = serde_json::Deserializer::from_str(text);
                deserializer.deserialize_map(Level { members: self, paths, level })?;
                deserializer.end()
            }
            first => {
                serde_json::from_str::<IgnoredAny>(text)?;
                let null = first == Some(&b'n');
                self.mark(paths, Member::Misplaced { null });
                Ok(())
            }
        }
    }

    fn mark(&mut self, paths: &[usize], member: Member<'a>) {
        for index in paths {
            if let Some((_, own)) = self.found.get_mut(*index) {
                *own = member;
            }
        }
    }

    /// Notes a member's value: kept where a path ends here, read further where one goes on.
    fn member(
        &mut self,
        name: &[u8],
        paths: &[usize],
        level: usize,
        seen: &mut Vec<usize>,
    ) -> (Vec<usize>, Vec<usize>) {
        let (mut ends, mut goes_on) = (Vec::new(), Vec::new());
        let mut repeated = Vec::new();
        for &index in paths {
            let Some((path, _)) = self.found.get(index) else { continue };
            let mut rest = path.split('/').skip(level);
            if rest.next().map(str::as_bytes) != Some(name) {
                continue;
            }
            if seen.contains(&index) {
                repeated.push(index);
            } else if rest.next().is_none() {
                ends.push(index);
            } else {
                goes_on.push(index);
            }
        }
        self.mark(&repeated, Member::Repeated);
        seen.extend(ends.iter().chain(&goes_on));
        (ends, goes_on)
    }
}

/// One object on the way to the watched paths.
struct Level<'m, 'a> {
    members: &'m mut Members<'a>,
    paths: &'m [usize],
    level: usize,
}

impl<'a> Visitor<'a> for Level<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            let (ends, goes_on) = self.members.member(&name, self.paths, self.level, &mut seen);
            if ends.is_empty() && goes_on.is_empty() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: &'a RawValue = map.next_value()?;
            self.members.mark(&ends, Member::Value(value.get()));
            if !goes_on.is_empty() {
                self.members
                    .value(value.get(), &goes_on, self.level + 1)
                    .map_err(A::Error::custom)?;
            }
        }
        Ok(())
    }
}

/// A member's name, as bytes: half of a surrogate pair in a name that is not watched is nobody's fault.
pub(super) struct Name<'a>(pub(super) Cow<'a, [u8]>);

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

/// The text of a JSON integer in canonical decimal.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    match digits {
        [] => false,
        [b'0'] => !text.starts_with('-'),
        [b'0', ..] => false,
        digits => digits.iter().all(u8::is_ascii_digit),
    }
}

/// The text of a JSON string, decoded; `None` if it holds half of a surrogate pair or is no string.
pub(crate) fn decoded(text: &str) -> Option<String> {
    text.starts_with('"').then(|| serde_json::from_str(text).ok())?
}

/// The integers of a JSON array, joined by commas; `None` if it is no array of integers, or of more than any key holds.
pub(super) fn integers(text: &str) -> Option<String> {
    let integers = elements(text, MAX_KEY)?;
    integers.iter().all(|integer| is_integer(integer)).then(|| integers.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(text: &'a str, path: &'static str) -> Option<Member<'a>> {
        Members::read(text, [path, "other", "a/b/d"].into_iter()).map(|members| members.at(path))
    }

    #[test]
    fn watched_paths_are_found_at_any_level() {
        assert_eq!(at(r#"{"x":[1],"a":{"b":{"c":7}}}"#, "a/b/c"), Some(Member::Value("7")));
        assert_eq!(
            at(r#" {"\u0061" : {"b":{"c" : [1, 2] }}} "#, "a/b/c"),
            Some(Member::Value("[1, 2]"))
        );
        assert_eq!(at(r#"{"a":{"b":{}}}"#, "a/b/c"), Some(Member::Absent));
        assert_eq!(at(r#"{"a":{"b":null}}"#, "a/b/c"), Some(Member::Misplaced { null: true }));
        assert_eq!(at(r#"{"a":7}"#, "a/b/c"), Some(Member::Misplaced { null: false }));
        assert_eq!(at("[]", "a/b/c"), Some(Member::Misplaced { null: false }));
        for twice in [
            r#"{"a":{"b":{"c":1,"c":1}}}"#,
            r#"{"a":{"b":{"c":1}},"a":1}"#,
            r#"{"a":1,"a":{"b":{"c":1}}}"#,
            r#"{"a":{"b":{},"b":{"c":1}}}"#,
        ] {
            assert_eq!(at(twice, "a/b/c"), Some(Member::Repeated), "{twice}");
        }
        for not_json in [
            "",
            "{",
            r#"{"a":{"b":{"c":1}}}x"#,
            r#"{"a":{"b":{"c":01}}}"#,
            "\u{feff}{}",
            r#"{"a":tru}"#,
        ] {
            assert_eq!(at(not_json, "a/b/c"), None, "{not_json}");
        }
        assert_eq!(
            at(r#"{"\ud800":"\ud800","a":{"b":{"c":1}}}"#, "a/b/c"),
            Some(Member::Value("1"))
        );
    }

    #[test]
    fn nesting_and_encoding_are_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(text(nested(128).as_bytes()).is_some());
        assert!(text(nested(129).as_bytes()).is_none());
        assert!(
            text(format!("\"\\\"{}\"", nested(200)).as_bytes()).is_some(),
            "brackets in strings do not nest"
        );
        assert!(text(b"\"\xff\"").is_none());
        for control in ["{\"a\u{7}\":1}", "{\"a\":\"\n\"}", "{\"\\\u{1f}\":1}"] {
            assert!(text(control.as_bytes()).is_none(), "{control:?}");
        }
        assert!(text("{\n\t\"a\u{7f}\": 1\r}".as_bytes()).is_some());
    }

    #[test]
    fn integers_are_canonical() {
        for good in ["0", "7", "-7", "123456789012345678901234567890"] {
            assert!(is_integer(good), "{good}");
        }
        for bad in ["", "-", "-0", "00", "01", "1.0", "1e3", "\"1\"", "null"] {
            assert!(!is_integer(bad), "{bad}");
        }
        assert_eq!(integers("[1, -2]").as_deref(), Some("1,-2"));
        assert_eq!(integers("[]").as_deref(), Some(""));
        for bad in ["[1.5]", "[\"1\"]", "7", "{}", "[[1]]"] {
            assert_eq!(integers(bad), None, "{bad}");
        }
        assert_eq!(decoded(r#""\u0065vt""#).as_deref(), Some("evt"));
        assert_eq!(decoded(r#""\ud800""#), None);
        assert_eq!(decoded("7"), None);
    }
}
