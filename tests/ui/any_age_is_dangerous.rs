//@ error: E0624: method `accept_any_age` is private

fn main() {
    let _ = hookproof::Verifier::builder(&hookproof::providers::STRIPE).accept_any_age();
}
