//! Reading one header of a head: absent, once, or a fault.

use http::{HeaderMap, HeaderName};

use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::error::ErrorKind;
use crate::plan::MAX_HEADER;

/// A header that a scheme reads, its name resolved once at start-up.
#[derive(Clone, Debug)]
pub(crate) struct HeaderField {
    name: HeaderName,
    text: &'static str,
}

impl HeaderField {
    /// Resolves a name, which records give in lower case.
    pub(crate) fn new(text: &'static str) -> Result<Self, ConfigError> {
        match HeaderName::from_lowercase(text.as_bytes()) {
            Ok(name) => Ok(Self { name, text }),
            Err(_) => Err(ConfigError::new(
                ConfigErrorKind::Unsupported,
                "a header's name in the record of this sender is not valid",
            )),
        }
    }

    pub(crate) const fn text(&self) -> &'static str {
        self.text
    }

    /// The value without outer blanks; `None` if the header is absent or has nothing but blanks.
    ///
    /// # Errors
    ///
    /// [`RepeatedHeader`](ErrorKind::RepeatedHeader) for a second line, [`MalformedHeader`](ErrorKind::MalformedHeader)
    /// beyond [`MAX_HEADER`] bytes.
    #[inline]
    pub(crate) fn read<'h>(&self, headers: &'h HeaderMap) -> Result<Option<&'h [u8]>, ErrorKind> {
        let Some(first) = headers.get(&self.name) else { return Ok(None) };
        let value = trim(first.as_bytes());
        // In most heads no header at all is repeated, which two lengths tell.
        if headers.len() != headers.keys_len() && !self.stands_once(headers)? {
            return Ok(None);
        }
        if value.len() > MAX_HEADER {
            return Err(ErrorKind::MalformedHeader);
        }
        Ok(if value.is_empty() { None } else { Some(value) })
    }

    /// Whether there is one line of this header; `false` if there are more and none holds anything.
    #[inline(never)]
    fn stands_once(&self, headers: &HeaderMap) -> Result<bool, ErrorKind> {
        let lines = headers.get_all(&self.name);
        if lines.iter().nth(1).is_none() {
            Ok(true)
        } else if lines.iter().all(|line| trim(line.as_bytes()).is_empty()) {
            Ok(false)
        } else {
            Err(ErrorKind::RepeatedHeader)
        }
    }
}

/// Takes spaces and tabs off both ends: HTTP does not count them to the value (RFC 9110, section 5.5).
#[inline]
pub(crate) fn trim(value: &[u8]) -> &[u8] {
    trim_end(trim_start(value))
}

#[inline]
pub(crate) fn trim_start(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    value
}

#[inline]
fn trim_end(mut value: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}
