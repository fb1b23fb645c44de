//@ error: E0624: associated function `new` is private

fn main() {
    let _ = hookproof::VerifiedStream::new;
}
