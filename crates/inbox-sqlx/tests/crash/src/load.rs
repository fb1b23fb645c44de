//! A load: 50,000 notifications of HubSpot in shuffled batches, some of them again in another grouping, and single edits
//! all the while.

use core::time::Duration;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use hookproof::UnixTime;
use hookproof::Verifier;
use hookproof::providers::HUBSPOT;
use hookproof::testing::{SECRET, Sender, URL};
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Backoff, EndpointId, Incident, Receiver, Settings, Stale, Worker};
use http::Method;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::args::LoadArgs;
use crate::engine::{Engine, LOG};
use crate::handlers::{Inside, Shared};
use crate::points::Points;

/// The events of a batch, as many as HubSpot sends at most.
const BATCH: usize = 100;
const OBJECTS: u64 = 500;
const PROPERTIES: u64 = 5;
/// When the first change happened, in milliseconds.
const EPOCH: u64 = 1_700_000_000_000;

/// A change of a property. Its place in time is its value, too.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
struct Change {
    object: u64,
    property: u64,
    occurred_at: u64,
}

impl Change {
    fn random(rng: &mut fastrand::Rng, occurred_at: u64) -> Self {
        Self { object: rng.u64(0..OBJECTS), property: rng.u64(0..PROPERTIES), occurred_at }
    }

    fn to_json(self, attempt: u32) -> String {
        let Self { object, property, occurred_at } = self;
        format!(
            "{{\"eventId\":{occurred_at},\"subscriptionId\":1,\"portalId\":2,\"occurredAt\":{occurred_at},\
             \"subscriptionType\":\"contact.propertyChange\",\"attemptNumber\":{attempt},\"objectId\":{object},\
             \"propertyName\":\"p{property}\",\"propertyValue\":\"{occurred_at}\"}}"
        )
    }
}

fn body(changes: &[Change], attempt: u32) -> String {
    let changes: Vec<String> = changes.iter().map(|change| change.to_json(attempt)).collect();
    format!("[{}]", changes.join(","))
}

/// What is sent: batches in any order, 2 % of them again in another grouping, not before they were sent once.
fn batches(rng: &mut fastrand::Rng, notifications: usize) -> (Vec<Vec<Change>>, usize) {
    let mut changes: Vec<Change> =
        (0..notifications).map(|at| Change::random(rng, EPOCH + at as u64 * 10)).collect();
    rng.shuffle(&mut changes);
    let mut batches: Vec<Vec<Change>> = changes.chunks(BATCH).map(<[Change]>::to_vec).collect();
    let again = (batches.len() / 50).max(2);
    let mut repeated: Vec<Change> = batches.iter().take(again).flatten().copied().collect();
    rng.shuffle(&mut repeated);
    for batch in repeated.chunks(BATCH) {
        let at = rng.usize(again..=batches.len());
        batches.insert(at, batch.to_vec());
    }
    (batches, again)
}

struct Load<E: Engine> {
    receiver: Receiver<E, E::Wake>,
    times: Mutex<Vec<Duration>>,
    /// Everything that was answered with 200.
    sent: Mutex<Vec<Change>>,
    unavailable: AtomicU64,
}

pub(crate) fn run<E: Engine>(args: &LoadArgs) -> bool {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let place = E::place(folder.path()).await;
        let engine = E::open(&place, "load", Prefix::DEFAULT);
        engine.migrate().await.expect("migrations");
        engine.make_tables().await.expect("tables");
        let passed = load(&engine, args, seed).await;
        engine.close().await;
        passed
    })
}

