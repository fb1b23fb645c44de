//! Requests with several signatures.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "shared by test binaries and benches"
)]

use hookproof::Provider;
use http::HeaderMap;

/// The header that holds a sender's list of signatures, and the list with `count` wrong signatures, then the right one.
pub fn crowded(
    sender: &dyn Provider,
    headers: &HeaderMap,
    count: usize,
) -> (&'static str, Vec<u8>) {
    let name = sender
        .info()
        .headers
        .iter()
        .copied()
        .find(|name| headers.get(*name).is_some_and(|value| value.as_bytes().contains(&b',')));
    let name = name.unwrap();
    let value = headers[name].to_str().unwrap().to_owned();
    // `t=…,v1=…` or `v1,…`: the items are joined by what stands between them.
    let (head, item, joint) = match value.rsplit_once(",v1=") {
        Some((head, signature)) => (format!("{head},"), format!("v1={signature}"), ","),
        None => (String::new(), value, " "),
    };
    let mut wrong: Vec<char> = item.chars().collect();
    let place = wrong.len() - 5;
    wrong[place] = if wrong[place] == '0' { '1' } else { '0' };
    let wrong: String = wrong.into_iter().collect();
    let mut items = vec![wrong; count];
    items.push(item);
    (name, format!("{head}{}", items.join(joint)).into_bytes())
}
