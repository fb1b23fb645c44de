//! Seeds from the vectors: every vector as an input of each target.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use hookproof_vectors::{Group, Secret, Test, VectorFile};
use serde_json::Value;

use crate::input::Case;
use crate::naive::{self, Key};
use crate::placeholder::{self, SIGNATURE};
use crate::senders;

/// The longest body of a seed, in bytes.
pub const MAX_BODY: usize = 4096;
/// The longest seed, in bytes: a fuzzer makes no longer inputs, and two headers of the longest length fit.
pub const MAX_SEED: usize = 20_000;
/// The kinds of changes of round trips.
const KINDS: usize = 17;
/// Where a change is made and by which byte, in turn: the start, the case of an early letter, that of a late one.
const CHANGES: [(u8, u8); 3] = [(0, 1), (7, 0x20), (43, 0x20)];

/// The case of a vector.
///
/// # Errors
///
/// Says what in the vector has no place in a case.
pub fn case(file: &VectorFile, group: &Group, test: &Test) -> Result<Case, String> {
    let options: Result<Vec<_>, String> = group
        .options
        .iter()
        .map(|(name, value)| match value {
            Value::Bool(flag) => Ok((name.clone(), flag.to_string())),
            Value::String(text) => Ok((name.clone(), text.clone())),
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                Ok((name.clone(), items.join(",")))
            }
            other => Err(format!("{}: an option is {other}", test.id)),
        })
        .collect();
    let secret = |secret: &Secret| match secret {
        Secret::Text(text) => Ok(Key::Text(text.clone())),
        Secret::Base64(bytes) | Secret::Hex(bytes) => Ok(Key::Bytes(bytes.clone())),
        other => Err(format!("{}: secrets of the form {other:?} are not used yet", test.id)),
    };
    let headers = test.headers().map(|(name, value)| (name.to_ascii_lowercase(), value.to_vec()));
    Ok(Case {
        sender: senders::find(&file.provider, &options?)?,
        secrets: group.secrets.iter().map(secret).collect::<Result<_, _>>()?,
        now: Some(test.now_ms),
        tolerance: group.tolerance_seconds.map(|seconds| seconds.saturating_mul(1000)),
        method: test.method.clone(),
        url: test.url.clone(),
        headers: headers.collect(),
        chunks: Vec::new(),
        body: test.body.bytes().into_owned(),
        ..Case::default()
    })
}

/// The input of `verify` that is this case, in chunks that depend on `number`.
#[must_use]
pub fn verify(case: &Case, number: usize) -> Vec<u8> {
    let chunks: &[u8] = match number % 4 {
        0 => &[],
        1 => &[1],
        2 => &[3, 0, 64],
        _ => &[255],
    };
    Case { chunks: chunks.to_vec(), ..case.clone() }.write()
}

/// The same with the signatures that are right replaced by their placeholders, so that they stay right in a body or
/// under a time that a fuzzer changes; nothing if there is none.
#[must_use]
pub fn live(case: &Case) -> Option<Case> {
    let keys = naive::keys(case.sender(), &case.secrets).ok()?;
    let request = placeholder::fill(case, &keys);
    let signatures = placeholder::signatures(case, &request, &keys);
    let mut live = case.clone();
    for (signature, placeholder) in signatures.iter().zip(SIGNATURE..) {
        for (_, value) in &mut live.headers {
            while let Some(at) = find(value, signature.as_bytes()) {
                value.splice(at..at + signature.len(), [placeholder]);
            }
        }
    }
    (live.headers != case.headers).then_some(live)
}

fn find(value: &[u8], part: &[u8]) -> Option<usize> {
    value.windows(part.len()).position(|window| window == part)
}

/// The input of `header` that has the headers of this case.
#[must_use]
pub fn header(case: &Case) -> Vec<u8> {
    let headers = case.headers.clone();
    Case { sender: case.sender, headers, ..Case::default() }.write()
}

/// The input of `roundtrip` that signs the content of this case and makes the change with this number.
#[must_use]
pub fn roundtrip(case: &Case, number: usize) -> Vec<u8> {
    let kind = u8::try_from(number % KINDS).expect("a few kinds");
    let (position, byte) = CHANGES[number / KINDS % CHANGES.len()];
    let id = case.headers.iter().find(|(name, _)| name.ends_with("-id"));
    Case {
        headers: Vec::new(),
        id: id.and_then(|(_, value)| String::from_utf8(value.clone()).ok()),
        change: vec![b'a' + kind, position, 0, byte],
        ..case.clone()
    }
    .write()
}

/// Writes the seeds of every vector to `<corpus>/<target>/`, and says how many.
///
/// # Errors
///
/// What could not be read or written.
pub fn write(corpus: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut header = Folder::new(corpus.join("header"))?;
    let mut roundtrip = Folder::new(corpus.join("roundtrip"))?;
    let mut verify = Folder::new(corpus.join("verify"))?;
    let (mut number, mut long) = (0, 0);
    for file in hookproof_vectors::suite()? {
        for (group, test) in file.tests() {
            if test.body.len() >= MAX_BODY {
                long += 1;
                continue;
            }
            let case = self::case(&file, group, test)?;
            header.add(&test.id, &self::header(&case))?;
            verify.add(&test.id, &self::verify(&case, number))?;
            if let Some(live) = live(&case) {
                header.add(&format!("{}-live", test.id), &self::header(&live))?;
                verify.add(&format!("{}-live", test.id), &self::verify(&live, number))?;
            }
            roundtrip.add(&test.id, &self::roundtrip(&case, number))?;
            number += 1;
        }
    }
    Ok(format!(
        "seeds: {} header, {} roundtrip, {} verify, from {number} vectors; {long} with long bodies left out",
        header.seen.len(),
        roundtrip.seen.len(),
        verify.seen.len()
    ))
}

/// A folder of seeds, each content once, the longest left out.
struct Folder {
    path: PathBuf,
    seen: HashSet<Vec<u8>>,
}

impl Folder {
    fn new(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self { path, seen: HashSet::new() })
    }

    fn add(&mut self, name: &str, input: &[u8]) -> io::Result<()> {
        if input.len() <= MAX_SEED && self.seen.insert(input.to_vec()) {
            fs::write(self.path.join(name), input)?;
        }
        Ok(())
    }
}
