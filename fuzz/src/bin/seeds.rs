//! Writes what targets start from: `corpus/<target>/` beside the manifest, from the vectors that the suite's package embeds
//! and from the corpora of the repository. Given a folder, writes the seeds from the vectors alone to that.

// `cargo fuzz build` builds this binary too, with hooks that only the fuzzer's runtime has.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});

#[cfg(not(fuzzing))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (folder, kept) = match std::env::args_os().nth(1) {
        Some(folder) => (folder.into(), false),
        None => (std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"), true),
    };
    println!("{}", hookproof_fuzz::seed::write(&folder, kept)?);
    Ok(())
}
