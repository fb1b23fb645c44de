//@ error: cannot construct `VerifiedStream

fn main() {
    let _: hookproof::VerifiedStream = hookproof::VerifiedStream {};
}
