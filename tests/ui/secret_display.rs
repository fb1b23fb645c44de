//@ error: E0277: `Secret` doesn't implement `std::fmt::Display`

fn main() {
    let secret = hookproof::Secret::new("example").unwrap();
    println!("{secret}");
}
