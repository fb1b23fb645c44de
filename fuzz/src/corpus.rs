//! The corpora as the repository keeps them: one file a target, `corpora/<target>.jsonl`, one input a line.
//!
//! A line is a JSON text whose letters are the bytes of the input, so that most inputs can be read, compared and searched.
//! Thousands of small files would say no more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The most bytes of a target's file: ten targets stay below 2 MB.
pub const MAX_FILE: usize = 190_000;

/// The folder of the corpora.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora")
}

/// The text of an input.
///
/// # Panics
///
/// Never: a text can always be written.
#[must_use]
pub fn line(input: &[u8]) -> String {
    let letters: String = input.iter().copied().map(char::from).collect();
    let text = serde_json::to_string(&letters).expect("a text");
    // Control characters of the upper half would be invisible.
    let shown = |letter: char| match letter {
        '\u{7f}'..='\u{ff}' => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    text.chars().map(shown).collect()
}

/// The input of a line; nothing if it is none.
#[must_use]
pub fn input(line: &str) -> Option<Vec<u8>> {
    let letters: String = serde_json::from_str(line).ok()?;
    letters.chars().map(|letter| u8::try_from(letter).ok()).collect()
}

/// The inputs of a target; none if it has no file yet.
///
/// # Errors
///
/// If the file cannot be read, or a line is no input.
pub fn read(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let path = folder().join(format!("{target}.jsonl"));
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path)?;
    let inputs: Option<Vec<Vec<u8>>> = text.lines().map(input).collect();
    inputs.ok_or_else(|| io::Error::other(format!("{}: a line is no input", path.display())))
}

/// Writes the inputs of a target, the shortest first, as many as [`MAX_FILE`] allows; says how many were left out.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(target: &str, inputs: impl IntoIterator<Item = Vec<u8>>) -> io::Result<usize> {
    let lines: BTreeSet<(usize, String)> =
        inputs.into_iter().map(|input| line(&input)).map(|line| (line.len(), line)).collect();
    let (mut text, mut left_out) = (String::new(), 0);
    for (_, line) in lines {
        if text.len() + line.len() < MAX_FILE {
            text.push_str(&line);
            text.push('\n');
        } else {
            left_out += 1;
        }
    }
    fs::create_dir_all(folder())?;
    fs::write(folder().join(format!("{target}.jsonl")), text)?;
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_goes_both_ways() {
        let every: Vec<u8> = (0..=255).collect();
        let line = line(&every);
        assert!(line.is_ascii() && !line.contains('\n'), "{line}");
        assert_eq!(input(&line), Some(every));
        assert_eq!(input("\"\\u0100\""), None);
        assert_eq!(input("5"), None);
    }
}
