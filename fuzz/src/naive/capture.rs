//! A captured HTTP request, read from lists of lines: what the command line's reader must make of a file.

use super::{Slip, trim};

/// A captured request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Capture {
    /// The method.
    pub method: String,
    /// Names, in lower case, and values of the headers, in the order of the names.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
    /// What follows a body that its length has cut.
    pub surplus: Vec<u8>,
    /// The URL that the request itself names.
    pub url: Option<String>,
}

/// The line at fault; nothing if it is the body or the file as a whole.
pub type Fault = Option<usize>;

/// Reads a file.
///
/// # Errors
///
/// The line at fault.
pub fn read(file: &[u8], slip: Slip) -> Result<Capture, Fault> {
    // Every line that has an end, and what follows the last one.
    let mut lines: Vec<&[u8]> = file.split(|byte| *byte == b'\n').collect();
    lines.pop();
    let bare = |line: &[u8]| -> Vec<u8> {
        let whole = slip == Slip::LineFeedsOnly;
        line.strip_suffix(b"\r").filter(|_| !whole).unwrap_or(line).to_vec()
    };
    let lines: Vec<Vec<u8>> = lines.into_iter().map(bare).collect();
    let Some(first) = lines.iter().position(|line| !line.is_empty()) else {
        // Nothing but empty lines is a file at fault; anything behind them is a line without an end.
        let ended = file.last() == Some(&b'\n');
        return Err(if ended { None } else { Some(lines.len() + 1) });
    };
    let (method, target) = request_line(&lines[first]).ok_or(Some(first + 1))?;
    let head = lines[first + 1..].iter().position(Vec::is_empty);
    let in_head = head.unwrap_or(lines.len() - first - 1);
    let mut headers = Vec::new();
    for (number, line) in lines.iter().enumerate().skip(first + 1).take(in_head) {
        headers.push(header(line).ok_or(Some(number + 1))?);
    }
    let end = first + 1 + head.ok_or(Some(lines.len() + 1))?;
    let breaks = file.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let start = breaks.map(|(at, _)| at + 1).nth(end).unwrap_or(file.len());
    let rest = &file[start..];
    let of = |name: &str| -> Vec<&Vec<u8>> {
        headers.iter().filter(|(own, _)| own == name).map(|(_, value)| value).collect()
    };
    let length = length(&of("content-length"), slip).ok_or(None)?;
    let (body, surplus) = match (&of("transfer-encoding")[..], length) {
        ([only], _) if only.eq_ignore_ascii_case(b"chunked") => {
            (joined(rest).ok_or(None)?, Vec::new())
        }
        ([], None) => (rest.to_vec(), Vec::new()),
        ([], Some(length)) if length <= rest.len() as u128 => {
            let (body, surplus) = rest.split_at(length as usize);
            (body.to_vec(), surplus.to_vec())
        }
        _ => return Err(None),
    };
    let host = of("host").first().map(|host| host.to_vec());
    let url = url(&target, host);
    headers.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(Capture { method, headers, body, surplus, url })
}

fn is_token(text: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(plain)
}

fn request_line(line: &[u8]) -> Option<(String, String)> {
    let text = core::str::from_utf8(line).ok()?;
    match text.split(' ').collect::<Vec<_>>()[..] {
        [method, target, version]
            if is_token(method.as_bytes())
                && !target.is_empty()
                && version.starts_with("HTTP/") =>
        {
            (!method.starts_with("HTTP/")).then(|| (method.to_owned(), target.to_owned()))
        }
        _ => None,
    }
}

fn header(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], trim(&line[colon + 1..]));
    let plain = value.iter().all(|byte| *byte == b'\t' || (*byte >= 0x20 && *byte != 0x7f));
    if !is_token(name) || !plain {
        return None;
    }
    Some((String::from_utf8(name.to_ascii_lowercase()).ok()?, value.to_vec()))
}

/// The length that the head says, if any; nothing if it cannot be told.
fn length(values: &[&Vec<u8>], slip: Slip) -> Option<Option<u128>> {
    let number = |value: &&Vec<u8>| -> Option<u128> {
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let whole = digits == value.len() || slip == Slip::CutLength;
        let text = core::str::from_utf8(&value[..digits]).ok().filter(|_| whole)?;
        text.parse().ok().filter(|number| *number <= u128::from(u64::MAX))
    };
    let numbers: Option<Vec<u128>> = values.iter().map(number).collect();
    match numbers?[..] {
        [] => Some(None),
        [first, ref others @ ..] if others.iter().all(|other| *other == first) => Some(Some(first)),
        _ => None,
    }
}

/// The bytes of the chunks of a body, whatever follows the last one.
fn joined(rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    let mut rest = rest;
    loop {
        let end = rest.windows(2).position(|end| end == b"\r\n")?;
        let (line, after) = (&rest[..end], &rest[end + 2..]);
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
        let more: Vec<u8> = line[digits..].iter().copied().skip_while(blank).collect();
        let extension = more.is_empty() || more[0] == b';';
        // A line break alone ends no line, and none may stand in one.
        if digits == 0
            || digits > 16
            || !extension
            || more.contains(&b'\n')
            || more.contains(&b'\r')
        {
            return None;
        }
        let size = u64::from_str_radix(core::str::from_utf8(&line[..digits]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= after.len())?;
        body.extend_from_slice(&after[..size]);
        rest = after[size..].strip_prefix(b"\r\n")?;
    }
}

fn url(target: &str, host: Option<Vec<u8>>) -> Option<String> {
    let visible = |text: &str| text.bytes().all(|byte| (0x21..0x7f).contains(&byte));
    if !visible(target) {
        return None;
    }
    if let Some(("http" | "https", rest)) = target.split_once("://") {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return (!host.is_empty()).then(|| target.to_owned());
    }
    let host = String::from_utf8(host?).ok().filter(|host| host.is_ascii() && !host.is_empty())?;
    target.starts_with('/').then(|| format!("https://{host}{target}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_read() {
        let capture =
            read(b"\r\nPOST /a HTTP/1.1\r\nHost: x\nA:  1\t\r\n\r\nbody", Slip::None).unwrap();
        assert_eq!((capture.method.as_str(), &capture.body[..]), ("POST", &b"body"[..]));
        assert_eq!(capture.url.as_deref(), Some("https://x/a"));
        assert_eq!(read(b"", Slip::None), Err(Some(1)));
        assert_eq!(read(b"\n\n", Slip::None), Err(None));
        assert_eq!(read(b"P / HTTP/1\nA\n\n", Slip::None), Err(Some(2)));
        assert_eq!(read(b"P / HTTP/1\nA:1\n", Slip::None), Err(Some(3)));
        let chunked = |body: &[u8]| {
            read(&[b"P / HTTP/1\nTransfer-Encoding: chunked\n\n", body].concat(), Slip::None)
                .map(|capture| capture.body)
        };
        assert_eq!(chunked(b"1;x\r\na\r\n0\r\n\r\n").unwrap(), b"a");
        assert_eq!(chunked(b"g\r\n"), Err(None));
    }
}
