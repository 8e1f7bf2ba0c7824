//! Secret columns stay with the machine that reads them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gametape::Secrets;

use crate::samples::Asked;
use crate::started::{Client, Cluster, recordings};

/// The names of tables with secret columns, and the texts in these.
fn secrets(place: &str) -> (Vec<String>, BTreeSet<String>) {
    let asked = Asked::with_secrets(&[PathBuf::from(place)]);
    let (mut tables, mut values) = (Vec::new(), BTreeSet::new());
    for kind in asked.archive.kinds() {
        for table in asked.archive.tables(kind).into_iter().flatten() {
            let definition = table.definition();
            let name = format!("{kind}.\"{}\"", definition.name);
            let secret = definition.columns.iter().filter(|column| column.secret);
            let secret: Vec<&str> = secret.map(|column| &*column.name).collect();
            for column in &secret {
                let rows = asked.rows(&format!("SELECT DISTINCT \"{column}\" FROM {name}"));
                // Shorter ones could be parts of anything.
                let rows = rows.into_iter().flatten();
                values.extend(rows.filter(|value| value.len() >= 9 && value != "null"));
            }
            if !secret.is_empty() {
                tables.push(name);
            }
        }
    }
    (tables, values)
}

/// Returns whether a file of a folder contains one of these texts, or its number as the bytes of 64 bits.
fn contains(folder: &Path, values: &BTreeSet<String>) -> bool {
    fs::read_dir(folder).unwrap().any(|file| {
        let path = file.unwrap().path();
        if path.is_dir() {
            return contains(&path, values);
        }
        let bytes = fs::read(path).unwrap();
        let has = |part: &[u8]| bytes.windows(part.len()).any(|own| own == part);
        values.iter().any(|value| {
            let number = value.parse::<u64>().ok();
            has(value.as_bytes()) || number.is_some_and(|number| has(&number.to_le_bytes()))
        })
    })
}

#[test]
fn they_travel_only_if_asked_for() {
    let (_folder, place) = recordings();
    let (tables, values) = secrets(&place);
    assert!(
        tables.len() >= 2 && values.len() >= 2,
        "{tables:?}: {values:?}"
    );
    for (mode, travels) in [(Secrets::Hide, false), (Secrets::Show, true)] {
        let cluster = Cluster::start();
        let client = Client::of(&cluster, &place, mode);
        for table in &tables {
            // The rows are sorted, so that they go from one executor to the other.
            let sql = format!("SELECT * FROM {table} ORDER BY recording");
            client.batches(&sql);
        }
        // What executors pass on lies in their folders for a while.
        assert_eq!(contains(cluster.work.path(), &values), travels, "{mode:?}");
    }
}
