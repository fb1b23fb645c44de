//! Waking workers: at once within the process, and soon after another process has written.

use core::time::Duration;
use std::pin::pin;

use hookproof_inbox::{LocalListener, LocalWake, Store, StoreError, Wake};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, SqlStr, SqliteConnection};
use tokio::time::sleep;

use super::{SqliteInbox, SqliteStore};
use crate::error::{corrupt, fault};
use crate::link::{Columns as _, Link as _};

/// Wakes workers of this process at once, and those of other processes within an interval, by looking at whether anybody
/// has written to the file (`PRAGMA data_version`), which costs next to nothing. Clones belong together.
///
/// Where one process does everything, [`LocalWake`] is enough.
#[derive(Clone, Debug)]
pub struct SqliteWake {
    local: LocalWake,
    options: SqliteConnectOptions,
    every: Duration,
}

impl SqliteInbox {
    /// Wakes workers on this file, and looks for writes of other processes so often. It does no I/O.
    #[must_use]
    pub fn wake(&self, every: Duration) -> SqliteWake {
        let options = self.pool.connect_options().as_ref().clone();
        SqliteWake { local: LocalWake::new(), options, every }
    }
}

impl SqliteWake {
    /// Wakes every worker that listens, for example after a replay.
    pub fn wake(&self) {
        self.local.wake();
    }
}

/// What a worker listens to a [`SqliteWake`] with: a connection that only reads.
#[derive(Debug)]
pub struct Listener {
    local: LocalListener,
    connection: SqliteConnection,
    seen: i64,
}

impl Wake<SqliteStore> for SqliteWake {
    type Listener = Listener;

    async fn announce(&self, _tx: &mut <SqliteStore as Store>::Tx<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn announces_within(&self) -> bool {
        false
    }

    fn announced(&self) {
        self.wake();
    }

    async fn listen(&self) -> Result<Listener, StoreError> {
        let local = Wake::<SqliteStore>::listen(&self.local).await?;
        let mut connection = self.options.connect().await.map_err(fault)?;
        let seen = version(&mut connection).await?;
        Ok(Listener { local, connection, seen })
    }

    async fn woken(&self, listener: &mut Listener) -> Result<(), StoreError> {
        let Listener { local, connection, seen } = listener;
        let changed = async {
            loop {
                sleep(self.every).await;
                let now = version(connection).await?;
                if now != *seen {
                    *seen = now;
                    return Ok(());
                }
            }
        };
        let announced = Wake::<SqliteStore>::woken(&self.local, local);
        let (mut changed, mut announced) = (pin!(changed), pin!(announced));
        core::future::poll_fn(|context| {
            let announced = announced.as_mut().poll(context);
            if announced.is_ready() { announced } else { changed.as_mut().poll(context) }
        })
        .await
    }
}

async fn version(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    let row = connection.row(&SqlStr::from_static("PRAGMA data_version"), &[]).await?;
    row.ok_or_else(|| corrupt("the database"))?.bigint(0)
}
