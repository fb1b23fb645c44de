//! Instructions of verifications outside the compression function, counted by callgrind, against a record.
//!
//! `cargo bench -p hookproof --features sign --bench instructions` prints the table and fails where a limit or the record
//! (`instructions.txt`) is exceeded; with `UPDATE=1` it writes the record anew. One run of this program under valgrind
//! counts every case.
//!
//! The counts repeat exactly for one build. Callgrind hides the SHA extension, so that the portable compression function
//! runs; it is told apart by its name and left out, since no change of this crate can make it dearer.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench is run by hand"
)]

#[path = "../tests/support/callgrind.rs"]
mod callgrind;
#[path = "../tests/support/crowded.rs"]
mod crowded;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hookproof::testing::{self, Sender};
use hookproof::{Delivery, Head, Provider, Verifier, providers};
use http::{HeaderMap, HeaderValue};
use sha2::Sha256;

use crowded::crowded;

/// By how many percent a verification may exceed the record, outside the compression function.
const DEARER: u64 = 3;
/// The same where the record is of another compiler, or of another processor's instructions: code of the same source
/// differs by a few percent between two compilers.
const DEARER_ELSEWHERE: u64 = 15;
/// By how many instructions a verification less the bare MAC may differ between two sizes of the body.
const SPREAD: u64 = 24;
/// The most instructions of a verification less those of the bare MAC, header look-up included.
const LIMITS: &[(&str, u64)] = &[(TEST_MODE, 2000), ("github", 1300)];
/// Stripe's header in test mode, with a second signature of a version that is not read.
const TEST_MODE: &str = "stripe, with v0";
/// The size whose counts are in the record.
const SIZE: usize = 1024;
/// The sizes at which a verification must cost the same above the bare MAC.
const OTHER_SIZES: [usize; 2] = [256, 65536];
const OTHER_SECRET: &str = "whsec_aG9va3Byb29mLW90aGVyLXNlY3JldA";

/// A piece of work that is counted, and how it is called.
struct Case {
    name: String,
    work: Box<dyn Fn()>,
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--count") {
        for case in cases() {
            // Once without counting, for what is done once a process.
            (case.work)();
            counted_section(&*case.work);
        }
        return ExitCode::SUCCESS;
    }
    if !callgrind::is_there() {
        eprintln!("instructions: valgrind is missing, so nothing was counted; install it");
        return ExitCode::FAILURE;
    }
    let counts = counts();
    let rows: Vec<Row> = rows(&counts).collect();
    println!("{:<34} {:>8} {:>8} {:>8}", "", "verify", "bare", "above");
    for row in &rows {
        println!("{:<34} {:>8} {:>8} {:>8}", row.name, row.verify, row.bare, row.above());
    }
    let mut faults = limits(&rows);
    faults.extend(spread(&counts));
    if std::env::var_os("UPDATE").is_some() {
        write_record(&rows);
    } else {
        faults.extend(compare(&rows));
    }
    faults.iter().for_each(|fault| eprintln!("instructions: {fault}"));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One kind of verification beside its bare MAC.
struct Row {
    name: String,
    verify: u64,
    bare: u64,
}

impl Row {
    fn above(&self) -> u64 {
        self.verify.saturating_sub(self.bare)
    }
}

/// What is recorded, in the order of [`cases`].
fn rows(counts: &BTreeMap<String, u64>) -> impl Iterator<Item = Row> {
    cases().into_iter().filter_map(|case| {
        let name = case.name.strip_suffix(&verify_of(SIZE))?.to_owned();
        let (verify, bare) = (counts[&case.name], counts[&format!("{name}{}", bare_of(SIZE))]);
        Some(Row { name, verify, bare })
    })
}

fn verify_of(size: usize) -> String {
    format!(": verify {size}")
}

fn bare_of(size: usize) -> String {
    format!(": bare {size}")
}

fn limits(rows: &[Row]) -> Vec<String> {
    let excess = |(name, limit): &(&str, u64)| {
        let row = rows.iter().find(|row| row.name == *name).unwrap();
        let above = row.above();
        (above > *limit).then(|| format!("{name}: {above} above the bare MAC, limit {limit}"))
    };
    LIMITS.iter().filter_map(excess).collect()
}

/// A verification does the same beside its MAC, however large the body.
fn spread(counts: &BTreeMap<String, u64>) -> Vec<String> {
    let mut faults = Vec::new();
    for sender in providers::ALL {
        let id = sender.info().id;
        let above = |size| {
            let count = |what: String| counts[&format!("{id}{what}")];
            count(verify_of(size)).saturating_sub(count(bare_of(size)))
        };
        let usual = above(SIZE);
        for size in OTHER_SIZES {
            let other = above(size);
            if other.abs_diff(usual) > SPREAD {
                faults.push(format!(
                    "{id}: {usual} above the bare MAC at {SIZE} B, {other} at {size} B; may differ by {SPREAD}"
                ));
            }
        }
    }
    faults
}

