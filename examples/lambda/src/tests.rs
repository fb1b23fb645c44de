//! Events as AWS makes them, through the service that `run` drives.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hookproof::providers::GITHUB;
use hookproof::testing::{SECRET, Sender};
use hookproof::{Endpoint, raw::AwsRequest};
use hookproof_servers::vectors;
use lambda_http::Service;
use lambda_http::http::HeaderMap;
use lambda_http::lambda_runtime::{Context, LambdaEvent, service_fn};
use serde_json::{Map, Value, json};

use super::{endpoint, hook};

const BODY: &[u8] = b"{\"zen\":\"\xff is a byte\"}";

/// The status by which the function answers an event.
async fn answer(endpoint: &Endpoint, event: &Value) -> u64 {
    let event = serde_json::from_str(&event.to_string()).unwrap();
    let function = async |event: LambdaEvent<AwsRequest>| hook(endpoint, &event.payload);
    let event = LambdaEvent::new(event, Context::default());
    service_fn(function).call(event).await.unwrap()["statusCode"].as_u64().unwrap()
}

/// The payload of version 2.0: HTTP APIs and function URLs. Lines of one name are joined.
fn http_api(headers: &HeaderMap, body: &[u8]) -> Value {
    let single: Map<String, Value> = headers
        .keys()
        .map(|name| {
            let lines: Vec<_> =
                headers.get_all(name).iter().map(|line| line.to_str().unwrap()).collect();
            (name.to_string(), json!(lines.join(",")))
        })
        .collect();
    json!({
        "version": "2.0", "routeKey": "$default", "rawPath": "/github", "rawQueryString": "",
        "headers": single,
        "requestContext": {
            "http": { "method": "POST", "path": "/github" }, "stage": "$default", "timeEpoch": 0
        },
        "body": STANDARD.encode(body), "isBase64Encoded": true
    })
}

/// The payload of version 1.0: REST APIs. Every line is there.
fn rest_api(method: &str, path: &str, headers: &HeaderMap, body: &[u8]) -> Value {
    let (mut single, mut multiple) = (Map::new(), Map::new());
    for name in headers.keys() {
        let lines: Vec<_> =
            headers.get_all(name).iter().map(|line| line.to_str().unwrap()).collect();
        single.insert(name.to_string(), json!(lines.last()));
        multiple.insert(name.to_string(), json!(lines));
    }
    json!({
        "resource": "/{proxy+}", "path": path, "httpMethod": method,
        "headers": single, "multiValueHeaders": multiple,
        "queryStringParameters": null, "multiValueQueryStringParameters": null,
        "pathParameters": null, "stageVariables": null,
        "requestContext": { "httpMethod": method, "requestId": "1", "stage": "$default" },
        "body": STANDARD.encode(body), "isBase64Encoded": true
    })
}

fn events(headers: &HeaderMap, body: &[u8]) -> [Value; 2] {
    [http_api(headers, body), rest_api("POST", "/github", headers, body)]
}

#[tokio::test]
async fn a_genuine_delivery_is_accepted_and_a_changed_one_refused() {
    let endpoint = endpoint(SECRET).unwrap();
    let sent = Sender::new(&GITHUB).send(BODY).unwrap();
    let headers = sent.delivery().headers().clone();
    for event in events(&headers, BODY) {
        assert_eq!(answer(&endpoint, &event).await, 200, "{event}");
    }
    for event in events(&headers, b"{\"zen\":\"\xfe is a byte\"}") {
        assert_eq!(answer(&endpoint, &event).await, 401, "{event}");
    }
    // Bytes that are marked as base64, taken as they stand, are another body.
    for mut event in events(&headers, BODY) {
        event["isBase64Encoded"] = json!(false);
        assert_eq!(answer(&endpoint, &event).await, 401, "{event}");
    }
    for event in events(&HeaderMap::new(), BODY) {
        assert_eq!(answer(&endpoint, &event).await, 401, "{event}");
    }
}

#[tokio::test]
async fn a_second_line_of_the_signature_is_seen() {
    let endpoint = endpoint(SECRET).unwrap();
    let mut headers = Sender::new(&GITHUB).send(BODY).unwrap().delivery().headers().clone();
    let again = headers["x-hub-signature-256"].clone();
    headers.append("x-hub-signature-256", again);
    for event in events(&headers, BODY) {
        assert_eq!(answer(&endpoint, &event).await, 401, "{event}");
    }
}

/// Every vector that such an event carries, with the answer and the reason of the library.
#[tokio::test]
async fn every_vector_that_an_event_carries() {
    let (cases, left) = vectors::cases();
    let mut not_carried = left.values().map(Vec::len).sum::<usize>();
    let (mut carried, mut faults) = (0, Vec::new());
    for case in &cases {
        let request = case.request();
        let is_text = request.headers().values().all(|value| value.to_str().is_ok());
        // An event's path is nothing that an endpoint reads here: the URL is given as it is configured.
        if !is_text || request.uri() != "/" {
            not_carried += 1;
            continue;
        }
        carried += 1;
        let method = request.method().as_str();
        let event = rest_api(method, request.uri().path(), request.headers(), request.body());
        let status = answer(&case.endpoint, &event).await;
        faults.extend(case.differs(u16::try_from(status).unwrap()));
    }
    println!("{carried} vectors as events, {not_carried} not carried");
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
    assert!(carried > 4000, "{carried}");
}
