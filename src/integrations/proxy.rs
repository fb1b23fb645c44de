//! Scheme and host from the headers of proxies that the operator trusts.

use core::fmt;
use core::net::IpAddr;

use http::HeaderMap;
use http::header::FORWARDED;

use super::peer::Peer;
use super::url::bad;
use crate::config_error::ConfigError;

/// Which header of a trusted proxy names scheme and host.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum ProxyHeaders {
    /// `Forwarded` (RFC 7239), its parameters `host` and `proto`.
    Forwarded,
    /// `X-Forwarded-Host` and `X-Forwarded-Proto`.
    #[default]
    XForwarded,
}

/// A proxy in front of this server whose headers say which URL was called.
///
/// # Security
///
/// Trust a proxy only if every request passes it and it overwrites these headers or adds to them. Where a server can be
/// reached beside its proxy, say which [`peers`](Self::peers) are the proxy. The host must be one of
/// a list, so that a header that slipped through cannot name another one; the text of the list is what is signed.
///
/// ```
/// use hookproof::{PublicUrl, TrustedProxy};
/// let proxy = TrustedProxy::new(["hooks.example.com", "hooks.example.org"])?;
/// let url = PublicUrl::trusted_proxy(proxy);
///
/// let mut headers = http::HeaderMap::new();
/// headers.insert("x-forwarded-proto", "https".parse()?);
/// headers.insert("x-forwarded-host", "hooks.example.org".parse()?);
/// assert_eq!(url.resolve(&headers, "/h").as_deref(), Some("https://hooks.example.org/h"));
///
/// headers.insert("x-forwarded-host", "evil.example".parse()?);
/// assert_eq!(url.resolve(&headers, "/h"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct TrustedProxy {
    hosts: Box<[Box<str>]>,
    headers: ProxyHeaders,
    hops: usize,
    scheme: Option<&'static str>,
    #[cfg(feature = "_read")]
    peers: Option<super::peer::Networks>,
}

/// Why a trusted proxy did not say which URL was called. See [`Report::proxy`](crate::Report::proxy).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ProxyFault {
    /// Its headers are missing or cannot be read, or the host is not one of the list.
    NotNamed,
    /// The request comes from this address, which is not in the networks of the proxy.
    OtherPeer(IpAddr),
    /// The proxy is known by its address, and the server does not say who is at the other end.
    UnknownPeer,
}

impl fmt::Display for ProxyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNamed => f.write_str(
                "no trusted proxy named the scheme and a host of the list; check its headers, the hops and the list",
            ),
            Self::OtherPeer(address) => write!(
                f,
                "the request comes from {address}, which is not in the networks of the trusted proxy"
            ),
            Self::UnknownPeer => f.write_str(
                "the trusted proxy is known by its address and the peer is unknown; put a `Peer` into the request's extensions",
            ),
        }
    }
}

/// What a proxy says of the URL that was called.
pub(super) struct Origin<'a> {
    pub(super) scheme: &'static str,
    pub(super) host: &'a str,
}

impl TrustedProxy {
    /// The proxy in front of this server, and the hosts that senders call, each with its port where it has one. One hop,
    /// `X-Forwarded-*`.
    ///
    /// # Errors
    ///
    /// [`BadUrl`](crate::ConfigErrorKind::BadUrl) if there is no host, or one that cannot be a host.
    pub fn new<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Result<Self, ConfigError> {
        let hosts: Box<[Box<str>]> = hosts.into_iter().map(Into::into).collect();
        let is_host = |host: &str| {
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
            let port_or_address = |byte: u8| matches!(byte, b':' | b'[' | b']');
            !host.is_empty() && host.bytes().all(|byte| plain(byte) || port_or_address(byte))
        };
        if hosts.is_empty() || !hosts.iter().all(|host| is_host(host)) {
            return Err(bad(
                "the hosts that senders call are missing, or one is not a host; list them without scheme and path",
            ));
        }
        Ok(Self {
            hosts,
            headers: ProxyHeaders::default(),
            hops: 1,
            scheme: None,
            #[cfg(feature = "_read")]
            peers: None,
        })
    }

    /// The networks or addresses that the nearest proxy connects from, such as `10.0.0.0/8` or `::1`. The headers of any
    /// other peer are not read: its request is answered 500 and told to the operator, see [`ProxyFault`].
    ///
    /// The peer is known where the server says so: actix-web does; for `tower` and axum a [`Peer`] has to be in the
    /// extensions of the request. Where it is not known, no header is read either. Without networks any peer is the proxy.
    ///
    /// # Errors
    ///
    /// [`BadUrl`](crate::ConfigErrorKind::BadUrl) if there is no network, or one that cannot be read.
    #[cfg(feature = "_read")]
    pub fn peers<'a>(
        mut self,
        networks: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ConfigError> {
        let networks = super::peer::Networks::parse(networks).ok_or_else(|| {
            bad("the networks of the trusted proxy are missing, or one is not a network; list them such as `10.0.0.0/8` or `::1`")
        })?;
        self.peers = Some(networks);
        Ok(self)
    }

