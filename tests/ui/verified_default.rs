//@ error: E0277: the trait bound `Verified

fn needs<T: Default>() {}

fn main() {
    needs::<hookproof::Verified<'static>>();
}
