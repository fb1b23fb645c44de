//! The URL that a sender signed: from the configuration or from a proxy that is trusted, never from the request alone.

use std::borrow::Cow;

use http::HeaderMap;

use super::peer::Peer;
use super::proxy::{ProxyFault, TrustedProxy};
use crate::config_error::{ConfigError, ConfigErrorKind};

/// How the public URL of a request is known, for senders that sign it.
///
/// A sender signs the URL that it calls. What a server sees behind proxies is another one, and `Host` and `X-Forwarded-*`
/// are what anyone may send, so they are never read by default. Configure the URL; a proxy that overwrites the headers is
/// the second choice. The text is signed as it stands and is never normalised.
///
/// ```
/// use hookproof::PublicUrl;
/// let headers = http::HeaderMap::new();
///
/// let url = PublicUrl::base("https://hooks.example.com")?;
/// let target = url.resolve(&headers, "/hubspot?a=%7B1%7D");
/// assert_eq!(target.as_deref(), Some("https://hooks.example.com/hubspot?a=%7B1%7D"));
///
/// let url = PublicUrl::exact("https://hooks.example.com/hubspot")?;
/// assert_eq!(url.resolve(&headers, "/inner/path").as_deref(), Some("https://hooks.example.com/hubspot"));
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicUrl(Rule);

#[derive(Clone, Debug)]
enum Rule {
    Base(Box<str>),
    Exact(Box<str>),
    Proxy(TrustedProxy),
}

impl PublicUrl {
    /// Scheme, host and, where a proxy or a nested router takes one off, the beginning of the path. The path and query of
    /// each request follow it as they arrived.
    ///
    /// # Errors
    ///
    /// [`BadUrl`](ConfigErrorKind::BadUrl) if the text is not `http://` or `https://` and a host, or ends with `/`, or has a
    /// query, a fragment or a blank.
    pub fn base(text: &str) -> Result<Self, ConfigError> {
        check(text)?;
        if text.ends_with('/') || text.contains('?') {
            return Err(bad(
                "the base of the public URL ends with `/` or has a query; give scheme and host, and what is taken off the path",
            ));
        }
        Ok(Self(Rule::Base(text.into())))
    }

    /// The whole URL, query included, exactly as it is configured at the sender, whatever path a request arrives on.
    ///
    /// # Errors
    ///
    /// [`BadUrl`](ConfigErrorKind::BadUrl) if the text is not `http://` or `https://` and a host, or has a fragment or a blank.
    pub fn exact(text: &str) -> Result<Self, ConfigError> {
        check(text)?;
        Ok(Self(Rule::Exact(text.into())))
    }

    /// Scheme and host from the headers of a proxy that is trusted; path and query of each request as they arrived.
    #[must_use]
    pub const fn trusted_proxy(proxy: TrustedProxy) -> Self {
        Self(Rule::Proxy(proxy))
    }

    /// The public URL of a request with these headers and this path and query, as they arrived. `None` if a proxy was to
    /// name it and did not, named a host that is not listed, or is known by its address, which is not asked here.
    #[must_use]
    pub fn resolve(&self, headers: &HeaderMap, path_and_query: &str) -> Option<Cow<'_, str>> {
        self.resolve_for(headers, path_and_query, None).ok()
    }

    /// The same, for a request of this peer.
    pub(super) fn resolve_for(
        &self,
        headers: &HeaderMap,
        path_and_query: &str,
        peer: Option<Peer>,
    ) -> Result<Cow<'_, str>, ProxyFault> {
        match &self.0 {
            Rule::Base(base) => Ok(Cow::Owned(format!("{base}{path_and_query}"))),
            Rule::Exact(url) => Ok(Cow::Borrowed(url)),
            Rule::Proxy(proxy) => {
                let origin = proxy.origin(headers, peer)?;
                Ok(Cow::Owned(format!("{}://{}{path_and_query}", origin.scheme, origin.host)))
            }
        }
    }
}

/// Whether a text can be a URL that a sender calls.
fn check(text: &str) -> Result<(), ConfigError> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
    if host.is_empty() || host.contains('@') {
        return Err(bad(
            "the public URL does not begin with `https://` or `http://` and a host; give the one that is configured at the sender",
        ));
    }
    if text.contains(|letter: char| letter == '#' || letter.is_whitespace() || letter.is_control())
    {
        return Err(bad(
            "the public URL has a fragment or a blank, which no request has; give it without",
        ));
    }
    Ok(())
}

pub(super) fn bad(message: &'static str) -> ConfigError {
    ConfigError::new(ConfigErrorKind::BadUrl, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_that_can_be_called_are_taken() {
        for good in ["https://a.example", "http://127.0.0.1:8080", "https://a.example/prefix"] {
            assert!(PublicUrl::base(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a.example",
            "ftp://a.example",
            "https://",
            "https:///path",
            "https://?q",
            "https://user@a.example",
            "https://a.example/",
            "https://a.example?q",
            "https://a.example/#f",
            " https://a.example",
            "https://a.example\n",
        ] {
            let error = PublicUrl::base(bad).unwrap_err();
            assert_eq!(error.kind(), ConfigErrorKind::BadUrl, "{bad}");
            assert!(!error.to_string().contains("a.example"), "{error}");
        }
        assert!(PublicUrl::exact("https://a.example/?q=1").is_ok());
        assert!(PublicUrl::exact("https://a.example/#f").is_err());
    }

    #[test]
    fn host_and_forwarded_headers_are_never_read_by_default() {
        let mut headers = HeaderMap::new();
        for name in ["host", "x-forwarded-host", "x-forwarded-proto", "forwarded"] {
            headers.insert(name, "evil.example".parse().unwrap());
        }
        let url = PublicUrl::base("https://a.example/api").unwrap();
        assert_eq!(url.resolve(&headers, "/h?x").as_deref(), Some("https://a.example/api/h?x"));
    }
}
