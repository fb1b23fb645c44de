//! What must hold in a suite beyond the form of each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::USUAL_NOW_MS;
use crate::error::{Fault, Faults};
use crate::model::{Group, Outcome, SourceKind, Test, VectorFile};
use crate::value::Body;

const SCHEMA: &str = "schema/v1.json";

/// The longest body that a vector may write out: 512 KiB, so that a case fits a line of the line protocol.
const MAX_WRITTEN_BODY: usize = 512 << 10;

/// Checks files that belong together: the counts are right, ids are unique, every flag has a note
/// and every note a flag, acceptable vectors have a policy flag, and the like.
///
/// # Errors
///
/// Every fault found.
pub fn check(files: &[VectorFile]) -> Result<(), Faults> {
    let mut faults = Vec::new();
    let mut ids = BTreeMap::new();
    for file in files {
        check_file(file, &mut faults);
        for (_, test) in file.tests() {
            if let Some(first) = ids.insert(test.id.as_str(), file.name.as_str()) {
                faults.push(
                    Fault::new(&file.name, format!("the id is already used in {first}"))
                        .in_test(&test.id),
                );
            }
        }
    }
    Faults::or(faults, ())
}

/// Checks that a file is called after its sender: `stripe.json` holds the vectors of `stripe`.
///
/// # Errors
///
/// The one fault.
pub fn check_name(file: &VectorFile) -> Result<(), Faults> {
    let wanted = format!("{}.json", file.provider);
    if Path::new(&file.name).file_name().is_some_and(|name| *name == *wanted) {
        return Ok(());
    }
    Err(Fault::new(&file.name, format!("a file with this provider is called {wanted}"))
        .in_field("provider")
        .into())
}

fn check_file(file: &VectorFile, faults: &mut Vec<Fault>) {
    let mut say =
        |field: &str, message: String| faults.push(Fault::new(&file.name, message).in_field(field));
    if file.schema != SCHEMA {
        say("schema", format!("expected {SCHEMA:?}, found {:?}", file.schema));
    }
    let count = file.tests().count();
    if count != file.number_of_tests {
        say("numberOfTests", format!("says {}, but the file has {count}", file.number_of_tests));
    }
    let used: BTreeSet<&str> =
        file.tests().flat_map(|(_, test)| &test.flags).map(String::as_str).collect();
    for flag in file.notes.keys().filter(|flag| !used.contains(flag.as_str())) {
        say(&format!("notes.{flag}"), "no vector carries this flag".to_owned());
    }
    let has_example = file.test_groups.iter().any(|group| {
        let kind = group.source.kind;
        matches!(kind, SourceKind::VendorDocs | SourceKind::VendorSdk) && !group.tests.is_empty()
    });
    match &file.no_vendor_example {
        None if !has_example => {
            say(
                "noVendorExample",
                "missing, and no group has a source of kind vendor-docs or vendor-sdk".to_owned(),
            );
        }
        Some(_) if has_example => {
            say("noVendorExample", "given, but a group is a sender's example".to_owned())
        }
        _ => {}
    }
    for (index, group) in file.test_groups.iter().enumerate() {
        if group.tests.is_empty() {
            say(&format!("testGroups[{index}].tests"), "the group is empty".to_owned());
        }
    }
    for (group, test) in file.tests() {
        let mut say = |field: &str, message: String| {
            faults.push(Fault::new(&file.name, message).in_test(&test.id).in_field(field))
        };
        check_flags(file, test, &mut say);
        check_request(group, test, &mut say);
    }
}

fn check_flags(file: &VectorFile, test: &Test, say: &mut impl FnMut(&str, String)) {
    for flag in &test.flags {
        if !file.notes.contains_key(flag) {
            say("flags", format!("`{flag}` has no note"));
        }
    }
    let has_policy = file.policy_flags(test).next().is_some();
    if test.outcome == Outcome::Acceptable && !has_policy {
        say(
            "flags",
            "an acceptable vector needs a flag whose note says `\"policy\": true`".to_owned(),
        );
    }
    if (test.now_ms != USUAL_NOW_MS) != test.has_flag("OtherClock") {
        say(
            "nowMs",
            format!(
                "the flag `OtherClock` stands where nowMs is not {USUAL_NOW_MS}, and only there"
            ),
        );
    }
}

fn check_request(group: &Group, test: &Test, say: &mut impl FnMut(&str, String)) {
    for (index, (name, value)) in test.headers.iter().enumerate() {
        let field = format!("headers[{index}]");
        if name.is_empty() || !name.bytes().all(is_token) {
            say(&field, "the name is not a header name".to_owned());
        }
        let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
        let bytes = value.bytes();
        if (blank(bytes.first()) || blank(bytes.last())) && !test.has_flag("OuterWhiteSpace") {
            say(&field, "outer blanks need the flag `OuterWhiteSpace`".to_owned());
        }
    }
    match &test.body {
        Body::Repeat { .. } => {}
        body if body.len() > MAX_WRITTEN_BODY => {
            say("body", "a body over 512 KiB is written with repeat and times".to_owned());
        }
        _ => {}
    }
    let key = test.expect.as_ref().and_then(|expect| expect.key);
    if key.is_some_and(|key| key >= group.secrets.len()) {
        say("expect.key", "there is no such secret".to_owned());
    }
}

const fn is_token(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
        | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z'
    )
}
