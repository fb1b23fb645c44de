//@ error: E0277: the trait bound `VerifiedBuf

fn needs<T: From<hookproof::Evidence>>() {}

fn main() {
    needs::<hookproof::VerifiedBuf>();
}
