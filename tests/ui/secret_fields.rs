//@ error: E0616: field `material` of struct `Secret` is private

fn main() {
    let secret = hookproof::Secret::new("example").unwrap();
    let _ = &secret.material;
}
