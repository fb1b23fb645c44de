//! Requests through poem's test client: the whole application without its socket.

use hookproof::testing::{SECRET, Sender};
use hookproof::{Endpoint, Verifier, providers::GITHUB};
use hookproof_servers::vectors;
use http::{HeaderMap, Method};
use poem::test::TestClient;

use super::routes;

/// The status of the answer.
async fn send(
    endpoint: &Endpoint,
    method: Method,
    target: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> u16 {
    let client = TestClient::new(routes(endpoint.clone()));
    let mut request = client.request(method, target).body(body.to_vec());
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.send().await.0.status().as_u16()
}

#[tokio::test]
async fn a_genuine_delivery_is_accepted_and_a_changed_one_refused() {
    let verifier = Verifier::builder(&GITHUB).secret(SECRET).build().unwrap();
    let endpoint = Endpoint::builder(verifier).limit(100).build().unwrap();
    let post = async |headers: &HeaderMap, body: &[u8]| {
        send(&endpoint, Method::POST, "/", headers, body).await
    };
    let sent = Sender::new(&GITHUB).send(b"\xff as it is").unwrap();
    let headers = sent.delivery().headers().clone();
    assert_eq!(post(&headers, b"\xff as it is").await, 200);
    assert_eq!(post(&headers, b"\xfe as it is").await, 401);
    assert_eq!(post(&HeaderMap::new(), b"\xff as it is").await, 401);

    let mut twice = headers.clone();
    twice.append("x-hub-signature-256", headers["x-hub-signature-256"].clone());
    assert_eq!(post(&twice, b"\xff as it is").await, 401);

    let longest = Sender::new(&GITHUB).send(&[b'a'; 100]).unwrap();
    assert_eq!(post(longest.delivery().headers(), &[b'a'; 100]).await, 200);
    let longer = Sender::new(&GITHUB).send(&[b'a'; 101]).unwrap();
    assert_eq!(post(longer.delivery().headers(), &[b'a'; 101]).await, 413);
}

/// Every vector that poem hands on, with the answer and the reason of the library.
#[tokio::test]
async fn every_vector_that_poem_carries() {
    let (cases, left) = vectors::cases();
    let not_carried = left.values().map(Vec::len).sum::<usize>();
    let mut faults = Vec::new();
    for case in &cases {
        let request = case.request();
        let target = request.uri().to_string();
        let method = request.method().clone();
        let status = send(&case.endpoint, method, &target, request.headers(), request.body()).await;
        faults.extend(case.differs(status));
    }
    println!("{} vectors through poem, {not_carried} not carried", cases.len());
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
    assert!(cases.len() > 5000, "{}", cases.len());
}
