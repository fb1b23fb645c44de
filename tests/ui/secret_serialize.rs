//@ error: E0277: the trait bound `Secret: serde::Serialize` is not satisfied

fn needs<T: serde::Serialize>() {}

fn main() {
    needs::<hookproof::Secret>();
}
