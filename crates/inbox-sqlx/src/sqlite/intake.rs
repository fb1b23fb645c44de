//! Deliveries that are stored by themselves: those that arrive while a transaction is written share the next one.
//!
//! SQLite has one writer at a time, and a commit costs about as much as what is committed. Nobody waits for company: a
//! delivery that finds the writer idle is written at once.

use core::fmt;
use core::future::poll_fn;
use core::iter;
use core::pin::pin;
use core::task::Poll;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookproof_inbox::{
    Batch, Committed, Intake, Plan, Recorded, Store as _, StoreError, StoreErrorKind, Storing, Work,
};
use sqlx::pool::PoolConnection;
use sqlx::{Executor as _, Sqlite};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::yield_now;

use super::{SqliteInbox, record};
use crate::error::{fault, invalid};

type Answer = Result<Vec<Recorded>, StoreError>;

/// How many deliveries share a transaction: beyond, a commit is a small part of it.
const MOST: usize = 64;
/// The bytes of bodies after which no further delivery joins, so that others do not wait long for the writer.
const BYTES: usize = 4 << 20;

/// A delivery that waits for the writer.
struct Waiting {
    batch: Batch,
    committed: Committed,
    answer: oneshot::Sender<Answer>,
}

impl Waiting {
    /// Whoever does not wait any longer has been answered with 503.
    fn is_given_up(&self) -> bool {
        self.answer.is_closed()
    }

    fn end(self, answer: Answer) {
        let is_new = |recorded: &Vec<Recorded>| recorded.iter().any(Recorded::is_new);
        // What was given up may have been committed all the same.
        if answer.as_ref().is_ok_and(is_new) || self.is_given_up() {
            (self.committed)();
        }
        drop(self.answer.send(answer));
    }
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Waiting>,
    is_written: bool,
}

/// Who waits for the writer of an inbox and its clones.
#[derive(Default)]
pub(super) struct Queue(Mutex<Line>);

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl Queue {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the line; whoever finds nobody writing gets the turn.
    fn join(self: &Arc<Self>, waiting: Waiting) -> Option<Turn> {
        let mut line = self.line();
        line.waiting.push_back(waiting);
        if line.is_written {
            return None;
        }
        line.is_written = true;
        Some(Turn(Some(Arc::clone(self))))
    }
}

/// The turn to write for all who wait. Where it is lost, which takes a panic or the end of the runtime, so is the line: nobody
/// waits for a writer that is gone.
struct Turn(Option<Arc<Queue>>);

impl Turn {
    /// Those who share the next transaction. If there is nobody, the turn is over.
    fn next(&mut self) -> Vec<Waiting> {
        let Some(queue) = self.0.take() else { return Vec::new() };
        let mut line = queue.line();
        let (mut group, mut bytes) = (Vec::new(), 0_usize);
        while group.len() < MOST && bytes < BYTES {
            let Some(waiting) = line.waiting.pop_front() else { break };
            bytes = bytes.saturating_add(waiting.batch.body().len());
            if !waiting.is_given_up() {
                group.push(waiting);
            }
        }
        line.is_written = !(group.is_empty() && line.waiting.is_empty());
        if line.is_written {
            drop(line);
            self.0 = Some(queue);
        }
        group
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            let mut line = queue.line();
            line.is_written = false;
            line.waiting.clear();
        }
    }
}

impl Intake for SqliteInbox {
    fn store(&self, batch: Batch, committed: Committed) -> Storing<'_> {
        Box::pin(async move {
            let Ok(runtime) = Handle::try_current() else {
                return Err(invalid("a delivery is stored on a runtime of tokio; there is none"));
            };
            let (answer, answered) = oneshot::channel();
            if let Some(turn) = self.queue.join(Waiting { batch, committed, answer }) {
                // A task of its own: a request may be given up, and others wait for what it does.
                runtime.spawn(write(self.clone(), turn));
            }
            answered.await.unwrap_or_else(|_| Err(ended()))
        })
    }
}

async fn write(inbox: SqliteInbox, mut turn: Turn) {
    while turn.0.is_some() {
        let group = turn.next();
        match <[Waiting; 1]>::try_from(group) {
            Ok([waiting]) => store_one(&inbox, waiting).await,
            Err(group) => store_group(&inbox, group).await,
        }
        // Those who have just been answered may come again at once, and share the next transaction.
        yield_now().await;
    }
}

