//! What slow connections hold: each has sent a head and a part of its body.

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use hookproof::providers::GITHUB;

use crate::child::{Role, Server};
use crate::client::Connection;
use crate::{Error, deliveries};

/// What each connection has sent of its body.
const PART: usize = 64 << 10;

/// What it says that it will send.
const DECLARED: usize = 1_000_000;

pub(crate) fn run(connections: usize) -> Result<(), Error> {
    println!(
        "\n| {connections} connections, MiB resident | before | {} KiB each | and 200 B each, in 20 parts | gone | the same again | gone | KiB a connection |\n|---|--:|--:|--:|--:|--:|--:|--:|",
        PART >> 10
    );
    let contenders = [
        ("axum, `Bytes`, nothing verified", Role::Axum, "bytes"),
        ("axum, the extractor", Role::Axum, "extractor"),
        ("axum, the layer", Role::Axum, "layer"),
        ("actix-web, `Bytes`, nothing verified", Role::Actix, "bytes"),
        ("actix-web, the extractor", Role::Actix, "extractor"),
    ];
    for (name, role, path) in contenders {
        let mut server = Server::start(role)?;
        let path = format!("/github/{path}");
        warm_up(&server, &path)?;
        let before = resident(&mut server)?;
        let mut cells = vec![before];
        for _ in 0..2 {
            let mut open = fill(&server, &path, connections)?;
            cells.push(resident(&mut server)?);
            drip(&mut open)?;
            cells.push(resident(&mut server)?);
            drop(open);
            cells.push(resident(&mut server)?);
        }
        let peak = cells.get(2).copied().unwrap_or(before);
        let each = peak.saturating_sub(before) / u64::try_from(connections.max(1))?;
        // The second filling is one column: dripping changes what is there by nothing that the first did not show.
        cells.remove(4);
        let cells: Vec<String> = cells.iter().map(|&bytes| mebibytes(bytes)).collect();
        println!("| {name} | {} | {:.1} |", cells.join(" | "), in_units(each, 1 << 10));
    }
    Ok(())
}

fn warm_up(server: &Server, path: &str) -> Result<(), Error> {
    let request = deliveries::wire(&GITHUB, path, &deliveries::body(1024))?;
    let mut connection = Connection::open(server.address)?;
    for _ in 0..1000 {
        connection.exchange(&request)?;
    }
    Ok(())
}

fn fill(server: &Server, path: &str, count: usize) -> Result<Vec<Connection>, Error> {
    let body = deliveries::body(DECLARED);
    let mut request = deliveries::head(path, deliveries::sign(&GITHUB, &body)?.headers(), DECLARED);
    request.extend_from_slice(body.get(..PART).ok_or("the body is too short")?);
    let mut connections = Connection::open_many(server.address, count)?;
    for connection in &mut connections {
        connection.send(&request)?;
    }
    Ok(connections)
}

fn drip(connections: &mut [Connection]) -> Result<(), Error> {
    for _ in 0..20 {
        for connection in connections.iter_mut() {
            connection.stream.write_all(b"aaaaaaaaaa")?;
        }
        sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// What is resident once the server has nothing left to do.
fn resident(server: &mut Server) -> Result<u64, Error> {
    let mut used = server.usage()?.cpu;
    loop {
        sleep(Duration::from_millis(250));
        let usage = server.usage()?;
        // A question costs less.
        if usage.cpu.saturating_sub(used) < Duration::from_millis(1) {
            return Ok(usage.resident);
        }
        used = usage.cpu;
    }
}

pub(crate) fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", in_units(bytes, 1 << 20))
}

/// Precise for what any process holds.
fn in_units(bytes: u64, unit: u32) -> f64 {
    f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) * 1024.0 / f64::from(unit)
}
