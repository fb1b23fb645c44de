//@ error: E0277: the trait bound `VerifiedStream

fn needs<T: serde::de::DeserializeOwned>() {}

fn main() {
    needs::<hookproof::VerifiedStream>();
}
