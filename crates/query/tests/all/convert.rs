//! Archives that are converted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gametape::{Options, Recording};

use crate::samples::{Asked, fill};

/// The outputs, each with the path of its recording.
fn outputs(asked: &Asked, sql: &str) -> Vec<(PathBuf, PathBuf)> {
    let rows = asked.rows(sql);
    let pair = |row: &Vec<String>| (PathBuf::from(&row[0]), PathBuf::from(&row[1]));
    rows.iter().map(pair).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let name = |file: fs::DirEntry| file.file_name().into_string().unwrap();
    let mut names: Vec<String> = files.map(|file| name(file.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn each_output_is_that_of_the_library_and_a_second_run_changes_nothing() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(folder.path());
    let archive = folder.path().join("archive");
    fs::create_dir(&archive).unwrap();
    for name in ["match.echoreplay", "it's a \"match\".butter"] {
        fs::rename(folder.path().join(name), archive.join(name)).unwrap();
    }
    // The same name in another folder, with other content.
    fs::create_dir(archive.join("b")).unwrap();
    fs::copy(
        archive.join("it's a \"match\".butter"),
        archive.join("b/match.butter"),
    )
    .unwrap();
    let asked = Asked::of(std::slice::from_ref(&archive));
    let new = out.path().join("new/folder");
    let sql = format!(
        "SELECT recording, output, bytes, lossy, report IS NULL, problem FROM convert('butter', '{}')",
        new.display()
    );
    let rows = asked.rows(&sql);
    assert_eq!(rows.len(), 3);
    for (from, to) in outputs(&asked, &sql) {
        let made = Recording::open(&from)
            .unwrap()
            .convert("butter", &Options::new())
            .unwrap();
        let bytes = made.content.bytes().unwrap();
        assert_eq!(fs::read(&to).unwrap(), bytes, "{}", from.display());
        let name = to.file_name().unwrap().to_str().unwrap();
        let hash = blake3::hash(&bytes).to_hex();
        let stem = from.file_stem().unwrap().to_str().unwrap();
        assert_eq!(name, format!("{stem}-{}.butter", &hash[..16]));
        let row = rows.iter().find(|row| Path::new(&row[0]) == from).unwrap();
        assert_eq!(row[2], bytes.len().to_string());
        assert_eq!(row[3], made.outcome.is_lossy().to_string());
        assert_eq!(row[5], "null");
    }
    let before = names(&new);
    assert_eq!(before.len(), 3);
    let mut again = asked.rows(&sql);
    let mut rows = rows;
    again.sort();
    rows.sort();
    assert_eq!(again, rows);
    assert_eq!(names(&new), before);
}

#[test]
fn a_condition_decides_which_recordings_are_converted() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let sql = format!(
        "SELECT recording, output FROM convert('.rmv', '{}') WHERE recording LIKE '%win.rmv'",
        out.path().display()
    );
    let made = outputs(&asked, &sql);
    assert!(!made.is_empty() && made.len() < 7, "{made:?}");
    assert_eq!(names(out.path()).len(), made.len());
    // The same format gives the same bytes.
    for (from, to) in made {
        assert_eq!(fs::read(from).unwrap(), fs::read(to).unwrap());
    }
    // A plan alone writes nothing.
    let plan = tempfile::tempdir().unwrap();
    asked.rows(&format!(
        "EXPLAIN SELECT * FROM convert('rmv', '{}')",
        plan.path().display()
    ));
    assert!(names(plan.path()).is_empty());
}

#[test]
fn options_reach_the_format() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(folder.path());
    let path = folder.path().join("match.echoreplay");
    let asked = Asked::of(std::slice::from_ref(&path));
    let to = out.path().display();
    let sql = format!("SELECT output FROM convert('butter', '{to}', 'keyframe-every=7  redact')");
    let output = asked.value(&sql);
    let options = Options::new().flag("redact");
    let options = options.with("keyframe-every", gametape::OptionValue::Count(7));
    let made = Recording::open(&path)
        .unwrap()
        .convert("butter", &options)
        .unwrap();
    assert_eq!(fs::read(output).unwrap(), made.content.bytes().unwrap());
}

#[test]
fn what_cannot_be_converted_has_a_row_that_says_why() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(folder.path());
    for (from, to) in [
        ("match.echoreplay", "cut match.echoreplay"),
        ("it's a \"match\".butter", "cut.butter"),
    ] {
        let bytes = fs::read(folder.path().join(from)).unwrap();
        fs::write(folder.path().join(to), &bytes[..bytes.len() / 2]).unwrap();
    }
    let asked = Asked::of(&[folder.path().to_owned()]);
    let all = asked.archive.count();
    let sql = format!(
        "SELECT file(recording), output, problem, losses FROM convert('butter', '{}')",
        out.path().display()
    );
    let rows = asked.rows(&sql);
    assert_eq!(rows.len(), all);
    for row in &rows {
        let is_match = row[0].contains("match") && !row[0].contains(".mcap");
        assert_eq!(row[1] != "null", is_match, "{row:?}");
        assert_eq!(row[2] == "null", is_match, "{row:?}");
    }
    let problem = |name: &str| {
        let row = rows.iter().find(|row| row[0] == name).unwrap();
        row[2].clone()
    };
    assert!(problem("heat-1.murk").contains("can't be converted to butter"));
    // The whole lines of a text that is cut are converted, and the rest is a loss.
    let cut = rows.iter().find(|row| row[0] == "cut match.echoreplay");
    assert_ne!(cut.unwrap()[3], "null");
    // It is broken, the others are not.
    let broken = asked.archive.broken();
    assert_eq!(broken.len(), 1, "{broken:?}");
    let (name, why) = broken.iter().next().unwrap();
    assert!(name.ends_with("cut.butter"));
    assert!(why.ends_with(&problem("cut.butter")), "{why}");
    // The outputs are whole, or not there.
    assert_eq!(names(out.path()).len(), 3, "{:?}", names(out.path()));
}

#[test]
fn mistakes_are_said_before_anything_is_written() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(folder.path());
    let games = [folder.path().join("beginner-win.rmv")];
    let asked = Asked::of(&games);
    let to = out.path().display();
    for (call, wanted) in [
        (
            format!("convert('butter', '{to}')"),
            "no recording can be converted to butter",
        ),
        (
            format!("convert('docx', '{to}')"),
            "there is no format docx",
        ),
        (
            "convert('rmv')".to_owned(),
            "convert takes the extension of a format",
        ),
        (
            format!("convert('rmv', '{to}', 'fast')"),
            "there is no option fast",
        ),
        (format!("convert('rmv', '{to}', 5)"), "convert takes"),
    ] {
        let error = asked.batches(&format!("SELECT * FROM {call}")).unwrap_err();
        assert!(error.contains(wanted), "{call}: {error}");
    }
    assert!(names(out.path()).is_empty());
}

#[test]
fn an_output_that_cannot_be_written_ends_the_query() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let file = folder.path().join("notes.txt");
    let run = |sql: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
            .args([sql, "beginner-win.rmv"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), text)
    };
    // A file in the place of the folder.
    let (code, error) = run("SELECT * FROM convert('rmv', 'notes.txt')");
    assert_eq!(code, 2);
    assert!(
        error.starts_with(&format!("gametape query: {}: ", file.display())),
        "{error}"
    );
    // A relative folder is one of the working directory.
    let (code, error) = run("SELECT * FROM convert('rmv', 'made/here')");
    assert_eq!((code, error.as_str()), (0, ""));
    assert_eq!(names(&folder.path().join("made/here")).len(), 1);
}
