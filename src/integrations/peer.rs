//! Who is at the other end of a connection.

use core::net::{IpAddr, SocketAddr};

#[cfg(feature = "_read")]
use ipnet::IpNet;

/// The address at the other end of a connection, for [`TrustedProxy::peers`](crate::TrustedProxy): put it in the extensions of
/// a request where the server accepts connections. actix-web knows it by itself.
///
/// ```
/// use std::net::SocketAddr;
/// use hookproof::Peer;
///
/// # let address = SocketAddr::from(([10, 0, 0, 1], 4711));
/// let mut request = http::Request::new("");
/// request.extensions_mut().insert(Peer::from(address));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Peer(IpAddr);

impl Peer {
    /// The peer with this address. An IPv4 address within an IPv6 one is the IPv4 address.
    #[must_use]
    pub const fn new(address: IpAddr) -> Self {
        Self(address.to_canonical())
    }

    /// The address.
    #[must_use]
    pub const fn address(self) -> IpAddr {
        self.0
    }
}

impl From<SocketAddr> for Peer {
    fn from(address: SocketAddr) -> Self {
        Self::new(address.ip())
    }
}

/// The networks that peers may be in.
#[cfg(feature = "_read")]
#[derive(Clone, Debug)]
pub(super) struct Networks(Box<[IpNet]>);

#[cfg(feature = "_read")]
impl Networks {
    /// Networks such as `10.0.0.0/8`, and single addresses; `None` if there is none, or one cannot be read.
    pub(super) fn parse<'a>(networks: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let networks: Option<Box<[IpNet]>> = networks
            .into_iter()
            .map(|network| match network.parse::<IpAddr>() {
                Ok(address) => Some(IpNet::from(address.to_canonical())),
                Err(_) => network.parse().ok(),
            })
            .collect();
        networks.filter(|networks| !networks.is_empty()).map(Self)
    }

    pub(super) fn have(&self, peer: Peer) -> bool {
        self.0.iter().any(|network| network.contains(&peer.address()))
    }
}

#[cfg(all(test, feature = "_read"))]
mod tests {
    use super::*;

    #[test]
    fn peers_are_in_networks() {
        let networks =
            Networks::parse(["10.0.0.0/8", "192.168.1.7", "fd00::/8", "::ffff:172.16.0.1"])
                .unwrap();
        let have = |peer: &str| networks.have(Peer::new(peer.parse().unwrap()));
        for peer in [
            "10.0.0.0",
            "10.255.255.255",
            "::ffff:10.1.2.3",
            "192.168.1.7",
            "fd12::1",
            "172.16.0.1",
        ] {
            assert!(have(peer), "{peer}");
        }
        for peer in ["11.0.0.0", "9.255.255.255", "192.168.1.8", "fe80::1", "::1", "::10.0.0.1"] {
            assert!(!have(peer), "{peer}");
        }
        for bad in ["", "10.0.0.0/33", "10.0.0/8", "a.example", "10.0.0.0/8 ", "10.0.0.1:80"] {
            assert!(Networks::parse([bad]).is_none(), "{bad}");
        }
        assert!(Networks::parse([]).is_none());
    }
}
