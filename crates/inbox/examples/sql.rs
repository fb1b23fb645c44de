//! Prints the SQL of the inbox, for migration tools and for users of other drivers.
//!
//! `cargo run -p hookproof-inbox --example sql -- postgres` prints the migrations, `… -- postgres billing` with another table
//! prefix, `… -- postgres hookproof statements` the statements as a JSON object.

use std::process::ExitCode;

use hookproof_inbox::sql::{Migration, Prefix, Statement, postgres, sqlite};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (database, prefix, what) = match words.as_slice() {
        [database] => (*database, "hookproof", "migrations"),
        [database, prefix] => (*database, *prefix, "migrations"),
        [database, prefix, what] => (*database, *prefix, *what),
        _ => return usage(),
    };
    let (migrations, statements): (&[Migration], &[Statement]) = match database {
        "postgres" => (&postgres::MIGRATIONS, postgres::STATEMENTS),
        "sqlite" => (&sqlite::MIGRATIONS, sqlite::STATEMENTS),
        _ => return usage(),
    };
    let Ok(prefix) = Prefix::new(prefix) else { return usage() };
    if what == "statements" {
        let mut all = serde_json::Map::new();
        for statement in statements {
            all.insert(statement.name.to_owned(), prefix.apply(statement.sql).into());
        }
        print(&format!("{:#}", serde_json::Value::Object(all)));
    } else {
        for migration in migrations {
            print(&prefix.apply(migration.sql));
        }
    }
    ExitCode::SUCCESS
}

#[allow(clippy::print_stdout, reason = "it is what the example does")]
fn print(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "it is what the example does")]
fn usage() -> ExitCode {
    eprintln!("usage: sql postgres|sqlite [PREFIX [statements]]");
    ExitCode::FAILURE
}
