//! The help texts of `hookproof inbox`.

pub(crate) const INBOX: &str = "\
The database is that of hookproof-inbox: a SQLite file, or a PostgreSQL server. Commands that only look open it so that
nothing can be written, and hinder no service that writes. Nothing is made that is not there, except by `migrate`.

Exit codes: 0 done, nothing wrong; 1 something is wrong with what was looked at; 2 wrong usage, or a database that cannot
be read.

Examples:
  hookproof inbox --database inbox.db list --state waiting
  HOOKPROOF_DATABASE=postgres://inbox@db.example.com/app hookproof inbox parked
  hookproof inbox --database inbox.db show 17
  hookproof help inbox reconcile";

pub(crate) const LIST: &str = "\
Prints a page of events that were recorded for later, by their numbers. The column `about` has the subject, or the key of
an event without one. --json prints them with all fields.

Examples:
  hookproof inbox --database inbox.db list --endpoint billing --kind invoice.paid
  hookproof inbox --database inbox.db list --from 2026-11-30T00:00:00Z --limit 20
  hookproof inbox --database inbox.db list --json --after 100";

pub(crate) const DEAD: &str = "\
Dead events had all their attempts; the column `reason` has the last error. `replay` has them worked on again, `settle`
marks one as done by hand.

Examples:
  hookproof inbox --database inbox.db dead
  hookproof inbox --database inbox.db dead --endpoint billing --json";

pub(crate) const PARKED: &str = "\
Nobody knows whether the effect of a parked event happened, or it has no usable identity. Look whether it happened; then
`settle` it, or `replay` it.

Examples:
  hookproof inbox --database inbox.db parked
  hookproof inbox --database inbox.db settle 17 --reason 'charged by hand, ch_42'";

pub(crate) const MIGRATE: &str = "\
Makes the tables, or what is missing of them, and a SQLite file that is not there. It may be run at any time, and again.
With --log, the tables of the tamper-evident log too: from then on, keys are purged only below its checkpoints. A log keeps
its name.

Examples:
  hookproof inbox --database inbox.db migrate
  hookproof inbox --database postgres://inbox@db.example.com/app migrate --log orders";

pub(crate) const SHOW: &str = "\
Headers with credentials or signatures, and the query of the URL, are hidden unless --reveal-headers asks for them. The
body is printed as it is, and may hold what is personal.

With --verify the stored bytes are verified again as of their arrival, with the secrets that are given.

Exit codes: 0 shown, and accepted; 1 rejected; 2 there is no such event, its payload is purged, or wrong usage.

Examples:
  hookproof inbox --database inbox.db show 17
  hookproof inbox --database inbox.db show --endpoint billing --key stripe/evt_1
  hookproof inbox --database inbox.db show 17 --verify --secret-env STRIPE_SECRET
  hookproof inbox --database inbox.db show 17 --body body.json";

pub(crate) const REPLAY: &str = "\
Events that are done, parked or dead wait again, with all their attempts, marked as replays. Those that wait or are in work
are skipped. Without --state, events that are done are replayed too: their effects happen again, unless the worker makes
them harmless.

Examples:
  hookproof inbox --database inbox.db replay 17
  hookproof inbox --database inbox.db replay --state dead --endpoint billing --dry-run
  hookproof inbox --database inbox.db replay --from 2026-11-30T00:00:00Z --until 2026-12-01T00:00:00Z --kind invoice.paid";

pub(crate) const SETTLE: &str = "\
An event that waits, is parked or dead becomes done, and nobody works on it: somebody has seen to its effect. The reason is
kept with it.

Exit codes: 0 settled; 1 it was done or is in work, and is left as it is; 2 there is no such event.

Examples:
  hookproof inbox --database inbox.db settle 17 --reason 'shipped by hand'";

pub(crate) const RELEASE: &str = "\
An event in work waits again at once, and the attempt does not count. The worker that held it can no longer complete it, but
if it lives it may be about to have the effect: release only what a worker holds that is known to be gone and had not begun.
Otherwise the end of the lease decides by itself.

Exit codes: 0 released; 1 no worker held it; 2 there is no such event.

Examples:
  hookproof inbox --database inbox.db release 17";

pub(crate) const SEAL: &str = "\
Every recorded row that is not in the chain yet is put there, and the head is printed. The head proves something only where
whoever can write to the database cannot change it. With --head it replaces what is in the file, in one step; before that,
the head that is there must agree with the log.

Exit codes: 0 sealed; 1 the head in the file does not agree, and nothing was done; 2 no log is kept, or wrong usage.

Examples:
  hookproof inbox --database inbox.db seal
  hookproof inbox --database inbox.db seal --head /mnt/elsewhere/orders.head
  hookproof inbox --database inbox.db seal --checkpoint --head /mnt/elsewhere/orders.head";

pub(crate) const VERIFY: &str = "\
Reads the whole chain and all recorded rows, and names what was changed, removed, inserted or cut off. Without a head, or
after the last one, the answer is `consistent, not proven`: whoever can write to the database can also compute a new chain.

Exit codes: 0 nothing is wrong; 1 something is, or no head that was given could be compared; 2 no log is kept, or wrong usage.

Examples:
  hookproof inbox --database inbox.db verify
  hookproof inbox --database inbox.db verify --head /mnt/elsewhere/orders.head";

pub(crate) const PURGE: &str = "\
Times are a number with its unit: 90d, 36h, 30min, 60s. Only what is done goes, whatever its age. Keys must outlive the
sender's retries, or a late copy would be taken for a new event: a shorter time is refused with the number.

Where a log is kept, purging keys seals it, adds a checkpoint, and writes the head to --head before anything goes: from then
on that file, and no recorded row, proves what was below.

Examples:
  hookproof inbox --database inbox.db purge --payloads 30d --dry-run
  hookproof inbox --database inbox.db purge --payloads 30d --keys 90d --endpoint billing --provider stripe
  hookproof inbox --database inbox.db purge --keys 90d --endpoint billing --provider stripe --head /mnt/elsewhere/orders.head";

pub(crate) const RECONCILE: &str = "\
The list is what the sender says it has sent, or what it says exists: ids of events (--by key), or of what they are about,
such as invoices (--by subject). Printed are those that never came, those that came and are not done, and those that were
done twice: an event that was completed again after a replay, or one change that came under two ids, both done. What was
perhaps done twice, since a worker went silent, is printed and does not count.

What was purged counts as never received: let the list begin later than the keys that are kept. The subject is known only
of events that were recorded for later.

Exit codes: 0 all received, and done once; 1 there is a difference; 2 a list that cannot be read, or wrong usage.

Examples:
  hookproof inbox --database inbox.db reconcile --endpoint billing --provider stripe --ids events.txt
  hookproof inbox --database inbox.db reconcile --endpoint billing --by subject --ids invoices.csv --column id
  jq '[.data[].id]' events.json | hookproof inbox --database inbox.db reconcile --endpoint billing --provider stripe --ids -";
