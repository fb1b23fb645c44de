//@ error: E0425: cannot find value `GITHUB_SHA1` in module `hookproof::providers`

fn main() {
    let _ = &hookproof::providers::GITHUB_SHA1;
}
