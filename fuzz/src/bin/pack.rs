//! Packs a folder of inputs into the corpus that the repository keeps of a target: `pack <target> <folder>`.

// `cargo fuzz build` builds this binary too, with hooks that only the fuzzer's runtime has.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});

#[cfg(not(fuzzing))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(target), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack <target> <folder>".into());
    };
    let files = std::fs::read_dir(folder)?;
    let inputs = files.map(|file| std::fs::read(file?.path())).collect::<Result<Vec<_>, _>>()?;
    let count = inputs.len();
    let left_out = hookproof_fuzz::corpus::write(&target, inputs)?;
    println!("{target}: {} inputs kept, the longest {left_out} left out", count - left_out);
    Ok(())
}
