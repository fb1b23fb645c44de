//! The work that a request can cause is bounded, whatever is in it: instructions counted by callgrind, allocations by a
//! counting allocator.
//!
//! `cargo test --release --all-features --test limits -- --nocapture` prints the figures. One run of this program under
//! valgrind counts every case. Without optimisation nothing is counted, since the ratios are then those of the compiler;
//! without valgrind neither, but for CI, where that is a failure. Each says so.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "a test fails by panicking"
)]

#[path = "support/callgrind.rs"]
mod callgrind;
#[path = "support/crowded.rs"]
mod crowded;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::LazyLock;

use hookproof::testing::{self, Sender};
use hookproof::{Delivery, ErrorKind, EventErrorKind, Provider, VerifiedBuf, Verifier, providers};
use http::{HeaderMap, HeaderValue};

use crowded::crowded;

/// The longest header that is read.
const MAX_HEADER: usize = 8192;
/// The most that a hostile header may cost, in honest requests of 1 KiB.
const HOSTILE: f64 = 2.5;
/// What four times the input may at most do to the cost: linear, with a tenth to spare.
const LINEAR: f64 = 4.4;
/// The most instructions that a refused header may cost for each of its bytes.
const BYTE: f64 = 18.0;

/// A piece of work that is counted, and how it is called.
struct Case {
    name: String,
    work: Box<dyn Fn()>,
}

/// A request of a sender, as it is sent or changed.
#[derive(Clone)]
struct Request {
    sender: &'static dyn Provider,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Request {
    fn honest(sender: &'static dyn Provider, size: usize) -> Self {
        let sent = Sender::new(sender).send(&vec![b'x'; size]).unwrap();
        let headers = sent.delivery().headers().clone();
        Self { sender, headers, body: vec![b'x'; size] }
    }

    fn with_header(&self, name: &'static str, value: &[u8]) -> Self {
        let mut request = self.clone();
        request.headers.insert(name, HeaderValue::from_bytes(value).unwrap());
        request
    }

    fn delivery(&self) -> Delivery<'_> {
        Delivery::new(&self.headers, &self.body)
            .with_method(&http::Method::POST)
            .with_url(testing::URL)
    }

    fn verifier(&self, keys: usize) -> Verifier {
        let mut builder = Verifier::builder(self.sender).secret(testing::SECRET);
        for key in 1..keys {
            builder = builder.secret(&format!("{}{key:04}", &testing::SECRET[..30]));
        }
        builder.build().unwrap()
    }

    fn refusal(&self) -> Option<ErrorKind> {
        let verifier = self.verifier(1);
        verifier.verify_at(&self.delivery(), testing::NOW).err().map(|error| error.kind())
    }

    fn case(&self, name: String) -> Case {
        self.case_with(name, 1)
    }

    fn case_with(&self, name: String, keys: usize) -> Case {
        let (request, verifier) = (self.clone(), self.verifier(keys));
        let work = move || {
            let _ = black_box(verifier.verify_at(&request.delivery(), testing::NOW));
        };
        Case { name, work: Box::new(work) }
    }
}

fn several() -> impl Iterator<Item = &'static dyn Provider> {
    providers::ALL.iter().copied().filter(|sender| sender.info().several_signatures)
}

/// Values that a forger might send, as long as a header may be. Each is given for every header of every sender.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let length = MAX_HEADER;
    let repeat =
        |text: &str| text.as_bytes().iter().copied().cycle().take(length).collect::<Vec<u8>>();
    let after = |start: &str, text: &str| {
        let rest = text.as_bytes().iter().copied().cycle();
        start.bytes().chain(rest).take(length).collect::<Vec<u8>>()
    };
    let between = |text: &str| {
        let mut value = repeat(text);
        (value[0], value[length - 1]) = (b'a', b'a');
        value
    };
    let digits = "0123456789abcdef".repeat(4);
    let base64 = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    // The time, and as many items as are taken.
    let many = format!("t=1700000000{}", ",".repeat(64));
    vec![
        ("commas", repeat(",")),
        ("equals", repeat("=")),
        ("letters", repeat("a")),
        ("digits", repeat("1")),
        ("blanks within", between(" ")),
        ("tabs within", between("\t")),
        ("not ascii", vec![0xff; length]),
        ("empty v1 of pairs", repeat("v1=,")),
        ("v1 of pairs", repeat(&format!("v1={digits},"))),
        ("time, then v1 of pairs", after("t=1700000000,", &format!("v1={digits},"))),
        ("time, then empty items", after("t=1700000000,", ",")),
        ("time, then blank items", after("t=1700000000,", " ,")),
        ("time, then t without =", after("t=1700000000,", "t,")),
        ("time hidden in items", repeat("x=t=1,")),
        ("keys of a time after the cap", after(&many, "t=")),
        ("keys of a time in items after the cap", after(&many, "x=t=1,")),
        ("keys of a time and blanks after the cap", after(&many, "x t=")),
        ("keys of a time and many blanks after the cap", after(&many, "x      t=")),
        ("many times", repeat("t=1700000000,")),
        ("blanks before each item", repeat("       t,")),
        ("a time after the cap", {
            let mut value = repeat("x,");
            let end = b",t=1700000000";
            let at = length - end.len();
            value[at..].copy_from_slice(end);
            value
        }),
        ("spaces between items", between(" v1, ")),
        ("empty v1 of a list", repeat("v1, ")),
        ("v1 of a list", repeat(&format!("v1,{base64} "))),
        ("bare items of a list", between("x ")),
        ("a comma after the cap", {
            let mut value = repeat("x ");
            value[length - 1] = b',';
            value
        }),
        ("right prefix", after("sha256=", "a")),
        ("wrong prefix", repeat("sha1=")),
        ("base64", repeat(base64)),
    ]
}

