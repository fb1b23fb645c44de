//! Waking workers by `LISTEN` and `NOTIFY`.

use hookproof_inbox::sql::postgres as sql;
use hookproof_inbox::{Store, StoreError, Wake};
use sqlx::postgres::PgListener;
use sqlx::{PgPool, SqlStr};

use super::{PostgresInbox, PostgresStore};
use crate::error::fault;
use crate::link::Link as _;
use crate::texts::text;

/// Wakes workers of all instances when a transaction commits that has recorded work.
///
/// A worker that listens keeps one connection of the pool. Where connections go through a pooler that changes the session
/// between transactions, give it a pool that goes to the server itself.
///
/// The server puts the commits of transactions that announce one after another. Where that is too slow, announce with
/// [`LocalWake`](hookproof_inbox::LocalWake), and let workers of other instances look from time to time.
#[derive(Clone, Debug)]
pub struct PostgresWake {
    pool: PgPool,
    channel: Box<str>,
    announcement: SqlStr,
}

impl PostgresInbox {
    /// Wakes workers on the tables of this inbox. It does no I/O.
    #[must_use]
    pub fn wake(&self) -> PostgresWake {
        PostgresWake::new(self.pool.clone(), &self.store)
    }
}

impl PostgresWake {
    /// Wakes workers on the tables of this store, and listens on connections of this pool. It does no I/O.
    #[must_use]
    pub fn new(pool: PgPool, store: &PostgresStore) -> Self {
        let channel = format!("{}_work", store.prefix()).into();
        Self { pool, channel, announcement: text(store.prefix(), sql::WAKE) }
    }

    async fn listener(&self) -> Result<PgListener, StoreError> {
        let mut listener = PgListener::connect_with(&self.pool).await.map_err(fault)?;
        // Mended here, so that a listener that is dropped while it mends itself is known to have missed something.
        listener.eager_reconnect(false);
        listener.listen(&self.channel).await.map_err(fault)?;
        Ok(listener)
    }
}

/// What a worker listens to a [`PostgresWake`] with.
pub struct Listener {
    own: PgListener,
    cut_off: bool,
}

impl core::fmt::Debug for Listener {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Listener").field("cut_off", &self.cut_off).finish_non_exhaustive()
    }
}

impl Wake<PostgresStore> for PostgresWake {
    type Listener = Listener;

    async fn announce(&self, tx: &mut <PostgresStore as Store>::Tx<'_>) -> Result<(), StoreError> {
        tx.execute(&self.announcement, &[]).await.map(drop)
    }

    /// Does nothing: the commit has announced it.
    fn announced(&self) {}

    async fn listen(&self) -> Result<Listener, StoreError> {
        Ok(Listener { own: self.listener().await?, cut_off: false })
    }

    async fn woken(&self, listener: &mut Listener) -> Result<(), StoreError> {
        if !listener.cut_off {
            if listener.own.try_recv().await.map_err(fault)?.is_some() {
                while listener.own.next_buffered().is_some() {}
                return Ok(());
            }
            listener.cut_off = true;
        }
        listener.own = self.listener().await?;
        listener.cut_off = false;
        Ok(())
    }
}
