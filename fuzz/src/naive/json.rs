//! A small JSON reader (RFC 8259) that builds a tree and keeps what others lose: doubled members, the text of every value,
//! halves of surrogate pairs.

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 128;

/// A value, and its text in the document.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The text, without outer blanks.
    pub text: &'a str,
    /// The value.
    pub value: Value<'a>,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as its text.
    Number,
    /// A text, decoded; nothing if it holds half of a surrogate pair.
    Text(Option<String>),
    /// A list.
    List(Vec<Node<'a>>),
    /// An object: names and values in their order, doubled ones too. A name that holds half of a surrogate pair is none.
    Object(Vec<(Option<String>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// Reads a document.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        let mut reader = Reader { text, at: 0 };
        let node = reader.node(0)?;
        reader.blanks();
        (reader.at == text.len()).then_some(node)
    }

    /// The values of the members with this name; none if this is no object.
    #[must_use]
    pub fn members(&self, name: &str) -> Vec<&Self> {
        let Value::Object(members) = &self.value else { return Vec::new() };
        let ours = members.iter().filter(|(own, _)| own.as_deref() == Some(name));
        ours.map(|(_, node)| node).collect()
    }

    /// The text, if this is one that could be decoded.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => text.as_deref(),
            _ => None,
        }
    }

    /// The text of an integer: without fraction, exponent and `-0`.
    #[must_use]
    pub fn as_integer(&self) -> Option<&'a str> {
        let plain = !self.text.contains(['.', 'e', 'E']) && self.text != "-0";
        (matches!(self.value, Value::Number) && plain).then_some(self.text)
    }

    /// Whether some object in it has two members of one name.
    #[must_use]
    pub fn has_doubled_members(&self) -> bool {
        match &self.value {
            Value::List(items) => items.iter().any(Self::has_doubled_members),
            Value::Object(members) => members.iter().enumerate().any(|(index, (name, node))| {
                members[..index].iter().any(|(earlier, _)| earlier == name)
                    || node.has_doubled_members()
            }),
            _ => false,
        }
    }

    /// Whether every text in it, names too, could be decoded.
    #[must_use]
    pub fn is_decoded(&self) -> bool {
        match &self.value {
            Value::Text(text) => text.is_some(),
            Value::List(items) => items.iter().all(Self::is_decoded),
            Value::Object(members) => {
                members.iter().all(|(name, node)| name.is_some() && node.is_decoded())
            }
            _ => true,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        while self.rest().starts_with([' ', '\t', '\n', '\r']) {
            self.at += 1;
        }
    }

    /// Takes this text if it comes next, blanks before it.
    fn take(&mut self, wanted: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn node(&mut self, depth: usize) -> Option<Node<'a>> {
        self.blanks();
        let start = self.at;
        let value = match self.rest().bytes().next()? {
            b'n' => self.take("null").then_some(Value::Null)?,
            b't' => self.take("true").then_some(Value::Bool(true))?,
            b'f' => self.take("false").then_some(Value::Bool(false))?,
            b'"' => Value::Text(self.string()?),
            b'[' => Value::List(self.list(depth + 1)?),
            b'{' => Value::Object(self.object(depth + 1)?),
            _ => self.number().then_some(Value::Number)?,
        };
        Some(Node { text: &self.text[start..self.at], value })
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Node<'a>>> {
        let mut items = Vec::new();
        if !self.take("[") || depth > MAX_DEPTH {
            return None;
        }
        if self.take("]") {
            return Some(items);
        }
        loop {
            items.push(self.node(depth)?);
            if self.take("]") {
                return Some(items);
            }
            self.take(",").then_some(())?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Vec<(Option<String>, Node<'a>)>> {
        let mut members = Vec::new();
        if !self.take("{") || depth > MAX_DEPTH {
            return None;
        }
        if self.take("}") {
            return Some(members);
        }
        loop {
            self.blanks();
            let name = self.string()?;
            self.take(":").then_some(())?;
            members.push((name, self.node(depth)?));
            if self.take("}") {
                return Some(members);
            }
            self.take(",").then_some(())?;
        }
    }

    /// The inner option is nothing for a text with half of a surrogate pair.
    fn string(&mut self) -> Option<Option<String>> {
        let mut units: Vec<u16> = Vec::new();
        let mut letters = self.rest().strip_prefix('"')?.chars();
        loop {
            let letter = letters.next()?;
            match letter {
                '"' => break,
                '\\' => units.push(match letters.next()? {
                    '"' => 0x22,
                    '\\' => 0x5c,
                    '/' => 0x2f,
                    'b' => 8,
                    'f' => 12,
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'u' => {
                        let digits: String = letters.by_ref().take(4).collect();
                        let plain = digits.len() == 4 && !digits.starts_with('+');
                        plain.then(|| u16::from_str_radix(&digits, 16).ok())??
                    }
                    _ => return None,
                }),
                '\0'..='\x1f' => return None,
                _ => units.extend_from_slice(letter.encode_utf16(&mut [0; 2])),
            }
        }
        self.at = self.text.len() - letters.as_str().len();
        Some(String::from_utf16(&units).ok())
    }

    fn number(&mut self) -> bool {
        let mut at = usize::from(self.rest().starts_with('-'));
        let digits =
            |at: usize| self.rest().bytes().skip(at).take_while(u8::is_ascii_digit).count();
        let next = |at: usize| self.rest().as_bytes().get(at).copied();
        let whole = digits(at);
        if whole == 0 || (whole > 1 && next(at) == Some(b'0')) {
            return false;
        }
        at += whole;
        if next(at) == Some(b'.') {
            let fraction = digits(at + 1);
            if fraction == 0 {
                return false;
            }
            at += 1 + fraction;
        }
        if matches!(next(at), Some(b'e' | b'E')) {
            at += 1 + usize::from(matches!(next(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at);
            if exponent == 0 {
                return false;
            }
            at += exponent;
        }
        self.at += at;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_json_as_a_whole() {
        for good in [
            "0",
            "-0",
            "1.5e+3",
            "10",
            " [ ] ",
            "{}",
            r#"{"a":[1,{"b":null}],"a":"\ud83d\ude00"}"#,
            r#""\ud800""#,
            "\"\u{7f}é\"",
            "[true,false]",
        ] {
            assert!(Node::read(good).is_some(), "{good}");
            assert_eq!(Node::read(good).unwrap().text, good.trim());
        }
        for bad in [
            "",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "-",
            "[1,]",
            "[,]",
            "{,}",
            "{a:1}",
            "{\"a\"}",
            "nul",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u00g0\"",
            "\"\\u+123\"",
            "[1] x",
            "\u{feff}[]",
            "\"",
            "{\"a\":1,}",
        ] {
            assert!(Node::read(bad).is_none(), "{bad}");
        }
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Node::read(&nested(128)).is_some());
        assert!(Node::read(&nested(129)).is_none());
    }

    #[test]
    fn what_others_lose_is_kept() {
        let node = Node::read(r#"{"a":1,"\u0061":2,"b":"\ud800","c":"\ud83d\ude00"}"#).unwrap();
        assert_eq!(node.members("a").len(), 2);
        assert!(node.has_doubled_members() && !node.is_decoded());
        assert_eq!(node.members("b")[0].as_text(), None);
        assert_eq!(node.members("c")[0].as_text(), Some("😀"));
        assert_eq!(Node::read("-0").unwrap().as_integer(), None);
        assert_eq!(Node::read(" -7 ").unwrap().as_integer(), Some("-7"));
    }
}
