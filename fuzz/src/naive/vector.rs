//! Which texts are vector files: the members that there are, and what each may be.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Slip;
use super::json::{Node, Value};

/// The deepest nesting of a file.
const MAX_DEPTH: usize = 127;
/// The longest body by repetition.
const MAX_REPEATED: u128 = 64 << 20;

/// The number of vectors of a file; nothing if the text is none.
#[must_use]
pub fn count(text: &str, slip: Slip) -> Option<usize> {
    let file = Node::read(text)?;
    let doubled = file.has_doubled_members() && slip != Slip::LastMemberWins;
    if doubled || !file.is_decoded() || !is_sound(&file, 1) {
        return None;
    }
    let form = Form(slip);
    let fits = form.object(
        &file,
        &[
            ("schema", true, &is_text),
            ("provider", true, &is_text),
            ("numberOfTests", true, &is_count),
            ("noVendorExample", false, &is_text),
            ("notes", true, &|node| form.every_member(node, &|note| form.note(note))),
            ("testGroups", true, &|node| every(node, &|group| form.group(group))),
        ],
    );
    let groups = file.members("testGroups");
    let Some(Value::List(groups)) = groups.first().map(|node| &node.value) else { return None };
    let tests = |group: &Node<'_>| match group.members("tests").first().map(|node| &node.value) {
        Some(Value::List(tests)) => tests.len(),
        _ => 0,
    };
    fits.then(|| groups.iter().map(tests).sum())
}

/// Not nested too deeply, and every number one that a computer has.
fn is_sound(node: &Node<'_>, depth: usize) -> bool {
    match &node.value {
        Value::List(items) => {
            depth <= MAX_DEPTH && items.iter().all(|item| is_sound(item, depth + 1))
        }
        Value::Object(members) => {
            depth <= MAX_DEPTH && members.iter().all(|(_, member)| is_sound(member, depth + 1))
        }
        Value::Number => node.text.parse::<f64>().is_ok_and(f64::is_finite),
        _ => true,
    }
}

type Check<'c> = &'c dyn Fn(&Node<'_>) -> bool;

fn is_text(node: &Node<'_>) -> bool {
    node.as_text().is_some()
}

fn is_object(node: &Node<'_>) -> bool {
    matches!(node.value, Value::Object(_))
}

fn is_bool(node: &Node<'_>) -> bool {
    matches!(node.value, Value::Bool(_))
}

/// A whole number that fits 64 bits without a sign.
fn is_count(node: &Node<'_>) -> bool {
    node.as_integer().is_some_and(|text| text.parse::<u64>().is_ok())
}

fn is_order(node: &Node<'_>) -> bool {
    node.as_integer().is_some_and(|text| text.parse::<i64>().is_ok())
}

fn is_base64(node: &Node<'_>) -> bool {
    node.as_text().is_some_and(|text| bytes(text).is_some())
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text).ok()?;
    (STANDARD.encode(&bytes) == text).then_some(bytes)
}

fn is_hex(node: &Node<'_>) -> bool {
    node.as_text().is_some_and(|text| hex::decode(text).is_ok())
}

fn is_word(words: &'static [&'static str]) -> impl Fn(&Node<'_>) -> bool {
    move |node| node.as_text().is_some_and(|text| words.contains(&text))
}

fn every(node: &Node<'_>, check: Check<'_>) -> bool {
    match &node.value {
        Value::List(items) => items.iter().all(check),
        _ => false,
    }
}

/// Texts, none twice.
fn is_set(node: &Node<'_>) -> bool {
    let Value::List(items) = &node.value else { return false };
    let texts: Option<Vec<&str>> = items.iter().map(Node::as_text).collect();
    texts.is_some_and(|texts| {
        texts.iter().enumerate().all(|(index, text)| !texts[..index].contains(text))
    })
}

struct Form(Slip);

