//! Standard output and standard error: colour on a terminal only, a closed pipe is no fault.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What needs a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// What names something.
pub(crate) const NAME: Style = Style::new().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Standard output.
///
/// When the reader has closed its end, the rest is dropped and the command works on, so that its exit code
/// is still the verdict.
pub(crate) struct Screen {
    text: AutoStream<io::Stdout>,
    trouble: Option<io::Error>,
}

impl Screen {
    /// The standard output of this process.
    pub(crate) fn stdout() -> Self {
        Self { text: anstream::stdout(), trouble: None }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl fmt::Display) {
        let result = writeln!(self.text, "{text}");
        self.note(result);
    }

    /// Writes a JSON value, indented, and a final newline. What could steer a terminal is escaped, which changes nothing
    /// of the value.
    pub(crate) fn json(&mut self, value: &serde_json::Value) {
        let mut text = String::new();
        for char in format!("{value:#}").chars() {
            if steers(char) && char != '\n' {
                text.push_str(&format!("\\u{:04x}", u32::from(char)));
            } else {
                text.push(char);
            }
        }
        self.line(text);
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let result = io::stdout().write_all(bytes);
        self.note(result);
    }

    /// Writes what is still held back, and says whether anything was lost.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let result = io::stdout().flush();
        self.note(result);
        match self.trouble {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::new(format!("cannot write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.trouble.get_or_insert(error);
        }
    }
}

/// Text in a style; the styles of a stream that is no terminal are dropped when it is written.
pub(crate) fn paint(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Whether a character steers a terminal: a control character, or one that turns the direction of the text around or ends
/// a line of it. All of them are below U+10000.
fn steers(char: char) -> bool {
    let format = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{feff}'];
    char.is_control()
        || format.contains(&char)
        || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text from elsewhere on one line; see [`plain`].
#[cfg(feature = "inbox")]
pub(crate) fn plain_line(text: impl fmt::Display) -> String {
    plain(text).replace('\n', "\\n")
}

/// Text from elsewhere, with characters that could steer a terminal written out, other than the newline.
pub(crate) fn plain(text: impl fmt::Display) -> String {
    let mut plain = String::new();
    for char in text.to_string().chars() {
        if steers(char) && char != '\n' {
            plain.extend(char.escape_default());
        } else {
            plain.push(char);
        }
    }
    plain
}

/// Writes an error to standard error.
pub(crate) fn error(text: impl fmt::Display) {
    stderr(BAD, "error", text);
}

/// Writes a warning to standard error.
pub(crate) fn warn(text: impl fmt::Display) {
    stderr(WARN, "warning", text);
}

fn stderr(style: Style, word: &str, text: impl fmt::Display) {
    // There is nowhere left to say that standard error is closed.
    let _ = writeln!(anstream::stderr(), "{style}{word}:{style:#} {}", plain(text));
}
