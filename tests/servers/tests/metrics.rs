//! The counters: what is emitted is what the page of the contract lists, with no other name, label or value.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use axum::routing::post;
use bytes::Bytes;
use hookproof::axum08::{Select, Webhook};
use hookproof::tower::{ShadowBody, ShadowLayer, VerifiedBody, VerifyLayer};
use hookproof::{
    Endpoint, EndpointBuilder, Endpoints, ErrorKind, NoEndpoint, Outgoing, PublicUrl, Signer,
    UnixTime, Verifier, metrics, providers,
};
use http::request::Parts;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use tower::{Layer, ServiceExt, service_fn};

const CONTRACT: &str = include_str!("../../../src/integrations/metrics.md");

const URL: &str = "https://hooks.example.com";
const SECRETS: [&str; 8] = ["s-0", "s-1", "s-2", "s-3", "s-4", "s-5", "s-6", "s-7"];
const NOW: UnixTime = UnixTime::from_millis(1_700_000_000_000);

/// The cells of the rows of a table of the contract, without code marks.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let table = CONTRACT.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect()
    })
    .collect()
}

/// The listed metrics: kind and labels of each name.
fn listed() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let rows = rows("| metric |");
    rows.into_iter()
        .map(|row| {
            let labels = row[3].split(", ").map(ToOwned::to_owned).collect();
            (row[0].clone(), (row[1].clone(), labels))
        })
        .collect()
}

/// One series: its name, its labels, its value.
type Series = BTreeMap<(String, BTreeMap<String, String>), DebugValue>;

/// What was recorded since the last time; each series is as listed.
fn taken(snapshotter: &Snapshotter) -> Series {
    let listed = listed();
    let mut series = Series::new();
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let name = key.key().name().to_owned();
        let labels: BTreeMap<String, String> = key
            .key()
            .labels()
            .map(|label| (label.key().to_owned(), label.value().to_owned()))
            .collect();
        let (kind, names) = &listed.get(&name).unwrap_or_else(|| panic!("{name} is not listed"));
        let own = match value {
            DebugValue::Counter(_) => "counter",
            DebugValue::Gauge(_) => "gauge",
            DebugValue::Histogram(_) => "histogram",
        };
        assert_eq!((own, &labels.keys().cloned().collect()), (kind.as_str(), names), "{name}");
        let nothing = match &value {
            DebugValue::Counter(count) => *count == 0,
            DebugValue::Histogram(values) => values.is_empty(),
            DebugValue::Gauge(_) => false,
        };
        if !nothing {
            series.insert((name, labels), value);
        }
    }
    series
}

fn entry(name: &str, more: &[(&str, &str)]) -> (String, BTreeMap<String, String>) {
    let usual = [("provider", "hubspot"), ("endpoint", "crm"), ("mode", "enforced")];
    let labels: BTreeMap<String, String> = usual
        .iter()
        .chain(more)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    (name.to_owned(), labels)
}

fn builder() -> EndpointBuilder {
    let mut verifier = Verifier::builder(&providers::HUBSPOT).secret(SECRETS[0]);
    for previous in &SECRETS[1..] {
        verifier = verifier.previous(previous);
    }
    let url = PublicUrl::base(URL).unwrap();
    Endpoint::builder(verifier.build().unwrap()).url(url).clock(|| NOW)
}

fn endpoint() -> Endpoint {
    builder().name("crm").build().unwrap()
}

/// A delivery of HubSpot, signed with one of the keys, this long before now.
fn delivery(key: usize, age_ms: i64, body: &[u8]) -> Request<Bytes> {
    let signer = Signer::builder(&providers::HUBSPOT).secret(SECRETS[key]).build().unwrap();
    let url = format!("{URL}/");
    let outgoing = Outgoing::new(body).with_method(&Method::POST).with_url(&url);
    let at = NOW.as_millis().checked_add_signed(-age_ms).unwrap();
    let mut request = signer.sign(&outgoing, UnixTime::from_millis(at)).unwrap().into_request();
    *request.uri_mut() = "/".parse().unwrap();
    request
}

