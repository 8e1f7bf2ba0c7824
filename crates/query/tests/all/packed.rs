//! Archives answer as the folders do that were packed.

use std::fs;
use std::path::Path;

use gametape_query::index;
use gametape_testkit::archive::pack;

use crate::samples::{Asked, fill, fill_more};

const QUESTIONS: [&str; 6] = [
    "SELECT recording, format, duration_ms, bytes, problem FROM recordings ORDER BY recording",
    "SELECT * FROM games ORDER BY recording",
    "SELECT * FROM echo.roster ORDER BY recording, person",
    "SELECT * FROM findings ORDER BY recording, number",
    "SELECT recording, count(*), sum(x) FROM rmv.cursor GROUP BY recording ORDER BY recording",
    "SELECT * FROM relations ORDER BY 1, 2, 3",
];

/// The rows of all questions, without the path of the folder or archive.
fn answers(path: &Path) -> Vec<String> {
    let asked = Asked::of(&[path.to_owned()]);
    assert!(
        asked.archive.broken().is_empty(),
        "{:?}",
        asked.archive.broken()
    );
    let path = path.display().to_string();
    let rows = |sql: &str| format!("{:?}", asked.rows(sql)).replace(&path, "PATH");
    QUESTIONS.map(rows).to_vec()
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    let read = |name: String| (name.clone(), fs::read(folder.join(name)).unwrap());
    names.into_iter().map(read).collect()
}

#[test]
fn an_archive_answers_as_its_folder_does() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    fs::create_dir(&games).unwrap();
    fill(&games);
    fill_more(&games);
    let plain = answers(&games);
    let files = files(&games);
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (&**name, &**bytes))
        .collect();
    for kind in ["deflate.zip", "packed.tar.zst"] {
        let path = folder.path().join(kind);
        fs::write(&path, pack(kind, &files)).unwrap();
        for (sql, (packed, plain)) in QUESTIONS.iter().zip(answers(&path).iter().zip(&plain)) {
            assert!(packed == plain, "{kind}: {sql}\n{packed}\n{plain}");
        }
    }
}

#[test]
fn a_catalogue_knows_the_recordings_in_archives() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    let path = folder.path().join("archives");
    fs::create_dir(&plain).unwrap();
    fs::create_dir(&path).unwrap();
    fill(&plain);
    let game = fs::read(plain.join("beginner-win.rmv")).unwrap();
    let names: Vec<String> = (0..1000)
        .map(|number| format!("2022/{number}.rmv"))
        .collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*game)).collect();
    let zip = path.join("games.zip");
    let write = |files: &[(&str, &[u8])]| {
        fs::write(&zip, pack("deflate.zip", files)).unwrap();
        // Old enough to be trusted by its time.
        let past = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
        let file = fs::File::options().append(true).open(&zip).unwrap();
        file.set_modified(past).unwrap();
    };
    write(&files);
    let indexed = || index(&gametape::formats(), &path, |_, _| {}).unwrap();
    assert_eq!(indexed().read, 1000);
    assert_eq!(indexed().read, 0);
    let count = || {
        let asked = Asked::of(std::slice::from_ref(&path));
        format!("{:?}", asked.rows("SELECT count(*), sum(bbbv) FROM games"))
    };
    let before = count();
    assert!(before.contains("1000"), "{before}");
    write(&files[..10]);
    assert_eq!(indexed().recordings, 10);
    assert!(!count().contains("1000"));
}
