//! The seeds of the targets that do not come from vectors alone, and proof that their oracles bite.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hookproof_fuzz::input::Case;
use hookproof_fuzz::naive::Slip;
use hookproof_fuzz::{
    Finding, TARGETS, chunks, events, http_file, key_text, scheme, seed, senders, url, vector_json,
};

/// The seeds of each target, with their names.
type Seeds = BTreeMap<&'static str, Vec<(String, Vec<u8>)>>;

fn seeds() -> &'static Seeds {
    static SEEDS: OnceLock<Seeds> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = Seeds::new();
        for (target, name, input) in seed::all().unwrap() {
            seeds.entry(target).or_default().push((name, input));
        }
        seeds
    })
}

/// Runs a target on its seeds, and says how many of them saw something that fits.
fn fitting<T>(target: &str, run: fn(&[u8]) -> Result<T, Finding>, fits: fn(&T) -> bool) -> usize {
    let mut count = 0;
    for (name, input) in &seeds()[target] {
        let seen = run(input).unwrap_or_else(|finding| panic!("{name}: {finding}"));
        count += usize::from(fits(&seen));
    }
    count
}

#[test]
fn every_target_has_seeds() {
    let with_seeds: Vec<&str> = seeds().keys().copied().collect();
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(with_seeds, names);
}

#[test]
fn chunks_finds_nothing() {
    let accepted = fitting("chunks", chunks::run, |seen| matches!(seen, Some(Ok(_))));
    assert_eq!(accepted, seeds()["chunks"].len(), "every request of `chunks` is genuine");
}

#[test]
fn events_finds_nothing() {
    let with_events = fitting(
        "events",
        events::run,
        |seen| matches!(seen, Some(Ok(events)) if events.iter().any(Result::is_ok)),
    );
    assert!(with_events > 100, "{with_events}");
}

#[test]
fn http_file_finds_nothing() {
    let captures = fitting("http_file", http_file::run, Result::is_ok);
    assert!(captures > seeds()["http_file"].len() / 2, "{captures}");
}

#[test]
fn key_text_finds_nothing() {
    let keys = fitting("key_text", key_text::run, |(is_key, [first, _])| *is_key && first.is_ok());
    assert!(keys > 100, "{keys}");
}

#[test]
fn scheme_finds_nothing() {
    let accepted = fitting("scheme", scheme::run, |seen| matches!(seen, Some((Ok(_), _))));
    assert!(accepted > seeds()["scheme"].len() / 4, "{accepted}");
}

#[test]
fn url_finds_nothing() {
    let readings =
        fitting("url", url::run, |seen| matches!(seen, Some((2, refused)) if *refused > 0));
    assert!(readings > 10, "{readings}");
}

#[test]
fn vector_json_finds_nothing() {
    let files = fitting("vector_json", vector_json::run, Option::is_some);
    let odd =
        seeds()["vector_json"].iter().filter(|(name, _)| name.starts_with("finding-")).count();
    assert_eq!(files + odd, seeds()["vector_json"].len(), "every vector is a file of its own");
}

type Planted = fn(&[u8], Slip) -> Result<(), Finding>;

/// Inputs that no vector gives: each shows one planted fault.
fn odd() -> Vec<(&'static str, Vec<u8>)> {
    let file = |more: &str, notes: &str| {
        let text = format!(
            r#"{{"schema":"","provider":"","numberOfTests":0,{more}"notes":{{{notes}}},"testGroups":[]}}"#
        );
        ("vector_json", text.into_bytes())
    };
    let batch = Case {
        sender: senders::find("hubspot", &[]).unwrap(),
        body: format!("[{}0]", "0,".repeat(1000)).into_bytes(),
        ..Case::default()
    };
    vec![
        ("events", batch.write()),
        ("http_file", b"POST / HTTP/1.1\nContent-Length: 1x\n\na".to_vec()),
        ("key_text", b"a/%2f\n\n".to_vec()),
        file(r#""schema":"","#, ""),
        file(r#""x":0,"#, ""),
        file(r#""noVendorExample":null,"#, ""),
        file("", r#""A":["","",[],true]"#),
    ]
}

/// Faults planted in the naive side are noticed by each target that can meet them: so a fault of the library would be.
#[test]
fn planted_faults_are_noticed() {
    macro_rules! planted {
        ($target:ident) => {
            (
                stringify!($target),
                (|input, slip| $target::run_with(input, slip).map(|_| ())) as Planted,
            )
        };
    }
    let all: &[(Slip, &[(&str, Planted)])] = &[
        (Slip::AnyCaseEscapes, &[planted!(url)]),
        (Slip::AnyLengthBatch, &[planted!(events)]),
        (Slip::BodyLast, &[planted!(scheme), planted!(chunks)]),
        (Slip::CaseSensitiveHex, &[planted!(scheme)]),
        (Slip::CutLength, &[planted!(http_file)]),
        (Slip::EmptyChunkEnds, &[planted!(chunks)]),
        (Slip::BlankEscape, &[planted!(url)]),
        (Slip::FirstFamilyOnly, &[planted!(scheme)]),
        (Slip::FirstSignatureOnly, &[planted!(scheme)]),
        (Slip::LastMemberWins, &[planted!(events), planted!(vector_json)]),
        (Slip::LaxBase64, &[planted!(scheme)]),
        (Slip::LimitExcluded, &[planted!(chunks)]),
        (Slip::LineFeedsOnly, &[planted!(http_file)]),
        (Slip::LowerCaseKeys, &[planted!(key_text)]),
        (Slip::NoKeyLimit, &[planted!(events), planted!(key_text)]),
        (Slip::NullIsAbsent, &[planted!(events), planted!(vector_json)]),
        (Slip::ObjectsAsLists, &[planted!(vector_json)]),
        (Slip::OneSidedClock, &[planted!(scheme)]),
        (Slip::PlusKept, &[planted!(events), planted!(url)]),
        (Slip::SecondsOnly, &[planted!(scheme)]),
        (Slip::SlashesKept, &[planted!(events), planted!(key_text)]),
        (Slip::UnknownMembers, &[planted!(vector_json)]),
        (Slip::VerbatimUrlOnly, &[planted!(url)]),
    ];
    let odd = odd();
    for (slip, targets) in all {
        for (target, run) in *targets {
            let odd = odd.iter().filter(|(own, _)| own == target).map(|(_, input)| &input[..]);
            let mut inputs = seeds()[target].iter().map(|(_, input)| &input[..]).chain(odd);
            assert!(
                inputs.any(|input| run(input, *slip).is_err()),
                "{slip:?} was not noticed by {target}"
            );
        }
    }
    for (target, input) in &odd {
        let run = TARGETS.iter().find(|(name, _)| name == target).unwrap().1;
        run(input).unwrap_or_else(|finding| panic!("{target}: {finding}"));
    }
}
