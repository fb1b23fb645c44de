//! Requests that are genuine whatever the input says: for targets that look at what comes after acceptance.

use hookproof::testing;

use crate::input::Case;
use crate::naive::{self, Key, Request, Slip};
use crate::placeholder::{NOW, SIGNATURE, fill};

/// A secret that is good for every sender and record: base64 that is also text.
pub const SECRET: &str = "aG9va3Byb29mLXRlc3Qtc2VjcmV0";

/// A request that the naive verifier accepts, and what it is verified with.
#[derive(Clone, Debug)]
pub struct Genuine {
    /// The case that it was made from.
    pub case: Case,
    /// The key bytes of its secrets.
    pub keys: Vec<Vec<u8>>,
    /// The request.
    pub request: Request,
}

impl Genuine {
    /// The request of a case as it is if that is genuine, else with a right signature in place of the headers that the
    /// sender reads, and with what else it needs.
    ///
    /// # Panics
    ///
    /// If the sender's sample is not genuine, which a test of [`placeholder`](crate::placeholder) excludes.
    #[must_use]
    pub fn new(mut case: Case) -> Self {
        let sender = case.sender();
        if naive::keys(sender, &case.secrets).is_err() {
            case.secrets = vec![Key::Text(SECRET.into())];
        }
        let keys = naive::keys(sender, &case.secrets).expect("the secrets are good");
        let request = fill(&case, &keys);
        let clock = (case.now(), case.tolerance);
        if naive::judge(sender, &keys, &request, clock, Slip::None).is_ok() {
            return Self { case, keys, request };
        }
        // Placeholders of times reach no further than a time may.
        case.now = case.now.filter(|now| now.to_string().len() < 20);
        case.method.get_or_insert_with(|| "POST".to_owned());
        case.url.get_or_insert_with(|| testing::URL.to_owned());
        let read = sender.provider.info().headers;
        case.headers.retain(|(name, _)| !read.contains(&name.as_str()));
        case.headers.extend(sender.sample(&[SIGNATURE], &[NOW]));
        let request = fill(&case, &keys);
        let clock = (case.now(), case.tolerance);
        let judged = naive::judge(sender, &keys, &request, clock, Slip::None);
        assert!(judged.is_ok(), "{}: the sample is not genuine: {judged:?}", sender.label());
        Self { case, keys, request }
    }
}
