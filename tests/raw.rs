//! Requests as AWS and plain servers hand them on.

#![cfg(feature = "events")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use hookproof::raw::AwsRequest;
use hookproof::{ErrorKind, Verifier, providers};
use serde_json::json;

const TAG: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

fn verifier() -> Verifier {
    Verifier::builder(&providers::GITHUB).secret("It's a Secret to Everybody").build().unwrap()
}

/// The events of each service, as their documentation shows them.
fn events() -> [(&'static str, serde_json::Value); 5] {
    let rest = json!({
        "version": "1.0", "resource": "/hook", "path": "/hook", "httpMethod": "POST",
        "headers": { "X-Hub-Signature-256": TAG, "Host": "a.example" },
        "multiValueHeaders": { "X-Hub-Signature-256": [TAG], "Host": ["a.example"] },
        "queryStringParameters": null, "multiValueQueryStringParameters": null,
        "requestContext": { "httpMethod": "POST", "stage": "prod", "identity": { "sourceIp": "192.0.2.1" }, "http": null },
        "body": "Hello, World!", "isBase64Encoded": false
    });
    let http = json!({
        "version": "2.0", "routeKey": "$default", "rawPath": "/hook", "rawQueryString": "a=1",
        "cookies": ["b=2"], "headers": { "x-hub-signature-256": TAG, "host": "a.example" },
        "requestContext": { "accountId": "1", "http": { "method": "POST", "path": "/hook", "protocol": "HTTP/1.1" } },
        "body": "SGVsbG8sIFdvcmxkIQ==", "isBase64Encoded": true
    });
    let balancer = json!({
        "requestContext": { "elb": { "targetGroupArn": "arn" } },
        "httpMethod": "POST", "path": "/hook", "queryStringParameters": {},
        "headers": { "x-hub-signature-256": TAG }, "body": "Hello, World!", "isBase64Encoded": false
    });
    let mut multiple = balancer.clone();
    multiple.as_object_mut().unwrap().remove("headers");
    multiple["multiValueHeaders"] = json!({ "x-hub-signature-256": [TAG], "x-other": ["1", "2"] });
    let mut url = http.clone();
    url["requestContext"]["http"]["userAgent"] = json!("GitHub-Hookshot");
    [("rest", rest), ("http", http), ("balancer", balancer), ("multiple", multiple), ("url", url)]
}

#[test]
fn events_of_every_service_are_read() {
    for (service, event) in events() {
        let request: AwsRequest = serde_json::from_value(event).unwrap();
        assert_eq!(request.method(), http::Method::POST, "{service}");
        assert_eq!(request.body().as_ref(), b"Hello, World!", "{service}");
        assert_eq!(request.headers().get_all("x-hub-signature-256").iter().count(), 1, "{service}");
        assert!(verifier().verify(&request.delivery()).is_ok(), "{service}");
        let text = format!("{request:?}");
        assert!(text.contains("x-hub-signature-256") && !text.contains("757107"), "{text}");
    }
}

#[test]
fn lines_that_were_sent_twice_are_seen() {
    let [(_, mut rest), .., (_, mut multiple), _] = events();
    for event in [&mut rest, &mut multiple] {
        let names = event["multiValueHeaders"].as_object_mut().unwrap();
        let name = names.keys().find(|name| name.eq_ignore_ascii_case("x-hub-signature-256"));
        let name = name.unwrap().clone();
        names[&name] = json!([TAG, TAG]);
        let request: AwsRequest = serde_json::from_value(event.clone()).unwrap();
        let error = verifier().verify(&request.delivery()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RepeatedHeader);
    }
    let [.., (_, multiple), _] = events();
    let request: AwsRequest = serde_json::from_value(multiple).unwrap();
    assert_eq!(request.headers().get_all("x-other").iter().count(), 2);
}

#[test]
fn bodies_are_bytes() {
    let [_, (_, http), ..] = events();
    let body = |text: serde_json::Value, is_base64| {
        let mut event = http.clone();
        event["body"] = text;
        event["isBase64Encoded"] = is_base64;
        serde_json::from_value::<AwsRequest>(event).map(|request| request.body().to_vec())
    };
    assert_eq!(body(json!("/w=="), json!(true)).unwrap(), b"\xff");
    assert_eq!(body(json!("/w=="), json!(false)).unwrap(), b"/w==");
    assert_eq!(body(json!("/w=="), json!(null)).unwrap(), b"/w==");
    assert_eq!(body(json!(null), json!(true)).unwrap(), b"");
    assert_eq!(body(json!("\u{0}é\u{feff}"), json!(false)).unwrap(), "\u{0}é\u{feff}".as_bytes());
    for bad in ["/w", "/w=", "/x==", "_w==", "/w==\n", " /w=="] {
        let error = body(json!(bad), json!(true)).unwrap_err().to_string();
        assert_eq!(error, "the event's body is marked as base64 and is not", "{bad}");
    }
}

#[test]
fn what_is_no_request_is_an_error_and_never_a_request_without_headers() {
    for (event, message) in [
        (json!({}), "has no method"),
        (json!({ "Records": [] }), "has no method"),
        (json!({ "httpMethod": "a b" }), "cannot be one of HTTP"),
        (json!({ "httpMethod": "POST", "headers": { "a b": "c" } }), "HTTP cannot carry"),
        (json!({ "httpMethod": "POST", "headers": { "a": "b\r\nc: d" } }), "HTTP cannot carry"),
        (json!({ "httpMethod": "POST", "headers": [] }), "invalid type"),
        (json!({ "httpMethod": "POST", "headers": { "a": 1 } }), "invalid type"),
        (json!({ "httpMethod": "POST", "body": {} }), "invalid type"),
        (json!([]), "an HTTP event"),
    ] {
        let error = serde_json::from_value::<AwsRequest>(event).unwrap_err().to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
    let empty = json!({ "httpMethod": "GET", "headers": null, "multiValueHeaders": { "a": null } });
    let request: AwsRequest = serde_json::from_value(empty).unwrap();
    assert!(request.headers().is_empty());
    let error = verifier().verify(&request.delivery()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingHeader);
}
