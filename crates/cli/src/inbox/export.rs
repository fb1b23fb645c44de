//! Heads in files: read, compared with the chain, and replaced whole.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookproof_inbox::chain::{Head, genesis, link};
use hookproof_inbox::{Log, StoreError};
use tempfile::Builder;

use crate::failure::Failure;

/// The heads of a file, one a line; none if there is no such file and that is allowed.
pub(crate) fn read(path: &Path, missing: Missing) -> Result<Vec<Head>, Failure> {
    let shown = path.display();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound && missing == Missing::Allowed =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(Failure::new(format!("cannot read {shown}: {error}"))),
    };
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let heads: Vec<Head> = lines
        .map(|(line, number)| {
            line.parse()
                .map_err(|error| Failure::of_kind("bad-head", format!("{shown}:{number}: {error}")))
        })
        .collect::<Result<_, _>>()?;
    if heads.is_empty() {
        return Err(Failure::of_kind("bad-head", format!("{shown} holds no head")));
    }
    Ok(heads)
}

/// Whether a file of heads may be missing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Missing {
    /// It is about to be written for the first time.
    Allowed,
    /// It is what is to be compared with.
    Wrong,
}

/// Puts a head in the place of what is in a file: after a crash the file is the old one or the new one.
pub(crate) fn write(path: &Path, head: &Head) -> Result<(), Failure> {
    // What a link points to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace(&target, &format!("{head}\n"))
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

fn replace(target: &Path, text: &str) -> std::io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let mut builder = Builder::new();
    builder.prefix(".hookproof-head");
    let permissions = fs::metadata(target).map(|data| data.permissions());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // A head is no secret, and others are to keep it.
        builder.permissions(permissions.unwrap_or_else(|_| fs::Permissions::from_mode(0o644)));
    }
    #[cfg(not(unix))]
    drop(permissions);
    let mut file = builder.tempfile_in(&folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    // The name is in the folder, which has to reach the disk as well; some systems cannot do that.
    #[cfg(unix)]
    fs::File::open(&folder)?.sync_all()?;
    Ok(())
}

/// Whether the chain goes from an exported head to its present one, unbroken: what is wrong, or nothing.
///
/// An export that did not ask would put the head of a chain that was computed anew in the place of the only proof
/// against it.
pub(crate) async fn contradiction<S: Log>(
    store: &S,
    tx: &mut S::Tx<'_>,
    old: &Head,
) -> Result<Option<String>, StoreError> {
    const PAGE: u32 = 1000;
    let head = store.head(tx).await?;
    let (log, first) = (head.log(), old.seq());
    if old.log() != log {
        return Ok(Some(format!(
            "it is the head of the log {}, and this database keeps the log {log}",
            old.log()
        )));
    }
    if first > head.seq() {
        return Ok(Some(format!(
            "the log ends at row {}, before the exported head at row {first}",
            head.seq()
        )));
    }
    if first == 0 && old.link() != genesis(log) {
        return Ok(Some("it is not the head with which this log began".to_owned()));
    }
    let (mut before, mut next) = (old.link(), first.saturating_add(1));
    if first > 0 {
        let row = store.links(tx, first - 1, 1).await?.pop().map(|(row, _)| row);
        match row.filter(|row| row.seq == first) {
            Some(row) if row.link == old.link() => {}
            Some(_) => return Ok(Some(format!("the chain was rewritten up to row {first}"))),
            None => {
                return Ok(Some(format!(
                    "its row {first} is no longer in the chain, so that nothing can be compared"
                )));
            }
        }
    }
    loop {
        let rows = store.links(tx, next - 1, PAGE).await?;
        if rows.is_empty() {
            break;
        }
        for (row, _) in rows {
            // A new log may have been purged since it began; whatever else is missing was removed.
            if first == 0 && next == 1 && row.seq > 1 {
                return Ok(None);
            }
            if row.seq != next || link(row.seq, before, row.leaf) != row.link {
                return Ok(Some(format!("row {next} of the chain was changed or removed")));
            }
            (before, next) = (row.link, row.seq.saturating_add(1));
        }
    }
    let whole = next.checked_sub(1) == Some(head.seq()) && before == head.link();
    Ok((!whole).then(|| format!("the chain does not end with its head at row {}", head.seq())))
}
