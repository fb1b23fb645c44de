//! Two senders whose comparison is wrong on purpose. They go the way of every other sender, so that a check that no
//! longer sees them is itself broken.

use hmac::{Hmac, KeyInit, Mac};
use hookproof::{
    BodyCheck, Checker, ConfigError, Coverage, Error, Evidence, Head, Info, Needs, Provider,
    Session, Setup,
};
use sha2::Sha256;

/// How a planted sender compares the hex text of a delivery with its MAC.
type Compare = fn(mac: &[u8; 32], text: &[u8]) -> bool;

/// Stops at the first byte that differs.
pub static EARLY_EXIT: Planted = Planted {
    info: Info::new("planted-early-exit", "Planted: early exit"),
    compare: |mac, text| {
        let mut candidate = [0u8; 32];
        hex::decode_to_slice(text, &mut candidate).is_ok()
            && mac.iter().zip(&candidate).all(|(left, right)| core::hint::black_box(left) == right)
    },
};

/// Encodes the MAC, by a table, and compares texts.
pub static ENCODED: Planted = Planted {
    info: Info::new("planted-encoded", "Planted: encoded MAC"),
    compare: |mac, text| hex::encode(mac).as_bytes() == text,
};

#[derive(Debug)]
pub struct Planted {
    info: Info,
    compare: Compare,
}

impl Provider for Planted {
    fn info(&self) -> &Info {
        &self.info
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
        let key = setup.secrets()[0].expose_bytes();
        Ok(Box::new(Prepared { mac: Hmac::new_from_slice(key).unwrap(), compare: self.compare }))
    }
}

struct Prepared {
    mac: Hmac<Sha256>,
    compare: Compare,
}

impl Checker for Prepared {
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        let text = head.headers().get("x-signature").unwrap().as_bytes();
        Ok(Session::boxed(Box::new(Running { mac: self.mac.clone(), compare: self.compare, text })))
    }

    fn needs(&self) -> Needs {
        Needs::NOTHING
    }
}

struct Running<'h> {
    mac: Hmac<Sha256>,
    compare: Compare,
    text: &'h [u8],
}

impl BodyCheck for Running<'_> {
    fn update(&mut self, chunk: &[u8]) {
        self.mac.update(chunk);
    }

    fn finish(&mut self) -> Result<Evidence, Error> {
        let mac = self.mac.clone().finalize().into_bytes().into();
        // The answer itself is of no interest here; the harness does not look at it.
        core::hint::black_box((self.compare)(&mac, self.text));
        Ok(Evidence::new(Coverage::Body))
    }
}
