//! Every input that the repository keeps of every fuzz target finds nothing, and nothing is found again.

use std::process::ExitCode;

use hookproof_fuzz::{TARGETS, corpus, findings};
use libtest_mimic::{Arguments, Failed, Trial};

/// The most bytes of all corpora.
const MAX_BYTES: u64 = 2_000_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("every_corpus_is_of_a_target", every_corpus_is_of_a_target)];
    for (name, target) in TARGETS {
        trials.push(Trial::test(*name, move || {
            let inputs = corpus::read(name)?;
            if inputs.is_empty() {
                return Err("the repository keeps no input of this target".into());
            }
            let found = findings::all().into_iter().filter(|(target, _)| target == name);
            for input in inputs.into_iter().chain(found.map(|(_, input)| input)) {
                target(&input)
                    .map_err(|finding| format!("{finding}\nof {}", corpus::line(&input)))?;
            }
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// No file is left over from a target that is no more, and all together are small.
fn every_corpus_is_of_a_target() -> Result<(), Failed> {
    let mut bytes = 0;
    for file in std::fs::read_dir(corpus::folder())? {
        let file = file?;
        let path = file.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if !TARGETS.iter().any(|(target, _)| *target == name) {
            return Err(format!("{}: there is no such target", path.display()).into());
        }
        bytes += file.metadata()?.len();
    }
    if bytes > MAX_BYTES {
        return Err(format!("the corpora have {bytes} bytes, more than {MAX_BYTES}").into());
    }
    Ok(())
}
