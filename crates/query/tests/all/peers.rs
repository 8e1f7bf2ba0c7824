//! Our files read by others, and a bucket of S3. `GAMETAPE_PYTHON` names a Python with pyarrow, polars, pandas,
//! duckdb, moto and boto3; `cargo xtask test` makes one. Without it these tests say so and pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gametape::{Recording, RowForm, Scan, Secrets, Selection};
use gametape_query::{Form, write};

use crate::bucket::{Bucket, python};
use crate::samples::{Asked, fill, fill_more};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// Writes the answer to a query.
fn put(asked: &Asked, sql: &str, form: Form, path: &Path) {
    let mut out = fs::File::create(path).unwrap();
    asked.stream(sql, async |rows| write(form, rows, &mut out).await);
}

#[test]
fn others_read_our_parquet_and_answer_the_questions_of_the_book_alike() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let out = tempfile::tempdir().unwrap();
    for part in ["all", "questions"] {
        fs::create_dir(out.path().join(part)).unwrap();
    }
    // Each table of one recording of each kind, beside its dump.
    for name in [
        "expert-win.rmv",
        "match.echoreplay",
        "heat-1.murk",
        "match.mcap",
    ] {
        let path = folder.path().join(name);
        let recording = Recording::open(&path).unwrap();
        let asked = Asked::in_order(&path);
        let kind = recording.format().kind();
        for table in recording.tables().unwrap() {
            let file = out.path().join(format!("{kind}.{}", table.name));
            let parquet = file.with_added_extension("parquet");
            put(
                &asked,
                &format!("SELECT * FROM {kind}.\"{}\"", table.name),
                Form::Parquet,
                &parquet,
            );
            let mut lines = Vec::new();
            let scan = Scan {
                secrets: Secrets::Hide,
                ..Scan::table(&*table.name)
            };
            let columns = table.columns.iter().filter(|column| !column.secret);
            let scan = scan.columns(columns.map(|column| column.name.to_string()));
            recording
                .write_rows(&scan, &Selection::default(), RowForm::Json, &mut lines)
                .unwrap()
                .whole()
                .unwrap();
            fs::write(file.with_added_extension("jsonl"), lines).unwrap();
        }
    }
    let asked = Asked::of(&[folder.path().to_owned()]);
    let tables = asked.rows(
        "SELECT table_schema, table_name FROM information_schema.tables
         WHERE table_schema <> 'information_schema'",
    );
    for row in tables {
        let [schema, table] = &row[..] else {
            panic!("{row:?}")
        };
        let path = out
            .path()
            .join("all")
            .join(format!("{schema}.{table}.parquet"));
        put(
            &asked,
            &format!("SELECT * FROM \"{schema}\".\"{table}\""),
            Form::Parquet,
            &path,
        );
    }
    let page = fs::read_to_string(crate::cookbook::PAGE).unwrap();
    let questions = page.split("```sql\n").skip(1);
    let questions = questions.map(|rest| rest.split_once("```\n").unwrap().0);
    // These are ours alone.
    let questions = questions.filter(|sql| !sql.contains("state_at") && !sql.contains("user_id"));
    for (number, sql) in questions.enumerate() {
        let path = out.path().join("questions").join(format!("{number:02}"));
        fs::write(path.with_extension("sql"), sql).unwrap();
        put(&asked, sql, Form::Jsonl, &path.with_extension("jsonl"));
    }
    run(Command::new(python).arg(script("peers.py")).arg(out.path()));
}

/// Runs a script, which says what differs.
fn run(script: &mut Command) {
    let output = script.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{error}");
    println!("{told}");
}

#[test]
fn others_read_every_output() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("a.rmv");
    fs::write(&game, gametape_samples::mines::example()).unwrap();
    run(Command::new(python)
        .current_dir(folder.path())
        .arg(script("outputs.py"))
        .args([
            env!("CARGO_BIN_EXE_gametape-query").as_ref(),
            game.as_os_str(),
        ]));
}

#[test]
fn a_bucket_of_s3_is_an_archive_like_any_other() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let bucket = Bucket::of(&python, folder.path());
    let ask = |sql: &str, place: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
            .args([sql, place, "--format", "csv"])
            .envs(bucket.variables())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8_lossy(&output.stdout).into_owned(), error)
    };
    let asked = Asked::of(&[folder.path().to_owned()]);
    for sql in [
        "SELECT count(*), sum(ping), avg(head_x) FROM echo.players",
        "SELECT count(*), sum(x) FROM mouse_events",
        "SELECT count(*) FROM state_at('counters', 2000)",
    ] {
        let (answer, error) = ask(sql, "s3://games/of all/");
        let expected = asked.rows(sql).remove(0).join(",");
        assert_eq!(answer.lines().nth(1), Some(&*expected), "{sql}\n{error}");
        assert_eq!(error, "");
    }
    let (answer, error) = ask("SELECT count(*) FROM recordings", "s3://games/of all/*.rmv");
    assert_eq!(answer.lines().nth(1), Some("4"), "{error}");
    let (answer, error) = ask(
        "SELECT recording FROM recordings",
        "s3://games/of all/it's a \"match\".butter",
    );
    assert!(
        answer.contains("s3://games/of all/it's a"),
        "{answer}{error}"
    );
    for (place, message) in [
        ("s3://games/nothing.rmv", "there is no such object"),
        ("s3://games/none/", "there are no recordings"),
        ("s3://missing/", "NoSuchBucket"),
    ] {
        let (_, error) = ask("SELECT 1", place);
        assert!(error.contains(message), "{place}: {error}");
    }
}
