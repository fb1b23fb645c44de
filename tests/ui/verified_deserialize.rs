//@ error: E0277: the trait bound `Verified

fn needs<T: serde::de::DeserializeOwned>() {}

fn main() {
    needs::<hookproof::Verified<'static>>();
}
