//! Reading vector files, piece by piece so that a fault can name its vector.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Fault, Faults};
use crate::index::FILES;
use crate::model::{Event, Expect, Group, Note, Outcome, Source, Test, VectorFile};
use crate::strict::Object;
use crate::value::{Body, BodyText, HeaderValue, Secret, from_base64};
use crate::{EVENT_REASONS, REASONS, strict};

/// The embedded suite, in the order of [`FILES`].
///
/// # Errors
///
/// The faults of the embedded files; the tests of this package keep them free of any.
pub fn suite() -> Result<Vec<VectorFile>, Faults> {
    let mut read = Reading::default();
    for (provider, text) in FILES {
        read.text(&format!("{provider}.json"), text);
    }
    read.finish()
}

/// Reads a file, or every `*.json` at the top of a folder in alphabetical order.
///
/// # Errors
///
/// Every fault of every file, the unreadable ones included; a folder without a `*.json` is a fault.
pub fn load_path(path: &Path) -> Result<Vec<VectorFile>, Faults> {
    let mut read = Reading::default();
    let shown = path.display().to_string();
    match files(path) {
        Ok(files) if files.is_empty() => {
            read.faults.push(Fault::new(shown, "the folder has no *.json"))
        }
        Ok(files) => {
            for file in files {
                let name = file.display().to_string();
                match fs::read_to_string(&file) {
                    Ok(text) => read.text(&name, &text),
                    Err(error) => read.faults.push(Fault::new(name, error.to_string())),
                }
            }
        }
        Err(error) => read.faults.push(Fault::new(shown, error.to_string())),
    }
    read.finish()
}

/// Reads the text of one file; `name` is what faults and [`VectorFile::name`] call it.
///
/// # Errors
///
/// Every vector that is malformed, or the first fault outside the vectors.
pub fn parse(name: &str, text: &str) -> Result<VectorFile, Faults> {
    let source = SourceText::new(name, text);
    let raw: RawFile<'_> = source.read(text, None)?;
    let mut faults = Vec::new();
    let mut test_groups = Vec::new();
    for group in raw.test_groups {
        let Some(raw) = source.keep(&mut faults, source.read::<RawGroup<'_>>(group.get(), None))
        else {
            continue;
        };
        let mut tests = Vec::new();
        for test in raw.tests {
            let id = serde_json::from_str::<JustId>(test.get()).ok().map(|just| just.tc_id);
            let read = source.read::<RawTest>(test.get(), id.as_deref());
            tests.extend(source.keep(&mut faults, read.map(Test::from)));
        }
        test_groups.push(Group {
            source: raw.source,
            secrets: raw.secrets,
            tolerance_seconds: raw.tolerance_seconds,
            options: raw.options,
            tests,
        });
    }
    // Members given twice where the types above cannot see it, such as inside `options`.
    if faults.is_empty()
        && let Err(error) = strict::value(text)
    {
        faults.push(source.fault(text, &error));
    }
    Faults::or(
        faults,
        VectorFile {
            name: name.to_owned(),
            schema: raw.schema,
            provider: raw.provider,
            number_of_tests: raw.number_of_tests,
            no_vendor_example: raw.no_vendor_example,
            notes: raw.notes.into_iter().map(|(flag, Object(note))| (flag, note)).collect(),
            test_groups,
        },
    )
}

/// The files that a path stands for: itself or, for a folder, every `*.json` at its top in alphabetical order.
///
/// # Errors
///
/// If the folder cannot be read. A file is not looked at.
pub fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "json") && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Files and faults, gathered over several texts.
#[derive(Default)]
struct Reading {
    files: Vec<VectorFile>,
    faults: Vec<Fault>,
}

impl Reading {
    fn text(&mut self, name: &str, text: &str) {
        match parse(name, text) {
            Ok(file) => self.files.push(file),
            Err(faults) => self.faults.extend(faults),
        }
    }

    fn finish(self) -> Result<Vec<VectorFile>, Faults> {
        Faults::or(self.faults, self.files)
    }
}

/// The text of a file, to find the line of a piece of it.
pub(crate) struct SourceText<'a> {
    name: &'a str,
    text: &'a str,
    /// Where the lines end, looked up once: a file can have as many faults as lines.
    breaks: OnceCell<Vec<usize>>,
}

