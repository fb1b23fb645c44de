//! The methods of the traits that are the same for every store here: they hand over to the one text of the verbs. A macro, since
//! the stores are public types of their own and a trait cannot be implemented in two places.

/// Methods of [`Store`](hookproof_inbox::Store) for a store with `texts.verbs`.
///
/// `record::insert` is the store's own: what was found for each entry that a plan inserts.
macro_rules! shared_verbs {
    () => {
        async fn record(
            &self,
            tx: &mut Self::Tx<'_>,
            batch: &hookproof_inbox::Batch,
            work: hookproof_inbox::Work,
        ) -> Result<hookproof_inbox::Recorded, hookproof_inbox::StoreError> {
            let not_one = || {
                let message = "`record` takes a delivery with exactly one event; use `record_many`";
                $crate::error::invalid(message)
            };
            if batch.entries().len() != 1 {
                return Err(not_one());
            }
            self.record_many(tx, batch, work).await?.pop().ok_or_else(not_one)
        }

        async fn record_many(
            &self,
            tx: &mut Self::Tx<'_>,
            batch: &hookproof_inbox::Batch,
            work: hookproof_inbox::Work,
        ) -> Result<Vec<hookproof_inbox::Recorded>, hookproof_inbox::StoreError> {
            let plan = hookproof_inbox::Plan::new(batch);
            let found = record::insert(&self.texts, tx, batch, &plan, work).await?;
            let parked = match plan.conflicts(&found) {
                None => Vec::new(),
                Some(conflicts) => {
                    let plan = hookproof_inbox::Plan::new(&conflicts);
                    plan.ids(&record::insert(&self.texts, tx, &conflicts, &plan, work).await?)
                }
            };
            Ok(plan.verdicts(&found, &parked))
        }

        async fn claim(
            &self,
            tx: &mut Self::Tx<'_>,
            request: &hookproof_inbox::ClaimRequest,
            now: hookproof::UnixTime,
        ) -> Result<hookproof_inbox::Claimed, hookproof_inbox::StoreError> {
            $crate::verbs::claim(tx, &self.texts.verbs, request, now).await
        }

        async fn next_due(
            &self,
            tx: &mut Self::Tx<'_>,
            request: &hookproof_inbox::ClaimRequest,
        ) -> Result<Option<hookproof::UnixTime>, hookproof_inbox::StoreError> {
            $crate::verbs::next_due(tx, &self.texts.verbs, request).await
        }

        async fn extend(
            &self,
            tx: &mut Self::Tx<'_>,
            claim: &hookproof_inbox::Claim,
            by: core::time::Duration,
            now: hookproof::UnixTime,
        ) -> Result<hookproof::UnixTime, hookproof_inbox::StoreError> {
            $crate::verbs::extend(tx, &self.texts.verbs, claim, by, now).await
        }

        async fn fail(
            &self,
            tx: &mut Self::Tx<'_>,
            claim: &hookproof_inbox::Claim,
            error: &str,
            backoff: &hookproof_inbox::Backoff,
            seed: u64,
            now: hookproof::UnixTime,
        ) -> Result<hookproof_inbox::Failed, hookproof_inbox::StoreError> {
            $crate::verbs::fail(tx, &self.texts.verbs, claim, error, (backoff, seed), now).await
        }

        async fn park(
            &self,
            tx: &mut Self::Tx<'_>,
            claim: &hookproof_inbox::Claim,
            reason: &str,
            now: hookproof::UnixTime,
        ) -> Result<(), hookproof_inbox::StoreError> {
            $crate::verbs::park(tx, &self.texts.verbs, claim, reason, now).await
        }

        async fn release(
            &self,
            tx: &mut Self::Tx<'_>,
            claim: &hookproof_inbox::Claim,
            now: hookproof::UnixTime,
        ) -> Result<(), hookproof_inbox::StoreError> {
            $crate::verbs::release(tx, &self.texts.verbs, claim, now).await
        }

        async fn advance(
            &self,
            tx: &mut Self::Tx<'_>,
            stream: &hookproof_inbox::StreamId,
            step: &hookproof_inbox::Step,
            now: hookproof::UnixTime,
        ) -> Result<hookproof_inbox::Advance, hookproof_inbox::StoreError> {
            $crate::verbs::advance(tx, &self.texts.verbs, stream, step, now).await
        }

        async fn settle(
            &self,
            tx: &mut Self::Tx<'_>,
            id: hookproof_inbox::EventId,
            reason: &str,
            _now: hookproof::UnixTime,
        ) -> Result<bool, hookproof_inbox::StoreError> {
            $crate::verbs::settle(tx, &self.texts.verbs, id, reason).await
        }

        async fn look_up(
            &self,
            tx: &mut Self::Tx<'_>,
            endpoint: &hookproof_inbox::EndpointId,
            key: &hookproof_inbox::Key,
        ) -> Result<Option<hookproof_inbox::Found>, hookproof_inbox::StoreError> {
            $crate::verbs::look_up(tx, &self.texts.verbs, endpoint, key).await
        }

        async fn list(
            &self,
            tx: &mut Self::Tx<'_>,
            selection: &hookproof_inbox::Selection,
            page: hookproof_inbox::Page,
        ) -> Result<Vec<hookproof_inbox::EventRow>, hookproof_inbox::StoreError> {
            $crate::verbs::list(tx, &self.texts.verbs, selection, page).await
        }

        async fn delivery(
            &self,
            tx: &mut Self::Tx<'_>,
            id: hookproof_inbox::DeliveryId,
        ) -> Result<Option<hookproof_inbox::DeliveryRow>, hookproof_inbox::StoreError> {
            $crate::verbs::delivery(tx, &self.texts.verbs, id).await
        }

        async fn attempts(
            &self,
            tx: &mut Self::Tx<'_>,
            id: hookproof_inbox::EventId,
        ) -> Result<Vec<hookproof_inbox::AttemptRow>, hookproof_inbox::StoreError> {
            $crate::verbs::attempts(tx, &self.texts.verbs, id).await
        }

        async fn purge_payloads(
            &self,
            tx: &mut Self::Tx<'_>,
            before: hookproof::UnixTime,
            limit: u32,
        ) -> Result<hookproof_inbox::Purged, hookproof_inbox::StoreError> {
            $crate::verbs::purge_payloads(tx, &self.texts.verbs, before, limit).await
        }
    };
}

