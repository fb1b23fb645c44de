//! Closes the loop between modules, the list of senders, vector files, the embedded index and the README.
//!
//! `UPDATE=1 cargo test --test registry` rewrites what can be derived: the tables of the README and the index.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hookproof::{Provider, Verifier, providers};
use hookproof_vectors::SourceKind;

/// Flags that every vector file has, whatever the sender.
const ALWAYS: &[&str] = &[
    "TamperedBody",
    "WrongSecret",
    "MissingHeader",
    "MalformedHeader",
    "RepeatedHeader",
    "EmptyBody",
    "NonUtf8Body",
    "MultipleSignatures",
    "RotatedSecret",
    "TruncatedTag",
    "WrongEncoding",
];
/// Those of senders whose signature header names versions.
const WITH_VERSIONS: &[&str] = &["UnknownVersionOnly"];
/// Those of senders that sign a time.
const WITH_TIME: &[&str] = &[
    "Stale",
    "Future",
    "BoundaryInside",
    "BoundaryOutside",
    "TimestampOverflow",
    "TimestampNotCanonical",
];
/// Those of senders that sign method and URL.
const WITH_TARGET: &[&str] = &["WrongUrl", "MissingTarget"];

/// A secret that every sender takes: text, and base64 for those that decode it.
const SECRET: &str = "whsec_aG9va3Byb29mLXRlc3Qtc2VjcmV0";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn ids() -> BTreeSet<String> {
    providers::ALL.iter().map(|provider| provider.info().id.to_owned()).collect()
}

/// The stems of the files of a folder with this ending, and of its folders if there is none.
fn stems(folder: &Path, ending: Option<&str>) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wanted = |path: &PathBuf| match ending {
        Some(ending) => path.is_file() && path.extension().is_some_and(|own| own == ending),
        None => path.is_dir(),
    };
    entries
        .filter(wanted)
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

/// Panics with the message for the first name of `left` that `right` lacks.
fn every(left: &BTreeSet<String>, right: &BTreeSet<String>, message: impl Fn(&str) -> String) {
    let missing = left.difference(right).next();
    assert!(missing.is_none(), "{}", missing.map(|name| message(name)).unwrap_or_default());
}

fn updating() -> bool {
    std::env::var_os("UPDATE").is_some()
}

#[test]
fn every_module_is_in_the_list_and_the_other_way_round() {
    let folder = root().join("src/providers");
    let mut modules: BTreeSet<String> =
        stems(&folder, Some("rs")).union(&stems(&folder, None)).cloned().collect();
    modules.remove("mod");
    let modules: BTreeSet<String> = modules.iter().map(|module| module.replace('_', "-")).collect();
    every(&modules, &ids(), |module| {
        format!(
            "src/providers has a module for `{module}` that `ALL` does not list: add its static to `ALL` in src/providers/mod.rs"
        )
    });
    every(&ids(), &modules, |id| {
        format!(
            "`ALL` lists `{id}`, which has no module of that name: name the module in src/providers after the id"
        )
    });
    let listed: Vec<&str> = providers::ALL.iter().map(|provider| provider.info().id).collect();
    assert!(listed.is_sorted(), "`ALL` is in alphabetical order of ids; it is {listed:?}");
}

#[test]
fn every_module_says_what_its_template_asks() {
    let folder = root().join("src/providers");
    for id in ids() {
        let name = id.replace('-', "_");
        let files = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        let text = files.iter().find_map(|file| fs::read_to_string(file).ok()).unwrap();
        for point in ["Signed", "Secret", "Replay", "Identity", "Answers"] {
            let said = text.lines().any(|line| line.starts_with(&format!("//! - **{point}")));
            assert!(said, "the module documentation of `{id}` has no point `{point}`");
        }
    }
}

#[test]
fn every_sender_has_vectors_and_the_other_way_round() {
    let files: BTreeSet<String> = stems(&support::folder(), Some("json"));
    every(&ids(), &files, |id| format!("`{id}` has no vectors: add conformance-vectors/{id}.json"));
    every(&files, &ids(), |file| {
        format!(
            "conformance-vectors/{file}.json belongs to no sender: add its module, or take the file away"
        )
    });
}

