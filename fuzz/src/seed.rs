//! Seeds from the vectors: every vector as an input of each target.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use hookproof_vectors::{Group, Secret, Test, VectorFile};
use serde_json::Value;

use crate::input::Case;
use crate::naive::{self, Key};
use crate::placeholder::{self, NOW, SIGNATURE};
use crate::{findings, records, senders, url};

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

/// The input of `events` that is this case.
#[must_use]
pub fn events(case: &Case) -> Vec<u8> {
    case.write()
}

/// The input of `chunks` that is this case, in chunks and lengths that depend on `number`.
#[must_use]
pub fn chunks(case: &Case, number: usize) -> Vec<u8> {
    let sizes: [&[u8]; 8] =
        [&[], &[0, 64], &[63], &[65, 0, 0], &[1, 0], &[128], &[55, 9, 64], &[127, 1]];
    let times = [1, 2, 7, 1, 3][number % 5];
    let body = case.body.repeat(times);
    let case = Case { chunks: sizes[number % 8].to_vec(), body, ..case.clone() };
    Case { times: (times > 1).then_some(times as u64), ..case }.write()
}

/// The input of `url` that has target and body of this case, for the signer of URLs with this number.
#[must_use]
pub fn url(case: &Case, number: usize) -> Vec<u8> {
    let url = case.url.clone().unwrap_or_else(|| {
        const ODD: [&str; 5] =
            ["", "%", "https://x/%3A%253a%3a+%20", "https://x/?a=%2F#%40", "é%C3%A9%3"];
        ODD[number % ODD.len()].to_owned()
    });
    let case = Case { url: Some(url), headers: Vec::new(), ..case.clone() };
    let mut input = case.write();
    input[0] = b'A'.wrapping_add(u8::try_from(number % url::signers().len()).expect("a byte"));
    input
}

/// The input of `key_text` that has this key, whole and in other parts.
#[must_use]
pub fn key_text(key: &str) -> Vec<u8> {
    let parts = naive::key::decode(key, naive::Slip::None).unwrap_or_default();
    let cut = parts.join(&0);
    let encoded = key.replace('/', "\0");
    [key.as_bytes(), b"\n", &cut, b"\n", encoded.as_bytes()].concat()
}

/// The input of `http_file` that is this case, in one of the ways in which requests are captured.
#[must_use]
pub fn http_file(case: &Case, number: usize) -> Vec<u8> {
    let end = if number.is_multiple_of(2) { "\r\n" } else { "\n" };
    let target = case.url.as_deref().filter(|url| !url.contains(' ')).unwrap_or("/hooks?a=%2F");
    let method = case.method.as_deref().unwrap_or("POST");
    let mut file = format!("{method} {target} HTTP/1.1{end}Host: example.com{end}").into_bytes();
    for (name, value) in &case.headers {
        file.extend_from_slice(&[name.as_bytes(), b": ", value, end.as_bytes()].concat());
    }
    let (length, body) = (case.body.len(), &case.body[..]);
    let framing = match number / 2 % 5 {
        0 => String::new(),
        1 => format!("Content-Length: {length}{end}"),
        2 => format!("Content-Length: {}{end}", length.saturating_sub(1)),
        3 => format!("Content-Length: {}{end}", length + 1),
        _ => format!("Transfer-Encoding: chunked{end}"),
    };
    file.extend_from_slice(&[framing.as_bytes(), end.as_bytes()].concat());
    if number / 2 % 5 < 4 {
        file.extend_from_slice(body);
        return file;
    }
    for chunk in body.chunks(40) {
        let size = format!("{:x};a=b\r\n", chunk.len());
        file.extend_from_slice(&[size.as_bytes(), chunk, b"\r\n"].concat());
    }
    file.extend_from_slice(b"0\r\n\r\n");
    file
}

/// The inputs of `scheme` for a record: right, by the second key, doubled, with a wrong signature first, of both families,
/// and one for each kind of change.
#[must_use]
pub fn scheme(sender: usize) -> Vec<Vec<u8>> {
    let start = senders::all().len();
    let record = senders::get(start + sender);
    let case = |headers: Vec<(String, Vec<u8>)>, change: Vec<u8>| Case {
        sender: start + sender,
        secrets: vec![Key::Text("aGVsbG8=".into()), Key::Bytes(b"previous".to_vec())],
        method: Some("POST".into()),
        url: Some("https://example.com/%3A".into()),
        headers,
        chunks: vec![3, 0, 64],
        change,
        body: b"{\"id\":1}".to_vec(),
        ..Case::default()
    };
    let sample = |signature: &[u8], time: &[u8]| record.sample(signature, time);
    let right = sample(&[SIGNATURE], &[NOW]);
    let second = sample(&[SIGNATURE + 1], &[placeholder::LATEST]);
    let mut inputs = vec![
        case(right.clone(), Vec::new()),
        case(second.clone(), Vec::new()),
        case([&right[..], &second[..]].concat(), Vec::new()),
        case(sample(&[SIGNATURE + 4], &[NOW]), Vec::new()),
        case(sample(&[SIGNATURE], &[placeholder::STALE]), Vec::new()),
        case(sample(b"00", b"01"), Vec::new()),
    ];
    // Further candidates before the right one, in the way of the grammar; every header that the record reads.
    for separator in [b",", b";", b" ", b"\"", b"="] {
        let mut more = right.clone();
        if let Some((_, value)) = more.first_mut() {
            *value = [&value[..], separator, &value[..]].concat();
        }
        inputs.push(case(more, Vec::new()));
    }
    let every = record.names().iter().map(|name| ((*name).to_owned(), right[0].1.clone()));
    inputs.push(case(every.collect(), Vec::new()));
    for kind in 0..KINDS {
        let kind = b'a' + u8::try_from(kind).expect("a few kinds");
        inputs.push(case(right.clone(), vec![kind, 7, 0, 0x20]));
    }
    inputs.iter().map(Case::write).collect()
}

