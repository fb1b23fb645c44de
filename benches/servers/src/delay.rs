//! How much longer small requests wait while bodies of 25 MB are received and hashed on the one thread that serves them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hookproof::providers::GITHUB;

use crate::child::{Role, Server};
use crate::client::Connection;
use crate::cpu::quantile;
use crate::{Error, deliveries};

/// The largest body that GitHub sends.
pub(crate) fn big() -> Bytes {
    deliveries::body(25_000_000)
}

/// What the thread has to do beside the small requests.
struct Load {
    name: &'static str,
    path: Option<&'static str>,
    resident: bool,
    /// In µs.
    latencies: Vec<f64>,
    /// In µs, round by round.
    turns: Vec<f64>,
    bodies: u32,
}

impl Load {
    const fn new(name: &'static str, path: Option<&'static str>, resident: bool) -> Self {
        Self { name, path, resident, latencies: Vec::new(), turns: Vec::new(), bodies: 0 }
    }
}

pub(crate) fn run(rounds: usize, requests: u32) -> Result<(), Error> {
    let mut loads = [
        Load::new("nothing", None, false),
        Load::new("arriving, `Bytes`, nothing verified", Some("/github/bytes"), false),
        Load::new("**arriving, the extractor**", Some("/github/extractor"), false),
        Load::new("**arriving, the layer**", Some("/github/layer"), false),
        Load::new("at hand, nothing verified", Some("/resident/bytes"), true),
        Load::new("**at hand, the layer**", Some("/resident/verified"), true),
    ];
    let mut server = Server::start(Role::Delay)?;
    let small = deliveries::wire(&GITHUB, "/github/bytes", &deliveries::body(1024))?;
    let big = big();
    let count = loads.len();
    for round in 0..rounds {
        for place in 0..count {
            let Some(load) = loads.get_mut((round + place) % count) else { continue };
            let beside = match load.path {
                None => None,
                Some(path) if load.resident => {
                    Some(Beside::start(server.address, deliveries::wire(&GITHUB, path, b"{}")?))
                }
                Some(path) => {
                    Some(Beside::start(server.address, deliveries::wire(&GITHUB, path, &big)?))
                }
            };
            if let Some(beside) = &beside {
                beside.wait()?;
            }
            server.usage()?;
            let mut connection = Connection::open(server.address)?;
            for _ in 0..requests {
                let begin = Instant::now();
                connection.exchange(&small)?;
                load.latencies.push(begin.elapsed().as_secs_f64() * 1e6);
                sleep(Duration::from_micros(300));
            }
            load.turns.push(server.usage()?.longest_turn.as_secs_f64() * 1e6);
            if let Some(beside) = beside {
                load.bodies += beside.stop()?;
            }
        }
    }
    print(&loads);
    Ok(())
}

fn print(loads: &[Load]) {
    println!(
        "\n| beside a small request, µs | median | p99 | p99.9 | longest | longest turn, CPU time: median of rounds | largest | bodies |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    for load in loads {
        let of = |part| quantile(load.latencies.clone(), part);
        println!(
            "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
            load.name,
            of(0.5),
            of(0.99),
            of(0.999),
            of(1.0),
            quantile(load.turns.clone(), 0.5),
            quantile(load.turns.clone(), 1.0),
            load.bodies
        );
    }
}

/// A client that sends one large body after the other.
struct Beside {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU32>,
    thread: JoinHandle<Result<(), Error>>,
}

impl Beside {
    fn start(address: SocketAddr, request: Vec<u8>) -> Self {
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&done));
        let thread = thread::spawn(move || {
            let mut connection = Connection::open(address)?;
            while !stopped.load(Ordering::Relaxed) {
                connection.exchange(&request)?;
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
        Self { stop, done, thread }
    }

    /// Until the first body is through.
    fn wait(&self) -> Result<(), Error> {
        while self.done.load(Ordering::Relaxed) == 0 {
            if self.thread.is_finished() {
                return Err("a large body was not accepted".into());
            }
            sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn stop(self) -> Result<u32, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| "the client panicked")??;
        Ok(self.done.load(Ordering::Relaxed))
    }
}
