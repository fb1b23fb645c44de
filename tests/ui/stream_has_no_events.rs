//@ error: E0599: no method named `events` found for struct `VerifiedStream`

fn look(verified: hookproof::VerifiedStream) {
    let _ = verified.events();
}

fn main() {}