/// A verified body and what reads its events.
fn events(sender: &'static dyn Provider, body: &[u8]) -> VerifiedBuf {
    Sender::new(sender).send(body).unwrap().verified().clone()
}

fn read(verified: &VerifiedBuf) -> Result<usize, EventErrorKind> {
    let events = verified.events().map_err(|error| error.kind())?;
    let mut count = 0;
    for event in events {
        black_box(event.map_err(|error| error.kind())?);
        count += 1;
    }
    Ok(count)
}

fn element(index: usize) -> String {
    format!(
        r#"{{"eventId":1,"portalId":62515,"subscriptionType":"contact.propertyChange","objectId":{index},"propertyName":"stage","propertyValue":"lead","occurredAt":1700000000000,"attemptNumber":0}}"#
    )
}

fn batch(count: usize) -> String {
    format!("[{}]", (0..count).map(element).collect::<Vec<_>>().join(","))
}

/// A batch of one element with a list of so many numbers in a member that is read.
fn merged(count: usize) -> String {
    let numbers = ",0".repeat(count);
    batch(1).replace("\"eventId\":1", &format!("\"mergedObjectIds\":[0{numbers}]"))
}

/// A Stripe event with something of about `size` bytes beside its id.
fn stuffed(more: &str, size: usize) -> String {
    let mut filling = String::new();
    let mut index = 0;
    while filling.len() < size {
        let _ = write!(filling, ",{}", more.replace('#', &index.to_string()));
        index += 1;
    }
    format!(r#"{{"id":"evt_1","type":"a","data":{{"object":{{"id":"x"{filling}}}}}}}"#)
}

/// Things that a body may be full of.
const STUFFING: &[(&str, &str)] = &[
    ("members", r#""m#":0"#),
    ("one member over and over", r#""m":0"#),
    ("the watched member over and over", r#""id":"x""#),
    ("escaped names", r#""\u006d#":0"#),
    ("strings", r#""m":"\\\"\u00e9 text""#),
    ("arrays", r#""m":[[[[[[[[0]]]]]]]]"#),
    ("objects", r#""id":{"id":{"id":{}}}"#),
    ("numbers", r#""created":123456789012345678901234567890"#),
];

fn nested(depth: usize) -> String {
    // Two levels are the body's own, and one the member's.
    let depth = depth - 1;
    format!(r#"{{"id":"evt_1","type":"a","x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
}

/// Every case, in an order that does not change.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for sender in providers::ALL.iter().copied() {
        let id = sender.info().id;
        for size in [1024, 1024 + MAX_HEADER] {
            cases.push(Request::honest(sender, size).case(format!("{id}: honest {size}")));
        }
        let request = Request::honest(sender, 1024);
        for (name, value) in hostile() {
            for header in sender.info().headers {
                let hostile = request.with_header(header, &value);
                cases.push(hostile.case(format!("{id}: {header}: {name}")));
            }
        }
    }
    for sender in several() {
        let id = sender.info().id;
        let request = Request::honest(sender, 65536);
        for keys in [1, 8] {
            for count in [0, 31, 32] {
                let (name, value) = crowded(sender, &request.headers, count);
                let crowded = request.with_header(name, &value);
                cases.push(crowded.case_with(format!("{id}: {count} wrong, {keys} keys"), keys));
            }
        }
    }
    let mut json = |name: String, sender: &'static dyn Provider, body: &str| {
        let verified = events(sender, body.as_bytes());
        let work = move || {
            let _ = black_box(read(&verified));
        };
        cases.push(Case { name, work: Box::new(work) });
    };
    for count in [250, 1000, 1001] {
        json(format!("batch of {count}"), &providers::HUBSPOT, &batch(count));
    }
    for size in [16, 64] {
        for (name, more) in STUFFING {
            json(format!("body of {name}: {size}"), &providers::STRIPE, &stuffed(more, size << 10));
        }
        json(format!("nested: {size}"), &providers::STRIPE, &nested(size << 10));
        json(
            format!("list of numbers: {size}"),
            &providers::HUBSPOT,
            &format!("[0{}]", ",0".repeat(size << 9)),
        );
        json(format!("numbers of one member: {size}"), &providers::HUBSPOT, &merged(size << 9));
    }
    cases
}

/// Runs every case once, under valgrind, for [`COUNTS`].
#[test]
#[ignore = "run by the other tests, under valgrind"]
fn worker() {
    for case in cases() {
        // Once without counting, for what is done once a process.
        (case.work)();
        counted_section(&*case.work);
    }
}

#[inline(never)]
fn counted_section(work: &dyn Fn()) {
    work();
    black_box(());
}

/// The instructions of every case; `None` without valgrind.
static COUNTS: LazyLock<Option<BTreeMap<String, f64>>> = LazyLock::new(|| {
    if cfg!(debug_assertions) {
        eprintln!(
            "SKIPPED: no instruction was counted, since this build is not optimised; add `--release`"
        );
        return None;
    }
    if !callgrind::is_there() {
        assert!(
            std::env::var_os("CI").is_none(),
            "valgrind is missing: install it, CI must not go without"
        );
        eprintln!("SKIPPED: valgrind is missing, so no instruction was counted; install it");
        return None;
    }
    let cases = cases();
    let arguments = ["worker", "--exact", "--ignored", "--test-threads=1"];
    let profiles = callgrind::profiles("limits::counted_section", &arguments, cases.len());
    let counts = cases.iter().zip(&profiles).map(|(case, profile)| {
        let line = profile.lines().find_map(|line| line.strip_prefix("totals: "));
        let count: f64 = line.unwrap().trim().parse().unwrap();
        assert!(count > 100.0, "{}: nothing was counted", case.name);
        (case.name.clone(), count)
    });
    let counts: BTreeMap<_, _> = counts.collect();
    assert_eq!(counts.len(), cases.len(), "two cases have one name");
    Some(counts)
});

fn count(counts: &BTreeMap<String, f64>, name: &str) -> f64 {
    *counts.get(name).unwrap_or_else(|| panic!("no case is called `{name}`"))
}

/// Fails with every excess at once; prints the largest ratio.
fn at_most(what: &str, limit: f64, ratios: impl Iterator<Item = (String, f64)>) {
    let mut ratios: Vec<_> = ratios.collect();
    ratios.sort_by(|left, right| right.1.total_cmp(&left.1));
    let excess: Vec<_> = ratios.iter().filter(|(_, ratio)| *ratio > limit).collect();
    assert!(excess.is_empty(), "{what}: above {limit}: {excess:#?}");
    let (name, largest) = ratios.first().unwrap();
    eprintln!(
        "{what}: at most {largest:.3} (limit {limit}), {} cases, largest: {name}",
        ratios.len()
    );
    for r in ratios.iter().take(12) {
        eprintln!("     {:.3} {}", r.1, r.0);
    }
}

#[test]
fn thirty_two_candidates_cost_no_more_than_one() {
    for sender in several() {
        let request = Request::honest(sender, 65536);
        for (count, expected) in [(31, None), (32, Some(ErrorKind::TooManySignatures))] {
            let (name, value) = crowded(sender, &request.headers, count);
            assert_eq!(request.with_header(name, &value).refusal(), expected);
        }
    }
    let Some(counts) = &*COUNTS else { return };
    at_most(
        "64 KiB with 32 candidates, of 1 candidate",
        1.05,
        several().flat_map(|sender| {
            [1, 8].into_iter().map(|keys| {
                let id = sender.info().id;
                let name = |wrong| format!("{id}: {wrong} wrong, {keys} keys");
                (name(31), count(counts, &name(31)) / count(counts, &name(0)))
            })
        }),
    );
    at_most(
        "64 KiB with 33 candidates, of an honest request of 1 KiB",
        1.0,
        several().flat_map(|sender| {
            [1, 8].into_iter().map(|keys| {
                let id = sender.info().id;
                let name = format!("{id}: 32 wrong, {keys} keys");
                (name.clone(), count(counts, &name) / count(counts, &format!("{id}: honest 1024")))
            })
        }),
    );
}

#[test]
fn hostile_headers_are_bounded() {
    let Some(counts) = &*COUNTS else { return };
    let (mut refused, mut hashed, mut bytes) = (vec![], vec![], vec![]);
    for sender in providers::ALL.iter().copied() {
        let id = sender.info().id;
        let honest = |size: usize| count(counts, &format!("{id}: honest {size}"));
        let request = Request::honest(sender, 1024);
        for (name, value) in hostile() {
            for header in sender.info().headers {
                let name = format!("{id}: {header}: {name}");
                let cost = count(counts, &name);
                let refusal = request.with_header(header, &value).refusal();
                if refusal == Some(ErrorKind::SignatureMismatch) {
                    // The header is part of the signed message, and costs what a body of its length costs.
                    hashed.push((name.clone(), cost / honest(1024 + MAX_HEADER)));
                } else {
                    refused.push((name.clone(), cost / honest(1024)));
                    bytes.push((name.clone(), cost / MAX_HEADER as f64));
                }
            }
        }
    }
    at_most(
        "a refused header of 8 KiB, of an honest request of 1 KiB",
        HOSTILE,
        refused.into_iter(),
    );
    at_most("a signed header of 8 KiB, of a body of 9 KiB", 1.05, hashed.into_iter());
    at_most("instructions for each byte of a refused header", BYTE, bytes.into_iter());
}

#[test]
fn a_refused_head_costs_nothing_of_the_body() {
    for sender in providers::ALL.iter().copied() {
        let mut request = Request::honest(sender, 1024);
        let header = sender.info().headers[0];
        request.headers.remove(header);
        assert_eq!(request.refusal(), Some(ErrorKind::MissingHeader), "{header}");
        let long = request.with_header(header, &[b'a'; MAX_HEADER + 1]);
        assert_eq!(long.refusal(), Some(ErrorKind::MalformedHeader), "{header}");
    }
}

#[test]
fn hostile_headers_allocate_nothing() {
    for sender in providers::ALL.iter().copied() {
        let request = Request::honest(sender, 1024);
        let verifier = request.verifier(8);
        for (name, value) in hostile() {
            for header in sender.info().headers {
                let request = request.with_header(header, &value);
                let info = allocation_counter::measure(|| {
                    let _ = black_box(verifier.verify_at(&request.delivery(), testing::NOW));
                });
                assert_eq!(info.count_total, 0, "{}: {header}: {name}", sender.info().id);
            }
        }
    }
}

#[test]
fn bodies_of_events_are_bounded() {
    assert_eq!(read(&events(&providers::HUBSPOT, batch(1000).as_bytes())), Ok(1000));
    let malformed = Err(EventErrorKind::MalformedBody);
    assert_eq!(read(&events(&providers::HUBSPOT, batch(1001).as_bytes())), malformed);
    assert_eq!(read(&events(&providers::STRIPE, nested(128).as_bytes())), Ok(1));
    for depth in [129, 1 << 19] {
        assert_eq!(
            read(&events(&providers::STRIPE, nested(depth).as_bytes())),
            malformed,
            "{depth}"
        );
    }
    let Some(counts) = &*COUNTS else { return };
    let names = STUFFING.iter().map(|(name, _)| format!("body of {name}"));
    let names =
        names.chain(["nested", "list of numbers", "numbers of one member"].map(str::to_owned));
    at_most(
        "events of 64 KiB, of 16 KiB",
        LINEAR,
        names.map(|name| {
            let cost = |size: u32| count(counts, &format!("{name}: {size}"));
            let ratio = cost(64) / cost(16);
            (name, ratio)
        }),
    );
    let per_batch = |size: usize| count(counts, &format!("batch of {size}"));
    at_most(
        "a batch of 1,000, of one of 250",
        LINEAR,
        [("batch".to_owned(), per_batch(1000) / per_batch(250))].into_iter(),
    );
    assert!(per_batch(1001) < per_batch(1000), "one event too many costs more than a full batch");
}

/// What reading events holds at its peak, in bytes for each byte of the body.
#[test]
fn memory_of_events_is_bounded() {
    let mut bodies: Vec<(String, &'static dyn Provider, String)> = vec![
        ("batch".to_owned(), &providers::HUBSPOT, batch(1000)),
        ("list of numbers".to_owned(), &providers::HUBSPOT, format!("[0{}]", ",0".repeat(1 << 19))),
        ("numbers of one member".to_owned(), &providers::HUBSPOT, merged(1 << 19)),
        ("nested".to_owned(), &providers::STRIPE, nested(1 << 19)),
    ];
    for (name, more) in STUFFING {
        bodies.push(((*name).to_owned(), &providers::STRIPE, stuffed(more, 1 << 20)));
    }
    let ratios = bodies.into_iter().map(|(name, sender, body)| {
        let verified = events(sender, body.as_bytes());
        let info = allocation_counter::measure(|| {
            let _ = black_box(read(&verified));
        });
        (name, info.bytes_max as f64 / body.len() as f64)
    });
    at_most("peak memory of events, of the body", 0.5, ratios);
}
