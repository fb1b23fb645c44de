//! A SQLite file in a temporary folder.

use hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::SqliteInbox;
use hookproof_inbox_sqlx::sqlite::{connect_options, pool_options};
use tempfile::TempDir;

pub struct Fresh {
    pub folder: TempDir,
    pub inbox: SqliteInbox,
}

impl Fresh {
    pub fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("inbox.db")
    }
}

impl super::Fresh for Fresh {
    type Inbox = SqliteInbox;

    async fn new(log: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = connect_options(folder.path().join("inbox.db"));
        let pool = pool_options().connect_lazy_with(options);
        let inbox = SqliteInbox::new(pool, Prefix::new("kit").unwrap());
        match log {
            true => inbox.migrate_log("kit").await.unwrap(),
            false => inbox.migrate().await.unwrap(),
        }
        Self { folder, inbox }
    }

    fn inbox(&self) -> &SqliteInbox {
        &self.inbox
    }

    async fn end(self) {
        self.inbox.pool().close().await;
    }
}
