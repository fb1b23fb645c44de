//! Each mistake planted once and named, and no cause found for forgeries.

use hookproof::{Outgoing, Provider, Signer, UnixTime, dangerous, providers};
use http::{HeaderMap, Method};

use super::case::{Case, Key};
use super::diagnose;

const SECRET: &str = "whsec_ZXhwbGFpbi10ZXN0LXNlY3JldA==";
const URL: &str = "https://example.com/hooks?a=b+c";
const BODY: &str = "{\"id\":\"evt_1\",\"text\":\"é a/b\",\"list\":[1.0,{}]}\n";

/// A genuine delivery of a sender, and the case of a receiver that is set up rightly.
fn genuine_with(
    sender: &'static dyn Provider,
    key: Key,
    body: &[u8],
    options: &[(&str, &str)],
) -> Case {
    let builder = options
        .iter()
        .fold(Signer::builder(sender), |builder, (name, value)| builder.option(name, value));
    let signer = builder.key(key.secret().unwrap()).build().unwrap();
    let outgoing = Outgoing::new(body).with_url(URL).with_id("msg_1");
    let signed = signer.sign(&outgoing, UnixTime::from_secs(1_700_000_000)).unwrap();
    let case = Case {
        provider: sender,
        options: options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        keys: vec![key],
        method: Method::POST,
        headers: signed.headers().clone(),
        url: Some(URL.to_owned()),
        url_hint: None,
        body: body.to_vec(),
        surplus: Vec::new(),
    };
    assert!(case.matches());
    case
}

fn genuine(sender: &'static dyn Provider) -> Case {
    genuine_with(sender, Key::text(SECRET), BODY.as_bytes(), &[])
}

fn header(case: &mut Case, name: &'static str, change: impl Fn(&str) -> String) {
    let value = change(case.headers[name].to_str().unwrap());
    case.headers.insert(name, value.parse().unwrap());
}

/// Asserts that the case does not match and that a cause with these words is named.
#[track_caller]
fn named(case: &Case, words: &str) {
    assert!(!case.matches(), "{words}: nothing is wrong");
    let found = diagnose(case);
    assert!(found.iter().any(|message| message.contains(words)), "{words}: {found:?}");
}

#[test]
fn mistakes_with_the_body_are_named() {
    let case = genuine(&providers::STRIPE);
    let body = |text: &str| case.with_body(text.as_bytes().to_vec());
    named(&body(BODY.trim_end()), "lost its final newline");
    named(&body(&format!("{BODY}\n")), "a newline was added");
    named(&body(&BODY.replace('\n', "\r\n")), "line endings");
    named(&body(&format!("\u{feff}{BODY}")), "byte order mark was added");
    named(&body(&serde_json::to_string(BODY).unwrap()), "a JSON text that holds the real one");
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, BODY);
    named(&body(&base64), "base64 of the real one");

    let compact =
        genuine_with(&providers::STRIPE, Key::text(SECRET), BODY.trim_end().as_bytes(), &[]);
    let body = |text: &str| compact.with_body(text.as_bytes().to_vec());
    let indented = super::json_text::spaced(BODY, super::json_text::Spacing::Indented("    "));
    named(&body(&indented), "signed it without blanks");
    named(
        &body(&super::json_text::spaced(BODY, super::json_text::Spacing::Spaced)),
        "signed it without blanks",
    );
    named(&body(&BODY.trim_end().replace('é', "\\u00e9")), "not escaped");
    named(&body(&BODY.trim_end().replace("a/b", "a\\/b")), "slashes not escaped");

    let spaced = super::json_text::spaced(BODY, super::json_text::Spacing::Spaced);
    let case = genuine_with(&providers::STRIPE, Key::text(SECRET), spaced.as_bytes(), &[]);
    named(
        &case.with_body(BODY.trim_end().as_bytes().to_vec()),
        "with blanks after commas and colons",
    );
    let sorted = r#"{"id":"evt_1","list":[1,{}],"text":"x"}"#;
    let case = genuine_with(&providers::STRIPE, Key::text(SECRET), sorted.as_bytes(), &[]);
    named(
        &case.with_body(br#"{"text":"x","list":[1,{}],"id":"evt_1"}"#.to_vec()),
        "members sorted",
    );
    let case = genuine_with(&providers::STRIPE, Key::text(SECRET), b"\xef\xbb\xbf{}", &[]);
    named(&case.with_body(b"{}".to_vec()), "lost its byte order mark");
}

