//! `hookproof providers`: what is known of each sender, and where from.

use hookproof::{Fact, Info, providers};
use serde_json::{Value, json};

use crate::args::ProvidersArgs;
use crate::failure::{Ending, Outcome};
use crate::library;
use crate::output::{DIM, NAME, Screen, paint};

/// Runs the command.
pub(crate) fn run(args: &ProvidersArgs, screen: &mut Screen) -> Outcome {
    let infos = providers::ALL.iter().map(|provider| provider.info());
    if args.json {
        screen.json(&infos.map(object).collect());
    } else {
        for (index, info) in infos.enumerate() {
            if index > 0 {
                screen.line("");
            }
            block(info, screen);
        }
    }
    Ok(Ending::Good)
}

/// What is known of a sender, with the sources as numbered lines below.
fn block(info: &Info, screen: &mut Screen) {
    let mut sources = Sources::default();
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.push(("headers", info.headers.join(", ")));
    rows.push(("signed", sources.mark(&info.signed)));
    rows.push(("signature", format!("{}, {}", info.algorithm, info.encoding)));
    rows.push(("secret", sources.mark(&info.secret)));
    rows.push(("tolerance", tolerance(info, &mut sources)));
    rows.push(("rotation", sources.mark(&info.rotation)));
    rows.push(("answer", sources.mark(&info.response_limit)));
    if info.max_body.is_some() {
        rows.push(("body", sources.mark(&info.max_body_source)));
    }
    rows.push(("retries", sources.mark(&info.retries)));
    rows.extend(info.missing.iter().map(|missing| ("missing", (*missing).to_owned())));
    rows.extend(library::options(info).map(|option| {
        let (name, values, default, meaning) =
            (option.name, option.values, option.default, option.meaning);
        ("option", format!("{name}: {values}; default {default}. {meaning}"))
    }));
    rows.push((
        "confirmed",
        format!("{}: {}", info.confirmation.as_str(), sources.mark(&info.confirmed_by)),
    ));
    rows.push(("read on", info.retrieved.to_owned()));

    screen.line(format_args!("{}  {}", paint(NAME, info.id), info.name));
    for (name, text) in rows {
        screen.line(format_args!("  {name:<10} {text}"));
    }
    for (index, source) in sources.0.iter().enumerate() {
        screen.line(paint(DIM, format_args!("  [{}] {source}", index + 1)));
    }
}

fn tolerance(info: &Info, sources: &mut Sources) -> String {
    match info.tolerance {
        Some(limit) => {
            format!("{} s both ways: {}", limit.as_secs(), sources.mark(&info.tolerance_source))
        }
        None => "no time is signed".to_owned(),
    }
}

/// The sources of one sender, each once.
#[derive(Default)]
struct Sources(Vec<&'static str>);

impl Sources {
    /// The text of a fact with the number of its source.
    fn mark(&mut self, fact: &Fact) -> String {
        if fact.source.is_empty() {
            return fact.text.to_owned();
        }
        let known = self.0.iter().position(|source| *source == fact.source);
        let index = known.unwrap_or_else(|| {
            self.0.push(fact.source);
            self.0.len() - 1
        });
        format!("{} [{}]", fact.text, index + 1)
    }
}

fn object(info: &Info) -> Value {
    let fact = |fact: &Fact| {
        let source = Some(fact.source).filter(|source| !source.is_empty());
        json!({ "text": fact.text, "source": source })
    };
    let options: Vec<Value> = library::options(info)
        .map(|option| {
            json!({
                "name": option.name, "values": option.values,
                "default": option.default, "meaning": option.meaning,
            })
        })
        .collect();
    json!({
        "id": info.id,
        "name": info.name,
        "confirmed": info.confirmation.is_confirmed(),
        "confirmation": info.confirmation.as_str(),
        "confirmedBy": fact(&info.confirmed_by),
        "headers": info.headers,
        "signed": fact(&info.signed),
        "algorithm": info.algorithm,
        "encoding": info.encoding,
        "secret": fact(&info.secret),
        "toleranceSeconds": info.tolerance.map(|limit| limit.as_secs()),
        "tolerance": info.tolerance.map(|_| fact(&info.tolerance_source)),
        "rotation": fact(&info.rotation),
        "responseLimit": fact(&info.response_limit),
        "maxBodyBytes": info.max_body,
        "maxBody": info.max_body.map(|_| fact(&info.max_body_source)),
        "retries": fact(&info.retries),
        "retryHorizonSeconds": info.retry_horizon.map(|horizon| horizon.as_secs()),
        "missing": info.missing,
        "options": options,
        "retrieved": info.retrieved,
    })
}
