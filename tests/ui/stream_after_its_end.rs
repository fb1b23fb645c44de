//@ error: E0382: borrow of moved value: `stream`

fn main() {
    let verifier = hookproof::Verifier::builder(&hookproof::providers::GITHUB)
        .secret("example")
        .build()
        .unwrap();
    let headers = http::HeaderMap::new();
    let mut stream = verifier.streaming().unwrap().begin(hookproof::Head::new(&headers)).unwrap();
    let _ = stream.finish(hookproof::UnixTime::from_secs(0));
    stream.update(b"more");
}
