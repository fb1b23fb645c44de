//! Instructions of one verification above those of the bare MAC, counted by callgrind.
//!
//! `cargo bench --bench instructions` prints the table and fails if a limit is exceeded. The counts repeat exactly for
//! one build. Callgrind hides the SHA extension, so both sides use the portable compression function, which cancels out.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench is run by hand"
)]

use std::hint::black_box;
use std::process::{Command, ExitCode};

use hmac::{Hmac, KeyInit, Mac};
use hookproof::{Delivery, Provider, UnixTime, Verifier, providers};
use http::{HeaderMap, HeaderValue};
use sha2::Sha256;

const NOW: UnixTime = UnixTime::from_secs(1_700_000_000);
const SECRET: &str = "whsec_example";
const SIZES: [usize; 3] = [256, 1024, 65536];

/// The senders that are counted, each with its header, what is signed before the body, and the most instructions that a
/// verification may cost above the bare MAC, header look-up included.
const CASES: [(&str, &str, &[&[u8]], u64); 2] = [
    ("stripe", "stripe-signature", &[b"1700000000", b"."], 2000),
    ("github", "x-hub-signature-256", &[], 1300),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "--count") {
        Some(at) => {
            run(&arguments[at + 1], arguments[at + 2].parse().unwrap(), &arguments[at + 3]);
            ExitCode::SUCCESS
        }
        None => table(),
    }
}

fn table() -> ExitCode {
    let mut failed = false;
    println!(
        "{:<8} {:>7} {:>10} {:>10} {:>8} {:>6}",
        "sender", "body", "verify", "bare", "above", "limit"
    );
    for (id, _, _, limit) in CASES {
        for size in SIZES {
            let (Some(verify), Some(bare)) =
                (counted(id, size, "verify"), counted(id, size, "bare"))
            else {
                eprintln!("valgrind cannot be run; install it to count instructions");
                return ExitCode::FAILURE;
            };
            let above = verify.saturating_sub(bare);
            failed |= above > limit;
            println!("{id:<8} {size:>7} {verify:>10} {bare:>10} {above:>8} {limit:>6}");
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Counts the instructions within [`collected`] in a run of this program under callgrind.
fn counted(id: &str, size: usize, what: &str) -> Option<u64> {
    let out = std::env::temp_dir()
        .join(format!("hookproof-callgrind-{}-{id}-{size}-{what}", std::process::id()));
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*collected*"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().ok()?)
        .args(["--count", id, &size.to_string(), what])
        .output()
        .ok()?;
    let text = std::fs::read_to_string(&out).ok()?;
    std::fs::remove_file(&out).ok()?;
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    let line = text.lines().find_map(|line| {
        line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: "))
    })?;
    line.trim().parse().ok().filter(|count| *count > 0)
}

fn run(id: &str, size: usize, what: &str) {
    let (_, header, prefix, _) = CASES.into_iter().find(|(case, ..)| *case == id).unwrap();
    let body = vec![b'x'; size];
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let bare = |mac: &Hmac<Sha256>| {
        let mut mac = mac.clone();
        prefix.iter().for_each(|piece| mac.update(piece));
        mac.update(&body);
        <[u8; 32]>::from(mac.finalize().into_bytes())
    };
    let tag = hex::encode(bare(&mac));
    let value = match id {
        "stripe" => format!("t=1700000000,v1={tag},v0={tag}"),
        _ => format!("sha256={tag}"),
    };
    let headers = head(header, &value);
    let sender: &'static dyn Provider = providers::find(id).unwrap();
    let verifier = Verifier::builder(sender).secret(SECRET).build().unwrap();
    let delivery = Delivery::new(&headers, &body);
    let verify = || verifier.verify_at(&delivery, NOW).is_ok();
    // Once without counting, for what is done once a process.
    assert!(black_box(verify()));
    black_box(bare(&mac));
    match what {
        "verify" => assert!(collected(verify)),
        _ => {
            let tag = collected(|| bare(&mac));
            black_box(tag);
        }
    }
}

#[inline(never)]
fn collected<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

/// A head as servers hand it over: eleven headers, the signature among them.
fn head(signature: &'static str, value: &str) -> HeaderMap {
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
    headers.insert(signature, HeaderValue::from_str(value).unwrap());
    headers
}
