//! Files that exist already, and names that are no text: nothing is lost, and nothing looks alike.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use gametape::mines::rmv;
use gametape_samples::mines::{record, scenarios};
use serde_json::Value;
use snapbox::cmd::cargo_bin;

use crate::common::{expect, fine, names, outputs, refused};
use crate::kit::samples;

/// Two games of Minesweeper.
fn games() -> [Vec<u8>; 2] {
    let scenario = &scenarios()[0];
    [1, 2].map(|seed| rmv::write(&record(scenario, seed).unwrap()).unwrap())
}

/// What the folder of two games has, beside them.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = games();
    fs::write(folder.path().join("a.rmv"), a).unwrap();
    fs::write(folder.path().join("b.rmv"), b).unwrap();
    folder
}

/// Runs a line of a shell in which `gametape` is the command.
fn shell(folder: &Path, line: &str) -> Output {
    let line = format!(
        "gametape() {{ '{}' \"$@\"; }}; {line}",
        cargo_bin("gametape").display()
    );
    let mut sh = Command::new("sh");
    sh.current_dir(folder)
        .env("NO_COLOR", "1")
        .args(["-c", &line]);
    sh.output().unwrap()
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap()
}

/// A pattern that stands for exactly two files gives the second where the output belongs.
#[test]
fn a_pattern_of_two_recordings_does_not_replace_the_second() {
    let [game] = samples("butter")
        .try_into()
        .unwrap_or_else(|_| unreachable!());
    for (extension, line) in [
        ("rmv", "gametape repair *.rmv"),
        ("rmv", "gametape convert *.rmv"),
        ("rmv", "gametape convert a.rmv b.rmv"),
        ("butter", "gametape repair *.butter"),
        ("butter", "gametape cut *.butter --from step:0"),
    ] {
        let folder = folder();
        let path = folder.path();
        if extension == "butter" {
            fs::write(path.join("a.butter"), &game.bytes).unwrap();
            outputs(path, "convert --keyframe-every 2 a.butter b.butter", 3);
        }
        let [first, second] = ["a", "b"].map(|stem| format!("{stem}.{extension}"));
        let [a, b] = [&first, &second].map(|name| read(path, name));
        assert_ne!(a, b);
        let before = names(path);
        let ended = shell(path, line);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{line}: {said}");
        assert_eq!(
            said,
            format!("gametape: {second} exists and is not replaced; --replace replaces it\n"),
            "{line}"
        );
        assert_eq!(ended.stdout, b"", "{line}");
        assert_eq!(read(path, &first), a, "{line}");
        assert_eq!(read(path, &second), b, "{line}");
        assert_eq!(names(path), before, "{line}");
        let ended = shell(path, &format!("{line} --replace"));
        assert_eq!(ended.status.code(), Some(0), "{line} --replace");
        assert_eq!(read(path, &second), a, "{line} --replace");
        // Now it is the same result again.
        assert_eq!(shell(path, line).status.code(), Some(0), "{line}, again");
    }
}

/// As data, and for outputs that are no recordings.
#[test]
fn every_verb_that_writes_a_file_keeps_an_existing_one() {
    let folder = folder();
    let path = folder.path();
    let (out, _) = outputs(path, "--json convert a.rmv b.rmv", 2);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["path"], "b.rmv");
    assert_eq!(told["error"]["code"], "exists");
    let mine = b"a text of somebody's";
    let mut calls = vec!["convert a.rmv out.mcap"];
    if cfg!(feature = "picture") {
        calls.push("picture a.rmv out.svg");
        calls.push("picture a.rmv out.png");
    }
    for call in calls {
        let name = call.rsplit(' ').next().unwrap();
        fs::write(path.join(name), mine).unwrap();
        let complaint = format!("{name} exists and is not replaced; --replace replaces it");
        refused(path, call, &complaint);
        assert_eq!(read(path, name), mine, "{call}");
        expect(path, &format!("{call} --replace"), 0);
        let made = read(path, name);
        assert_ne!(made, mine, "{call}");
        expect(path, call, 0);
        assert_eq!(read(path, name), made, "{call}");
    }
    // What can take any number of bytes is written as ever.
    symlink("/dev/null", path.join("null.rmv")).unwrap();
    fine(path, "convert a.rmv null.rmv");
}

