//! The line protocol for Rust: a hello line, then one case a line on stdin and one answer a line on stdout.

use std::io::{BufRead as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

/// Why a request was not accepted.
pub enum No {
    /// The package refused it, for a reason where its error tells one.
    Reject(Option<&'static str>),
    /// The package cannot express the case.
    Unsupported(&'static str),
}

pub type Verdict = Result<(), No>;

/// What an adapter offers.
pub struct Hello {
    pub package: &'static str,
    pub version: &'static str,
    pub providers: &'static [&'static str],
    pub many_secrets: bool,
}

/// One request.
pub struct Case {
    pub provider: String,
    pub secrets: Vec<Value>,
    pub tolerance: Option<u64>,
    /// The clock in seconds.
    pub now: i64,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
}

impl Case {
    /// A secret as text, for packages that take no bytes.
    pub fn secret_text(&self) -> Result<&str, No> {
        self.secrets[0].as_str().ok_or(No::Unsupported("takes the secret as text only"))
    }

    /// The key bytes of a secret that is not text.
    pub fn secret_bytes(&self) -> Vec<u8> {
        let secret = &self.secrets[0];
        let hex = || hex::decode(secret["hex"].as_str().unwrap_or_default()).expect("hex");
        secret["base64"].as_str().map_or_else(hex, |text| STANDARD.decode(text).expect("base64"))
    }

    /// The one value of a header, for packages that take a text: it must be there once, in visible ASCII.
    pub fn header(&self, name: &str) -> Result<&str, No> {
        let mut lines = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let (_, value) =
            lines.next().ok_or(No::Unsupported("leaves an absent header to the caller"))?;
        if lines.next().is_some() {
            return Err(No::Unsupported("takes one value of a header, not its lines"));
        }
        let text = str::from_utf8(value).ok().filter(|text| text.is_ascii());
        text.ok_or(No::Unsupported("takes a header as text only"))
    }

    /// All headers, for packages that take the map of the `http` crate.
    pub fn header_map(&self) -> Result<HeaderMap, No> {
        let mut map = HeaderMap::new();
        for (name, value) in &self.headers {
            let name = HeaderName::from_bytes(name.as_bytes());
            let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) else {
                return Err(No::Unsupported("a header that the http crate does not take"));
            };
            map.append(name, value);
        }
        Ok(map)
    }

    /// The body as text, for packages that take no bytes.
    pub fn body_text(&self) -> Result<&str, No> {
        str::from_utf8(&self.body).map_err(|_| No::Unsupported("takes the body as text only"))
    }

    /// For packages whose tolerance is fixed.
    pub fn needs_300_seconds(&self) -> Verdict {
        let usual = matches!(self.tolerance, None | Some(300));
        usual.then_some(()).ok_or(No::Unsupported("has a tolerance of 300 s"))
    }

    fn read(line: &Value) -> Self {
        let header = |pair: &Value| {
            let name = pair[0].as_str().expect("name").to_owned();
            let decoded =
                || STANDARD.decode(pair[1]["base64"].as_str().expect("value")).expect("base64");
            (name, pair[1].as_str().map_or_else(decoded, |text| text.as_bytes().to_vec()))
        };
        let repeated = || {
            let (unit, times) =
                (line["repeat"]["repeat"].as_str(), line["repeat"]["times"].as_u64());
            unit.expect("unit").repeat(times.expect("times") as usize).into_bytes()
        };
        Self {
            provider: line["provider"].as_str().expect("provider").to_owned(),
            secrets: line["secrets"].as_array().expect("secrets").clone(),
            tolerance: line["toleranceSeconds"].as_u64(),
            now: line["nowMs"].as_i64().expect("time") / 1000,
            headers: line["headers"].as_array().expect("headers").iter().map(header).collect(),
            body: line["bodyBase64"]
                .as_str()
                .map_or_else(repeated, |text| STANDARD.decode(text).expect("base64")),
        }
    }
}

/// What the clock of the process says, in seconds.
static NOW: AtomicI64 = AtomicI64::new(0);

/// Takes the place of the C library's function, so that packages without a clock argument see the time of the case.
///
/// # Safety
///
/// `out` must be valid for a write, as for the function that this replaces.
// An unmangled symbol and a write through the caller's pointer cannot be had otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(
    clock: libc::clockid_t,
    out: *mut libc::timespec,
) -> libc::c_int {
    if clock == libc::CLOCK_REALTIME {
        unsafe { *out = libc::timespec { tv_sec: NOW.load(Ordering::Relaxed), tv_nsec: 0 } };
        return 0;
    }
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, out) as libc::c_int }
}

/// Answers until the input ends.
pub fn serve(hello: &Hello, verify: impl Fn(&Case) -> Verdict) {
    let mut out = std::io::stdout().lock();
    let mut lines = std::io::stdin().lock().lines();
    lines.next();
    let hello = json!({
        "implementation": format!("{} (Rust)", hello.package), "version": hello.version, "providers": hello.providers,
        "clock": "given", "secrets": if hello.many_secrets { json!("many") } else { json!(1) }, "options": [],
        "maxBody": 1 << 25,
    });
    writeln!(out, "{hello}").and_then(|()| out.flush()).expect("stdout");
    for line in lines {
        let line: Value = serde_json::from_str(&line.expect("stdin")).expect("a case");
        let case = Case::read(&line);
        NOW.store(case.now, Ordering::Relaxed);
        let verdict = if case.secrets.is_empty() {
            Err(No::Unsupported("needs a secret"))
        } else {
            catch_unwind(AssertUnwindSafe(|| verify(&case)))
                .unwrap_or(Err(No::Reject(Some("exception:panic"))))
        };
        let answer = match verdict {
            Ok(()) => json!({ "id": line["id"], "verdict": "accept" }),
            Err(No::Reject(reason)) => {
                json!({ "id": line["id"], "verdict": "reject", "reason": reason })
            }
            Err(No::Unsupported(why)) => {
                json!({ "id": line["id"], "verdict": "unsupported", "reason": why })
            }
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).expect("stdout");
    }
}