/// Where the record was made: the counts depend on the compiler, and on which of its functions the C library picks.
fn maker() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    format!("rustc {} {}", field("release: "), field("host: "))
}

fn record() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.txt")
}

fn write_record(rows: &[Row]) {
    let mut text = format!(
        "# Instructions outside the compression function: a verification, and what of it is above the bare MAC.\n\
         # Written by `UPDATE=1 cargo bench -p hookproof --features sign --bench instructions`.\n\
         # {}\n",
        maker()
    );
    for row in rows {
        writeln!(text, "{}\t{}\t{}", row.name, row.verify, row.above()).unwrap();
    }
    std::fs::write(record(), text).unwrap();
}

/// Every row that is dearer than the record allows, and rows that are in one of the two only.
fn compare(rows: &[Row]) -> Vec<String> {
    let text = std::fs::read_to_string(record()).unwrap();
    let maker = maker();
    let same = text.lines().any(|line| line.strip_prefix("# ") == Some(&maker));
    let dearer = if same { DEARER } else { DEARER_ELSEWHERE };
    if !same {
        println!(
            "the record is not of {maker}, so {DEARER_ELSEWHERE} % more is let pass instead of {DEARER} %; renew it with UPDATE=1"
        );
    }
    let mut faults = Vec::new();
    let mut recorded: BTreeMap<&str, u64> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        recorded.insert(fields.next().unwrap(), fields.next().unwrap().parse().unwrap());
    }
    for row in rows {
        let Some(before) = recorded.remove(row.name.as_str()) else {
            faults.push(format!("{}: not in the record; renew it with UPDATE=1", row.name));
            continue;
        };
        let percent = (row.verify as f64 / before as f64 - 1.0) * 100.0;
        if row.verify * 100 > before * (100 + dearer) {
            faults.push(format!(
                "{}: {} instructions, {percent:.1} % more than the {before} of the record; at most {dearer} % may come with a change. Make it cheaper, or renew the record with UPDATE=1 and say why",
                row.name, row.verify
            ));
        } else if row.verify * 100 < before * (100 - dearer) {
            println!("{}: {percent:.1} % of the record; renew it with UPDATE=1", row.name);
        }
    }
    faults.extend(recorded.keys().map(|name| format!("{name}: in the record and not counted")));
    faults
}

/// The instructions of every case outside the compression function.
fn counts() -> BTreeMap<String, u64> {
    let cases = cases();
    let profiles = callgrind::profiles("instructions::counted_section", &["--count"], cases.len());
    let counts: BTreeMap<_, _> = cases
        .iter()
        .zip(&profiles)
        .map(|(case, profile)| (case.name.clone(), outside_compression(profile)))
        .collect();
    assert_eq!(counts.len(), cases.len(), "two cases have one name");
    counts
}

/// Sums what each function of a profile did itself, but for the compression function.
fn outside_compression(profile: &str) -> u64 {
    let (mut inside, mut outside) = (0u64, 0u64);
    let mut compressing = false;
    let mut of_callee = false;
    for line in profile.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            compressing = function.contains("::compress");
        } else if line.starts_with("calls=") {
            // The next line is what was called, which stands under its own name too.
            of_callee = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let cost: u64 = line.split(' ').nth(1).unwrap().parse().unwrap();
            match (std::mem::take(&mut of_callee), compressing) {
                (true, _) => {}
                (false, true) => inside += cost,
                (false, false) => outside += cost,
            }
        }
    }
    assert!(inside > outside, "the compression function was not found by its name");
    outside
}

#[inline(never)]
fn counted_section(work: &dyn Fn()) {
    work();
    black_box(());
}

/// Every case, in an order that does not change.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for sender in providers::ALL.iter().copied() {
        let id = sender.info().id;
        for size in [SIZE, OTHER_SIZES[0], OTHER_SIZES[1]] {
            let request = Request::new(sender, size);
            cases.push(request.verify(id, &[testing::SECRET]));
            cases.push(request.bare(id, 1));
        }
        let request = Request::new(sender, SIZE);
        let name = format!("{id}, streamed");
        cases.push(request.stream(&name));
        cases.push(request.bare(&name, 1));
        let name = format!("{id}, second of 2 secrets");
        cases.push(request.verify(&name, &[OTHER_SECRET, testing::SECRET]));
        cases.push(request.bare(&name, 2));
        if id == "stripe" {
            let value = request.headers["stripe-signature"].to_str().unwrap();
            let signature = value.rsplit_once("v1=").unwrap().1;
            let value = HeaderValue::from_str(&format!("{value},v0={signature}")).unwrap();
            let mut request = request.clone();
            request.headers.insert("stripe-signature", value);
            cases.push(request.verify(TEST_MODE, &[testing::SECRET]));
            cases.push(request.bare(TEST_MODE, 1));
        }
        if sender.info().several_signatures {
            let name = format!("{id}, last of 32 signatures");
            let crowded = request.crowded(32);
            cases.push(crowded.verify(&name, &[testing::SECRET]));
            cases.push(crowded.bare(&name, 1));
        }
    }
    cases
}