#[test]
fn a_body_that_its_content_length_cuts_is_named() {
    let case = genuine(&providers::STRIPE);
    let cut = |at: usize, more: &str| {
        let (body, surplus) = BODY.split_at(at);
        let surplus = [surplus.as_bytes(), more.as_bytes()].concat();
        Case { surplus, ..case.with_body(body.as_bytes().to_vec()) }
    };
    named(&cut(9, ""), "goes on after its Content-Length");
    // The cause is the length, not an editor.
    let found = diagnose(&cut(BODY.len() - 1, ""));
    assert!(found.iter().all(|message| message.contains("Content-Length")), "{found:?}");
    named(&cut(9, "\n"), "two things at once: the body goes on after its Content-Length");
}

#[test]
fn a_compressed_body_and_a_form_are_named() {
    use std::io::Write as _;
    let case = genuine(&providers::GITHUB);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(BODY.as_bytes()).unwrap();
    named(&case.with_body(packed.finish().unwrap()), "still compressed");
    let form = b"payload=%7B%22zen%22%3A%22a+b%22%7D".to_vec();
    let case = genuine_with(&providers::GITHUB, Key::text(SECRET), &form, &[]);
    named(&case.with_body(br#"{"zen":"a b"}"#.to_vec()), "sender signed the form");
    let case = genuine_with(&providers::GITHUB, Key::text(SECRET), br#"{"zen":"a b"}"#, &[]);
    named(&case.with_body(form), "what the form's `payload` holds");
}

#[test]
fn secrets_in_another_form_are_named() {
    let other = |sender, signed: Key, given: &str| {
        let case = genuine_with(sender, signed, BODY.as_bytes(), &[]);
        Case { keys: vec![Key::text(given)], ..case }
    };
    let digits = SECRET.strip_prefix("whsec_").unwrap();
    named(&other(&providers::STRIPE, Key::text(digits), SECRET), "after the prefix");
    named(&other(&providers::STRIPE, Key::text(SECRET), digits), "lost its prefix");
    named(&other(&providers::STRIPE, Key::bytes(b"explain-test-secret"), SECRET), "in base64");
    named(&other(&providers::STRIPE, Key::bytes(b"\x01\xab"), "01ab"), "in hex");
    named(&other(&providers::STRIPE, Key::bytes(b"whsec_a\n"), "whsec_a"), "white space around it");
    named(&other(&providers::STRIPE, Key::text("whsec_a"), "'whsec_a'"), "stands in quotes");
    named(
        &other(&providers::STANDARD_WEBHOOKS, Key::bytes(SECRET.as_bytes()), SECRET),
        "the whole text of the secret",
    );
}

#[test]
fn targets_in_another_spelling_are_named() {
    let case = genuine(&providers::HUBSPOT);
    let url = |url: &str| case.with_url(url.to_owned());
    named(&url("http://example.com/hooks?a=b+c"), "the other scheme");
    named(&url("https://example.com:443/hooks?a=b+c"), "has no port");
    named(&url("https://example.com/hooks/?a=b+c"), "no slash at the end");
    named(&url("https://EXAMPLE.com/hooks?a=b+c"), "small letters");
    named(&url("https://example.com/hooks?a=b%20c"), "blanks as +");
    let hinted = Case {
        url_hint: Some("http://example.com/hooks?a=b+c".to_owned()),
        ..url("https://inner/other")
    };
    named(&hinted, "the request itself names");
    named(&Case { method: Method::GET, ..case.clone() }, "the method POST");
}

#[test]
fn headers_that_were_changed_are_named() {
    let mut case = genuine(&providers::CALCOM);
    header(&mut case, "x-cal-signature-256", |value| {
        base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            (0..32)
                .map(|at| u8::from_str_radix(&value[2 * at..2 * at + 2], 16).unwrap())
                .collect::<Vec<_>>(),
        )
    });
    named(&case, "is base64 where this sender writes hex");
    let mut case = genuine(&providers::SHOPIFY);
    header(&mut case, "x-shopify-hmac-sha256", |value| {
        value.trim_end_matches('=').replace('+', "-").replace('/', "_")
    });
    named(&case, "another alphabet or without padding");
    let mut case = genuine(&providers::GITHUB);
    header(&mut case, "x-hub-signature-256", |value| value.replace("sha256=", ""));
    named(&case, "lost its prefix `sha256=`");
    let mut case = genuine(&providers::CALCOM);
    header(&mut case, "x-cal-signature-256", |value| format!("sha256={value}"));
    named(&case, "a prefix `sha256=`");
    let mut case = genuine(&providers::STRIPE);
    header(&mut case, "stripe-signature", |value| value.replace("t=1700000000", "t=1700000000000"));
    named(&case, "in seconds where the header has milliseconds");
    let signed = (0..64).map(|at| {
        genuine_with(&providers::SHOPIFY, Key::text(SECRET), format!("{at}").as_bytes(), &[])
    });
    let mut case = signed
        .into_iter()
        .find(|case| case.headers["x-shopify-hmac-sha256"].to_str().unwrap().contains('+'))
        .unwrap();
    header(&mut case, "x-shopify-hmac-sha256", |value| value.replace('+', " "));
    named(&case, "has become a blank");
}

#[test]
fn other_senders_and_versions_are_named() {
    let case = genuine_with(
        &providers::HUBSPOT,
        Key::text(SECRET),
        BODY.as_bytes(),
        &[("versions", "v1")],
    );
    named(&Case { options: Vec::new(), ..case }, "signed by version v1");
    let case = genuine_with(&dangerous::GITHUB_SHA1, Key::text(SECRET), BODY.as_bytes(), &[]);
    named(&Case { provider: &providers::GITHUB, ..case }, "SHA-1 only");
    let case = genuine(&providers::PAYMOS);
    named(&Case { provider: &providers::STRIPE, ..case }, "a delivery of Paymos");
    let two = genuine_with(&providers::STRIPE, Key::text(SECRET), BODY.as_bytes(), &[]);
    let two = Case {
        keys: vec![Key::text(SECRET.strip_prefix("whsec_").unwrap())],
        ..two.with_body(BODY.trim_end().as_bytes().to_vec())
    };
    named(&two, "two things at once");
    let spaced = super::json_text::spaced(BODY, super::json_text::Spacing::Spaced);
    named(&genuine(&providers::STRIPE).with_body(spaced.into_bytes()), "two things at once");
}

/// Forgeries that are well formed: any cause that is named would be false.
#[test]
fn no_cause_is_found_for_forgeries() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..200 {
        let sender = providers::ALL[round % providers::ALL.len()];
        let mut case = genuine(sender);
        let forged: HeaderMap = case
            .headers
            .iter()
            .map(|(name, value)| {
                let text = value.to_str().unwrap();
                let changed: String = text
                    .chars()
                    .map(|c| {
                        if c.is_ascii_hexdigit() && text.len() > 43 {
                            char::from_digit(u32::try_from(random() % 10).unwrap(), 10).unwrap()
                        } else {
                            c
                        }
                    })
                    .collect();
                (name.clone(), changed.parse().unwrap())
            })
            .collect();
        case.headers = forged;
        case.body = format!("{{\"forged\":{}}}", random()).into_bytes();
        assert_eq!(diagnose(&case), Vec::<String>::new(), "{} {round}", sender.info().id);
    }
}