    /// Which headers the proxy writes.
    pub const fn headers(mut self, headers: ProxyHeaders) -> Self {
        self.headers = headers;
        self
    }

    /// How many proxies in front of this server add an entry to the header: the entry of the outermost of them counts, the
    /// `hops`th from the end. For proxies that overwrite the header it is 1, the default. Zero counts as 1.
    pub const fn hops(mut self, hops: usize) -> Self {
        self.hops = if hops == 0 { 1 } else { hops };
        self
    }

    /// Takes the scheme to be `https` always, whatever a header says.
    pub const fn always_https(mut self) -> Self {
        self.scheme = Some("https");
        self
    }

    /// The origin that the trusted entry names, if it is one of the list and the peer is the proxy.
    pub(super) fn origin(
        &self,
        headers: &HeaderMap,
        peer: Option<Peer>,
    ) -> Result<Origin<'_>, ProxyFault> {
        self.check(peer)?;
        self.named(headers).ok_or(ProxyFault::NotNamed)
    }

    #[cfg(feature = "_read")]
    fn check(&self, peer: Option<Peer>) -> Result<(), ProxyFault> {
        match (&self.peers, peer) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(ProxyFault::UnknownPeer),
            (Some(networks), Some(peer)) if networks.have(peer) => Ok(()),
            (Some(_), Some(peer)) => Err(ProxyFault::OtherPeer(peer.address())),
        }
    }

    #[cfg(not(feature = "_read"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with the feature")]
    const fn check(&self, _: Option<Peer>) -> Result<(), ProxyFault> {
        Ok(())
    }

    fn named(&self, headers: &HeaderMap) -> Option<Origin<'_>> {
        let (host, proto) = match self.headers {
            ProxyHeaders::XForwarded => (
                entry(headers, "x-forwarded-host", self.hops),
                entry(headers, "x-forwarded-proto", self.hops),
            ),
            ProxyHeaders::Forwarded => {
                let entry = entry(headers, FORWARDED.as_str(), self.hops)?;
                (parameter(entry, "host"), parameter(entry, "proto"))
            }
        };
        let scheme = match self.scheme {
            Some(scheme) => scheme,
            None if proto?.eq_ignore_ascii_case("https") => "https",
            None if proto?.eq_ignore_ascii_case("http") => "http",
            None => return None,
        };
        let host = host?;
        let host = self.hosts.iter().find(|listed| listed.eq_ignore_ascii_case(host))?;
        Some(Origin { scheme, host })
    }
}

/// The entry of a list that the outermost of `hops` trusted proxies wrote. All lines of the header are one list.
fn entry<'h>(headers: &'h HeaderMap, name: &str, hops: usize) -> Option<&'h str> {
    let mut lines: Vec<&str> = Vec::new();
    for line in headers.get_all(name) {
        lines.push(line.to_str().ok()?);
    }
    let mut left = hops.checked_sub(1)?;
    for line in lines.into_iter().rev() {
        for entry in Items::new(line, b',').collect::<Vec<_>>().into_iter().rev() {
            if left == 0 {
                return Some(entry);
            }
            left -= 1;
        }
    }
    None
}

/// The value of a parameter of a `Forwarded` entry; `None` if it is absent, there twice, or has an escape.
fn parameter<'e>(entry: &'e str, wanted: &str) -> Option<&'e str> {
    let mut found = None;
    for pair in Items::new(entry, b';') {
        let (name, value) = pair.split_once('=')?;
        if !name.eq_ignore_ascii_case(wanted) {
            continue;
        }
        if found.is_some() {
            return None;
        }
        let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        found = Some(inner.unwrap_or(value));
    }
    found.filter(|value| !value.contains(['"', '\\']))
}

/// The items of a list, blanks around them taken off; a separator within double quotes does not count.
struct Items<'a> {
    rest: Option<&'a str>,
    separator: u8,
}

