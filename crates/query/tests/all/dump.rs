//! Rows in SQL beside those that `dump` prints, which are made otherwise: of the samples, and of all real
//! recordings that lie beside the repository.

use std::path::{Path, PathBuf};

use gametape::{Lane, Options, Recording, RowForm, Scan, Selection};
use gametape_query::{Form, write};
use serde_json::{Map, Value};

use crate::samples::{Asked, fill, fill_more};

/// Compares each table of each recording with its dump, and returns the number of rows.
fn compare(paths: &[PathBuf]) -> usize {
    let mut compared = 0;
    for path in paths {
        let Ok(recording) = Recording::open(path) else {
            continue;
        };
        let asked = Asked::in_order(path);
        let kind = recording.format().kind();
        for table in recording.tables().unwrap() {
            let name = &table.name;
            let shown = table.columns.iter().filter(|column| !column.secret);
            let shown: Vec<String> = shown.map(|column| column.name.to_string()).collect();
            let mut dump = Vec::new();
            let scan = Scan::table(&**name).columns(shown.clone());
            // For a broken recording, both have the rows before the damage.
            let _ = recording
                .write_rows(&scan, &Selection::default(), RowForm::Json, &mut dump)
                .map(|rows| rows.problem);
            let dump = lines(&dump);
            let mut rows = Vec::new();
            let sql = format!("SELECT * FROM {kind}.\"{name}\"");
            asked.stream(&sql, async |stream| {
                write(Form::Jsonl, stream, &mut rows).await
            });
            let rows = lines(&rows);
            let place = || format!("{}, {name}", path.display());
            assert_eq!(rows.len(), dump.len(), "{}", place());
            let count = asked.value(&format!("SELECT count(*) FROM {kind}.\"{name}\""));
            assert_eq!(count, rows.len().to_string(), "{}", place());
            for (number, (row, dump)) in rows.iter().zip(&dump).enumerate() {
                for column in &shown {
                    let (ours, dumped) = (row.get(column), dump.get(column));
                    // SQL has nothing where a text is empty.
                    let dumped = dumped.filter(|value| !value.is_null() && *value != "");
                    assert!(
                        same(ours, dumped),
                        "{}, row {number}: {column} is {ours:?}, in the dump {dumped:?}",
                        place()
                    );
                }
            }
            compared += rows.len();
        }
    }
    compared
}

fn lines(text: &[u8]) -> Vec<Map<String, Value>> {
    let text = std::str::from_utf8(text).unwrap();
    let lines = text.lines().map(serde_json::from_str);
    lines.map(Result::unwrap).collect()
}

fn same(ours: Option<&Value>, dumped: Option<&Value>) -> bool {
    match (ours, dumped) {
        (None, None) => true,
        // JSON has no such numbers: one leaves them out, the other writes a text.
        (None | Some(Value::Null), Some(Value::String(text))) => {
            ["NaN", "inf", "-inf"].contains(&text.as_str())
        }
        (Some(Value::Number(ours)), Some(Value::Number(dumped))) => {
            ours == dumped
                || ours.as_f64() == dumped.as_f64()
                || ours.as_f64().map(|value| value as f32)
                    == dumped.as_f64().map(|value| value as f32)
        }
        (Some(Value::String(ours)), Some(Value::String(dumped))) => {
            // A moment may be written with a space, `Z`, or more digits.
            let plain = |text: &str| {
                text.replace(' ', "T")
                    .replace('/', "-")
                    .chars()
                    .take(19)
                    .collect::<String>()
            };
            ours == dumped || (dumped.len() >= 19 && plain(ours) == plain(dumped))
        }
        (ours, dumped) => ours == dumped,
    }
}

/// All files below a folder that may be recordings.
fn below(folder: &Path) -> Vec<PathBuf> {
    let found = gametape::find(folder).into_iter();
    found
        .filter_map(Result::ok)
        .map(|found| found.path)
        .collect()
}

#[test]
fn each_table_of_each_sample_has_the_rows_of_its_dump() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let text = std::fs::read(folder.path().join("match.echoreplay")).unwrap();
    std::fs::write(
        folder.path().join("cut.echoreplay"),
        &text[..text.len() / 3],
    )
    .unwrap();
    assert!(compare(&below(folder.path())) > 50_000);
}

#[test]
fn each_table_of_each_real_recording_has_the_rows_of_its_dump() {
    let tapes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes");
    if !tapes.is_dir() {
        println!("SKIPPED: there are no real recordings beside the repository");
        return;
    }
    assert!(compare(&below(&tapes)) > 10_000);
}

/// Facts beside the statistics that `stats` prints, which are measured in a pass of their own.
#[test]
fn facts_are_what_stats_says() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let mut compared = 0;
    for path in below(folder.path()) {
        let Ok(recording) = Recording::open(&path) else {
            continue;
        };
        let tables = recording.tables().unwrap();
        let Some(facts) = tables.iter().find(|table| {
            table.lane == Lane::Facts && table.columns.iter().all(|column| !column.key)
        }) else {
            continue;
        };
        let asked = Asked::in_order(&path);
        let mut row = Vec::new();
        let sql = format!(
            "SELECT * FROM {}.\"{}\"",
            recording.format().kind(),
            facts.name
        );
        asked.stream(&sql, async |stream| {
            write(Form::Jsonl, stream, &mut row).await
        });
        let row = lines(&row).remove(0);
        let stats = recording.stats(&Options::new()).unwrap().readable().stats;
        for (name, value) in &stats {
            let is_value = !value.is_object() && !value.is_array() && !value.is_null();
            // A fact that only a pass over the frames can tell is missing.
            let fact = row.get(name).filter(|fact| !fact.is_null());
            if is_value && facts.column(name).is_some() && fact.is_some() {
                assert!(
                    same(fact, Some(value)),
                    "{}: {name} is {fact:?}, {value:?} in stats",
                    path.display()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}
