//@ error: E0277: the trait bound `VerifiedStream

fn needs<T: From<hookproof::Evidence>>() {}

fn main() {
    needs::<hookproof::VerifiedStream>();
}