impl<'a> SourceText<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, breaks: OnceCell::new() }
    }

    /// Reads a piece of the text, which is an object.
    pub(crate) fn read<T: Deserialize<'a>>(
        &self,
        piece: &'a str,
        id: Option<&str>,
    ) -> Result<T, Fault> {
        let mut reader = serde_json::Deserializer::from_str(piece);
        let Object(value) = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            let fault = self.fault(piece, error.inner());
            // The path ends in a question mark where the text ends.
            let path = path.trim_end_matches(['?', '.']);
            let fault = if path.is_empty() { fault } else { fault.in_field(path) };
            match id {
                Some(id) => fault.in_test(id),
                None => fault,
            }
        })?;
        reader.end().map_err(|error| self.fault(piece, &error))?;
        Ok(value)
    }

    fn keep<T>(&self, faults: &mut Vec<Fault>, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| faults.push(fault)).ok()
    }

    fn fault(&self, piece: &str, error: &serde_json::Error) -> Fault {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(&*message, |(text, _)| text);
        let start = piece.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        let breaks =
            self.breaks.get_or_init(|| self.text.match_indices('\n').map(|(at, _)| at).collect());
        let line = breaks.partition_point(|at| *at < start) + error.line().max(1);
        Fault::new(self.name, message).at_line(line)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawFile<'a> {
    schema: String,
    provider: String,
    number_of_tests: usize,
    #[serde(default, deserialize_with = "strict::given")]
    no_vendor_example: Option<String>,
    notes: BTreeMap<String, Object<Note>>,
    #[serde(borrow)]
    test_groups: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawGroup<'a> {
    #[serde(deserialize_with = "strict::object")]
    source: Source,
    secrets: Vec<Secret>,
    #[serde(default, deserialize_with = "strict::given")]
    tolerance_seconds: Option<u64>,
    #[serde(default)]
    options: BTreeMap<String, serde_json::Value>,
    #[serde(borrow)]
    tests: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct JustId {
    #[serde(rename = "tcId")]
    tc_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TestForm {
    tc_id: String,
    comment: String,
    #[serde(deserialize_with = "strict::set")]
    flags: Vec<String>,
    now_ms: u64,
    #[serde(default, deserialize_with = "strict::given")]
    method: Option<String>,
    #[serde(default, deserialize_with = "strict::given")]
    url: Option<String>,
    headers: Vec<(String, HeaderValue)>,
    #[serde(default, deserialize_with = "strict::given")]
    body: Option<BodyText>,
    #[serde(default, deserialize_with = "strict::given")]
    body_base64: Option<Base64Text>,
    result: ResultWord,
    #[serde(default, deserialize_with = "strict::given")]
    reason: Option<Word>,
    #[serde(default, deserialize_with = "strict::given")]
    events: Option<Vec<Object<Event>>>,
    #[serde(default, deserialize_with = "strict::given")]
    events_error: Option<EventWord>,
    #[serde(default, deserialize_with = "strict::given_object")]
    expect: Option<ExpectForm>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResultWord {
    Acceptable,
    Invalid,
    Valid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExpectForm {
    #[serde(default, deserialize_with = "strict::given")]
    signed_bytes_base64: Option<Base64Text>,
    #[serde(default, deserialize_with = "strict::given")]
    key: Option<usize>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Base64Text(Vec<u8>);

impl TryFrom<String> for Base64Text {
    type Error = serde::de::value::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        from_base64(&text).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Word(String);

impl TryFrom<String> for Word {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        one_of(REASONS, text).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct EventWord(String);

impl TryFrom<String> for EventWord {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        one_of(EVENT_REASONS, text).map(Self)
    }
}

fn one_of(words: &[&str], text: String) -> Result<String, String> {
    if words.contains(&&*text) {
        Ok(text)
    } else {
        Err(format!("unknown reason `{text}`, expected one of {}", words.join(", ")))
    }
}

/// A vector whose members agree with each other.
#[derive(Deserialize)]
#[serde(try_from = "TestForm")]
struct RawTest(Test);

impl From<RawTest> for Test {
    fn from(RawTest(test): RawTest) -> Self {
        test
    }
}

impl TryFrom<TestForm> for RawTest {
    type Error = &'static str;

    fn try_from(form: TestForm) -> Result<Self, Self::Error> {
        let body = match (form.body, form.body_base64) {
            (Some(BodyText::Text(text)), None) => Body::Text(text),
            (Some(BodyText::Repeat { unit, times }), None) => Body::Repeat { unit, times },
            (None, Some(Base64Text(bytes))) => Body::Base64(bytes),
            (None, None) => return Err("neither `body` nor `bodyBase64` is given"),
            (Some(_), Some(_)) => return Err("both `body` and `bodyBase64` are given"),
        };
        let reason = form.reason.map(|Word(text)| text);
        let outcome = match (form.result, reason) {
            (ResultWord::Acceptable, None) => Outcome::Acceptable,
            (ResultWord::Invalid, Some(reason)) => Outcome::Invalid { reason },
            (ResultWord::Invalid, None) => return Err("an invalid vector needs `reason`"),
            (ResultWord::Valid, None) => Outcome::Valid,
            (ResultWord::Acceptable | ResultWord::Valid, Some(_)) => {
                return Err("only an invalid vector has a `reason`");
            }
        };
        if form.events.is_some() && form.events_error.is_some() {
            return Err("both `events` and `eventsError` are given");
        }
        let says_more =
            form.events.is_some() || form.events_error.is_some() || form.expect.is_some();
        if matches!(outcome, Outcome::Invalid { .. }) && says_more {
            return Err("an invalid vector has none of `events`, `eventsError`, `expect`");
        }
        let expect = form.expect.map(|expect| Expect {
            signed_bytes: expect.signed_bytes_base64.map(|Base64Text(bytes)| bytes),
            key: expect.key,
        });
        Ok(Self(Test {
            id: form.tc_id,
            comment: form.comment,
            flags: form.flags,
            now_ms: form.now_ms,
            method: form.method,
            url: form.url,
            headers: form.headers,
            body,
            outcome,
            events: form
                .events
                .map(|events| events.into_iter().map(|Object(event)| event).collect()),
            events_error: form.events_error.map(|EventWord(text)| text),
            expect,
        }))
    }
}
