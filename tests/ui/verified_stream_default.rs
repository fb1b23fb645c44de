//@ error: E0277: the trait bound `VerifiedStream

fn needs<T: Default>() {}

fn main() {
    needs::<hookproof::VerifiedStream>();
}
