//! One event by its number, and events page by page.

use hookproof_inbox::{EventId, EventRow, Page, Selection, Store, StoreError};

use crate::failure::Failure;

/// The event of this number.
pub(crate) async fn event<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    id: EventId,
) -> Result<Option<EventRow>, StoreError> {
    let selection = Selection::new().event(id);
    // The numbers before it need not be looked at.
    let before = id.as_u64().checked_sub(1).map(EventId::from_u64);
    let page = before.map_or(Page::FIRST, |before| Page::FIRST.after(before)).limit(1);
    Ok(store.list(tx, &selection, page).await?.pop())
}

/// The event of this number, which should be there.
pub(crate) async fn known<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    id: EventId,
) -> Result<EventRow, Failure> {
    event(store, tx, id).await?.ok_or_else(|| {
        Failure::of_kind(
            "missing",
            format!(
                "there is no event {id}: it was never recorded for later, or its key was purged"
            ),
        )
    })
}

/// Hands over all events of a selection, page by page.
pub(crate) async fn each<S: Store>(
    store: &S,
    tx: &mut S::Tx<'_>,
    selection: &Selection,
    mut take: impl FnMut(EventRow),
) -> Result<(), StoreError> {
    let mut page = Page::FIRST.limit(1000);
    loop {
        let rows = store.list(tx, selection, page).await?;
        let Some(last) = rows.last().map(|row| row.id) else { return Ok(()) };
        rows.into_iter().for_each(&mut take);
        page = page.after(last);
    }
}
