//! Which vectors a command is about.

use std::path::PathBuf;

use hookproof_vectors::{Faults, Group, Test, VectorFile};

use crate::args::SelectionArgs;
use crate::failure::Failure;

/// One vector with its surroundings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) file: &'a VectorFile,
    pub(crate) group: &'a Group,
    pub(crate) test: &'a Test,
}

/// Reads files and folders, or the embedded suite where no path is given.
pub(crate) fn load(paths: &[PathBuf]) -> Result<Vec<VectorFile>, Faults> {
    if paths.is_empty() {
        return hookproof_vectors::suite();
    }
    let mut files = Vec::new();
    for path in paths {
        files.extend(hookproof_vectors::load_path(path)?);
    }
    Ok(files)
}

/// Reads the files of a selection and checks them, since verdicts of a broken file mean nothing.
pub(crate) fn load_checked(args: &SelectionArgs) -> Result<Vec<VectorFile>, Failure> {
    let broken = |faults: Faults| Failure::of_kind("bad-vectors", faults.to_string());
    let files = load(&args.paths).map_err(broken)?;
    hookproof_vectors::check(&files).map_err(broken)?;
    Ok(files)
}

/// The vectors of a selection, in the order of the files; never none.
pub(crate) fn cases<'a>(
    files: &'a [VectorFile],
    args: &SelectionArgs,
) -> Result<Vec<Case<'a>>, Failure> {
    let wanted = |file: &&VectorFile| args.provider.as_deref().is_none_or(|id| id == file.provider);
    if let (Some(id), false) = (&args.provider, files.iter().any(|file| wanted(&file))) {
        let mut known: Vec<&str> = files.iter().map(|file| file.provider.as_str()).collect();
        known.dedup();
        return Err(Failure::new(format!(
            "no file has the provider `{id}`; there are {}",
            known.join(", ")
        )));
    }
    let filter = args.filter.as_ref().map(globset::Glob::compile_matcher);
    let cases: Vec<_> = files
        .iter()
        .filter(wanted)
        .flat_map(|file| file.tests().map(move |(group, test)| Case { file, group, test }))
        .filter(|case| filter.as_ref().is_none_or(|filter| filter.is_match(&case.test.id)))
        .collect();
    if cases.is_empty() {
        return Err(Failure::new(match &args.filter {
            Some(filter) => format!("no vector has an id that matches `{}`", filter.glob()),
            None => "there are no vectors".to_owned(),
        }));
    }
    Ok(cases)
}
