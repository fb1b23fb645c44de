//! What must hold in a suite beyond the form of each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::USUAL_NOW_MS;
use crate::error::{Fault, Faults};
use crate::model::{Group, Outcome, Test, VectorFile};
use crate::value::Body;

const SCHEMA: &str = "schema/v1.json";

/// The longest body that a vector may write out: 512 KiB, so that a case fits a line of the line protocol.
const MAX_WRITTEN_BODY: usize = 512 << 10;

/// Checks files that belong together, so that a run over them means something: every file is whole, ids are unique,
/// every flag has a note, acceptable vectors have a policy flag.
///
/// # Errors
///
/// Every fault found.
pub fn check(files: &[VectorFile]) -> Result<(), Faults> {
    let mut faults = Vec::new();
    let mut ids = BTreeMap::new();
    for file in files {
        check_whole(file, &mut |field, message| {
            faults.push(Fault::new(&file.name, message).in_field(field))
        });
        for (group, test) in file.tests() {
            let fault = |message: String| Fault::new(&file.name, message).in_test(&test.id);
            let mut say = |field: &str, message| faults.push(fault(message).in_field(field));
            check_flags(file, test, &mut say);
            check_request(group, test, &mut say);
            if let Some(first) = ids.insert(test.id.as_str(), file.name.as_str()) {
                faults.push(fault(format!("the id is already used in {first}")));
            }
        }
    }
    Faults::or(faults, ())
}

/// Checks what a published file keeps to besides: it is called after its sender, says where its examples come from,
/// explains no flag in vain, and marks what an implementation may not be able to run.
///
/// # Errors
///
/// Every fault found.
pub fn check_published(file: &VectorFile) -> Result<(), Faults> {
    let mut faults = Vec::new();
    let mut say =
        |field: &str, message: String| faults.push(Fault::new(&file.name, message).in_field(field));
    let wanted = format!("{}.json", file.provider);
    if Path::new(&file.name).file_name().is_none_or(|name| *name != *wanted) {
        say("provider", format!("a file with this provider is called {wanted}"));
    }
    let used: BTreeSet<&str> =
        file.tests().flat_map(|(_, test)| &test.flags).map(String::as_str).collect();
    for flag in file.notes.keys().filter(|flag| !used.contains(flag.as_str())) {
        say(&format!("notes.{flag}"), "no vector carries this flag".to_owned());
    }
    match (&file.no_vendor_example, used.contains("VendorExample")) {
        (None, false) => {
            say("noVendorExample", "missing, and no vector has the flag `VendorExample`".to_owned())
        }
        (Some(_), true) => {
            say("noVendorExample", "given, but a vector has the flag `VendorExample`".to_owned())
        }
        _ => {}
    }
    for (_, test) in file.tests() {
        let mut say = |field: &str, message: String| {
            faults.push(Fault::new(&file.name, message).in_test(&test.id).in_field(field));
        };
        if (test.now_ms != USUAL_NOW_MS) != test.has_flag("OtherClock") {
            say(
                "nowMs",
                format!(
                    "the flag `OtherClock` stands where nowMs is not {USUAL_NOW_MS}, and only there"
                ),
            );
        }
        let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
        let outer = test.headers().any(|(_, value)| blank(value.first()) || blank(value.last()));
        if outer && !test.has_flag("OuterWhiteSpace") {
            say("headers", "outer blanks need the flag `OuterWhiteSpace`".to_owned());
        }
        if !matches!(test.body, Body::Repeat { .. }) && test.body.len() > MAX_WRITTEN_BODY {
            say("body", "a body over 512 KiB is written with repeat and times".to_owned());
        }
    }
    Faults::or(faults, ())
}

fn check_whole(file: &VectorFile, say: &mut impl FnMut(&str, String)) {
    if file.schema != SCHEMA {
        say("schema", format!("expected {SCHEMA:?}, found {:?}", file.schema));
    }
    let count = file.tests().count();
    if count != file.number_of_tests {
        say("numberOfTests", format!("says {}, but the file has {count}", file.number_of_tests));
    }
    for (index, group) in file.test_groups.iter().enumerate() {
        if group.tests.is_empty() {
            say(&format!("testGroups[{index}].tests"), "the group is empty".to_owned());
        }
    }
}

fn check_flags(file: &VectorFile, test: &Test, say: &mut impl FnMut(&str, String)) {
    for flag in &test.flags {
        if !file.notes.contains_key(flag) {
            say("flags", format!("`{flag}` has no note"));
        }
    }
    if test.outcome == Outcome::Acceptable && file.policy_flags(test).next().is_none() {
        say(
            "flags",
            "an acceptable vector needs a flag whose note says `\"policy\": true`".to_owned(),
        );
    }
}

fn check_request(group: &Group, test: &Test, say: &mut impl FnMut(&str, String)) {
    for (index, (name, _)) in test.headers.iter().enumerate() {
        if name.is_empty() || !name.bytes().all(is_token) {
            say(&format!("headers[{index}]"), "the name is not a header name".to_owned());
        }
    }
    let key = test.expect.as_ref().and_then(|expect| expect.key);
    if key.is_some_and(|key| key >= group.secrets.len()) {
        say("expect.key", "there is no such secret".to_owned());
    }
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}