#[test]
fn every_vector_file_is_embedded() {
    let files: BTreeSet<String> = stems(&support::folder(), Some("json"));
    let embedded: BTreeSet<String> =
        hookproof_vectors::FILES.iter().map(|(id, _)| (*id).to_owned()).collect();
    if files == embedded {
        return;
    }
    let path = support::folder().join("src/index.rs");
    let text = fs::read_to_string(&path).unwrap();
    let lines = files
        .iter()
        .map(|id| format!("    (\"{id}\", include_str!(\"../{id}.json\")),\n"))
        .collect::<String>();
    let start = text
        .find("pub const FILES")
        .and_then(|at| text[at..].find("[\n").map(|open| at + open + 2))
        .unwrap();
    let end = start + text[start..].find("];").unwrap();
    if updating() {
        fs::write(&path, format!("{}{lines}{}", &text[..start], &text[end..])).unwrap();
    } else {
        panic!(
            "conformance-vectors/src/index.rs embeds {embedded:?}, the folder has {files:?}: run `UPDATE=1 cargo test --test registry`"
        );
    }
}

#[test]
fn every_vector_file_has_its_mandatory_flags() {
    for file in support::files() {
        // A file of no sender is named by the test of that.
        let Some(provider) = providers::find(&file.provider) else { continue };
        let needs = Verifier::builder(provider).secret(SECRET).build().unwrap().needs();
        let info = provider.info();
        let mandatory = ALWAYS
            .iter()
            .chain(WITH_VERSIONS.iter().filter(|_| info.names_versions))
            .chain(WITH_TIME.iter().filter(|_| info.tolerance.is_some()))
            .chain(WITH_TARGET.iter().filter(|_| needs.url));
        for flag in mandatory {
            let used = file.tests().any(|(_, test)| test.has_flag(flag));
            assert!(used, "no vector of {} carries the flag {flag}: add one", file.name);
        }
        let example = file.tests().any(|(group, _)| {
            matches!(group.source.kind, SourceKind::VendorDocs | SourceKind::VendorSdk)
        });
        let none = file.no_vendor_example.is_some();
        assert!(
            example || none,
            "{} has neither an example of the sender nor `noVendorExample`",
            file.name
        );
    }
}

#[test]
fn the_readme_lists_every_sender() {
    let mut table = String::from(
        "| sender | id | header | signed | MAC | clock | rotation |\n|---|---|---|---|---|---|---|\n",
    );
    for provider in providers::ALL {
        table.push_str(&sender_row(*provider));
    }
    check_block("senders", &table);
}

fn sender_row(provider: &dyn Provider) -> String {
    let info = provider.info();
    let clock = info
        .tolerance
        .map_or_else(|| "not signed".to_owned(), |tolerance| format!("±{} s", tolerance.as_secs()));
    format!(
        "| [{}]({}) | `{}` | `{}` | `{}` | {}, {} | {clock} | {} |\n",
        info.name,
        info.signed.source,
        info.id,
        info.headers.first().unwrap_or_else(|| panic!(
            "the facts of `{}` name no headers: add those that its record reads",
            info.id
        )),
        info.signed.text,
        info.algorithm,
        info.encoding,
        info.rotation.text
    )
}

#[test]
fn the_readme_counts_the_vectors() {
    let mut table = String::from(
        "| sender | vectors | published examples | answered by the sender's libraries | captured | other |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let mut totals = [0usize; 5];
    for file in support::files() {
        let mut counts = [0; 5];
        for (group, test) in file.tests() {
            let place = match group.source.kind {
                _ if test.has_flag("VendorExample") => 1,
                SourceKind::VendorDocs | SourceKind::VendorSdk => 2,
                SourceKind::Captured => 3,
                _ => 4,
            };
            counts[0] += 1;
            counts[place] += 1;
        }
        totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        table.push_str(&count_row(&format!("`{}`", file.provider), counts));
    }
    table.push_str(&count_row("all", totals));
    let [all, published, answered, captured, _] = totals;
    table.push_str(&format!(
        "\n{} of the {all} vectors have a source outside this project: {published} are published by the sender, {captured} were \
         captured, and {answered} were made for this suite and answered by the sender's own libraries.\n",
        published + answered + captured
    ));
    check_block("vectors", &table);
}

fn count_row(name: &str, counts: [usize; 5]) -> String {
    let cells: Vec<String> = counts.iter().map(usize::to_string).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// Compares what stands in the README between the two markers of this name, or rewrites it.
fn check_block(name: &str, wanted: &str) {
    // The tests of this file run at the same time and may each rewrite their block.
    static README: Mutex<()> = Mutex::new(());
    let _alone = README.lock();
    let path = root().join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
    let start = text.find(&begin).unwrap_or_else(|| panic!("README.md lacks the marker {begin}"))
        + begin.len();
    let stop = text.find(&end).unwrap_or_else(|| panic!("README.md lacks the marker {end}"));
    if text[start..stop] == *wanted {
        return;
    }
    if updating() {
        fs::write(&path, format!("{}{wanted}{}", &text[..start], &text[stop..])).unwrap();
    } else {
        panic!(
            "the table `{name}` of README.md is not what the code says: run `UPDATE=1 cargo test --test registry`"
        );
    }
}