/// Below a folder, a file is replaced if an earlier call made it, and if it is still what that call wrote.
#[test]
fn of_many_files_those_of_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let [a, b] = games();
    for name in ["in", "out"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    fs::write(path.join("in/a.rmv"), &a).unwrap();
    fs::write(path.join("out/a.rmv"), &b).unwrap();
    let call = "convert in --out out";
    let (_, err) = outputs(path, call, 2);
    assert_eq!(
        err,
        "gametape: out/a.rmv exists and is not replaced; --replace replaces it\n"
    );
    assert_eq!(read(path, "out/a.rmv"), b);
    fine(path, &format!("{call} --replace"));
    assert_eq!(read(path, "out/a.rmv"), a);
    // Made of another input, it is made anew; changed by somebody, it stays.
    fs::write(path.join("in/a.rmv"), &b).unwrap();
    fine(path, call);
    assert_eq!(read(path, "out/a.rmv"), b);
    fs::write(path.join("out/a.rmv"), &a).unwrap();
    expect(path, call, 2);
    assert_eq!(read(path, "out/a.rmv"), a);
    // Without the notes of earlier calls, the same result is no replacement.
    fs::write(path.join("out/a.rmv"), &b).unwrap();
    fs::remove_file(path.join("out/.gametape-made.jsonl")).unwrap();
    fine(path, call);
}

/// The values of a key in lines of JSON, of lines that have a path.
fn told(out: &str, key: &str) -> Vec<String> {
    let lines = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let values = lines.filter_map(|line| line[key].as_str().map(str::to_owned));
    values.collect()
}

/// The byte for byte name behind `path_bytes`, and the text: each once for each file, and the same everywhere.
#[test]
fn names_that_are_no_text_are_told_apart_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("in")).unwrap();
    // The third is text, and looks like the first.
    let all: [&[u8]; 3] = [b"a\xfe.rmv", b"a\xff.rmv", br"a\xff.rmv"];
    let [game, _] = games();
    for name in all {
        if fs::write(path.join("in").join(OsStr::from_bytes(name)), &game).is_err() {
            // Not every file system has such names.
            return;
        }
    }
    let below = |folder: &str| -> BTreeSet<String> {
        let texts = [r"a\xfe.rmv", r"a\xff.rmv", r"a\x5cxff.rmv"];
        texts.map(|name| format!("{folder}/{name}")).into()
    };
    for call in ["verify", "inspect", "stats"] {
        let (out, _) = outputs(path, &format!("--json {call} in"), 0);
        let paths = told(&out, "path");
        assert_eq!(paths.len(), 3, "{out}");
        assert_eq!(BTreeSet::from_iter(paths), below("in"), "{out}");
        let bytes = BTreeSet::from_iter(told(&out, "path_bytes"));
        let exact = ["in/a%FE.rmv", "in/a%FF.rmv", r"in/a\xff.rmv"];
        assert_eq!(bytes, exact.map(str::to_owned).into(), "{out}");
        let (out, _) = outputs(path, &format!("{call} in"), 0);
        for name in below("in") {
            assert!(out.contains(&name), "{name}: {out}");
        }
    }
    // The same game three times: each is related to the two others.
    let (out, _) = outputs(path, "--json verify in", 0);
    for line in out.lines().filter(|line| !line.contains("summary")) {
        let line: Value = serde_json::from_str(line).unwrap();
        let found = line["findings"].as_array().unwrap().iter();
        let same: Vec<&Value> = found.filter(|one| one["code"] == "rmv.same-game").collect();
        let [same] = same.as_slice() else {
            panic!("{out}");
        };
        let others = same["data"]["others"].as_array().unwrap().iter();
        let mut texts: BTreeSet<&str> = others.map(|one| one["path"].as_str().unwrap()).collect();
        assert!(texts.insert(line["path"].as_str().unwrap()), "{line}");
        assert_eq!(texts.len(), 3, "{line}");
    }
    for call in ["convert", "repair"] {
        let (dry, _) = outputs(path, &format!("{call} in --out {call} --dry-run"), 0);
        let (out, _) = outputs(path, &format!("{call} in --out {call}"), 0);
        for (name, text) in below("in").iter().zip(below(call)) {
            assert!(dry.contains(name) && dry.contains(&text), "{dry}");
            assert!(out.contains(&text), "{out}");
        }
        for name in all {
            let made = fs::read(path.join(call).join(OsStr::from_bytes(name)));
            assert_eq!(made.unwrap(), game);
        }
        let (out, _) = outputs(path, &format!("--json {call} in --out {call}"), 0);
        assert_eq!(
            BTreeSet::from_iter(told(&out, "path")),
            below("in"),
            "{out}"
        );
        assert_eq!(BTreeSet::from_iter(told(&out, "out")), below(call), "{out}");
        let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        assert_eq!(last["summary"]["kept"], 3, "{out}");
    }
    // Errors name the file in the same way.
    for name in all {
        fs::write(path.join("convert").join(OsStr::from_bytes(name)), "mine").unwrap();
    }
    let (_, err) = outputs(path, "convert in --out convert", 2);
    for name in below("convert") {
        assert!(err.contains(&format!("{name} exists")), "{name}: {err}");
    }
}