fn attempts(numbers: &[u64]) -> Vec<u8> {
    let element = |(index, number)| {
        format!(
            r#"{{"eventId":{index},"portalId":1,"appId":1,"occurredAt":1700000000000,"subscriptionType":"contact.creation","attemptNumber":{number},"objectId":{index}}}"#
        )
    };
    let elements: Vec<String> = numbers.iter().enumerate().map(element).collect();
    format!("[{}]", elements.join(",")).into_bytes()
}

#[test]
fn each_report_is_counted_under_the_listed_names() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    ::metrics::with_local_recorder(&recorder, || {
        let endpoint = endpoint();
        let take = || taken(&snapshotter);
        let accepted = entry(metrics::DELIVERIES, &[("verdict", "accepted")]);
        let age = |verdict| entry(metrics::AGE, &[("verdict", verdict)]);
        let aged = |seconds: f64| DebugValue::Histogram(vec![seconds.into()]);

        endpoint.verify(delivery(0, 1_500, &attempts(&[0]))).unwrap();
        let series = Series::from([
            (accepted.clone(), DebugValue::Counter(1)),
            (age("accepted"), aged(1.5)),
        ]);
        assert_eq!(take(), series);

        for (key, index) in ["1", "2", "3", "4", "5", "6", "7"].into_iter().zip(1..) {
            endpoint.verify(delivery(index, -250, &attempts(&[0, 0]))).unwrap();
            let series = Series::from([
                (accepted.clone(), DebugValue::Counter(1)),
                (age("accepted"), aged(-0.25)),
                (entry(metrics::PREVIOUS_KEY, &[("key", key)]), DebugValue::Counter(1)),
            ]);
            assert_eq!(take(), series);
        }

        for (numbers, word) in [
            (&[1][..], "1"),
            (&[0, 2, 1], "2"),
            (&[9], "9"),
            (&[10], "10+"),
            (&[999_999_999], "10+"),
        ] {
            endpoint.verify(delivery(0, 0, &attempts(numbers))).unwrap();
            let series = Series::from([
                (accepted.clone(), DebugValue::Counter(1)),
                (age("accepted"), aged(0.0)),
                (entry(metrics::RETRIES, &[("attempt", word)]), DebugValue::Counter(1)),
            ]);
            assert_eq!(take(), series, "{numbers:?}");
        }

        for (age_ms, verdict) in [(400_000, "timestamp-too-old"), (-400_000, "timestamp-in-future")]
        {
            endpoint.verify(delivery(1, age_ms, &attempts(&[3]))).unwrap_err();
            let seconds = if age_ms > 0 { 400.0 } else { -400.0 };
            let series = Series::from([
                (entry(metrics::DELIVERIES, &[("verdict", verdict)]), DebugValue::Counter(1)),
                (age(verdict), aged(seconds)),
            ]);
            assert_eq!(take(), series);
        }
    });
}

/// What a request says appears in no label: forged ones make no series of their own.
#[test]
fn no_request_chooses_a_label() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let known: BTreeSet<&str> = ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    ::metrics::with_local_recorder(&recorder, || {
        let endpoint = endpoint();
        for number in 0..200 {
            let mut request = delivery(0, number, format!("marker {number}").as_bytes());
            let headers = request.headers_mut();
            let value = format!("marker-{number}");
            let name = ["x-hubspot-signature-v3", "x-hubspot-request-timestamp", "user-agent"];
            headers.insert(name[usize::try_from(number % 3).unwrap()], value.parse().unwrap());
            if number % 5 == 0 {
                *request.uri_mut() = format!("/marker?{number}").parse().unwrap();
            }
            let _ = endpoint.verify(request);
        }
    });
    let series = taken(&snapshotter);
    let deliveries: Vec<_> =
        series.iter().filter(|((name, _), _)| name == metrics::DELIVERIES).collect();
    let total: u64 = deliveries
        .iter()
        .map(|(_, value)| match value {
            DebugValue::Counter(count) => *count,
            _ => 0,
        })
        .sum();
    assert_eq!(total, 200);
    for (_, labels) in series.keys() {
        let verdict = labels["verdict"].as_str();
        assert!(verdict == "accepted" || known.contains(verdict), "{verdict}");
        assert!(labels.values().all(|value| !value.contains("marker")), "{labels:?}");
    }
    assert!(series.len() < 8, "{series:?}");
}

