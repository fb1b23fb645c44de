//@ error: cannot construct `Verified

fn main() {
    let _: hookproof::Verified<'static> = hookproof::Verified {};
}
