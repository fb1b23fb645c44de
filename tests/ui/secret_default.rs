//@ error: E0277: the trait bound `Secret: Default` is not satisfied

fn needs<T: Default>() {}

fn main() {
    needs::<hookproof::Secret>();
}
