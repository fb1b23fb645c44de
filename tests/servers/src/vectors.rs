//! The vectors as requests over a socket, with the verdict of the library beside each.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use hookproof::{Endpoint, PublicUrl, UnixTime};
use hookproof_vectors::{Group, Test};

use crate::client;

#[path = "../../support/mod.rs"]
mod support;

/// The header that names the vector to the test's server.
pub const CASE: &str = "x-case";

/// A vector that HTTP carries.
#[derive(Debug)]
pub struct Case {
    /// The vector's id.
    pub id: String,
    /// The endpoint of its configuration, with its clock.
    pub endpoint: Endpoint,
    method: String,
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    expected: support::Answer,
    reported: Arc<Mutex<Vec<String>>>,
}

/// What cannot be carried, and why.
pub type Left = BTreeMap<&'static str, Vec<String>>;

/// Every vector that HTTP carries, and the others by reason.
pub fn cases() -> (Vec<Case>, Left) {
    let (mut cases, mut left) = (Vec::new(), Left::new());
    for file in hookproof_vectors::suite().unwrap() {
        for (group, test) in file.tests() {
            match case(&file.provider, group, test) {
                Ok(case) => cases.push(case),
                Err(reason) => left.entry(reason).or_default().push(test.id.clone()),
            }
        }
    }
    (cases, left)
}

fn case(provider: &str, group: &Group, test: &Test) -> Result<Case, &'static str> {
    let (sender, options) =
        support::sender(provider, group).ok_or("needs a feature that is switched off")?;
    let verifier = support::secrets(group)
        .and_then(|secrets| support::verifier(sender, &options, group, secrets))
        .map_err(|_| "the secret is refused at start-up")?;
    let now = support::now(test);
    let request = support::Request::new(test);
    let expected = support::whole(&verifier, &request, now);

    let needs = verifier.needs();
    if needs.method && test.method.is_none() {
        return Err("no method is given, and every request has one");
    }
    let (url, target) = match (&test.url, needs.url) {
        (None, true) => return Err("no URL is given: an endpoint without one does not start"),
        (Some(text), true) => {
            let (url, target) = public_url(text)?;
            (Some(url), target)
        }
        _ => (None, "/".to_owned()),
    };
    let reported = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&reported);
    let mut builder = Endpoint::builder(verifier)
        .limit(test.body.len().max(1 << 20))
        .clock(move || UnixTime::from_millis(now.as_millis()))
        .chunk_timeout(Duration::from_secs(60))
        .on_verdict(move |report| {
            let word = match report.verdict {
                Ok(accepted) => format!("key {}", accepted.key),
                Err(error) => error.kind().to_string(),
            };
            log.lock().unwrap().push(word);
        });
    if let Some(url) = url {
        builder = builder.url(url);
    }
    Ok(Case {
        id: test.id.clone(),
        endpoint: builder.build().unwrap(),
        method: test.method.clone().unwrap_or_else(|| "POST".to_owned()),
        target,
        headers: test.headers().map(|(name, value)| (name.to_owned(), value.to_vec())).collect(),
        body: test.body.bytes().into_owned(),
        expected,
        reported,
    })
}

/// The base that an operator configures and the target that the request has; the whole URL where there is no path.
fn public_url(text: &str) -> Result<(PublicUrl, String), &'static str> {
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("the URL has bytes that no request target has");
    }
    let after = text.find("://").map_or(0, |at| at + 3);
    let path = text[after..].find(['/', '?']).map_or(text.len(), |at| after + at);
    let (base, target) = text.split_at(path);
    let url = if target.starts_with('/') && !target.contains('#') {
        PublicUrl::base(base).map(|url| (url, target.to_owned()))
    } else {
        PublicUrl::exact(text).map(|url| (url, "/".to_owned()))
    };
    url.map_err(|_| "the URL cannot be one that is called: no scheme, or a fragment")
}

impl Case {
    /// The vector as a request whose body is at hand.
    pub fn request(&self) -> http::Request<Bytes> {
        let mut request = http::Request::builder().method(self.method.as_str()).uri(&self.target);
        for (name, value) in &self.headers {
            request = request.header(name, value.as_slice());
        }
        request.body(Bytes::from(self.body.clone())).unwrap()
    }

    /// What was reported since the last time.
    pub fn reported(&self) -> Vec<String> {
        std::mem::take(&mut *self.reported.lock().unwrap())
    }

    /// Compares an answer's status and the report with the library's verdict, for servers that take requests without a socket.
    /// A fault, or nothing.
    pub fn differs(&self, status: u16) -> Option<String> {
        let (expected, word) = match self.expected {
            Ok(key) => (200, format!("key {key}")),
            Err(kind) => (kind.status().as_u16(), kind.to_string()),
        };
        let reported = self.reported();
        (status != expected || reported != [word.clone()]).then(|| {
            format!("{}: expected {expected} and {word}, got {status} and {reported:?}", self.id)
        })
    }

    /// Sends the vector and compares answer and report with the library's verdict. A fault, or nothing.
    pub async fn run(&self, index: usize, address: SocketAddr) -> Option<String> {
        let index = index.to_string();
        let mut headers: Vec<(&str, &[u8])> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        headers.push((CASE, index.as_bytes()));
        let answer = client::send(address, &self.method, &self.target, &headers, &self.body).await;
        let (status, body, word) = match self.expected {
            Ok(key) => (200, key.to_string().into_bytes(), format!("key {key}")),
            Err(kind) => (kind.status().as_u16(), Vec::new(), kind.to_string()),
        };
        // The answer to HEAD has no body.
        let body_is_right = answer.body == body || self.method == "HEAD";
        let reported = self.reported();
        (answer.status != status || !body_is_right || reported != [word.clone()]).then(|| {
            format!("{}: expected {status} and {word}, got {answer:?} and {reported:?}", self.id)
        })
    }
}

/// Sends every case to the server and panics with what differs.
pub async fn replay(cases: &[Case], left: &Left, address: SocketAddr) {
    let mut faults = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        faults.extend(case.run(index, address).await);
    }
    let accepted = cases.iter().filter(|case| case.expected.is_ok()).count();
    println!(
        "{} vectors over a socket, {accepted} of them accepted; not carried: {}",
        cases.len(),
        left.values().map(Vec::len).sum::<usize>()
    );
    for (reason, ids) in left {
        println!("  {}, {reason}: {}", ids.len(), ids.join(" "));
    }
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
}
