//! The grammars of signature headers, read strictly and in one pass; candidates go straight into the plan.

use memchr::memchr;

use crate::error::ErrorKind;
use crate::header::trim_start;
use crate::plan::MacPlan;
use crate::time::canonical_decimal;

/// The most items of any kind in one signature header, empty ones counted. Real headers hold a handful.
const MAX_ITEMS: usize = 64;
/// The longest word before `=` that counts as a version's name.
pub(crate) const MAX_WORD: usize = 16;

/// How a sender writes the value of its signature header.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Grammar {
    /// The value is one signature.
    Whole,
    /// A word with its `=`, such as `sha256=`, then one signature.
    Prefixed(&'static str),
    /// `key=value` items at a separator, one of them the time: `t=1700000000,v1=…,v1=…`. Blanks after a separator are
    /// dropped, items without `=` and unknown keys are skipped.
    Pairs {
        /// The byte between two items.
        separator: u8,
        /// The key of the time, which must stand there exactly once.
        time: &'static str,
        /// The keys of signatures; any item of them may be the right one.
        signatures: &'static [&'static str],
    },
    /// `version,signature` items at a separator: `v1,… v1,…`. Other versions and items without a comma are skipped.
    List {
        /// The byte between two items.
        separator: u8,
        /// The accepted version.
        version: &'static str,
    },
}

/// A time as the sender wrote it: the text, which is what is signed, and its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeText<'h> {
    pub(crate) text: &'h [u8],
    pub(crate) value: u64,
}

impl<'h> TimeText<'h> {
    #[inline]
    pub(crate) fn read(text: &'h [u8]) -> Result<Self, ErrorKind> {
        match canonical_decimal(text) {
            Some(value) => Ok(Self { text, value }),
            None => Err(ErrorKind::MalformedHeader),
        }
    }
}

/// Reads `value`, adds its candidates to the last source of `plan`, and returns the time, where the grammar holds one.
#[inline]
pub(crate) fn read<'h>(
    grammar: &Grammar,
    value: &'h [u8],
    plan: &mut MacPlan<'h>,
) -> Result<Option<TimeText<'h>>, ErrorKind> {
    match grammar {
        Grammar::Whole => {
            plan.candidate(0, value.len());
            Ok(None)
        }
        Grammar::Prefixed(prefix) => prefixed(prefix.as_bytes(), value, plan).map(|()| None),
        Grammar::Pairs { separator, time, signatures } => {
            pairs(*separator, time.as_bytes(), signatures, value, plan).map(Some)
        }
        Grammar::List { separator, version } => {
            list(*separator, version.as_bytes(), value, plan).map(|()| None)
        }
    }
}

#[inline]
fn prefixed<'h>(prefix: &[u8], value: &'h [u8], plan: &mut MacPlan<'h>) -> Result<(), ErrorKind> {
    if value.starts_with(prefix) {
        plan.candidate(prefix.len(), value.len() - prefix.len());
        return Ok(());
    }
    let word = value
        .iter()
        .take(MAX_WORD + 1)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .count();
    if (1..=MAX_WORD).contains(&word) && value.get(word) == Some(&b'=') {
        Err(ErrorKind::UnsupportedVersion)
    } else {
        Err(ErrorKind::MalformedHeader)
    }
}

fn pairs<'h>(
    separator: u8,
    time_key: &[u8],
    signature_keys: &[&str],
    value: &'h [u8],
    plan: &mut MacPlan<'h>,
) -> Result<TimeText<'h>, ErrorKind> {
    let mut time: Option<TimeText<'h>> = None;
    let mut candidates = 0usize;
    let mut overflow = false;
    let mut items = 0usize;
    let mut start = 0usize;
    loop {
        let rest = value.get(start..).unwrap_or_default();
        if items == MAX_ITEMS {
            // More items than are allowed: only a fault of the time could still come first.
            time_beyond_the_cap(separator, time_key, rest, time.is_some())?;
            return Err(ErrorKind::TooManySignatures);
        }
        items += 1;
        let length = memchr(separator, rest).unwrap_or(rest.len());
        let item = trim_start(rest.get(..length).unwrap_or_default());
        if let Some(text) = after_key(item, time_key) {
            if time.replace(TimeText::read(text)?).is_some() {
                return Err(ErrorKind::MalformedHeader);
            }
        } else if let Some(text) =
            signature_keys.iter().find_map(|key| after_key(item, key.as_bytes()))
        {
            candidates += 1;
            overflow |= !plan.candidate(start + length - text.len(), text.len());
        }
        if length == rest.len() {
            break;
        }
        start += length + 1;
    }
    let time = time.ok_or(ErrorKind::MalformedHeader)?;
    if overflow {
        Err(ErrorKind::TooManySignatures)
    } else if candidates == 0 {
        Err(ErrorKind::UnsupportedVersion)
    } else {
        Ok(time)
    }
}

