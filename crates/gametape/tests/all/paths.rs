//! Patterns find what the walk of a folder finds: of the same rules, each file once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gametape::{Error, find};
use glob::{MatchOptions, Pattern};
use proptest::prelude::*;
use tempfile::{TempDir, tempdir};

/// Files in a folder; a name that ends in a slash is a folder.
fn tree(names: &[&str]) -> TempDir {
    let folder = tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        }
    }
    folder
}

/// What a pattern below a folder finds, by its path in the folder.
fn found(folder: &TempDir, pattern: &str) -> Vec<String> {
    let root = Pattern::escape(folder.path().to_str().unwrap());
    assert_eq!(root, folder.path().to_str().unwrap());
    listed(folder, find(folder.path().join(pattern)))
}

fn listed(folder: &TempDir, found: Vec<Result<gametape::Found, Error>>) -> Vec<String> {
    let names = found.into_iter().map(|found| {
        let path = match found {
            Ok(found) => found.path,
            Err(Error::NotFound { .. }) => return "nothing".to_owned(),
            Err(error) => return error.to_string(),
        };
        let below = path.strip_prefix(folder.path()).unwrap();
        below.display().to_string()
    });
    names.collect()
}

#[cfg(unix)]
fn link(folder: &TempDir, to: &str, name: &str) {
    std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
}

#[test]
#[cfg(unix)]
fn links_to_folders_are_not_followed() {
    let folder = tree(&["games/a.rmv", "other/b.rmv"]);
    link(&folder, ".", "games/self");
    let games = ["games/a.rmv"];
    for pattern in [
        "games",
        "games/**/*",
        "games/**",
        "games/**/*.rmv",
        "games/*",
    ] {
        assert_eq!(found(&folder, pattern), games, "{pattern}");
    }
    // With a second one there are as many ways to the file as 2 to the power of 40.
    link(&folder, "..", "games/up");
    link(&folder, "../other", "games/other");
    link(&folder, "b", "games/a");
    link(&folder, "a", "games/b");
    for pattern in [
        "games",
        "games/**/*",
        "games/**",
        "games/**/*.rmv",
        "games/*",
    ] {
        assert_eq!(found(&folder, pattern), games, "{pattern}");
    }
    assert_eq!(found(&folder, "games/*/b.rmv"), ["nothing"]);
    // Those that are named are.
    assert_eq!(found(&folder, "games/other/*.rmv"), ["games/other/b.rmv"]);
    // Links to files are files; of those that lead nowhere the ones that claim to be recordings.
    link(&folder, "../other/b.rmv", "games/c.rmv");
    link(&folder, "gone.rmv", "games/d.rmv");
    link(&folder, "e.rmv", "games/e.rmv");
    link(&folder, "gone", "games/f");
    let all = ["games/a.rmv", "games/c.rmv", "games/d.rmv", "games/e.rmv"];
    for pattern in ["games", "games/*", "games/**/*.rmv"] {
        assert_eq!(found(&folder, pattern), all, "{pattern}");
    }
}

#[test]
fn a_file_is_found_once_and_in_the_order_of_the_walk() {
    let folder = tree(&["b/c/3.rmv", "b/2.rmv", "a.rmv", "b.rmv", ".hidden/h.rmv"]);
    let all = [".hidden/h.rmv", "a.rmv", "b/2.rmv", "b/c/3.rmv", "b.rmv"];
    for pattern in ["", "**", "**/*", "*", "**/**/*", "**/*.rmv", "**/**"] {
        assert_eq!(found(&folder, pattern), all, "{pattern}");
    }
    for (pattern, expected) in [
        ("*/", vec![".hidden/h.rmv", "b/2.rmv", "b/c/3.rmv"]),
        ("*/*.rmv", vec![".hidden/h.rmv", "b/2.rmv"]),
        ("**/c", vec!["b/c/3.rmv"]),
        ("**/c/*", vec!["b/c/3.rmv"]),
        ("b/**/*.rmv", vec!["b/2.rmv", "b/c/3.rmv"]),
        ("b/c/**/*.rmv", vec!["b/c/3.rmv"]),
        ("*/*/?.rmv", vec!["b/c/3.rmv"]),
        ("[ab].rmv", vec!["a.rmv", "b.rmv"]),
        ("[!a].rmv", vec!["b.rmv"]),
        ("[a-c]/[0-2].rmv", vec!["b/2.rmv"]),
        ("A*", vec!["nothing"]),
        ("{a,b}.rmv", vec!["nothing"]),
        ("a.rmv/*", vec!["nothing"]),
        ("a.rmv/**", vec!["nothing"]),
        ("*.rmv/", vec!["nothing"]),
        ("*/c/./*", vec!["b/c/3.rmv"]),
        ("b/../b/*.rmv", vec!["b/../b/2.rmv"]),
    ] {
        let found = found(&folder, pattern);
        let is_none = expected == ["nothing"] && found[0].contains("Not a directory");
        assert!(found == expected || is_none, "{pattern}: {found:?}");
    }
}

