//@ error: E0277: the trait bound `Signer: Clone` is not satisfied

fn needs<T: Clone>() {}

fn main() {
    needs::<hookproof::Signer>();
}
