//! Relations between recordings, beside those that the library finds.

use std::fs;
use std::path::{Path, PathBuf};

use gametape::mines::{Version, rmv};
use gametape::{Recording, Relations};
use gametape_samples::mines::{record, scenarios};

use crate::samples::{Asked, fill, fill_more};

/// Writes recordings of which some are related: the same game in both versions, copies, a crowd of more than are
/// all named, and a match, which is related to none.
fn related(folder: &Path) {
    fill(folder);
    fill_more(folder);
    let scenario = &scenarios()[0];
    let game = record(scenario, 77).unwrap();
    for version in [Version::V1, Version::V2] {
        let (other, _) = rmv::convert(&game, version).unwrap();
        let name = format!("one-{version:?}.rmv");
        fs::write(folder.join(name), rmv::write(&other).unwrap()).unwrap();
    }
    let crowd = rmv::write(&record(scenario, 78).unwrap()).unwrap();
    for number in 0..70 {
        fs::write(folder.join(format!("crowd-{number}.rmv")), &crowd).unwrap();
    }
}

#[test]
fn they_are_those_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    related(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let mut relations = Relations::new();
    let mut names: Vec<PathBuf> = Vec::new();
    for file in asked.archive.files() {
        let path = PathBuf::from(&**file.name());
        let recording = Recording::open(&path).unwrap();
        let Ok(audit) = recording.audit() else {
            continue;
        };
        if !audit.traces.is_empty() {
            relations.add(recording.format().relations(), &audit.traces);
            names.push(path);
        }
    }
    let name = |tape: u32| names[tape as usize].to_str().unwrap().to_owned();
    let mut expected = Vec::new();
    for related in relations.find() {
        for other in &related.others {
            expected.push(vec![
                name(related.tape),
                related.relation.code.to_owned(),
                related.severity.name().to_owned(),
                related.relation.kind.to_owned(),
                name(*other),
                related.more.to_string(),
                format!("{} {}", related.relation.says, name(*other)),
            ]);
        }
    }
    expected.sort();
    assert!(expected.iter().any(|row| row[5] != "0"), "no crowd");
    let kinds = |kind: &str| expected.iter().filter(|row| row[3] == kind).count();
    assert!(kinds("same-game") > 100, "{}", kinds("same-game"));
    let mut found =
        asked.rows("SELECT recording, code, severity, kind, other, more, message FROM relations");
    found.sort();
    assert_eq!(found, expected);
    // Some columns, in another order, of some rows.
    let one = folder.path().join("one-V1.rmv");
    let sql = format!(
        "SELECT file(other), code FROM relations WHERE recording = '{}'",
        one.display()
    );
    assert_eq!(asked.rows(&sql), [["one-V2.rmv", "rmv.same-game"]]);
    let count = asked.value("SELECT count(*) FROM relations");
    assert_eq!(count, expected.len().to_string());
}
