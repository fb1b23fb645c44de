//! Bytes in header values that stand for what a fuzzer cannot guess: right signatures and telling times.
//!
//! No header can hold these bytes, so they hide nothing. They are replaced before either side sees the request.

use crate::input::Case;
use crate::naive::{self, Function, Request, Slip};
use crate::senders::Digits;

/// `SIGNATURE + n` with `n` below 8: the right signature by key `n % 4` of the receiver's (over and over if it has
/// fewer), over the first reading of the message, or from 4 over the second; where there is one reading, in another
/// spelling: capital hexadecimal digits, base64 without padding.
pub const SIGNATURE: u8 = 0x01;
/// The number of signature placeholders.
const SIGNATURES: u8 = 8;
/// The clock, in the sender's unit.
pub const NOW: u8 = 0x0b;
/// The latest time that is fresh.
pub const LATEST: u8 = 0x0c;
/// The earliest time that is in the future.
pub const FUTURE: u8 = 0x0e;
/// The earliest time that is fresh.
pub const EARLIEST: u8 = 0x0f;
/// The latest time that is too old.
pub const STALE: u8 = 0x10;

/// Whether a byte is a placeholder.
#[must_use]
pub const fn is_placeholder(byte: u8) -> bool {
    is_signature(byte) || matches!(byte, NOW | LATEST | FUTURE | EARLIEST | STALE)
}

const fn is_signature(byte: u8) -> bool {
    byte >= SIGNATURE && byte < SIGNATURE + SIGNATURES
}

/// The request of a case, with the placeholders replaced.
#[must_use]
pub fn fill(case: &Case, keys: &[Vec<u8>]) -> Request {
    let mut request = Request {
        headers: case.headers.clone(),
        method: case.method.clone(),
        url: case.url.clone(),
        body: case.body.clone(),
    };
    // Times first, since they are signed.
    let unit = naive::read(case.sender(), &request, Slip::None).unit;
    let tolerance = case.tolerance.unwrap_or(case.sender().rules.tolerance) / unit;
    let now = case.now() / unit;
    replace(&mut request, |byte| {
        let time = match byte {
            NOW => now,
            LATEST => now.saturating_add(tolerance),
            FUTURE => now.saturating_add(tolerance).saturating_add(1),
            EARLIEST => now.saturating_sub(tolerance),
            STALE => now.saturating_sub(tolerance).saturating_sub(1),
            _ => return None,
        };
        Some(time.to_string())
    });
    let signatures = signatures(case, &request, keys);
    replace(&mut request, |byte| {
        is_signature(byte).then(|| signatures[usize::from(byte - SIGNATURE)].clone())
    });
    request
}

fn replace(request: &mut Request, text: impl Fn(u8) -> Option<String>) {
    for (_, value) in &mut request.headers {
        if value.iter().copied().any(is_placeholder) {
            let parts = value
                .iter()
                .map(|byte| text(*byte).map_or_else(|| vec![*byte], String::into_bytes));
            *value = parts.collect::<Vec<_>>().concat();
        }
    }
}

/// The text of every signature placeholder, in their order.
#[must_use]
pub fn signatures(case: &Case, request: &Request, keys: &[Vec<u8>]) -> Vec<String> {
    let head = naive::read(case.sender(), request, Slip::None);
    let digits = head.offers.first().map_or(Digits::Hex, |offer| offer.digits);
    let readings = head.messages.len();
    let signature = |number: usize| {
        let (key, reading) = (number % 4, number / 4);
        let message = head.messages.get(reading).or(head.messages.first());
        let bytes = match (message, keys.get(key % keys.len().max(1))) {
            (Some(message), Some(key)) => {
                let whole = [&message.before, &request.body[..], &message.after].concat();
                message.function.sign(key, &whole)
            }
            _ => vec![0; Function::HmacSha256.length()],
        };
        spell(digits, &bytes, reading > 0 && readings < 2)
    };
    (0..usize::from(SIGNATURES)).map(signature).collect()
}

fn spell(digits: Digits, bytes: &[u8], otherwise: bool) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
    match (digits, otherwise) {
        (Digits::Base64, false) => STANDARD.encode(bytes),
        (Digits::Base64, true) => STANDARD_NO_PAD.encode(bytes),
        (Digits::Hex, false) => hex::encode(bytes),
        (Digits::Hex, true) => hex::encode_upper(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::Key;
    use crate::senders;

    /// Every sender has a case that its placeholders make right, by each of two keys.
    #[test]
    fn placeholders_make_a_right_request() {
        for (index, sender) in senders::all().iter().enumerate() {
            for number in [0, 1] {
                let mut case = Case { sender: index, body: b"{}".to_vec(), ..Case::default() };
                case.secrets = vec![Key::Bytes(vec![1]), Key::Bytes(vec![2])];
                case.method = Some("POST".into());
                case.url = Some("https://example.com/%3A".into());
                let signature = [SIGNATURE + number];
                case.headers = sender.sample(&signature, &[NOW]);
                let keys = naive::keys(sender, &case.secrets).unwrap();
                let request = fill(&case, &keys);
                let shown = naive::judge(sender, &keys, &request, (case.now(), None), Slip::None);
                assert_eq!(
                    shown.map(|shown| shown.key),
                    Ok(usize::from(number)),
                    "{}",
                    sender.label()
                );
            }
        }
    }
}