/// The inputs of `vector_json`: each vector as a file of its own, with what its flags need.
///
/// # Errors
///
/// If an embedded file is no JSON.
pub fn vector_json() -> serde_json::Result<Vec<(String, Vec<u8>)>> {
    let mut inputs = Vec::new();
    for (_, text) in hookproof_vectors::FILES {
        let file: Value = serde_json::from_str(text)?;
        for group in file["testGroups"].as_array().into_iter().flatten() {
            for test in group["tests"].as_array().into_iter().flatten() {
                let (mut alone, mut group) =
                    (without(&file, "testGroups"), without(group, "tests"));
                group["tests"] = Value::Array(vec![test.clone()]);
                alone["testGroups"] = Value::Array(vec![group]);
                alone["numberOfTests"] = 1.into();
                let flags: Vec<&str> = test["flags"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                if let Some(notes) = alone["notes"].as_object_mut() {
                    notes.retain(|flag, _| flags.contains(&flag.as_str()));
                }
                let id = test["tcId"].as_str().unwrap_or_default().to_owned();
                inputs.push((id, serde_json::to_vec(&alone)?));
            }
        }
    }
    Ok(inputs)
}

/// A copy of an object without a member, which may be a large one.
fn without(object: &Value, member: &str) -> Value {
    let members = object.as_object().into_iter().flatten().filter(|(name, _)| *name != member);
    members.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A seed: the target, a name, the input.
pub type Seed = (&'static str, String, Vec<u8>);

/// The seeds of every target, those of long bodies left out.
///
/// # Errors
///
/// What of the vectors has no place in a case.
pub fn all() -> Result<Vec<Seed>, Box<dyn std::error::Error>> {
    let mut seeds: Vec<Seed> = Vec::new();
    let mut number = 0;
    for file in hookproof_vectors::suite()? {
        for (group, test) in file.tests() {
            if test.body.len() >= MAX_BODY {
                continue;
            }
            let case = self::case(&file, group, test)?;
            let mut add = |target, suffix: &str, input: Vec<u8>| {
                seeds.push((target, format!("{}{suffix}", test.id), input));
            };
            for (suffix, case) in [("", Some(case.clone())), ("-live", live(&case))] {
                let Some(case) = case else { continue };
                add("header", suffix, header(&case));
                add("verify", suffix, verify(&case, number));
                add("events", suffix, events(&case));
                add("chunks", suffix, chunks(&case, number));
            }
            add("roundtrip", "", roundtrip(&case, number));
            add("url", "", url(&case, number));
            add("http_file", "", http_file(&case, number));
            for (index, event) in test.events.iter().flatten().enumerate() {
                if let Some(key) = &event.key {
                    add("key_text", &format!("-{index}"), key_text(key));
                }
            }
            number += 1;
        }
    }
    for record in 0..records::all().len() {
        for (index, input) in scheme(record).into_iter().enumerate() {
            if index == 0 {
                // Above 0x7f the first byte of `chunks` picks a record too.
                let picks = [0x80 + u8::try_from(record % 128).expect("a byte")];
                seeds.push(("chunks", format!("record-{record}"), [&picks, &input[1..]].concat()));
            }
            seeds.push(("scheme", format!("record-{record}-{index}"), input));
        }
    }
    seeds.extend(vector_json()?.into_iter().map(|(id, input)| ("vector_json", id, input)));
    let findings = findings::all().into_iter().enumerate();
    seeds.extend(
        findings.map(|(index, (target, input))| (target, format!("finding-{index}"), input)),
    );
    seeds.retain(|(.., input)| input.len() <= MAX_SEED);
    Ok(seeds)
}

/// Writes the seeds and, if these are to be `kept`, the corpora of the repository to `<corpus>/<target>/`, each content once,
/// and says how many.
///
/// # Errors
///
/// What could not be read or written.
pub fn write(corpus: &Path, kept: bool) -> Result<String, Box<dyn std::error::Error>> {
    let mut seen: HashSet<(&str, Vec<u8>)> = HashSet::new();
    let mut counts = Vec::new();
    let seeds = all()?;
    for (target, _) in crate::TARGETS {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        let inputs = if kept { crate::corpus::read(target)? } else { Vec::new() };
        let inputs = inputs.into_iter().enumerate();
        let kept = inputs.map(|(index, input)| (format!("kept-{index}"), input));
        let own = seeds.iter().filter(|(own, ..)| own == target);
        let mut count = 0;
        for (name, input) in own.map(|(_, name, input)| (name.clone(), input.clone())).chain(kept) {
            if seen.insert((target, input.clone())) {
                fs::write(folder.join(name), input)?;
                count += 1;
            }
        }
        counts.push(format!("{count} {target}"));
    }
    Ok(format!("seeds: {}", counts.join(", ")))
}
