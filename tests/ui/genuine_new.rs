//@ error: E0433: cannot find `Genuine` in `hookproof`

fn main() {
    let _ = hookproof::Genuine::new;
}
