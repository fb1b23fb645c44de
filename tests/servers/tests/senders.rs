//! Senders' own packages sign deliveries and send them, over sockets, to a server of axum and one on bare hyper.
//!
//! The packages and the programs that use them are those of `conformance-vectors/adapters`; `tests/servers/run-senders` installs
//! them and runs this. Where they are not installed the test says so on standard error and passes, unless
//! `HOOKPROOF_SENDERS=required`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use hookproof::axum08::{Select, Webhook};
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof::{
    Endpoint, Endpoints, NoEndpoint, PublicUrl, VerifiedBuf, Verifier, providers, testing,
};
use hookproof_servers::server;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::Full;
use serde::Deserialize;
use tokio::process::Command;
use tower::{Layer, ServiceExt, service_fn};

/// The folder of each package below the adapters, whose deliveries it signs, and how many bodies it can sign.
const PACKAGES: [(&str, &str, usize); 10] = [
    ("node/hubspot-api-client", "hubspot", 4),
    ("node/octokit-webhooks-methods", "github", 4),
    ("node/shopify-api", "shopify", 3),
    ("node/standardwebhooks", "standard-webhooks", 4),
    ("node/stripe", "stripe", 4),
    ("node/svix", "standard-webhooks", 4),
    ("python/hubspot-api-client", "hubspot", 4),
    ("python/standardwebhooks", "standard-webhooks", 4),
    ("python/stripe", "stripe", 4),
    ("python/svix", "standard-webhooks", 4),
];

/// What the operator has entered at HubSpot, which signs it; the servers are reached by another address.
const PUBLIC: &str = "https://hooks.example.com";

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance-vectors/adapters")
}

/// The program of a package; `None` if the package or what runs it is not installed.
fn program(folder: &str) -> Option<Command> {
    let path = adapters().join(folder);
    let (interpreter, packages, file) = if folder.starts_with("node/") {
        ("node", path.join("node_modules"), "sign.mjs")
    } else {
        ("python3", path.join(".packages"), "sign.py")
    };
    assert!(path.join(file).exists(), "{folder} has no {file}");
    let runs = std::process::Command::new(interpreter).arg("--version").output();
    if !packages.is_dir() || !runs.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut command = Command::new(interpreter);
    command.arg(path.join(file)).env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONPATH", packages);
    Some(command)
}

/// What was reported of each sender since the last time.
type Log = Arc<Mutex<Vec<&'static str>>>;

type Named = Arc<BTreeMap<&'static str, Endpoint>>;

fn endpoints(log: &Log) -> Named {
    let ids = PACKAGES.iter().map(|(_, provider, _)| *provider);
    let endpoint = |id| {
        let sender = providers::find(id).unwrap();
        let verifier = Verifier::builder(sender).secret(testing::SECRET).build().unwrap();
        let log = Arc::clone(log);
        let builder = Endpoint::builder(verifier).url(PublicUrl::base(PUBLIC).unwrap());
        builder.on_verdict(move |report| log.lock().unwrap().push(report.word())).build().unwrap()
    };
    Arc::new(ids.map(|id| (id, endpoint(id))).collect())
}

/// The endpoint that the path names.
struct ByPath;

impl Select<Named> for ByPath {
    fn select(named: &Named, parts: &Parts) -> Result<Endpoints, NoEndpoint> {
        let endpoint = named.get(&parts.uri.path()[1..]).cloned();
        endpoint.map(Into::into).ok_or(NoEndpoint::Misconfigured)
    }
}

/// Answers with the length of the verified body.
async fn extracted(Webhook { content, proof, .. }: Webhook<Bytes, ByPath>) -> String {
    assert_eq!(content, *proof.body());
    content.len().to_string()
}

async fn wrapped(request: Request<VerifiedBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    let proof = request.extensions().get::<VerifiedBuf>().unwrap();
    Ok(Response::new(Full::from(proof.body().len().to_string())))
}

async fn servers(log: &Log) -> [String; 2] {
    let endpoints = endpoints(log);
    let app = Router::new().route("/{sender}", post(extracted)).with_state(Arc::clone(&endpoints));
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let endpoint = endpoints[&request.uri().path()[1..]].clone();
        VerifyLayer::new(endpoint).layer(service_fn(wrapped)).oneshot(request)
    });
    [server::axum(app).await, server::hyper(service).await]
        .map(|address| format!("http://{address}"))
}

/// A line of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    case: String,
    server: String,
    status: u16,
    text: String,
}

/// Runs a package's program and gives its faults.
async fn run(
    mut program: Command,
    provider: &str,
    bodies: usize,
    servers: &[String],
    log: &Log,
) -> Vec<String> {
    let addresses: Vec<String> =
        servers.iter().map(|server| format!("{server}/{provider}")).collect();
    program.args([testing::SECRET, &format!("{PUBLIC}/{provider}")]).args(&addresses);
    let output = program.output().await.unwrap();
    if !output.status.success() {
        return vec![String::from_utf8_lossy(&output.stderr).into_owned()];
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Line> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut faults = Vec::new();
    for address in &addresses {
        let own = lines.iter().filter(|line| line.server == *address).count();
        if own != 3 * bodies {
            faults.push(format!("{own} answers of {address}, expected {}", 3 * bodies));
        }
    }
    for line in &lines {
        let genuine = line.case.starts_with("genuine ");
        let right = if genuine {
            line.status == 200 && line.text.parse::<usize>().is_ok_and(|length| length > 0)
        } else {
            line.status == 401 && line.text.is_empty()
        };
        if !right {
            faults.push(format!("{line:?}"));
        }
    }
    let words = std::mem::take(&mut *log.lock().unwrap());
    let count = |wanted| words.iter().filter(|word| **word == wanted).count();
    let counts = (words.len(), count("accepted"), count("signature-mismatch"));
    let each = bodies * addresses.len();
    if counts != (3 * each, each, 2 * each) {
        faults.push(format!("reported: {words:?}"));
    }
    faults
}

#[tokio::test]
async fn what_the_senders_own_packages_sign_is_accepted_and_nothing_else() {
    let log = Log::default();
    let servers = servers(&log).await;
    let (mut faults, mut skipped) = (Vec::new(), Vec::new());
    for (folder, provider, bodies) in PACKAGES {
        let Some(program) = program(folder) else {
            skipped.push(folder);
            continue;
        };
        let own = run(program, provider, bodies, &servers, &log).await;
        faults.extend(own.into_iter().map(|fault| format!("{folder}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    if !skipped.is_empty() {
        let names = skipped.join(" ");
        let required =
            std::env::var_os("HOOKPROOF_SENDERS").is_some_and(|value| value == "required");
        assert!(!required, "not installed: {names}; tests/servers/run-senders installs them");
        // Past the capture of the test harness.
        let mut stderr = std::io::stderr().lock();
        writeln!(
            stderr,
            "\nSKIPPED: {} of {} packages of senders are not installed ({names}); tests/servers/run-senders installs them\n",
            skipped.len(),
            PACKAGES.len()
        )
        .unwrap();
    }
}
