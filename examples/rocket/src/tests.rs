//! Requests through Rocket's local client: the whole server without its socket.

use hookproof::testing::{SECRET, Sender};
use hookproof::{Endpoint, Verifier, providers::GITHUB};
use hookproof_servers::vectors;
use http::HeaderMap;
use rocket::config::LogLevel;
use rocket::http::Method;
use rocket::http::uri::Origin;
use rocket::local::blocking::Client;

use super::server;

fn client(endpoint: Endpoint) -> Client {
    let quiet = rocket::Config { log_level: LogLevel::Off, ..rocket::Config::debug_default() };
    Client::untracked(server(endpoint).configure(quiet)).unwrap()
}

/// The status and the body of the answer.
fn post(client: &Client, target: &str, headers: &HeaderMap, body: &[u8]) -> (u16, usize) {
    let mut request = client.req(Method::Post, target).body(body);
    for (name, value) in headers {
        let value = value.to_str().unwrap().to_owned();
        request.add_header(rocket::http::Header::new(name.to_string(), value));
    }
    let answer = request.dispatch();
    (answer.status().code, answer.into_bytes().unwrap_or_default().len())
}

#[test]
fn a_genuine_delivery_is_accepted_and_a_changed_one_refused() {
    let verifier = Verifier::builder(&GITHUB).secret(SECRET).build().unwrap();
    let client = client(Endpoint::builder(verifier).limit(100).build().unwrap());
    let sent = Sender::new(&GITHUB).send(b"\xff as it is").unwrap();
    let headers = sent.delivery().headers().clone();
    assert_eq!(post(&client, "/", &headers, b"\xff as it is"), (200, 0));
    assert_eq!(post(&client, "/", &headers, b"\xfe as it is"), (401, 0));
    assert_eq!(post(&client, "/", &HeaderMap::new(), b"\xff as it is"), (401, 0));

    let mut twice = headers.clone();
    twice.append("x-hub-signature-256", headers["x-hub-signature-256"].clone());
    assert_eq!(post(&client, "/", &twice, b"\xff as it is"), (401, 0));

    let longest = Sender::new(&GITHUB).send(&[b'a'; 100]).unwrap();
    assert_eq!(post(&client, "/", longest.delivery().headers(), &[b'a'; 100]), (200, 0));
    let longer = Sender::new(&GITHUB).send(&[b'a'; 101]).unwrap();
    assert_eq!(post(&client, "/", longer.delivery().headers(), &[b'a'; 101]), (413, 0));
}

/// Every vector that Rocket hands on, with the answer and the reason of the library.
#[test]
fn every_vector_that_rocket_carries() {
    let (cases, left) = vectors::cases();
    let mut not_carried = left.values().map(Vec::len).sum::<usize>();
    let (mut carried, mut faults) = (0, Vec::new());
    for case in &cases {
        let request = case.request();
        let target = request.uri().to_string();
        let is_text = request.headers().values().all(|value| value.to_str().is_ok());
        let is_uri = Origin::parse(&target).is_ok_and(|origin| origin.to_string() == target);
        if !is_text || !is_uri || request.method() != http::Method::POST {
            not_carried += 1;
            continue;
        }
        carried += 1;
        let client = client(case.endpoint.clone());
        let (status, _) = post(&client, &target, request.headers(), request.body());
        faults.extend(case.differs(status));
    }
    println!("{carried} vectors through Rocket, {not_carried} not carried");
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
    assert!(carried > 4000, "{carried}");
}