/// The endpoint is nobody's.
struct Nobody;

impl Select<()> for Nobody {
    fn select((): &(), _: &Parts) -> Result<Endpoints, NoEndpoint> {
        Err(NoEndpoint::Unknown)
    }
}

async fn handle(_: Request<VerifiedBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::default())
}

async fn read(
    request: Request<ShadowBody<Full<Bytes>>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    request.into_body().collect().await.unwrap();
    Ok(Response::default())
}

#[tokio::test]
async fn every_adapter_counts_once() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _guard = ::metrics::set_default_local_recorder(&recorder);
    let body = attempts(&[4]);
    let request = || delivery(1, 1_000, &body).map(Full::new);
    let accepted = |mode, endpoint| {
        let usual = [("mode", mode), ("endpoint", endpoint)];
        let with = |more| [&usual[..], &[more]].concat();
        Series::from([
            (entry(metrics::DELIVERIES, &with(("verdict", "accepted"))), DebugValue::Counter(1)),
            (
                entry(metrics::AGE, &with(("verdict", "accepted"))),
                DebugValue::Histogram(vec![1.0.into()]),
            ),
            (entry(metrics::PREVIOUS_KEY, &with(("key", "1"))), DebugValue::Counter(1)),
        ])
    };
    let retries = |series: &mut Series, endpoint| {
        let labels = [("endpoint", endpoint), ("attempt", "4")];
        series.insert(entry(metrics::RETRIES, &labels), DebugValue::Counter(1));
    };

    let verify = VerifyLayer::new(endpoint()).layer(service_fn(handle));
    verify.oneshot(request()).await.unwrap();
    let mut series = accepted("enforced", "crm");
    retries(&mut series, "crm");
    assert_eq!(taken(&snapshotter), series);

    // An endpoint without a name.
    let app = axum::Router::new()
        .route("/", post(async |_: Webhook| {}))
        .with_state(builder().build().unwrap());
    app.oneshot(request().map(axum::body::Body::new)).await.unwrap();
    let mut series = accepted("enforced", "");
    retries(&mut series, "");
    assert_eq!(taken(&snapshotter), series);

    ShadowLayer::new(endpoint()).layer(service_fn(read)).oneshot(request()).await.unwrap();
    assert_eq!(taken(&snapshotter), accepted("shadow", "crm"));

    let app = axum::Router::new().route("/", post(async |_: Webhook<Bytes, Nobody>| {}));
    app.oneshot(request().map(axum::body::Body::new)).await.unwrap();
    let labels = [("provider", ""), ("endpoint", ""), ("verdict", "no-endpoint")];
    let series = Series::from([(entry(metrics::DELIVERIES, &labels), DebugValue::Counter(1))]);
    assert_eq!(taken(&snapshotter), series);
}

#[test]
fn the_constants_and_descriptions_are_the_listed_names() {
    let names: BTreeSet<String> =
        [metrics::DELIVERIES, metrics::PREVIOUS_KEY, metrics::RETRIES, metrics::AGE]
            .map(ToOwned::to_owned)
            .into();
    assert_eq!(listed().into_keys().collect::<BTreeSet<_>>(), names);
    let labels: BTreeSet<String> = listed().into_values().flat_map(|(_, labels)| labels).collect();
    let explained = rows("| label |").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(labels, explained);

    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let units: BTreeMap<String, String> = ::metrics::with_local_recorder(&recorder, || {
        metrics::describe();
        endpoint().verify(delivery(1, 0, &attempts(&[1]))).unwrap();
        let entries = snapshotter.snapshot().into_vec();
        entries
            .into_iter()
            .map(|(key, unit, description, _)| {
                assert!(description.is_some(), "{key:?}");
                (key.key().name().to_owned(), unit.unwrap().as_str().to_owned())
            })
            .collect()
    });
    let of_page = rows("| metric |")
        .into_iter()
        .map(|row| {
            let unit = if row[2] == "seconds" { "seconds" } else { "count" };
            (row[0].clone(), unit.to_owned())
        })
        .collect();
    assert_eq!(units, of_page);
}
