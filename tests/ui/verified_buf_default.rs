//@ error: E0277: the trait bound `VerifiedBuf

fn needs<T: Default>() {}

fn main() {
    needs::<hookproof::VerifiedBuf>();
}
