//! An endpoint for GitHub whose reports are kept, and deliveries signed for it.

use std::sync::{Arc, Mutex};

use hookproof::{
    Endpoint, EndpointBuilder, Outgoing, Signer, UnixTime, Verifier, providers, testing,
};

/// What was reported, one entry a delivery: the verdict's word and how much of the body arrived.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<(&'static str, usize)>>>);

impl Log {
    /// The reports since the last time.
    pub fn take(&self) -> Vec<(&'static str, usize)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// The words of the reports since the last time.
    pub fn words(&self) -> Vec<&'static str> {
        self.take().into_iter().map(|(word, _)| word).collect()
    }

    /// Waits until there is a report, and takes what there is.
    pub async fn wait(&self) -> Vec<(&'static str, usize)> {
        for _ in 0..10_000 {
            if !self.0.lock().unwrap().is_empty() {
                return self.take();
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        panic!("nothing was reported");
    }
}

/// A verifier of GitHub's deliveries with the secret of `hookproof::testing`.
pub fn verifier() -> Verifier {
    Verifier::builder(&providers::GITHUB).secret(testing::SECRET).build().unwrap()
}

/// An endpoint, and its reports.
pub fn endpoint(set_up: impl FnOnce(EndpointBuilder) -> EndpointBuilder) -> (Endpoint, Log) {
    let log = Log::default();
    let kept = log.clone();
    let builder = Endpoint::builder(verifier()).on_verdict(move |report| {
        kept.0.lock().unwrap().push((report.word(), report.body_length));
    });
    (set_up(builder).build().unwrap(), log)
}

/// The header that a signature is in.
pub const SIGNATURE: &str = "X-Hub-Signature-256";

/// A signature that is well formed and wrong.
pub const FORGED: &[u8] =
    b"sha256=0000000000000000000000000000000000000000000000000000000000000000";

/// The signature of a body.
pub fn signature(body: &[u8]) -> Vec<u8> {
    let signer = Signer::builder(&providers::GITHUB).secret(testing::SECRET).build().unwrap();
    let signed = signer.sign(&Outgoing::new(body), UnixTime::from_secs(0)).unwrap();
    signed.delivery().headers()[SIGNATURE].as_bytes().to_vec()
}
