//@ error: E0603: module `verified` is private

fn main() {
    let _ = hookproof::verified::Genuine::new;
}
