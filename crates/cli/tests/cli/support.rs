//! Running the binary, and files for it.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tempfile::TempDir;

/// GitHub's published example.
pub(crate) const GITHUB: &[u8] = b"POST /hooks HTTP/1.1\r\nHost: example.com\r\n\
    X-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\r\n\r\nHello, World!";
pub(crate) const GITHUB_SECRET: &str = "It's a Secret to Everybody";

/// A delivery of Stripe, signed at 1700000000.
pub(crate) const STRIPE: &[u8] = b"POST / HTTP/1.1\nStripe-Signature: t=1700000000,v1=\
    4f1cd7feda9826e746b7d482c4badebb657398df1099e1046364f6196a230150\n\n\
    {\n  \"id\": \"evt_test_webhook\",\n  \"object\": \"event\"\n}";
pub(crate) const STRIPE_SECRET: &str = "whsec_test_secret";

/// The only way to see the signature that would be right.
pub(crate) const REVEAL: &str = "--reveal-expected-signature";

/// The signatures that a run with that option prints, in each encoding.
pub(crate) fn revealed(out: &str) -> Vec<String> {
    let Some((_, expected)) = out.split_once("expected, for this body and time:\n") else {
        return Vec::new();
    };
    let is_digit = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let digits = expected.split(|c| !is_digit(c)).flat_map(|run| {
        // The values of `v1=…` and `sha256=…`, and base64 with its padding.
        [run, run.split_once('=').map_or("", |(_, value)| value)]
    });
    let bytes = digits.filter(|run| run.len() >= 40).filter_map(|run| {
        let hex = run.bytes().all(|byte| byte.is_ascii_hexdigit()) && run.len().is_multiple_of(2);
        let pairs = (0..run.len() / 2).map(|at| u8::from_str_radix(&run[2 * at..2 * at + 2], 16));
        if hex { pairs.collect::<Result<Vec<u8>, _>>().ok() } else { STANDARD.decode(run).ok() }
    });
    bytes
        .flat_map(|bytes| {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let spaced: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let base64 = STANDARD_NO_PAD.encode(&bytes);
            let url = URL_SAFE_NO_PAD.encode(&bytes);
            [hex.to_uppercase(), hex, spaced.join(" "), base64, url]
        })
        .collect()
}

/// What a run of the binary left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the exit code, and hands the run back.
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Asserts a piece of standard output.
    pub(crate) fn says(self, piece: &str) -> Self {
        assert!(self.out.contains(piece), "no {piece:?} in {self:#?}");
        self
    }

    /// Asserts a piece of standard error.
    pub(crate) fn complains(self, piece: &str) -> Self {
        assert!(self.err.contains(piece), "no {piece:?} in {self:#?}");
        self
    }
}

/// The binary, in an empty folder of its own.
pub(crate) struct Shell {
    folder: TempDir,
}

impl Shell {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// Writes a file into the folder.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"", &[])
    }

    /// Runs the binary. Whatever is verified or explained, the signature that would be right must not be printed: it is
    /// asked for apart, and nothing of it may be in the output.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8], env: &[(&str, &str)]) -> Ran {
        let ran = self.start(args, stdin, env);
        if let Some((&("verify" | "explain"), rest)) = args.split_first()
            && !rest.contains(&REVEAL)
        {
            let rest = rest.iter().filter(|arg| **arg != "--json");
            let asked: Vec<&str> = ["explain", REVEAL].iter().chain(rest).copied().collect();
            for signature in revealed(&self.start(&asked, stdin, env).out) {
                let printed = format!("{}{}", ran.out, ran.err);
                assert!(!printed.contains(&signature), "{signature} in {args:?}: {ran:#?}");
            }
        }
        ran
    }

    fn start(&self, args: &[&str], stdin: &[u8], env: &[(&str, &str)]) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hookproof"))
            .args(args)
            .current_dir(self.folder.path())
            .env_remove("CLICOLOR_FORCE")
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input may have closed it.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A vector file over GitHub's example: one valid, one invalid and one acceptable vector.
pub(crate) fn github_vectors() -> Value {
    let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let test = |id: &str, flag: &str, signature: &str, result: Value| {
        let mut test = json!({
            "tcId": id, "comment": "A vector.", "flags": [flag], "nowMs": 1_700_000_000_000_u64,
            "headers": [["X-Hub-Signature-256", signature]], "body": "Hello, World!",
        });
        test.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
        test
    };
    json!({
        "schema": "schema/v1.json", "provider": "github", "numberOfTests": 3,
        "noVendorExample": "not in this file",
        "notes": {
            "AnyCaseHex": { "bugType": "MALLEABILITY", "description": "Capital digits.", "policy": true },
            "Basic": { "bugType": "BASIC", "description": "A plain delivery." },
            "TamperedBody": { "bugType": "AUTH_BYPASS", "description": "Another body." },
        },
        "testGroups": [{
            "source": { "kind": "constructed", "name": "test", "retrieved": "2026-11-30", "licence": "CC0-1.0" },
            "secrets": [GITHUB_SECRET],
            "tests": [
                test("github-good", "Basic", signature, json!({ "result": "valid" })),
                test("github-forged", "TamperedBody", &format!("sha256={}", "0".repeat(64)),
                    json!({ "result": "invalid", "reason": "signature-mismatch" })),
                test("github-capitals", "AnyCaseHex", &signature.to_uppercase().replace("SHA256", "sha256"),
                    json!({ "result": "acceptable" })),
            ],
        }],
    })
}

/// A vector file with `count` valid and `count` invalid vectors, named `unheard-of-good-0`, `unheard-of-bad-0` and so on.
pub(crate) fn acme_vectors(count: usize) -> Value {
    let mut file = github_vectors();
    file["provider"] = json!("unheard-of");
    file["numberOfTests"] = json!(2 * count);
    file["notes"].as_object_mut().unwrap().remove("AnyCaseHex");
    let made = |index: usize, test: &Value, word: &str| {
        let mut test = test.clone();
        test["tcId"] = json!(format!("unheard-of-{word}-{index}"));
        test
    };
    let tests = &file["testGroups"][0]["tests"];
    let tests = (0..count)
        .flat_map(|index| [made(index, &tests[0], "good"), made(index, &tests[1], "bad")])
        .collect();
    file["testGroups"][0]["tests"] = tests;
    file
}
