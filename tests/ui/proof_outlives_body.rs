//@ error: E0597: `body` does not live long enough

use hookproof::{Delivery, UnixTime, Verifier, providers};

fn main() {
    let verifier = Verifier::builder(&providers::GITHUB).secret("example").build().unwrap();
    let headers = http::HeaderMap::new();
    let verified = {
        let body = vec![0u8; 2];
        verifier.verify_at(&Delivery::new(&headers, &body), UnixTime::from_secs(0)).unwrap()
    };
    println!("{verified:?}");
}
