//@ error: E0277: the trait bound `Secret: Hash` is not satisfied

fn needs<T: core::hash::Hash>() {}

fn main() {
    needs::<hookproof::Secret>();
}
