//! Catalogues beside archives.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use gametape::Secrets;
use gametape_query::{Archive, Indexed, index};

use crate::samples::{Asked, fill, fill_more};

/// Makes the files of a folder old enough to be trusted by their time.
fn age(folder: &Path) {
    let past = SystemTime::now() - Duration::from_mins(1);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(past)
                .unwrap();
        }
    }
}

fn indexed(folder: &Path) -> Indexed {
    index(&gametape::formats(), folder, |_, _| {}).unwrap()
}

const QUESTIONS: [&str; 6] = [
    "SELECT * FROM recordings ORDER BY recording",
    "SELECT * FROM games ORDER BY recording",
    "SELECT * FROM echo.matches ORDER BY recording",
    "SELECT * FROM findings ORDER BY recording, code, step",
    "SELECT * FROM verdicts WHERE admitted ORDER BY recording",
    "SELECT level, count(*), min(total_time_ms) FROM games WHERE recording LIKE '%win%' GROUP BY 1 ORDER BY 1",
];

/// A folder with recordings, one of them cut.
fn archive() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fill_more(folder.path());
    let mut cut = fs::read(folder.path().join("final.butter")).unwrap();
    cut.truncate(cut.len() / 2);
    fs::write(folder.path().join("cut.butter"), cut).unwrap();
    fs::write(folder.path().join("empty.rmv"), "").unwrap();
    age(folder.path());
    folder
}

#[test]
fn answers_are_the_same_with_a_catalogue_whatever_changes() {
    let folder = archive();
    let path = folder.path();
    let ask = || Asked::of(&[path.to_owned()]);
    let answers = |asked: &Asked| QUESTIONS.map(|sql| asked.rows(sql));
    let plain = ask();
    let expected = answers(&plain);
    let first = indexed(path);
    assert_eq!(first.read, first.recordings);
    assert_eq!(first.recordings, plain.archive.files().len());
    let known = ask();
    assert_eq!(answers(&known), expected);
    assert_eq!(known.archive.broken(), plain.archive.broken());

    // Nothing changed: nothing is read.
    assert_eq!(indexed(path), Indexed { read: 0, ..first });
    assert_eq!(answers(&ask()), expected);
    // A new time alone is no change.
    fs::File::options()
        .append(true)
        .open(path.join("loss.rmv"))
        .unwrap()
        .set_modified(SystemTime::now() - Duration::from_secs(9))
        .unwrap();
    assert_eq!(indexed(path), Indexed { read: 0, ..first });

    // One is gone, one is new, one is another game of the same size and name.
    fs::remove_file(path.join("clumsy.rmv")).unwrap();
    fs::copy(path.join("final.butter"), path.join("again.butter")).unwrap();
    let mut other = fs::read(path.join("loss.rmv")).unwrap();
    let at = other
        .windows(9)
        .position(|bytes| bytes == b"Synthetic")
        .unwrap();
    other[at] = b'C';
    fs::write(path.join("loss.rmv"), other).unwrap();
    let stale = answers(&ask());
    assert_ne!(stale, expected);
    // Without the catalogue the answers are the same.
    let folder_of_catalogue = path.join(".gametape-catalogue");
    let aside = tempfile::tempdir().unwrap();
    fs::rename(&folder_of_catalogue, aside.path().join("catalogue")).unwrap();
    let fresh = answers(&ask());
    fs::rename(aside.path().join("catalogue"), &folder_of_catalogue).unwrap();
    assert_eq!(stale, fresh);
    age(path);
    let third = indexed(path);
    assert_eq!((third.recordings, third.read), (first.recordings, 2));
    assert_eq!(answers(&ask()), fresh);
    // Files that no manifest names are gone.
    let parts = fs::read_dir(&folder_of_catalogue).unwrap();
    assert_eq!(
        parts.count(),
        2 + 4 + 4,
        "lock and manifest, list and tables about recordings, facts"
    );
}

