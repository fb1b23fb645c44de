//@ error: E0369: binary operation `==` cannot be applied to type `Secret`

fn main() {
    let secret = hookproof::Secret::new("example").unwrap();
    let _ = secret == hookproof::Secret::new("example").unwrap();
}
