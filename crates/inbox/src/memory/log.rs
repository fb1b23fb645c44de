//! The log on the tables.

use hookproof::UnixTime;

use super::MemoryStore;
use super::rows::Rows;
use super::steps::{bounded, count};
use crate::chain::{Head, LedgerRow, LinkRow, Sealing};
use crate::error::{StoreError, StoreErrorKind};
use crate::id::EventId;
use crate::purge::Purged;
use crate::store::Log;

impl Log for MemoryStore {
    async fn head(&self, tx: &mut Self::Tx<'_>) -> Result<Head, StoreError> {
        tx.rows()?.head()
    }

    async fn seal(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
        now: UnixTime,
    ) -> Result<(u32, Head), StoreError> {
        let rows = tx.rows()?;
        let head = rows.head()?;
        let entries = rows.unsealed(None, limit);
        let (links, head) = head.seal(&entries, now);
        for link in &links {
            if let Sealing::Entry(id) = link.what {
                rows.put_sealed(id, Some(link.seq))?;
            }
            rows.put_link(link.seq, Some(*link))?;
        }
        rows.put_head((), Some(head.clone()))?;
        Ok((u32::try_from(links.len()).unwrap_or(u32::MAX), head))
    }

    async fn checkpoint(&self, tx: &mut Self::Tx<'_>, now: UnixTime) -> Result<Head, StoreError> {
        let rows = tx.rows()?;
        let (link, head) = rows.head()?.checkpoint(now);
        rows.put_link(link.seq, Some(link))?;
        rows.put_head((), Some(head.clone()))?;
        Ok(head)
    }

    async fn links(
        &self,
        tx: &mut Self::Tx<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(LinkRow, Option<LedgerRow>)>, StoreError> {
        let rows = tx.rows()?;
        rows.head()?;
        let links = rows.chain.all().range(after.saturating_add(1)..).map(|(_, link)| *link);
        let with_entries = links.map(|link| match link.what {
            Sealing::Entry(id) => (link, rows.ledger.all().get(&id).cloned()),
            Sealing::Checkpoint { .. } => (link, None),
        });
        Ok(with_entries.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
    }

    async fn unsealed(
        &self,
        tx: &mut Self::Tx<'_>,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let rows = tx.rows()?;
        rows.head()?;
        Ok(rows.unsealed(after, limit))
    }

    async fn purge_links(&self, tx: &mut Self::Tx<'_>, limit: u32) -> Result<Purged, StoreError> {
        let rows = tx.rows()?;
        rows.head()?;
        let live = rows.ledger.all().keys().filter_map(|id| rows.sealed.all().get(id)).min();
        let until = rows.checkpoint().min(live.copied().unwrap_or(u64::MAX));
        let links = rows.chain.all().range(..until).map(|(_, link)| *link);
        let (gone, more) = bounded(links, limit);
        for link in &gone {
            if let Sealing::Entry(id) = link.what {
                rows.put_sealed(id, None)?;
            }
            rows.put_link(link.seq, None)?;
        }
        Ok(Purged::new(count(gone.len()), more))
    }
}

impl Rows {
    /// The head: that of the last row, or that of a log without rows.
    fn head(&self) -> Result<Head, StoreError> {
        let none = || StoreError::new(StoreErrorKind::Invalid, "this store keeps no log");
        let start = self.log.as_ref().ok_or_else(none)?;
        Ok(self.heads.all().get(&()).unwrap_or(start).clone())
    }

    fn unsealed(&self, after: Option<EventId>, limit: u32) -> Vec<LedgerRow> {
        let entries = self.ledger.all().values();
        entries
            .filter(|entry| after.is_none_or(|after| entry.id > after))
            .filter(|entry| !self.sealed.all().contains_key(&entry.id))
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .cloned()
            .collect()
    }
}
