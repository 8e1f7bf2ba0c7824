//! A figure that several surfaces show is the same on all of them: in the description, the statistics, the tables of
//! facts (which SQL and Python have), and where the header alone is asked, if it says anything.

use std::collections::BTreeMap;

use gametape::core::table::kit::{all_of, flat, scanned};
use gametape::{Kind, Lane, Options, Recording, Secrets};
use serde_json::Value;

use crate::known::samples;

fn is_missing(value: &Value) -> bool {
    value.is_null() || value == ""
}

/// Numbers are the same number, however they are written.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * a.abs().max(1.0),
        _ => a == b || (is_missing(a) && is_missing(b)),
    }
}

/// The facts of a recording's tables that have one row.
fn facts(recording: &Recording) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for table in recording.tables().unwrap() {
        let has_key = table.columns.iter().any(|column| column.key);
        if table.lane != Lane::Facts || has_key {
            continue;
        }
        for row in scanned(&**recording.tape(), &all_of(&table)) {
            for (column, value) in table.columns.iter().zip(&row.values) {
                let text = value.value().to_string();
                let value = match column.kind {
                    _ if *value == gametape::core::table::Owned::Null => Value::Null,
                    Kind::Text => Value::from(text),
                    _ => text.parse().unwrap_or_else(|_| Value::from(text)),
                };
                if !column.secret {
                    all.insert(column.name.to_string(), value);
                }
            }
        }
    }
    all
}

#[test]
fn a_figure_is_the_same_on_every_surface() {
    let mut compared = BTreeMap::new();
    for format in gametape::formats().iter().map(|format| format.info().name) {
        for bytes in samples(format) {
            let recording = Recording::from_bytes(bytes, format).unwrap();
            let mut told: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
            for (surface, info) in [
                ("header", recording.header(Secrets::Hide).unwrap().value),
                ("inspect", recording.info(Secrets::Hide).unwrap().value),
            ] {
                let mut all: BTreeMap<String, Value> = flat(&info.details).into_iter().collect();
                all.insert("duration_ms".to_owned(), info.duration_ms.into());
                all.insert("steps".to_owned(), info.steps.into());
                told.insert(surface, all);
            }
            let measured = recording.stats(&Options::new()).unwrap().value;
            told.insert("stats", flat(&measured.stats).into_iter().collect());
            told.insert("facts", facts(&recording));

            for (surface, all) in &told {
                for (name, value) in all {
                    for (other, others) in &told {
                        let Some(also) = others.get(name) else {
                            continue;
                        };
                        // A header may not know what the recording does, and a description leaves out what is
                        // ordinary.
                        let unknown = |surface: &str, value: &Value| {
                            ["header", "inspect"].contains(&surface) && is_missing(value)
                        };
                        if unknown(surface, value) || unknown(other, also) || surface == other {
                            continue;
                        }
                        assert!(
                            same(value, also),
                            "{format}: {name} is {value} in {surface}, {also} in {other}"
                        );
                        *compared.entry(format).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    for format in ["rmv", "murk", "echoreplay", "butter"] {
        assert!(compared[format] > 20, "{compared:?}");
    }
}
