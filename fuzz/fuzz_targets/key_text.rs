//! The target `key_text`; see `hookproof_fuzz::key_text`. Built without cargo-fuzz it replays the files that it is given.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| hookproof_fuzz::fail_on_finding(
    data,
    hookproof_fuzz::key_text::run
));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    hookproof_fuzz::replay(hookproof_fuzz::key_text::run)
}
