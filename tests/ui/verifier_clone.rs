//@ error: E0277: the trait bound `Verifier: Clone` is not satisfied

fn needs<T: Clone>() {}

fn main() {
    needs::<hookproof::Verifier>();
}