/// What follows `key=` if the item begins so.
#[inline]
fn after_key<'h>(item: &'h [u8], key: &[u8]) -> Option<&'h [u8]> {
    // The `=` first: it settles most items without a comparison of keys, which are too short for a call of `memcmp`.
    match item.split_at_checked(key.len())? {
        (start, [b'=', value @ ..]) if start.iter().eq(key) => Some(value),
        _ => None,
    }
}

/// Looks for the time among the items beyond the cap. Goes from byte to byte, not from item to item: there may be thousands
/// of them, most of them empty.
#[cold]
fn time_beyond_the_cap(
    separator: u8,
    key: &[u8],
    rest: &[u8],
    mut seen: bool,
) -> Result<(), ErrorKind> {
    // Where the item begins, its blanks passed over.
    let mut start = 0usize;
    for (index, &byte) in rest.iter().enumerate() {
        if byte == separator || (index == start && matches!(byte, b' ' | b'\t')) {
            start = index + 1;
        } else if byte == b'='
            && index - start == key.len()
            && let Some(text) = rest.get(start..).and_then(|item| after_key(item, key))
        {
            let end = memchr(separator, text).unwrap_or(text.len());
            TimeText::read(text.get(..end).unwrap_or_default())?;
            if seen {
                return Err(ErrorKind::MalformedHeader);
            }
            seen = true;
        }
    }
    if seen { Ok(()) } else { Err(ErrorKind::MalformedHeader) }
}

fn list<'h>(
    separator: u8,
    version: &[u8],
    value: &'h [u8],
    plan: &mut MacPlan<'h>,
) -> Result<(), ErrorKind> {
    let mut versions = 0usize;
    let mut candidates = 0usize;
    let mut overflow = false;
    let mut items = 0usize;
    let mut start = 0usize;
    loop {
        let rest = value.get(start..).unwrap_or_default();
        if items == MAX_ITEMS {
            let well_formed = versions > 0 || memchr(b',', rest).is_some();
            return Err(if well_formed {
                ErrorKind::TooManySignatures
            } else {
                ErrorKind::MalformedHeader
            });
        }
        items += 1;
        let length = memchr(separator, rest).unwrap_or(rest.len());
        let item = rest.get(..length).unwrap_or_default();
        if let Some(comma) = memchr(b',', item) {
            versions += 1;
            if item.get(..comma) == Some(version) {
                candidates += 1;
                overflow |= !plan.candidate(start + comma + 1, length - comma - 1);
            }
        }
        if length == rest.len() {
            break;
        }
        start += length + 1;
    }
    if versions == 0 {
        Err(ErrorKind::MalformedHeader)
    } else if overflow {
        Err(ErrorKind::TooManySignatures)
    } else if candidates == 0 {
        Err(ErrorKind::UnsupportedVersion)
    } else {
        Ok(())
    }
}

/// What a grammar looks like in a table.
impl Grammar {
    /// Whether a delivery may carry several signatures.
    #[must_use]
    pub const fn takes_several(&self) -> bool {
        matches!(self, Self::Pairs { .. } | Self::List { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same item by item.
    fn naively(rest: &[u8], mut seen: bool) -> Result<(), ErrorKind> {
        for item in rest.split(|byte| *byte == b',') {
            if let Some(text) = trim_start(item).strip_prefix(b"to=") {
                TimeText::read(text)?;
                if seen {
                    return Err(ErrorKind::MalformedHeader);
                }
                seen = true;
            }
        }
        if seen { Ok(()) } else { Err(ErrorKind::MalformedHeader) }
    }

    #[test]
    fn a_time_beyond_the_cap_is_found_where_an_item_begins_with_it() {
        let words = [",", " ", "\t", "t", "o", "=", "to=", "to=1", ",to=1", "x"];
        for number in 0..10usize.pow(5) {
            let digits = (0..5).map(|place| number / 10usize.pow(place) % 10);
            let rest: String = digits.map(|digit| words[digit]).collect();
            for seen in [false, true] {
                let found = time_beyond_the_cap(b',', b"to", rest.as_bytes(), seen);
                assert_eq!(found, naively(rest.as_bytes(), seen), "{rest:?}, {seen}");
            }
        }
    }
}
