//! `hookproof vectors copy`: the embedded files into a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use hookproof_vectors::{DOCUMENTS, FILES, POLICIES, SCHEMAS};

use crate::args::CopyArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::output::Screen;

/// Runs the command.
pub(crate) fn run(args: &CopyArgs, screen: &mut Screen) -> Outcome {
    let vectors = FILES.iter().map(|(provider, text)| (format!("{provider}.json"), *text));
    let others = DOCUMENTS
        .iter()
        .chain(SCHEMAS)
        .chain(POLICIES)
        .map(|(name, text)| ((*name).to_owned(), *text));
    let files: Vec<_> =
        vectors.chain(others).map(|(name, text)| (args.folder.join(name), text)).collect();
    // Nothing is written unless everything can be.
    for (path, text) in &files {
        if differs(path, text)? {
            let shown = path.display();
            return Err(Failure::new(format!(
                "{shown} is there with other content; remove it or choose another folder"
            )));
        }
    }
    for (path, text) in &files {
        let folder = path.parent().unwrap_or(&args.folder);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
        written
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    }
    screen.line(format_args!("{} files copied to {}", files.len(), args.folder.display()));
    Ok(Ending::Good)
}

fn differs(path: &Path, text: &str) -> Result<bool, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(bytes != text.as_bytes()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::new(format!("cannot read {}: {error}", path.display()))),
    }
}
