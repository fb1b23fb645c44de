//@ error: E0599: no method named `clone` found for struct `Secret`

fn main() {
    let secret = hookproof::Secret::new("example").unwrap();
    let _ = secret.clone();
}
