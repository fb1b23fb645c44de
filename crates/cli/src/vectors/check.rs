//! `hookproof vectors check`: the JSON Schema, and what a schema cannot say.

use std::fs;
use std::path::Path;

use hookproof_vectors::{
    FILES, Fault, POLICIES, Policy, SCHEMAS, VectorFile, check, check_published, json_value, parse,
};
use jsonschema::Validator;
use serde_json::Value;

use crate::args::CheckArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::output::{BAD, GOOD, Screen, paint, plain};

/// At most this many faults of a schema are printed for one file; one slip can make hundreds.
const MAX_SCHEMA_FAULTS: usize = 20;

/// The largest vector file.
const MAX_FILE: usize = 1_000_000;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, screen: &mut Screen) -> Outcome {
    let schemas = Schemas::new()?;
    let mut found = Found::default();
    if args.paths.is_empty() {
        for (provider, text) in FILES {
            found.vectors(&schemas, &format!("{provider}.json"), text);
        }
        for (name, text) in POLICIES {
            found.policy(&schemas, name, text);
        }
    }
    for path in &args.paths {
        found.path(&schemas, path)?;
    }
    found.faults.extend(check(&found.files).err().into_iter().flatten());
    let mut faults = found.faults;
    faults.dedup();
    for fault in &faults {
        screen.line(format_args!("{} {}", paint(BAD, "fault"), plain(fault)));
    }
    let vectors: usize = found.files.iter().map(|file| file.tests().count()).sum();
    let style = if faults.is_empty() { GOOD } else { BAD };
    let (files, vectors) = (count(found.count, "file"), count(vectors, "vector"));
    screen.line(format_args!("{files}, {vectors}, {}", paint(style, count(faults.len(), "fault"))));
    Ok(Ending::good_if(faults.is_empty()))
}

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// The schemas, ready to validate.
struct Schemas {
    vectors: Validator,
    policy: Validator,
}

impl Schemas {
    fn new() -> Result<Self, Failure> {
        Ok(Self { vectors: schema("schema/v1.json")?, policy: schema("schema/policy-v1.json")? })
    }
}

fn schema(name: &str) -> Result<Validator, Failure> {
    let text =
        SCHEMAS.iter().find(|(own, _)| *own == name).map(|(_, text)| *text).unwrap_or_default();
    let value = json_value(text).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    jsonschema::validator_for(&value).map_err(|error| Failure::new(format!("{name}: {error}")))
}

/// What was read and what is wrong with it.
#[derive(Default)]
struct Found {
    count: usize,
    files: Vec<VectorFile>,
    faults: Vec<Fault>,
}

impl Found {
    fn path(&mut self, schemas: &Schemas, path: &Path) -> Result<(), Failure> {
        let cannot =
            |path: &Path, error| Failure::new(format!("cannot read {}: {error}", path.display()));
        let files = hookproof_vectors::files(path).map_err(|error| cannot(path, error))?;
        if files.is_empty() {
            return Err(Failure::new(format!("{}: the folder has no *.json", path.display())));
        }
        for file in files {
            let name = file.display().to_string();
            match String::from_utf8(fs::read(&file).map_err(|error| cannot(&file, error))?) {
                Ok(text) => self.file(schemas, &name, &text),
                Err(error) => self.faults.push(Fault::new(name, error.utf8_error().to_string())),
            }
        }
        Ok(())
    }

    /// A policy file says so; everything else has to be vectors.
    fn file(&mut self, schemas: &Schemas, name: &str, text: &str) {
        let schema =
            json_value(text).ok().and_then(|value| Some(value.get("schema")?.as_str()?.to_owned()));
        if schema.as_deref() == Some(Policy::SCHEMA) {
            self.policy(schemas, name, text);
        } else {
            self.vectors(schemas, name, text);
        }
    }

    fn vectors(&mut self, schemas: &Schemas, name: &str, text: &str) {
        self.count += 1;
        if text.len() > MAX_FILE {
            self.faults.push(Fault::new(
                name,
                format!("the file is {} bytes long, at most {MAX_FILE} are allowed", text.len()),
            ));
        }
        match parse(name, text) {
            Ok(file) => {
                self.faults.extend(check_published(&file).err().into_iter().flatten());
                self.files.push(file);
            }
            Err(faults) => self.faults.extend(faults),
        }
        self.schema(&schemas.vectors, name, text);
    }

    fn policy(&mut self, schemas: &Schemas, name: &str, text: &str) {
        self.count += 1;
        self.faults.extend(Policy::parse(name, text).err().into_iter().flatten());
        self.schema(&schemas.policy, name, text);
    }

    fn schema(&mut self, schema: &Validator, name: &str, text: &str) {
        // A text that is no JSON is already a fault of the loader.
        let Ok(value) = json_value(text) else { return };
        for error in schema.iter_errors(&value).take(MAX_SCHEMA_FAULTS) {
            let pointer = error.instance_path().to_string();
            let mut fault = Fault::new(name, format!("schema: {}", short(&error.to_string())));
            if let Some((id, rest)) = in_test(&value, &pointer) {
                fault = fault.in_test(id);
                fault = if rest.is_empty() { fault } else { fault.in_field(rest) };
            } else if !pointer.is_empty() {
                fault = fault.in_field(pointer);
            }
            self.faults.push(fault);
        }
    }
}

/// The vector that a pointer leads into, and the rest of the pointer.
fn in_test<'v>(file: &'v Value, pointer: &str) -> Option<(&'v str, String)> {
    let parts: Vec<&str> = pointer.split('/').collect();
    let ["", "testGroups", group, "tests", test, rest @ ..] = parts.as_slice() else { return None };
    let id = file.pointer(&format!("/testGroups/{group}/tests/{test}/tcId"))?.as_str()?;
    Some((id, rest.join("/")))
}

/// A message of the validator holds the whole value that is wrong; its end says why.
fn short(message: &str) -> String {
    const KEEP: usize = 120;
    let chars: Vec<char> = message.chars().collect();
    match (chars.get(..KEEP / 2), chars.get(chars.len().saturating_sub(KEEP)..)) {
        (Some(head), Some(tail)) if chars.len() > 2 * KEEP => {
            format!("{} … {}", head.iter().collect::<String>(), tail.iter().collect::<String>())
        }
        _ => message.to_owned(),
    }
}