#[test]
fn the_files_of_the_house_are_no_recordings() {
    let folder = tree(&["a.rmv", ".gametape-made.jsonl"]);
    for pattern in ["", "*", "**/*", ".g*"] {
        let expected = if pattern == ".g*" { "nothing" } else { "a.rmv" };
        assert_eq!(found(&folder, pattern), [expected], "{pattern}");
    }
}

#[test]
fn a_name_that_is_there_is_no_pattern() {
    let folder = tree(&[
        "[2021] games/final [1].rmv",
        "[2021] games/final 1.rmv",
        "2 games/b.rmv",
        "a*.rmv",
        "ab.rmv",
    ]);
    let first = "[2021] games/final [1].rmv";
    assert_eq!(found(&folder, first), [first]);
    assert_eq!(found(&folder, "a*.rmv"), ["a*.rmv"]);
    assert_eq!(found(&folder, "a[*].rmv"), ["a*.rmv"]);
    let both = ["[2021] games/final 1.rmv", first];
    assert_eq!(found(&folder, "[2021] games/*.rmv"), both);
    assert_eq!(found(&folder, "[[]2021] games/*.rmv"), both);
    assert_eq!(found(&folder, "[2-3] games/*.rmv"), ["2 games/b.rmv"]);
    let found = find(folder.path().join("[2021] games/*.rmv"));
    let below: Vec<PathBuf> = found
        .into_iter()
        .map(|found| found.unwrap().below)
        .collect();
    assert_eq!(below, ["final 1.rmv", "final [1].rmv"].map(PathBuf::from));
}

#[test]
fn what_is_no_pattern_says_so() {
    let folder = tree(&["ab.rmv"]);
    for (pattern, complaint) in [
        (
            "**.rmv",
            "is no pattern: ** stands for folders, and alone between two /",
        ),
        (
            "***/a",
            "is no pattern: ** stands for folders, and alone between two /",
        ),
        (
            "*/../a",
            "is no pattern: .. comes before the first *, ? or [",
        ),
    ] {
        let path = folder.path().join(pattern);
        let found = find(&path);
        let [Err(error)] = found.as_slice() else {
            panic!("{pattern}: {found:?}");
        };
        assert_eq!(
            error.to_string(),
            format!("{}: {complaint}", path.display())
        );
        assert_eq!(error.code(), "pattern");
    }
    // A bracket that is not closed stands for itself.
    for name in ["a[.rmv", "[", "a[]", "[!]"] {
        assert_eq!(found(&folder, name), ["nothing"]);
    }
    fs::write(folder.path().join("final [1.rmv"), b"").unwrap();
    assert_eq!(found(&folder, "fin* [?.rmv"), ["final [1.rmv"]);
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_no_text_are_found() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempdir().unwrap();
    let names = [&b"g\xfe.rmv"[..], b"g\xff.rmv", b"g\xff1.rmv", b"h.rmv"];
    for name in names {
        fs::write(folder.path().join(OsStr::from_bytes(name)), b"").unwrap();
    }
    let found = |pattern: &[u8]| -> Vec<Vec<u8>> {
        let found = find(folder.path().join(OsStr::from_bytes(pattern)));
        let paths = found.into_iter().map(|found| found.unwrap().path);
        let name = |path: PathBuf| path.file_name().unwrap().as_bytes().to_vec();
        paths.map(name).collect()
    };
    assert_eq!(found(b"*.rmv"), names);
    assert_eq!(found(b"g?.rmv"), names[..2]);
    assert_eq!(found(b"g\xff*.rmv"), names[1..3]);
    assert_eq!(found(b"g[!\xff]*.rmv"), names[..1]);
}

