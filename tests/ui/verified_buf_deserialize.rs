//@ error: E0277: the trait bound `VerifiedBuf

fn needs<T: serde::de::DeserializeOwned>() {}

fn main() {
    needs::<hookproof::VerifiedBuf>();
}