/// A genuine request of a sender, with what its MAC is made over.
#[derive(Clone)]
struct Request {
    sender: &'static dyn Provider,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Request {
    fn new(sender: &'static dyn Provider, size: usize) -> Self {
        let body = vec![b'x'; size];
        let sent = Sender::new(sender).send(&body).unwrap();
        let mut headers = usual_headers();
        headers.extend(sent.delivery().headers().clone());
        Self { sender, headers, body }
    }

    /// The same with this many signatures, of which the last is right.
    fn crowded(&self, count: usize) -> Self {
        let mut request = self.clone();
        let (name, value) = crowded(self.sender, &self.headers, count - 1);
        request.headers.insert(name, HeaderValue::from_bytes(&value).unwrap());
        request
    }

    fn delivery(&self) -> Delivery<'_> {
        Delivery::from_parts(self.head(), &self.body)
    }

    fn head(&self) -> Head<'_> {
        Head::new(&self.headers).with_method(&http::Method::POST).with_url(testing::URL)
    }

    fn verifier(&self, secrets: &[&str]) -> Verifier {
        let builder = Verifier::builder(self.sender);
        secrets.iter().fold(builder, |builder, secret| builder.secret(secret)).build().unwrap()
    }

    fn verify(&self, name: &str, secrets: &[&str]) -> Case {
        let (request, verifier) = (self.clone(), self.verifier(secrets));
        let work = move || {
            assert!(black_box(verifier.verify_at(&request.delivery(), testing::NOW)).is_ok());
        };
        Case { name: format!("{name}{}", verify_of(self.body.len())), work: Box::new(work) }
    }

    fn stream(&self, name: &str) -> Case {
        let (request, verifier) = (self.clone(), self.verifier(&[testing::SECRET]));
        let work = move || {
            let mut stream = verifier.streaming().unwrap().begin(request.head()).unwrap();
            stream.update(&request.body);
            assert!(black_box(stream.finish(testing::NOW)).is_ok());
        };
        Case { name: format!("{name}{}", verify_of(self.body.len())), work: Box::new(work) }
    }

    /// The MAC alone, from a kept key, over the same bytes; shown to be the one that the request carries.
    fn bare(&self, name: &str, times: usize) -> Case {
        let message = self.verifier(&[testing::SECRET]).signed_bytes(&self.delivery()).unwrap();
        let [message] = &message[..] else { panic!("{name}: several readings") };
        let start = message.windows(self.body.len()).position(|part| part == self.body).unwrap();
        let (before, rest) = message.split_at(start);
        let after = &rest[self.body.len()..];
        let decoded = STANDARD.decode(testing::SECRET.strip_prefix("whsec_").unwrap()).unwrap();
        let mac = [testing::SECRET.as_bytes(), &decoded].into_iter().find_map(|key| {
            let mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
            let tag = mac.clone().chain_update(message).finalize().into_bytes();
            let texts = [hex::encode(tag), STANDARD.encode(tag)];
            let carries = |value: &HeaderValue| {
                let value = value.to_str().unwrap();
                texts.iter().any(|text| value.contains(text))
            };
            self.headers.values().any(carries).then_some(mac)
        });
        let mac = mac.unwrap_or_else(|| panic!("{name}: no header holds the bare MAC"));
        let (before, after) = (before.to_vec(), after.to_vec());
        let body = self.body.clone();
        let once = move || {
            let mut mac = mac.clone();
            if !before.is_empty() {
                mac.update(&before);
            }
            mac.update(&body);
            if !after.is_empty() {
                mac.update(&after);
            }
            black_box(mac.finalize().into_bytes());
        };
        let work: Box<dyn Fn()> = match times {
            1 => Box::new(once),
            _ => Box::new(move || (0..times).for_each(|_| once())),
        };
        Case { name: format!("{name}{}", bare_of(self.body.len())), work }
    }
}

/// What servers hand over beside the sender's own headers.
fn usual_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("host", "example.com"),
        ("user-agent", "sender/1.0"),
        ("accept", "*/*"),
        ("content-type", "application/json; charset=utf-8"),
        ("content-length", "1024"),
        ("accept-encoding", "gzip, deflate"),
        ("cache-control", "no-cache"),
        ("x-forwarded-for", "203.0.113.7"),
        ("x-forwarded-proto", "https"),
        ("x-request-id", "f058ebd6-02f7-4d3f-942e-904344e8cde5"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
}