/// Folders that can't be read are named, as a folder's are, and none that need not be entered.
#[test]
#[cfg(target_os = "linux")]
fn what_can_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tree(&["a/1.rmv", "b/2.rmv", "b/locked/3.rmv"]);
    let locked = folder.path().join("b/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&locked).is_ok() {
        eprintln!("SKIPPED: this user may read every folder");
        return;
    }
    let complaint = format!("{}: Permission denied (os error 13)", locked.display());
    for pattern in ["", "**/*.rmv", "*", "**"] {
        let expected = ["a/1.rmv", "b/2.rmv", &*complaint];
        assert_eq!(found(&folder, pattern), expected, "{pattern}");
    }
    for (pattern, expected) in [
        ("*/*.rmv", vec!["a/1.rmv", "b/2.rmv"]),
        ("a/**", vec!["a/1.rmv"]),
        ("*/2*", vec!["b/2.rmv"]),
        ("b/l*/*", vec![&*complaint]),
        ("b/*/3.rmv", vec![&*complaint]),
        ("b/x*/3.rmv", vec!["nothing"]),
        ("**/locked/3*", vec![&*complaint]),
    ] {
        assert_eq!(found(&folder, pattern), expected, "{pattern}");
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A folder that is one recording is not opened up by a pattern.
#[test]
fn a_folder_that_is_one_recording_stays_one() {
    let folder = tree(&[
        "runs/1/full_000001.bin",
        "runs/1/schema.json",
        "runs/2/full_000001.bin",
        "runs/more/3/full_000001.bin",
    ]);
    let all = ["runs/1", "runs/2", "runs/more/3"];
    for pattern in ["runs", "runs/**", "runs/**/*", "runs/*", "*"] {
        assert_eq!(found(&folder, pattern), all, "{pattern}");
    }
    assert_eq!(found(&folder, "runs/?"), all[..2]);
    assert_eq!(found(&folder, "runs/**/*.bin"), ["nothing"]);
    // Its own files are what a pattern in it means.
    assert_eq!(found(&folder, "runs/1/*.bin"), ["runs/1/full_000001.bin"]);
}

/// Patterns as matched by somebody else, over what a walk of the folder gives.
fn slow(folder: &TempDir, pattern: &str) -> BTreeSet<String> {
    let (pattern, only_folders) = match pattern.strip_suffix('/') {
        // Any number of folders are folders anyway.
        Some(pattern) => (pattern, !pattern.ends_with("**")),
        None => (pattern, false),
    };
    let matcher = Pattern::new(pattern).unwrap();
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    let all = listed(folder, find(folder.path())).into_iter();
    let is_meant = |name: &String| {
        let mut above = Path::new(name)
            .ancestors()
            .filter(|path| *path != Path::new(""));
        above.any(|path| {
            matcher.matches_path_with(path, options) && !(only_folders && path == Path::new(name))
        })
    };
    all.filter(is_meant).collect()
}

proptest! {
    #[test]
    fn a_pattern_takes_of_the_walk_what_it_matches(
        names in prop::collection::vec("[ab.]{1,2}(/[ab]{1,2}){0,3}", 0..12),
        pattern in r"(\*\*|\*|\?|[ab]{1,2}|\*[ab]|[ab]\*|\[ab\]|\[!a\]\*)(/(\*\*|\*|\?|[ab]{1,2}|\*[ab]|[ab]\?)){0,4}/?",
    ) {
        let folder = tempdir().unwrap();
        for name in &names {
            let path = folder.path().join(name);
            // A name may be that of a folder already, or of a file.
            let _ = fs::create_dir_all(path.parent().unwrap()).and_then(|()| fs::write(path, b""));
        }
        let expected = slow(&folder, &pattern);
        let found = found(&folder, &pattern);
        let once: BTreeSet<String> = found.iter().filter(|name| !name.contains("nothing")).cloned().collect();
        // A name that is there is no pattern, and a file is no folder.
        let is_there = folder.path().join(&pattern).symlink_metadata().is_ok();
        let is_none = found.len() == 1 && (found[0] == "nothing" || found[0].contains("os error"));
        prop_assert!(
            once == expected && (once.len() == found.len() || is_none) || is_there || expected.is_empty() && is_none,
            "{} of {:?}: {:?}, expected {:?}", pattern, names, found, expected
        );
    }
}
