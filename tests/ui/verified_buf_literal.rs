//@ error: cannot construct `VerifiedBuf

fn main() {
    let _: hookproof::VerifiedBuf = hookproof::VerifiedBuf {};
}