async fn load<E: Engine>(engine: &E, args: &LoadArgs, seed: u64) -> bool {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (batches, repeated) = batches(&mut rng, args.notifications);
    let count = batches.len();
    let wake = engine.waker();
    let database = Arc::new(engine.clone());
    let verifier = Verifier::builder(&HUBSPOT).secret(SECRET).build().expect("a secret");
    let endpoint = EndpointId::new("crm").expect("a name");
    let receiver = Receiver::new(Arc::clone(&database), verifier, endpoint, wake.clone());
    let load = Arc::new(Load {
        receiver,
        times: Mutex::default(),
        sent: Mutex::default(),
        unavailable: AtomicU64::new(0),
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let worker = worker(database, wake);
    let worker = tokio::spawn(worker.run(async { drop(stopped.await) }));
    let started = Instant::now();
    let queue = Arc::new(Mutex::new(batches.into_iter()));
    let mut senders = JoinSet::new();
    for _ in 0..args.senders {
        let (load, queue) = (Arc::clone(&load), Arc::clone(&queue));
        senders.spawn(async move {
            loop {
                let batch = queue.lock().expect("a queue").next();
                let Some(batch) = batch else { return };
                load.send(batch).await;
            }
        });
    }
    let over = Arc::new(AtomicBool::new(false));
    let edits = tokio::spawn(edits(Arc::clone(&load), Arc::clone(&over), rng.fork()));
    while senders.join_next().await.is_some() {}
    over.store(true, Ordering::Relaxed);
    let singles = edits.await.expect("the edits");
    let received = started.elapsed();
    let finished = finish(engine).await;
    let worked = started.elapsed();
    drop(stop);
    worker.await.expect("the worker");
    let sent = core::mem::take(&mut *load.sent.lock().expect("changes"));
    let wrong = compare(engine, &sent).await;
    let mut times = load.times.lock().expect("times").clone();
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_millis();
    let slow = times.iter().filter(|time| time.as_millis() > 1000).count();
    println!(
        "{} {} log={LOG} seed={seed} notifications={} batches={count} repeated={repeated} singles={singles} senders={} \
         answers: p50={} ms p99={} ms max={} ms over-1-s={slow} unavailable={}; received in {} s, worked in {} s; \
         unfinished={finished} wrong={wrong}",
        args.database.as_str(),
        engine.settings().await,
        args.notifications,
        args.senders,
        at(0.5),
        at(0.99),
        at(1.0),
        load.unavailable.load(Ordering::Relaxed),
        received.as_secs(),
        worked.as_secs(),
    );
    let bound = args.bound.map(Duration::from_millis);
    let in_time = bound.is_none_or(|bound| times.iter().all(|time| *time <= bound));
    in_time && finished == 0 && wrong == 0
}

fn worker<E: Engine>(database: Arc<E>, wake: E::Wake) -> Worker<E, E::Wake> {
    let second = Duration::from_secs(1);
    let shared = Arc::new(Shared {
        process: "load".to_owned(),
        effects: "/dev/null".into(),
        clock: 0,
        points: Points::new(None, 1, 0),
        fault: None,
    });
    let stale = Stale::Reclaim { after: 10 * second };
    let settings =
        Settings::new(30 * second, stale, Backoff::new(second, 60 * second, 12)).concurrency(8);
    Worker::transactional(database, Inside::<E>::new(shared), settings, wake).on_incident(tell)
}

fn tell(incident: &Incident<'_>) {
    println!("{incident}");
}

/// Edits one by one, of what the batches change, too: some newer, some older.
async fn edits<E: Engine>(
    load: Arc<Load<E>>,
    over: Arc<AtomicBool>,
    mut rng: fastrand::Rng,
) -> usize {
    for edit in 0.. {
        if over.load(Ordering::Relaxed) {
            return edit;
        }
        // Between those of the batches, and after them.
        let at = EPOCH + 5 + rng.u64(0..600_000) * 10;
        load.send(vec![Change::random(&mut rng, at)]).await;
        sleep(Duration::from_millis(10)).await;
    }
    unreachable!("there are enough numbers")
}

impl<E: Engine> Load<E> {
    /// Sends a batch, again until it is answered with 200.
    async fn send(&self, batch: Vec<Change>) {
        for attempt in 0..100 {
            let now = UnixTime::from(SystemTime::now());
            let sender = Sender::new(&HUBSPOT).target(Method::POST, URL).at(now);
            let sent = sender.send(body(&batch, attempt).as_bytes()).expect("a secret");
            let started = Instant::now();
            let receipt = self.receiver.receive(&sent.delivery(), now).await;
            self.times.lock().expect("times").push(started.elapsed());
            if receipt.status() == 200 {
                self.sent.lock().expect("changes").extend(batch);
                return;
            }
            assert_eq!(receipt.status(), 503, "{receipt}");
            self.unavailable.fetch_add(1, Ordering::Relaxed);
        }
        panic!("a batch was never taken");
    }
}

/// Waits until everything is done; how much is not.
async fn finish<E: Engine>(engine: &E) -> usize {
    let sql = "SELECT CAST(count(*) AS TEXT) FROM hookproof_events WHERE state <> 2";
    let mut left = (usize::MAX, Instant::now());
    loop {
        let rows = engine.rows(sql).await;
        let open: usize = rows[0][0].as_deref().expect("a count").parse().expect("a number");
        // It goes on for as long as it gets less.
        if open < left.0 {
            left = (open, Instant::now());
        }
        if open == 0 || left.1.elapsed() > Duration::from_secs(60) {
            return open;
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// How much is not as the newest change says, and how often a change was not applied exactly once.
async fn compare<E: Engine>(engine: &E, sent: &[Change]) -> usize {
    let mut newest = BTreeMap::<(u64, u64), u64>::new();
    for change in sent {
        let newest = newest.entry((change.object, change.property)).or_default();
        *newest = (*newest).max(change.occurred_at);
    }
    let rows = engine.rows("SELECT stream, CAST(at AS TEXT) FROM properties").await;
    let stored: BTreeMap<(u64, u64), u64> = rows
        .iter()
        .map(|row| {
            let stream = row[0].as_deref().expect("a stream");
            let at = row[1].as_deref().expect("a time").parse().expect("a number");
            let mut parts = stream.split('/').skip(1);
            let object = parts.next().expect("an object").parse().expect("a number");
            let property = parts.next().expect("a property").trim_start_matches('p');
            ((object, property.parse().expect("a number")), at)
        })
        .collect();
    let wrong = newest.iter().filter(|(place, at)| stored.get(place) != Some(at)).count();
    let distinct: HashSet<&Change> = sent.iter().collect();
    let orders = engine.rows("SELECT CAST(count(*) AS TEXT) FROM orders").await;
    let orders: usize = orders[0][0].as_deref().expect("a count").parse().expect("a number");
    wrong + newest.len().abs_diff(stored.len()) + distinct.len().abs_diff(orders)
}
