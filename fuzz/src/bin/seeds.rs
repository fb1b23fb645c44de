//! Writes the seeds: `corpus/<target>/` beside the manifest, from the vectors that the suite's package embeds and from the
//! corpora of the repository.

// `cargo fuzz build` builds this binary too, with hooks that only the fuzzer's runtime has.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});

#[cfg(not(fuzzing))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    println!("{}", hookproof_fuzz::seed::write(&corpus)?);
    Ok(())
}