async fn store_group(inbox: &SqliteInbox, group: Vec<Waiting>) {
    if group.is_empty() {
        return;
    }
    match store_together(inbox, group.iter()).await {
        Ok(answers) => {
            for (waiting, recorded) in group.into_iter().zip(answers) {
                waiting.end(Ok(recorded));
            }
        }
        Err(Failed { error, one: false }) => {
            let error = Arc::new(error);
            for waiting in group {
                waiting.end(Err(shared(&error)));
            }
        }
        Err(Failed { one: true, .. }) => {
            for waiting in group {
                store_one(inbox, waiting).await;
            }
        }
    }
}

async fn store_one(inbox: &SqliteInbox, mut waiting: Waiting) {
    let answer = match store_single(inbox, &mut waiting).await {
        Some(answer) => answer,
        None => match store_together(inbox, iter::once(&waiting)).await {
            Ok(mut answers) => Ok(answers.pop().unwrap_or_default()),
            Err(Failed { error, .. }) => Err(error),
        },
    };
    waiting.end(answer);
}

/// Why a transaction was rolled back, and whether that may be the fault of one of the deliveries.
struct Failed {
    error: StoreError,
    one: bool,
}

/// Deliveries in one transaction: their verdicts, none for those that are given up.
async fn store_together(
    inbox: &SqliteInbox,
    group: impl Iterator<Item = &Waiting>,
) -> Result<Vec<Vec<Recorded>>, Failed> {
    let begun = inbox.transaction().await;
    let mut tx = begun.map_err(|error| Failed { error, one: false })?;
    let mut answers = Vec::new();
    // To begin may take long, so this is seen afterwards.
    for waiting in group {
        answers.push(match waiting.is_given_up() {
            true => Vec::new(),
            false => {
                let recorded = inbox.store.record_many(&mut tx, &waiting.batch, Work::Later).await;
                recorded.map_err(|error| Failed { error, one: true })?
            }
        });
    }
    let committed = tx.commit().await;
    committed.map_err(|error| Failed { error: fault(error), one: false })?;
    Ok(answers)
}

/// The error of a transaction that several shared.
fn shared(error: &Arc<StoreError>) -> StoreError {
    let message = "the transaction of this delivery and others failed; try again later";
    StoreError::new(error.kind(), message).with_source(Arc::clone(error))
}

/// A delivery with one event, begun and committed by the text that records it; nothing where that is not enough: for several
/// events, and for one that has to be kept apart from what is stored under its key.
async fn store_single(inbox: &SqliteInbox, waiting: &mut Waiting) -> Option<Answer> {
    let Waiting { batch, answer, .. } = waiting;
    let [entry] = batch.entries() else { return None };
    let mut connection = match inbox.connection().await {
        Ok(connection) => connection,
        Err(error) => return Some(Err(error)),
    };
    let found = {
        let texts = &inbox.store.texts;
        let mut recording = pin!(record::insert_alone(texts, &mut connection, batch, entry));
        let found = poll_fn(|context| match recording.as_mut().poll(context) {
            Poll::Ready(found) => Poll::Ready(Some(found)),
            Poll::Pending => answer.poll_closed(context).map(|()| None),
        });
        found.await
    };
    match found {
        Some(Ok(found)) => {
            let (plan, found) = (Plan::new(batch), [found]);
            plan.conflicts(&found).is_none().then(|| Ok(plan.verdicts(&found, &[])))
        }
        // The text may have stopped anywhere.
        Some(Err(error)) => {
            roll_back(connection).await;
            Some(Err(error))
        }
        None => {
            roll_back(connection).await;
            Some(Err(ended()))
        }
    }
}

/// Ends the transaction if one is open. That none is open is the database's error, and no fault.
async fn roll_back(mut connection: PoolConnection<Sqlite>) {
    match connection.execute("ROLLBACK").await {
        Ok(_) | Err(sqlx::Error::Database(_)) => {}
        Err(_) => connection.close_on_drop(),
    }
}

fn ended() -> StoreError {
    let message = "it was not waited for until the delivery was stored; try again later";
    StoreError::new(StoreErrorKind::Unavailable, message)
}
