//@ error: E0603: module `verified` is private

// What an owned proof is made of.
fn main() {
    let _: Option<hookproof::verified::Genuine> = None;
}