impl<'a> Items<'a> {
    const fn new(list: &'a str, separator: u8) -> Self {
        Self { rest: Some(list), separator }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        let mut quoted = false;
        for (at, byte) in rest.bytes().enumerate() {
            if byte == b'"' {
                quoted = !quoted;
            } else if byte == self.separator && !quoted {
                self.rest = rest.get(at + 1..);
                return rest.get(..at).map(trim);
            }
        }
        Some(trim(rest))
    }
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn origin(proxy: &TrustedProxy, pairs: &[(&'static str, &str)]) -> Option<String> {
        let headers = headers(pairs);
        let origin = proxy.origin(&headers, None).ok()?;
        Some(format!("{}://{}", origin.scheme, origin.host))
    }

    #[cfg(feature = "_read")]
    #[test]
    fn headers_of_other_peers_are_not_read() {
        let named = [("x-forwarded-proto", "https"), ("x-forwarded-host", "a.example")];
        let proxy = TrustedProxy::new(["a.example"]).unwrap();
        let fault = |proxy: &TrustedProxy, peer: Option<&str>| {
            let peer = peer.map(|peer| Peer::new(peer.parse().unwrap()));
            proxy.origin(&headers(&named), peer).err()
        };
        assert_eq!((fault(&proxy, None), fault(&proxy, Some("1.2.3.4"))), (None, None));
        let proxy = proxy.peers(["10.0.0.0/8"]).unwrap();
        assert_eq!(fault(&proxy, Some("10.1.2.3")), None);
        assert_eq!(fault(&proxy, None), Some(ProxyFault::UnknownPeer));
        let other = "1.2.3.4".parse().unwrap();
        assert_eq!(fault(&proxy, Some("1.2.3.4")), Some(ProxyFault::OtherPeer(other)));
        assert!(TrustedProxy::new(["a.example"]).unwrap().peers(["10.0.0.0/33"]).is_err());
    }

    #[test]
    fn the_entry_of_the_outermost_trusted_proxy_counts() {
        let proxy = TrustedProxy::new(["a.example", "b.example:8443"]).unwrap();
        let https = ("x-forwarded-proto", "https");
        let found = |host| origin(&proxy, &[https, ("x-forwarded-host", host)]);
        assert_eq!(found("A.Example").as_deref(), Some("https://a.example"));
        assert_eq!(
            found("evil.example, b.example:8443").as_deref(),
            Some("https://b.example:8443")
        );
        assert_eq!(found("a.example, evil.example"), None);
        assert_eq!(found(""), None);
        assert_eq!(origin(&proxy, &[https]), None);
        assert_eq!(origin(&proxy, &[("x-forwarded-host", "a.example")]), None);
        let odd = [("x-forwarded-proto", "javascript"), ("x-forwarded-host", "a.example")];
        assert_eq!(origin(&proxy, &odd), None);
        let fixed = proxy.clone().always_https();
        assert_eq!(origin(&fixed, &odd).as_deref(), Some("https://a.example"));

        let two = proxy.clone().hops(2);
        let lines = [
            ("x-forwarded-host", "evil.example, a.example"),
            ("x-forwarded-host", "inner"),
            ("x-forwarded-proto", "http,http, https"),
        ];
        assert_eq!(origin(&two, &lines).as_deref(), Some("http://a.example"));
        assert_eq!(origin(&two, &[https, ("x-forwarded-host", "a.example")]), None, "one of two");
        assert_eq!(origin(&proxy.hops(0), &lines), None, "the last entry is `inner`");
    }

    #[test]
    fn forwarded_is_read_by_its_grammar() {
        let proxy = TrustedProxy::new(["a.example", "b.example:8443"]).unwrap();
        let proxy = proxy.headers(ProxyHeaders::Forwarded);
        let found = |value| origin(&proxy, &[("forwarded", value)]);
        assert_eq!(
            found("for=1.2.3.4;proto=https;Host=a.example").as_deref(),
            Some("https://a.example")
        );
        assert_eq!(
            found("host=evil.example;proto=http, proto=https; host=\"b.example:8443\"").as_deref(),
            Some("https://b.example:8443")
        );
        assert_eq!(found("host=evil.example;for=\", host=a.example;proto=https\""), None);
        assert_eq!(found("host=a.example;host=a.example;proto=https"), None);
        assert_eq!(found("host=\"a.ex\\ample\";proto=https"), None);
        assert_eq!(found("host;proto=https"), None);
        assert_eq!(found("proto=https"), None);
    }

    #[test]
    fn hosts_are_hosts() {
        for bad in ["", "https://a.example", "a.example/", "a b", "a@b"] {
            assert!(TrustedProxy::new([bad]).is_err(), "{bad}");
        }
        assert!(TrustedProxy::new([]).is_err());
        assert!(TrustedProxy::new(["[::1]:8080", "a_b.example"]).is_ok());
    }
}
