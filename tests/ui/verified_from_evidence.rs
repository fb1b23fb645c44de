//@ error: E0277: the trait bound `Verified

fn needs<T: From<hookproof::Evidence>>() {}

fn main() {
    needs::<hookproof::Verified<'static>>();
}
