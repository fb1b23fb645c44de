//! The body of a delivery: as text or in hex, up to a limit, and into a file.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::bytes;
use crate::failure::Failure;
use crate::library;
use crate::output::Screen;

/// The bytes of a line in hex.
const ROW: usize = 16;

/// The lines of a body, at most so many bytes of it.
pub(crate) fn lines(body: &[u8], limit: usize) -> Vec<String> {
    let mut lines: Vec<String> = match text(body, limit) {
        Some(text) => text.lines().map(str::to_owned).collect(),
        None => cut(body, limit).chunks(ROW).zip(0..).map(|(row, index)| hex(row, index)).collect(),
    };
    let shown = text(body, limit).map_or_else(|| cut(body, limit).len(), str::len);
    if shown < body.len() {
        lines.push(format!("({} more; --body FILE writes all)", bytes(body.len() - shown)));
    }
    lines
}

/// The body as members of a JSON object: text or base64, at most so many bytes of it.
pub(crate) fn members(body: &[u8], limit: usize) -> Map<String, Value> {
    let text = text(body, limit);
    let start = cut(body, limit);
    let base64 = text.is_none().then(|| STANDARD.encode(start));
    let shown = text.map_or(start.len(), str::len);
    let mut members = Map::new();
    members.insert("body".into(), json!(text));
    members.insert("bodyBase64".into(), json!(base64));
    members.insert("bodyBytes".into(), json!(body.len()));
    members.insert("bodyIsCut".into(), json!(shown < body.len()));
    members
}

/// Writes a body to a file that is not there yet, or to standard output.
pub(crate) fn write(body: &[u8], path: &Path, screen: &mut Screen) -> Result<(), Failure> {
    if library::is_stdin(path) {
        if std::io::stdout().is_terminal() {
            return Err(Failure::new(
                "the body's bytes could steer this terminal: give --body a file, or a pipe",
            ));
        }
        screen.bytes(body);
        return Ok(());
    }
    let made = OpenOptions::new().write(true).create_new(true).open(path);
    made.and_then(|mut file| file.write_all(body))
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

/// The text of a body that is one, at most so many bytes of it.
fn text(body: &[u8], limit: usize) -> Option<&str> {
    let text = std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'))?;
    text.get(..text.floor_char_boundary(limit))
}

fn cut(body: &[u8], limit: usize) -> &[u8] {
    body.get(..limit).unwrap_or(body)
}

fn hex(row: &[u8], index: usize) -> String {
    let mut line = format!("{:08x} ", index * ROW);
    for byte in row {
        // Writing to a `String` does not fail.
        let _ = write!(line, " {byte:02x}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_characters_and_bytes_are_in_hex() {
        assert_eq!(lines(b"a\nb", 100), ["a", "b"]);
        assert_eq!(lines("aé".as_bytes(), 2), ["a", "(2 bytes more; --body FILE writes all)"]);
        assert_eq!(lines(b"\xff\x00", 100), ["00000000  ff 00"]);
        assert_eq!(
            lines(&[0; 40], 17),
            [
                format!("00000000 {}", " 00".repeat(16)),
                "00000010  00".to_owned(),
                "(23 bytes more; --body FILE writes all)".to_owned(),
            ]
        );
        assert_eq!(lines(b"", 100), [""; 0]);
    }

    #[test]
    fn json_says_whether_all_is_there() {
        let members = |body, limit| Value::Object(members(body, limit));
        assert_eq!(
            members(b"abc", 3),
            json!({ "body": "abc", "bodyBase64": null, "bodyBytes": 3, "bodyIsCut": false }),
        );
        assert_eq!(
            members(b"abc", 2),
            json!({ "body": "ab", "bodyBase64": null, "bodyBytes": 3, "bodyIsCut": true }),
        );
        assert_eq!(
            members(b"\xff\xff\xff", 2),
            json!({ "body": null, "bodyBase64": "//8=", "bodyBytes": 3, "bodyIsCut": true }),
        );
    }
}
