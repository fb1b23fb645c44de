//! Finding a database: nothing is made by accident, nothing secret is printed, looking needs no right to write.

use crate::inbox::place::Place;
use crate::support::Shell;

#[test]
fn a_database_is_needed() {
    let shell = Shell::new();
    shell.run(&["inbox", "list"]).ends(2).complains("HOOKPROOF_DATABASE");
    shell
        .run_with(&["inbox", "list"], b"", &[("HOOKPROOF_DATABASE", "x.db")])
        .ends(2)
        .complains("no database x.db");
    shell
        .run(&["inbox", "--database", "mysql://u:hunter2@h/d", "list"])
        .ends(2)
        .complains("postgres://");
    shell.run(&["inbox", "--database", ".", "list"]).ends(2).complains("a folder");
    shell
        .run(&["inbox", "--database", "x.db", "--prefix", "A b", "list"])
        .ends(2)
        .complains("prefix of tables");
}

#[test]
fn a_missing_file_is_not_made_by_looking_or_writing() {
    let place = Place::file();
    for args in [
        &["list"][..],
        &["show", "1"],
        &["replay", "--all"],
        &["seal"],
        &["verify"],
        &["purge", "--payloads", "1d"],
        &["settle", "1", "--reason", "x"],
    ] {
        place.run(args).ends(2).complains("no database inbox.db").complains("migrate");
        assert!(!place.shell.path("inbox.db").exists(), "{args:?}");
    }
    place.shell.file("inbox.db", "this is a text, and no database; it is longer than a header of SQLite would be at 100 bytes.");
    place.run(&["list"]).ends(2).complains("inbox.db");
}

#[test]
fn missing_tables_are_named() {
    for place in Place::bare() {
        place.shell.file("inbox.db", "");
        for args in [&["list"][..], &["replay", "--all"], &["seal"]] {
            place.run(args).ends(2).complains("_keys").complains("hookproof inbox migrate");
        }
        place.run(&["migrate"]).ends(0);
        place.run(&["migrate"]).ends(0);
        place.run(&["list"]).ends(0).says("no events");
        let after = ["inbox", "list", "--prefix", "other", "--database", place.database()];
        place.shell.run(&after).ends(2).complains("other_keys");
        for args in [&["seal"][..], &["verify"]] {
            place.run(args).ends(2).complains("no log is kept").complains("--log NAME");
        }
        place.run(&["migrate", "--log", "orders"]).ends(0).says("the log orders");
        place.run(&["verify"]).ends(0).says("consistent, not proven  orders");
        place.run(&["migrate", "--log", "others"]).ends(2).complains("orders");
        place.run(&["migrate", "--log", "a b"]).ends(2);
        let other = ["inbox", "--database", place.database(), "--prefix", "other", "list"];
        place.shell.run(&other).ends(2).complains("other_keys").complains("--prefix");
    }
}

#[test]
fn failures_are_json_too() {
    let place = Place::file();
    let error = place.run(&["list", "--json"]).ends(2).json();
    assert_eq!((&error["verdict"], &error["kind"]), (&"error".into(), &"missing".into()));
    assert!(error["message"].as_str().unwrap().contains("no database"));
}

#[test]
fn the_password_of_a_url_is_not_printed() {
    let shell = Shell::new();
    let url = "postgres://user:hunter2@127.0.0.1:1/app";
    for url in [
        url,
        "postgres://user:hunter2@127.0.0.1:port/app",
        "postgres://user:hunter2@127.0.0.1:1/app?sslmode=no",
    ] {
        for args in [
            &["list"][..],
            &["list", "--help"],
            &["list", "--json"],
            &["migrate"],
            &["nonsense"],
            &[],
        ] {
            let with = [&["inbox", "--database", url][..], args].concat();
            let env = [&["inbox"][..], args].concat();
            for ran in [shell.run(&with), shell.run_with(&env, b"", &[("HOOKPROOF_DATABASE", url)])]
            {
                assert!(!ran.out.contains("hunter2") && !ran.err.contains("hunter2"), "{ran:#?}");
                assert!(!ran.out.is_empty() || !ran.err.is_empty());
            }
        }
    }
    shell.run(&["inbox", "--database", url, "list"]).ends(2).complains("app at 127.0.0.1:1");
    shell
        .run(&["inbox", "--database", "postgres://u@127.0.0.1:1/app?sslmode=require", "list"])
        .ends(2)
        .complains(if cfg!(feature = "tls") { "cannot connect" } else { "the feature `tls`" });
}

/// A service writes, and has a transaction open; looking does not wait for it, and writing waits its turn.
#[test]
fn looking_works_while_a_service_writes() {
    use hookproof_inbox_sqlx::sqlite;
    use hookproof_inbox_sqlx::sqlx::{self, Connection as _, SqliteConnection};

    let place = Place::file();
    place.run(&["migrate", "--log", "orders"]).ends(0);
    let waiting = place.stripe("evt_1", "invoice.paid", "in_1").to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = sqlite::connect_options(place.shell.path("inbox.db"));
        let mut service = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::raw_sql("BEGIN IMMEDIATE; UPDATE hookproof_events SET replays = 7")
            .execute(&mut service)
            .await
            .unwrap();
        for args in
            [&["list"][..], &["show", &waiting], &["verify"], &["replay", "--all", "--dry-run"]]
        {
            place.run(args).ends(0);
        }
        place.run(&["show", &waiting, "--json"]).ends(0).says(r#""replays": 0"#);
        place.run(&["seal"]).ends(2).complains("too long");
        sqlx::raw_sql("COMMIT").execute(&mut service).await.unwrap();
        place.run(&["show", &waiting, "--json"]).ends(0).says(r#""replays": 7"#);
    });
}

/// A service died: what it wrote last is beside the file only. Whoever could write would move it into the file at the end.
#[test]
fn looking_changes_no_byte_of_the_file() {
    use hookproof_inbox_sqlx::sqlite;
    use hookproof_inbox_sqlx::sqlx::{self, Connection as _, SqliteConnection};

    let place = Place::file();
    place.run(&["migrate", "--log", "orders"]).ends(0);
    let each = place.one_of_each();
    place.run(&["seal"]).ends(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = sqlite::connect_options(place.shell.path("inbox.db"));
        let mut service = SqliteConnection::connect_with(&options).await.unwrap();
        let update = "UPDATE hookproof_events SET replays = 7";
        sqlx::raw_sql(update).execute(&mut service).await.unwrap();
        for end in ["", "-wal"] {
            let [from, to] =
                ["inbox.db", "died.db"].map(|name| place.shell.path(&format!("{name}{end}")));
            std::fs::copy(from, to).unwrap();
        }
    });
    let bytes =
        || ["died.db", "died.db-wal"].map(|name| std::fs::read(place.shell.path(name)).unwrap());
    let before = bytes();
    for args in [
        &["list"][..],
        &["dead"],
        &["parked"],
        &["show", &each.done],
        &["verify"],
        &["replay", "--all", "--dry-run"],
        &["reconcile", "--ids", "-", "--endpoint", "billing"],
    ] {
        let args = [&["inbox", "--database", "died.db"], args].concat();
        place.shell.run_with(&args, b"stripe/evt_done\n", &[]).ends(0);
        assert!(bytes() == before, "{args:?}");
    }
    place
        .shell
        .run(&["inbox", "--database", "died.db", "show", &each.done])
        .ends(0)
        .says("replays    7");
}
