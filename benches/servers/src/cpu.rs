//! The server's CPU time for each request.

use hookproof::Provider;
use hookproof::providers::{GITHUB, STRIPE};

use crate::child::{Role, Server};
use crate::client::{Connection, burst};
use crate::{Error, deliveries};

/// How many connections have a request under way.
const CONNECTIONS: u32 = 16;

/// A contender: its name, its path, and its times for one request in µs, round by round.
struct Contender {
    name: &'static str,
    path: String,
    connections: Vec<Connection>,
    times: Vec<f64>,
}

pub(crate) fn run(rounds: usize, requests: u32) -> Result<(), Error> {
    let axum = [
        ("`Bytes`, nothing verified", "bytes"),
        ("**the extractor**", "extractor"),
        ("**the layer**", "layer"),
        ("by hand: `to_bytes`, `webhook-verify`", "hand"),
    ];
    let actix = [
        ("`Bytes`, nothing verified", "bytes"),
        ("**the extractor**", "extractor"),
        ("**the middleware**", "layer"),
    ];
    measure("axum, GitHub", Role::Axum, &GITHUB, &axum, rounds, requests)?;
    measure("axum, Stripe", Role::Axum, &STRIPE, &axum, rounds, requests)?;
    measure("actix-web, GitHub", Role::Actix, &GITHUB, &actix, rounds, requests)
}

fn measure(
    title: &str,
    role: Role,
    sender: &'static dyn Provider,
    contenders: &[(&'static str, &str)],
    rounds: usize,
    requests: u32,
) -> Result<(), Error> {
    let mut server = Server::start(role)?;
    let id = sender.info().id;
    let mut contenders = contenders
        .iter()
        .map(|&(name, path)| {
            let connections = Connection::open_many(server.address, usize::try_from(CONNECTIONS)?)?;
            Ok(Contender { name, path: format!("/{id}/{path}"), connections, times: Vec::new() })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let body = deliveries::body(1024);
    let bursts = requests.div_ceil(CONNECTIONS).max(1);
    let count = contenders.len();
    // The first round is for warming up.
    for round in 0..=rounds {
        for place in 0..count {
            let Some(contender) = contenders.get_mut((round + place) % count) else { continue };
            let request = deliveries::wire(sender, &contender.path, &body)?;
            let before = server.usage()?.cpu;
            for _ in 0..bursts {
                burst(&mut contender.connections, &request)?;
            }
            let spent = server.usage()?.cpu.saturating_sub(before);
            if round > 0 {
                contender.times.push(spent.as_secs_f64() * 1e6 / f64::from(bursts * CONNECTIONS));
            }
        }
    }
    print(title, &contenders);
    Ok(())
}

fn print(title: &str, contenders: &[Contender]) {
    println!("\n| {title} | µs | by least times | median of rounds |\n|---|--:|--:|--:|");
    let Some(first) = contenders.first() else { return };
    let least =
        |contender: &Contender| contender.times.iter().copied().fold(f64::INFINITY, f64::min);
    for contender in contenders {
        let pairs = contender.times.iter().zip(&first.times);
        println!(
            "| {} | {:.2} | {:.3} | {:.3} |",
            contender.name,
            least(contender),
            least(contender) / least(first),
            quantile(pairs.map(|(own, first)| own / first).collect(), 0.5)
        );
    }
}

/// The value below which this part of them is.
pub(crate) fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let mut seen = 0.0;
    let step = 1.0 / values.iter().map(|_| 1.0).sum::<f64>();
    for value in &values {
        seen += step;
        if seen >= part - 1e-9 {
            return *value;
        }
    }
    f64::NAN
}
