//! Every vector as a seed of every target, and proof that the oracle bites.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hookproof_fuzz::input::Case;
use hookproof_fuzz::naive::Slip;
use hookproof_fuzz::{Finding, header, roundtrip, seed, senders, verify};
use hookproof_vectors::{Outcome, POLICIES, Policy};

/// A vector as a case, and the answer that it wants: nothing if it must be accepted.
struct Vector {
    id: String,
    case: Case,
    refused: Option<Refusal>,
}

enum Refusal {
    Any,
    For(String),
}

fn vectors() -> &'static [Vector] {
    static VECTORS: OnceLock<Vec<Vector>> = OnceLock::new();
    VECTORS.get_or_init(|| {
        let (name, text) =
            POLICIES.iter().find(|(name, _)| name.ends_with("hookproof.json")).unwrap();
        let policy = Policy::parse(name, text).unwrap();
        let mut vectors = Vec::new();
        for file in hookproof_vectors::suite().unwrap() {
            for (group, test) in file.tests() {
                let refused = match &test.outcome {
                    Outcome::Acceptable if policy.accepts(&file, test) => None,
                    Outcome::Acceptable => Some(Refusal::Any),
                    outcome => outcome.reason().map(|reason| Refusal::For(reason.to_owned())),
                };
                let case = seed::case(&file, group, test).unwrap();
                vectors.push(Vector { id: test.id.clone(), case, refused });
            }
        }
        vectors
    })
}

/// The library, the naive verifier and the vector give one answer, whole, streamed and collected.
#[test]
fn verify_answers_what_the_vectors_say() {
    for (number, vector) in vectors().iter().enumerate() {
        let answer = verify::run(&seed::verify(&vector.case, number))
            .unwrap_or_else(|finding| panic!("{}: {finding}", vector.id))
            .expect("a seed is not empty");
        match (&vector.refused, answer) {
            (None, Ok(_)) | (Some(Refusal::Any), Err(_)) => {}
            (Some(Refusal::For(reason)), Err(given)) if reason == given => {}
            (_, answer) => panic!("{}: {answer:?}", vector.id),
        }
    }
}

/// Seeds with placeholders answer like those without, and every sender has some that are accepted.
#[test]
fn live_seeds_stay_right() {
    let mut accepted: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, vector) in vectors().iter().enumerate() {
        let Some(live) = seed::live(&vector.case) else { continue };
        let literal = verify::run(&seed::verify(&vector.case, number)).unwrap();
        let answer = verify::run(&seed::verify(&live, number));
        assert_eq!(answer, Ok(literal), "{}", vector.id);
        *accepted.entry(live.sender).or_default() += usize::from(matches!(literal, Some(Ok(_))));
    }
    for (index, sender) in senders::all().iter().enumerate() {
        assert!(accepted.get(&index).is_some_and(|count| *count > 0), "{}", sender.label());
    }
}

#[test]
fn header_finds_nothing_in_the_vectors() {
    for vector in vectors() {
        let live = seed::live(&vector.case);
        for case in [Some(&vector.case), live.as_ref()].into_iter().flatten() {
            header::run(&seed::header(case))
                .unwrap_or_else(|finding| panic!("{}: {finding}", vector.id));
        }
    }
}

#[test]
fn roundtrip_finds_nothing_in_the_vectors() {
    let (mut accepted, mut refused) = (0, 0);
    for (number, vector) in vectors().iter().enumerate() {
        let seen = roundtrip::run(&seed::roundtrip(&vector.case, number))
            .unwrap_or_else(|finding| panic!("{}: {finding}", vector.id));
        match seen {
            Some(Ok(_)) => accepted += 1,
            Some(Err(_)) => refused += 1,
            None => {}
        }
    }
    assert!(refused > accepted && accepted > 0, "{refused} refused, {accepted} accepted");
}

type Target = fn(&Case, usize, Slip) -> Result<(), Finding>;

const HEADER: Target = |case, _, slip| header::run_with(&seed::header(case), slip).map(|_| ());
const ROUNDTRIP: Target =
    |case, number, slip| roundtrip::run_with(&seed::roundtrip(case, number), slip).map(|_| ());
const VERIFY: Target =
    |case, number, slip| verify::run_with(&seed::verify(case, number), slip).map(|_| ());

/// Faults planted in the naive side are noticed by each target that can meet them: so a fault of the library would be.
#[test]
fn planted_faults_are_noticed() {
    let all = [
        (Slip::BlanksKept, &[VERIFY, HEADER][..]),
        (Slip::CaseSensitiveHex, &[VERIFY, HEADER, ROUNDTRIP]),
        (Slip::FirstLineWins, &[VERIFY, HEADER, ROUNDTRIP]),
        (Slip::FirstSignatureOnly, &[VERIFY, HEADER]),
        (Slip::LaxBase64, &[VERIFY, HEADER, ROUNDTRIP]),
        (Slip::LaxDecimal, &[VERIFY, HEADER]),
        (Slip::NoCap, &[VERIFY, HEADER]),
        (Slip::OlderRescues, &[VERIFY, HEADER, ROUNDTRIP]),
        (Slip::OneSidedClock, &[VERIFY, ROUNDTRIP]),
        (Slip::RankReversed, &[VERIFY, HEADER]),
        (Slip::VerbatimUrlOnly, &[VERIFY, ROUNDTRIP]),
    ];
    // Long bodies tell nothing more, and hashing them takes most of the time.
    let short = |(_, vector): &(usize, &Vector)| vector.case.body.len() < seed::MAX_BODY;
    for (slip, targets) in all {
        for (index, target) in targets.iter().enumerate() {
            let noticed = vectors()
                .iter()
                .enumerate()
                .filter(short)
                .any(|(number, vector)| target(&vector.case, number, slip).is_err());
            assert!(noticed, "{slip:?} was not noticed by target {index} of its list");
        }
    }
}