impl Form {
    /// An object of these members and no others: name, whether it must be there, what it may be.
    fn object(&self, node: &Node<'_>, members: &[(&str, bool, Check<'_>)]) -> bool {
        let own = match &node.value {
            Value::Object(own) => own,
            Value::List(items) if self.0 == Slip::ObjectsAsLists => {
                let pairs = members.iter().zip(items);
                return items.len() == members.len()
                    && pairs.into_iter().all(|((_, _, fits), item)| fits(item));
            }
            _ => return false,
        };
        let known = |name: &Option<String>| {
            self.0 == Slip::UnknownMembers
                || members.iter().any(|(known, ..)| Some(*known) == name.as_deref())
        };
        own.iter().all(|(name, _)| known(name))
            && members.iter().all(|(name, needed, fits)| match node.members(name).last() {
                Some(member)
                    if matches!(member.value, Value::Null) && self.0 == Slip::NullIsAbsent =>
                {
                    !needed || fits(member)
                }
                Some(member) => fits(member),
                None => !needed,
            })
    }

    fn every_member(&self, node: &Node<'_>, check: Check<'_>) -> bool {
        match &node.value {
            Value::Object(members) => members.iter().all(|(_, member)| check(member)),
            _ => false,
        }
    }

    fn note(&self, node: &Node<'_>) -> bool {
        self.object(
            node,
            &[
                ("bugType", true, &is_text),
                ("description", true, &is_text),
                ("links", false, &|node| every(node, &is_text)),
                ("policy", false, &is_bool),
            ],
        )
    }

    fn group(&self, node: &Node<'_>) -> bool {
        self.object(
            node,
            &[
                ("source", true, &|node| self.source(node)),
                ("secrets", true, &|node| every(node, &|secret| self.secret(secret))),
                ("toleranceSeconds", false, &is_count),
                ("options", false, &is_object),
                ("tests", true, &|node| every(node, &|test| self.test(test))),
            ],
        )
    }

    fn source(&self, node: &Node<'_>) -> bool {
        self.object(
            node,
            &[
                ("kind", true, &is_word(&["captured", "constructed", "vendor-docs", "vendor-sdk"])),
                ("name", true, &is_text),
                ("url", false, &is_text),
                ("retrieved", true, &is_text),
                ("licence", true, &is_text),
            ],
        )
    }

    fn secret(&self, node: &Node<'_>) -> bool {
        let forms: [(&str, Check<'_>); 4] =
            [("base64", &is_base64), ("hex", &is_hex), ("pem", &is_text), ("jwks", &is_object)];
        is_text(node) || forms.iter().any(|(name, fits)| self.object(node, &[(name, true, fits)]))
    }

    fn header(&self, node: &Node<'_>) -> bool {
        let Value::List(items) = &node.value else { return false };
        let [name, value] = &items[..] else { return false };
        let plain = |text: &str| text.chars().all(|letter| matches!(letter, '\t' | ' '..='~'));
        let carried = |node: &Node<'_>| {
            let bytes = node.as_text().and_then(bytes);
            bytes.is_some_and(|bytes| !bytes.iter().any(|byte| b"\0\r\n".contains(byte)))
        };
        is_text(name)
            && (value.as_text().is_some_and(plain)
                || self.object(value, &[("base64", true, &carried)]))
    }

    fn body(&self, node: &Node<'_>) -> bool {
        let number =
            |name: &str| -> Option<u128> { node.members(name).first()?.as_integer()?.parse().ok() };
        let repeated = || {
            let unit = node.members("repeat");
            let length = unit.first().and_then(|unit| unit.as_text()).map(str::len)?;
            Some(length as u128 * number("times")?)
        };
        is_text(node)
            || (self.object(node, &[("repeat", true, &is_text), ("times", true, &is_count)])
                && repeated().is_none_or(|length| length <= MAX_REPEATED))
    }

    fn event(&self, node: &Node<'_>) -> bool {
        let order = |node: &Node<'_>| {
            self.object(
                node,
                &[("value", true, &is_order), ("unit", true, &is_word(&["ms", "s", "us"]))],
            )
        };
        self.object(
            node,
            &[
                ("key", true, &|node| is_text(node) || matches!(node.value, Value::Null)),
                ("twin", false, &is_text),
                ("kind", false, &is_text),
                ("subject", false, &is_text),
                ("stream", false, &is_text),
                ("order", false, &order),
                ("attempt", false, &is_count),
            ],
        )
    }

    fn test(&self, node: &Node<'_>) -> bool {
        let expect = |node: &Node<'_>| {
            self.object(
                node,
                &[("signedBytesBase64", false, &is_base64), ("key", false, &is_count)],
            )
        };
        let there = |name: &str| !node.members(name).is_empty();
        let is_invalid =
            node.members("result").first().is_some_and(|word| word.as_text() == Some("invalid"));
        let more = there("events") || there("eventsError") || there("expect");
        self.object(
            node,
            &[
                ("tcId", true, &is_text),
                ("comment", true, &is_text),
                ("flags", true, &is_set),
                ("nowMs", true, &is_count),
                ("method", false, &is_text),
                ("url", false, &is_text),
                ("headers", true, &|node| every(node, &|header| self.header(header))),
                ("body", false, &|node| self.body(node)),
                ("bodyBase64", false, &is_base64),
                ("result", true, &is_word(&["acceptable", "invalid", "valid"])),
                ("reason", false, &is_word(hookproof_vectors::REASONS)),
                ("events", false, &|node| every(node, &|event| self.event(event))),
                ("eventsError", false, &is_word(hookproof_vectors::EVENT_REASONS)),
                ("expect", false, &expect),
            ],
        ) && there("body") != there("bodyBase64")
            && there("reason") == is_invalid
            && !(there("events") && there("eventsError"))
            && !(is_invalid && more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_is_read() {
        for (name, text) in hookproof_vectors::FILES {
            assert!(count(text, Slip::None).is_some_and(|count| count > 0), "{name}");
        }
        assert_eq!(count("{}", Slip::None), None);
    }
}