/// Methods of [`Log`](hookproof_inbox::Log) for a store with `texts.verbs` and `texts.fixed.append`.
macro_rules! shared_log {
    () => {
        async fn head(
            &self,
            tx: &mut Self::Tx<'_>,
        ) -> Result<hookproof_inbox::chain::Head, hookproof_inbox::StoreError> {
            $crate::log::head(tx, &self.texts.verbs.head).await
        }

        async fn checkpoint(
            &self,
            tx: &mut Self::Tx<'_>,
            now: hookproof::UnixTime,
        ) -> Result<hookproof_inbox::chain::Head, hookproof_inbox::StoreError> {
            $crate::log::checkpoint(tx, &self.texts.verbs, &self.texts.fixed.append, now).await
        }

        async fn links(
            &self,
            tx: &mut Self::Tx<'_>,
            after: u64,
            limit: u32,
        ) -> Result<
            Vec<(hookproof_inbox::chain::LinkRow, Option<hookproof_inbox::LedgerRow>)>,
            hookproof_inbox::StoreError,
        > {
            $crate::log::links(tx, &self.texts.verbs, after, limit).await
        }

        async fn unsealed(
            &self,
            tx: &mut Self::Tx<'_>,
            after: Option<hookproof_inbox::EventId>,
            limit: u32,
        ) -> Result<Vec<hookproof_inbox::LedgerRow>, hookproof_inbox::StoreError> {
            $crate::log::unsealed(tx, &self.texts.verbs, after, limit).await
        }

        async fn purge_links(
            &self,
            tx: &mut Self::Tx<'_>,
            limit: u32,
        ) -> Result<hookproof_inbox::Purged, hookproof_inbox::StoreError> {
            $crate::log::purge_links(tx, &self.texts.verbs, limit).await
        }
    };
}

pub(crate) use {shared_log, shared_verbs};
