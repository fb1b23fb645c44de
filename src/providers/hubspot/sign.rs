//! Making deliveries: the listed versions together, as real deliveries carry them.

use super::{HUBSPOT, OLDER, TIMESTAMP, V3, VERSION, Versions};
use crate::config_error::ConfigError;
use crate::encoding::Encoding;
use crate::mac::{Algorithm, MacKeys};
use crate::secret::Secret;
use crate::sign::{Outgoing, Sign, SignError, Signed, time_text};
use crate::time::UnixTime;

pub(super) struct HubspotSigner {
    versions: Versions,
    hmac: MacKeys,
    hash: MacKeys,
}

impl HubspotSigner {
    pub(super) fn new(versions: Versions, secrets: &[Secret]) -> Result<Self, ConfigError> {
        // One signature a delivery: the first secret signs.
        let first = secrets.get(..1).unwrap_or_default();
        Ok(Self {
            versions,
            hmac: MacKeys::new(Algorithm::HmacSha256, first)?,
            hash: MacKeys::new(Algorithm::Sha256, first)?,
        })
    }
}

impl Sign for HubspotSigner {
    fn sign(&self, outgoing: &Outgoing<'_>, at: UnixTime) -> Result<Signed, SignError> {
        let method = outgoing.method().as_str().as_bytes();
        let url = match outgoing.url() {
            Some(url) => url.as_bytes(),
            None if self.versions.v2 || self.versions.v3 => return Err(SignError::NO_TARGET),
            None => &[],
        };
        let time = time_text(at.as_millis())?;
        let mut signed = Signed::new(outgoing);
        signed.samples(&HUBSPOT.info, "", &time)?;
        if self.versions.v3 {
            let tags = self.hmac.tags(&[method, url, outgoing.body(), time.as_bytes()]);
            signed.header(V3, &first(&tags, Encoding::Base64))?;
            signed.header(TIMESTAMP, &time)?;
        }
        // The one older header holds one version: the stronger of those listed.
        if self.versions.v2 {
            let tags = self.hash.tags(&[method, url, outgoing.body()]);
            signed.header(OLDER, &first(&tags, Encoding::Hex))?;
            signed.header(VERSION, "v2")?;
        } else if self.versions.v1 {
            let tags = self.hash.tags(&[outgoing.body()]);
            signed.header(OLDER, &first(&tags, Encoding::Hex))?;
            signed.header(VERSION, "v1")?;
        }
        Ok(signed)
    }
}

fn first(tags: &[Vec<u8>], encoding: Encoding) -> String {
    tags.first().map(|tag| encoding.encode(tag)).unwrap_or_default()
}
