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
        let mut lines = headers.get_all(&self.name).iter();
        let Some(first) = lines.next() else { return Ok(None) };
        let value = trim(first.as_bytes());
        if let Some(second) = lines.next() {
            let blank = value.is_empty()
                && trim(second.as_bytes()).is_empty()
                && lines.all(|line| trim(line.as_bytes()).is_empty());
            return if blank { Ok(None) } else { Err(ErrorKind::RepeatedHeader) };
        }
        if value.len() > MAX_HEADER {
            return Err(ErrorKind::MalformedHeader);
        }
        Ok(if value.is_empty() { None } else { Some(value) })
    }
}

/// Takes spaces and tabs off both ends: HTTP does not count them to the value (RFC 9110, section 5.5).
#[inline]
pub(crate) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}
