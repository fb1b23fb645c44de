//! The senders, the forgers, and the clients that are slow, break off or send too much.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hookproof::{Provider, providers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{CHUNK_TIMEOUT, LIMIT};
use crate::{Error, deliveries};

/// How many requests a connection is kept for.
const KEPT: usize = 50;

/// How long a client waits for an answer: longer than a busy machine takes, and shorter than for ever.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answers to one kind of request.
#[derive(Debug, Default)]
pub(super) struct Count {
    right: Cell<u64>,
    wrong: Cell<u64>,
    none: Cell<u64>,
}

impl Count {
    pub(super) const fn right(&self) -> u64 {
        self.right.get()
    }

    pub(super) const fn wrong(&self) -> u64 {
        self.wrong.get()
    }

    pub(super) const fn none(&self) -> u64 {
        self.none.get()
    }

    fn add(&self, expected: u16, status: Option<u16>) {
        let cell = match status {
            Some(status) if status == expected => &self.right,
            Some(_) => &self.wrong,
            None => &self.none,
        };
        cell.set(cell.get() + 1);
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Counts {
    genuine: Count,
    slow: Count,
    forged: Count,
    stalled: Count,
    oversize: Count,
    aborted: Count,
}

impl Counts {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        [
            ("genuine, 200", &self.genuine),
            ("genuine, in ten parts over a second, 200", &self.slow),
            ("forged, 401", &self.forged),
            ("half a body and no more, 401", &self.stalled),
            ("too large, declared or not, 413", &self.oversize),
            ("half a body, then gone", &self.aborted),
        ]
        .into_iter()
    }

    /// Every request was answered, and rightly.
    pub(super) fn judge(&self) -> Result<(), Error> {
        for (kind, count) in self.iter() {
            if count.right() == 0 || count.wrong() > 0 || count.none() > 0 {
                return Err(format!("{kind}: {count:?}").into());
            }
        }
        Ok(())
    }
}

/// Clients at work.
pub(super) struct Load {
    tasks: JoinSet<Result<(), Error>>,
    counts: Rc<Counts>,
}

impl Load {
    /// Waits until every client has its answer.
    pub(super) async fn end(mut self) -> Result<Rc<Counts>, Error> {
        while let Some(ended) = self.tasks.join_next().await {
            ended??;
        }
        Ok(self.counts)
    }
}

pub(super) fn start(address: SocketAddr, end: Instant, forged: u32) -> Load {
    let counts = Rc::new(Counts::default());
    let mut tasks = JoinSet::new();
    for task in 0..4 {
        let counts = Rc::clone(&counts);
        tasks.spawn_local(async move { genuine(address, end, &counts.genuine, task).await });
    }
    for task in 0..4 {
        let counts = Rc::clone(&counts);
        let pause = Duration::from_secs(4).div_f64(f64::from(forged.max(1)));
        tasks
            .spawn_local(async move { forgeries(address, end, &counts.forged, task, pause).await });
    }
    for task in 0..50 {
        let counts = Rc::clone(&counts);
        tasks.spawn_local(async move { slow(address, end, &counts.slow, task).await });
    }
    for task in 0..20 {
        let counts = Rc::clone(&counts);
        tasks.spawn_local(async move { stalled(address, end, &counts.stalled, task).await });
    }
    for task in 0..4 {
        let counts = Rc::clone(&counts);
        tasks.spawn_local(async move { aborted(address, end, &counts.aborted, task).await });
    }
    for task in 0..2 {
        let counts = Rc::clone(&counts);
        tasks.spawn_local(async move { oversize(address, end, &counts.oversize, task).await });
    }
    Load { tasks, counts }
}

/// A sender and the path of one of its endpoints, in turn.
fn turn(number: usize) -> (&'static dyn Provider, String) {
    let senders = providers::ALL;
    let sender = senders.get(number % senders.len()).copied().unwrap_or(&providers::STRIPE);
    let way = if (number / senders.len()).is_multiple_of(2) { "extractor" } else { "layer" };
    (sender, format!("/{way}/{}", sender.info().id))
}

/// Bodies from some bytes to nearly the limit; most are small.
fn length(number: usize) -> usize {
    const LENGTHS: [usize; 8] = [100, 1024, 1024, 5000, 1024, 20_000, 300, LIMIT - 100];
    LENGTHS.get(number % LENGTHS.len()).copied().unwrap_or(LIMIT)
}

async fn genuine(
    address: SocketAddr,
    end: Instant,
    count: &Count,
    task: usize,
) -> Result<(), Error> {
    let mut client = Client::new(address);
    for number in (task * 7..).take_while(|_| Instant::now() < end) {
        let (sender, path) = turn(number);
        let request = deliveries::wire(sender, &path, &deliveries::body(length(number / 3)))?;
        count.add(200, client.exchange(&request).await);
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// What was signed is not what is sent: in every second one the body is changed, in the others the signature is of another body.
async fn forgeries(
    address: SocketAddr,
    end: Instant,
    count: &Count,
    task: usize,
    pause: Duration,
) -> Result<(), Error> {
    let mut client = Client::new(address);
    let begin = Instant::now();
    let mut sent = 0_u32;
    for number in (task..).take_while(|_| Instant::now() < end) {
        let (sender, path) = turn(number);
        let mut body = deliveries::body(length(number / 5).min(5000)).to_vec();
        let request = if number.is_multiple_of(2) {
            let mut request = deliveries::wire(sender, &path, &body)?;
            if let Some(byte) = request.iter_mut().rev().find(|byte| **byte == b'a') {
                *byte = b'b';
            }
            request
        } else {
            let signed = deliveries::sign(sender, &body)?;
            body.reverse();
            let mut request = deliveries::head(&path, signed.headers(), body.len());
            request.extend_from_slice(&body);
            request
        };
        count.add(401, client.exchange(&request).await);
        sent += 1;
        // On the whole as many as asked for, in bursts as the timer allows.
        let due = pause.saturating_mul(sent);
        sleep(due.saturating_sub(begin.elapsed())).await;
    }
    Ok(())
}

async fn slow(address: SocketAddr, end: Instant, count: &Count, task: usize) -> Result<(), Error> {
    for number in (task..).take_while(|_| Instant::now() < end) {
        let (sender, path) = turn(number);
        let body = deliveries::body(10_000);
        let head = deliveries::head(&path, deliveries::sign(sender, &body)?.headers(), body.len());
        let mut client = Client::new(address);
        let mut sent = client.send(&head).await;
        for part in body.chunks(1000) {
            sleep(Duration::from_millis(100)).await;
            sent = sent && client.send(part).await;
        }
        count.add(200, if sent { client.status().await } else { None });
    }
    Ok(())
}

async fn stalled(
    address: SocketAddr,
    end: Instant,
    count: &Count,
    task: usize,
) -> Result<(), Error> {
    let end = end.checked_sub(CHUNK_TIMEOUT).unwrap_or(end);
    for number in (task..).take_while(|_| Instant::now() < end) {
        let mut client = Client::new(address);
        let sent = client.send(&half(number)?).await;
        count.add(401, if sent { client.status().await } else { None });
    }
    Ok(())
}

async fn aborted(
    address: SocketAddr,
    end: Instant,
    count: &Count,
    task: usize,
) -> Result<(), Error> {
    for number in (task..).take_while(|_| Instant::now() < end) {
        let mut client = Client::new(address);
        // Sent is all that there is to be right.
        count.add(200, client.send(&half(number)?).await.then_some(200));
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// A genuine request without the second half of its body.
fn half(number: usize) -> Result<Vec<u8>, Error> {
    let (sender, path) = turn(number);
    let body = deliveries::body(50_000);
    let mut request = deliveries::wire(sender, &path, &body)?;
    request.truncate(request.len() - body.len() / 2);
    Ok(request)
}

async fn oversize(
    address: SocketAddr,
    end: Instant,
    count: &Count,
    task: usize,
) -> Result<(), Error> {
    for number in (task..).take_while(|_| Instant::now() < end) {
        let (sender, path) = turn(number);
        let mut client = Client::new(address);
        let signed = deliveries::sign(sender, b"{}")?;
        let declared = deliveries::head(&path, signed.headers(), LIMIT + 1);
        let sent = if number.is_multiple_of(2) {
            client.send(&declared).await
        } else {
            let head = String::from_utf8(declared)?;
            let length = format!("Content-Length: {}", LIMIT + 1);
            let mut request = head.replace(&length, "Transfer-Encoding: chunked").into_bytes();
            // One byte more than is allowed, and no end.
            for _ in 0..=LIMIT / 4096 {
                request.extend_from_slice(b"1000\r\n");
                request.extend_from_slice(&[b'a'; 4096]);
                request.extend_from_slice(b"\r\n");
            }
            client.send(&request).await
        };
        count.add(413, if sent { client.status().await } else { None });
        sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// One connection at a time, which is opened when it is needed.
struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    exchanges: usize,
}

impl Client {
    const fn new(address: SocketAddr) -> Self {
        Self { address, stream: None, exchanges: 0 }
    }

    /// The status of the answer, if there is one.
    async fn exchange(&mut self, request: &[u8]) -> Option<u16> {
        if self.exchanges.is_multiple_of(KEPT) {
            self.stream = None;
        }
        self.exchanges += 1;
        if self.send(request).await { self.status().await } else { None }
    }

    async fn send(&mut self, bytes: &[u8]) -> bool {
        if self.stream.is_none() {
            self.stream = TcpStream::connect(self.address).await.ok();
        }
        let Some(stream) = &mut self.stream else { return false };
        let _ = stream.set_nodelay(true);
        stream.write_all(bytes).await.is_ok()
    }

    /// The status of an answer without a body.
    async fn status(&mut self) -> Option<u16> {
        let stream = self.stream.as_mut()?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let read = timeout(PATIENCE, stream.read_buf(&mut answer)).await;
            if !matches!(read, Ok(Ok(1..))) {
                return None;
            }
        }
        std::str::from_utf8(answer.get(9..12)?).ok()?.parse().ok()
    }
}