#[test]
fn two_at_once_harm_nothing() {
    let folder = archive();
    let path = folder.path();
    let made: Vec<Indexed> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3).map(|_| scope.spawn(|| indexed(path))).collect();
        // A reader meanwhile has the old state or the new one.
        for _ in 0..5 {
            Archive::open(gametape::formats(), &[path.to_owned()], Secrets::Hide).unwrap();
        }
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    let read: Vec<usize> = made.iter().map(|made| made.read).collect();
    assert_eq!(read.iter().sum::<usize>(), made[0].recordings, "{read:?}");
}

#[test]
fn a_catalogue_that_is_replaced_during_a_query_changes_no_answer() {
    let folder = archive();
    let path = folder.path();
    indexed(path);
    let asked = Asked::of(&[path.to_owned()]);
    let before = QUESTIONS.map(|sql| asked.rows(sql));
    // All parts that the archive knows of are removed.
    fs::remove_file(path.join("clumsy.rmv")).unwrap();
    fs::copy(path.join("loss.rmv"), path.join("one more.rmv")).unwrap();
    age(path);
    indexed(path);
    let without = |rows: &Vec<Vec<String>>| -> Vec<Vec<String>> {
        let is_left = |row: &&Vec<String>| !row[0].ends_with("clumsy.rmv");
        rows.iter().filter(is_left).cloned().collect()
    };
    for (sql, before) in QUESTIONS.iter().zip(&before).take(5) {
        assert_eq!(asked.rows(sql), without(before), "{sql}");
    }
}

#[test]
fn a_newer_catalogue_is_refused() {
    let folder = archive();
    let path = folder.path();
    indexed(path);
    let manifest = path.join(".gametape-catalogue/catalogue.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let newer = text.replacen("\"catalogue\":2", "\"catalogue\":3", 1);
    assert_ne!(newer, text);
    fs::write(&manifest, newer).unwrap();
    let asked = Archive::open(gametape::formats(), &[path.to_owned()], Secrets::Hide);
    let error = asked.map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("has form 3, and this gametape knows form 2: use a newer gametape, or delete the folder and index again"), "{error}");
    // Made by another version: no error, but of no use.
    fs::write(&manifest, text.replacen("gametape 0", "gametape 9", 1)).unwrap();
    Archive::open(gametape::formats(), &[path.to_owned()], Secrets::Hide).unwrap();
}

#[test]
fn a_damaged_catalogue_changes_no_answer_and_is_made_again() {
    let folder = archive();
    let path = folder.path();
    let expected = QUESTIONS.map(|sql| Asked::of(&[path.to_owned()]).rows(sql));
    let first = indexed(path);
    let own = path.join(".gametape-catalogue");
    let parts = || -> Vec<_> {
        let entries = fs::read_dir(&own).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some()).collect()
    };
    for number in 0..parts().len() {
        let all = parts();
        let part = &all[number];
        let mut bytes = fs::read(part).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(part, bytes).unwrap();
        let found = QUESTIONS.map(|sql| Asked::of(&[path.to_owned()]).rows(sql));
        assert_eq!(found, expected, "{}", part.display());
        let again = indexed(path);
        assert_eq!(
            (again.recordings, again.read),
            (first.recordings, first.recordings),
            "{}",
            part.display()
        );
        assert_eq!(indexed(path).read, 0);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_changed_with_its_size_and_time_kept_is_read_again() {
    let folder = archive();
    let path = folder.path();
    indexed(path);
    let game = path.join("loss.rmv");
    let time = fs::metadata(&game).unwrap().modified().unwrap();
    let mut other = fs::read(&game).unwrap();
    let at = other
        .windows(9)
        .position(|bytes| bytes == b"Synthetic")
        .unwrap();
    other[at] = b'C';
    fs::write(&game, other).unwrap();
    fs::File::options()
        .append(true)
        .open(&game)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let asked = Asked::of(&[path.to_owned()]);
    let sql = "SELECT player_name FROM games WHERE recording LIKE '%/loss.rmv'";
    assert_eq!(asked.value(sql), "Cynthetic Player");
}
