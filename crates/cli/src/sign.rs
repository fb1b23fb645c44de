//! `hookproof sign`: the request that a sender would send.

use std::fmt::Write as _;

use hookproof::{Outgoing, Signed, Signer, UnixTime};

use crate::args::SignArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::output::Screen;
use crate::{library, time};

/// Runs the command.
pub(crate) fn run(args: &SignArgs, screen: &mut Screen) -> Outcome {
    let now = args.now.unwrap_or_else(time::system_now);
    let sender = library::sender(&args.sender)?;
    let mut builder = Signer::builder(sender.provider);
    for secret in sender.secrets {
        builder = builder.key(secret);
    }
    for (name, value) in &sender.options {
        builder = builder.option(name, value);
    }
    let signer = builder.build().map_err(|error| library::configuration(&error))?;
    let body = library::read_input(&args.file, args.sender.secrets.take_stdin())?;
    let mut outgoing = Outgoing::new(&body).with_method(&args.method);
    if let Some(url) = &args.url {
        outgoing = outgoing.with_url(url);
    }
    if let Some(id) = &args.id {
        outgoing = outgoing.with_id(id);
    }
    let signed = signer.sign(&outgoing, UnixTime::from_millis(now));
    let signed =
        signed.map_err(|error| Failure::new(format!("{}: {error}", sender.provider.info().id)))?;
    if args.form.headers {
        screen.bytes(&head(&signed, &[]));
    } else if args.form.curl {
        let file = (!library::is_stdin(&args.file) && signed.body() == body.as_slice())
            .then_some(args.file.as_path());
        screen.line(curl(&signed, file.and_then(|path| path.to_str()))?);
    } else {
        screen.bytes(&raw(&signed)?);
    }
    Ok(Ending::Good)
}

/// Header lines, after some of our own that the sender's do not name.
fn head(signed: &Signed, own: &[(&str, String)]) -> Vec<u8> {
    let mut lines = Vec::new();
    for (name, value) in own.iter().filter(|(name, _)| !signed.headers().contains_key(*name)) {
        lines.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    for (name, value) in signed.headers() {
        lines.extend_from_slice(name.as_str().as_bytes());
        lines.extend_from_slice(b": ");
        lines.extend_from_slice(value.as_bytes());
        lines.extend_from_slice(b"\r\n");
    }
    lines
}

/// The request as raw HTTP.
fn raw(signed: &Signed) -> Result<Vec<u8>, Failure> {
    let (host, target) = match signed.url() {
        Some(url) => split(url)?,
        None => ("localhost", "/".to_owned()),
    };
    let own = [
        ("host", host.to_owned()),
        ("content-type", content_type(signed.body()).to_owned()),
        ("content-length", signed.body().len().to_string()),
    ];
    let mut request = format!("{} {target} HTTP/1.1\r\n", signed.method()).into_bytes();
    request.extend_from_slice(&head(signed, &own));
    request.extend_from_slice(b"\r\n");
    request.extend_from_slice(signed.body());
    Ok(request)
}

/// Host and target of a URL, as a client sends them.
fn split(url: &str) -> Result<(&str, String), Failure> {
    let bad = || {
        Failure::new("the URL has to begin with http:// or https:// and a host, and have no blank")
    };
    let (scheme, rest) = url.split_once("://").ok_or_else(bad)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, target) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let plain = url.bytes().all(|byte| byte.is_ascii_graphic());
    if !plain
        || host.is_empty()
        || !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http"))
    {
        return Err(bad());
    }
    let target = target.split('#').next().unwrap_or_default();
    let slash = if target.starts_with('/') { "" } else { "/" };
    Ok((host, format!("{slash}{target}")))
}

/// What most senders say of such a body.
fn content_type(body: &[u8]) -> &'static str {
    match body.trim_ascii_start().first() {
        Some(b'{' | b'[') => "application/json",
        _ => "application/octet-stream",
    }
}

/// The request as a curl command that sends the body's bytes as they are.
fn curl(signed: &Signed, file: Option<&str>) -> Result<String, Failure> {
    let url = signed.url().unwrap_or_default();
    split(url)?;
    let mut command =
        format!("curl -X {} --globoff {}", quote(signed.method().as_str()), quote(url));
    if !signed.headers().contains_key("content-type") {
        let _ = write!(command, " \\\n  -H 'content-type: {}'", content_type(signed.body()));
    }
    for (name, value) in signed.headers() {
        let value = str::from_utf8(value.as_bytes())
            .map_err(|_| Failure::new("a header is not text; use --http"))?;
        // curl drops `Name:`; `Name;` sends the header with an empty value.
        let line = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
        let _ = write!(command, " \\\n  -H {}", quote(&line));
    }
    match (file, str::from_utf8(signed.body())) {
        (Some(file), _) => {
            let _ = write!(command, " \\\n  --data-binary {}", quote(&format!("@{file}")));
        }
        (None, Ok(text)) if !text.contains('\0') => {
            let _ = write!(command, " \\\n  --data-raw {}", quote(text));
        }
        (None, _) => {
            return Err(Failure::new(
                "the body is not text, so the curl command needs it as a file",
            ));
        }
    }
    Ok(command)
}

/// A word for a POSIX shell.
fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@%+=:,./_-".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{content_type, quote, split};

    #[test]
    fn urls_are_split_as_a_client_does() {
        let split = |url| split(url).map(|(host, target)| (host.to_owned(), target)).ok();
        let pair = |host: &str, target: &str| Some((host.to_owned(), target.to_owned()));
        assert_eq!(split("https://example.com"), pair("example.com", "/"));
        assert_eq!(split("https://example.com?a=b"), pair("example.com", "/?a=b"));
        assert_eq!(
            split("http://u:p@example.com:81/a%20b?c#d"),
            pair("example.com:81", "/a%20b?c")
        );
        for url in [
            "",
            "example.com/a",
            "ftp://example.com/",
            "https:///a",
            "https://example.com/a b",
            "https://example.com/a\nb",
        ] {
            assert_eq!(split(url), None, "{url}");
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("body.json"), "body.json");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote("https://example.com/?a&b"), "'https://example.com/?a&b'");
    }

    #[test]
    fn a_body_that_looks_like_json_is_called_so() {
        assert_eq!(content_type(b" {}"), "application/json");
        assert_eq!(content_type(b"a=b"), "application/octet-stream");
    }
}
