//! Folders of games, as a ranking meets them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gametape::mines::{Game, rmv};
use gametape_samples::mines::{Tampering, record, scenarios};
use gametape_testkit::mines::twins;
use serde_json::Value;
use snapbox::cmd::cargo_bin;

use crate::common::{fine, json, outputs};

fn scenario(name: &str, seed: u64) -> Game<'static> {
    let scenarios = scenarios();
    let scenario = scenarios.iter().find(|scenario| scenario.name == name);
    record(scenario.unwrap(), seed).unwrap()
}

/// The demo's games, in this folder.
pub fn demo(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        fs::write(folder.join(format!("{name}.rmv")), bytes).unwrap();
    };
    for scenario in scenarios() {
        let game = record(&scenario, 1).unwrap();
        write(scenario.name, rmv::write(&game).unwrap());
    }
    let first = rmv::write(&scenario("beginner-win", 1)).unwrap();
    for tampering in Tampering::ALL {
        write(tampering.name(), tampering.of(&first).unwrap());
    }
}

/// The blocks of a page in a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

/// Commands of a block, each with what it says. An ellipsis stands for the rest of a line.
fn commands(block: &str) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command, Vec::new())),
            None => commands.last_mut().unwrap().1.push(line),
        }
    }
    commands
}

/// The page runs from its start to its end, and says what the commands say.
#[test]
#[cfg(target_os = "linux")]
fn the_page_of_the_book_is_what_happens() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/ranking.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    demo(&path.join("demo-recordings"));
    let tomls = blocks(&page, "toml");
    assert_eq!(
        tomls[0].trim_end(),
        fine(path, "verify --print-policy")
            .split("\n\n# Recordings of other formats")
            .next()
            .unwrap(),
        "the default that the page shows"
    );
    // The other one is one.
    fs::write(path.join("summer.toml"), tomls[1]).unwrap();
    let (_, err) = outputs(path, "verify --policy summer.toml demo-recordings", 1);
    assert_eq!(err, "");
    fs::write(path.join("friday.toml"), tomls[1].replace("win7", "win6")).unwrap();
    let binary = cargo_bin("gametape");
    let bin = binary.parent().unwrap().display();
    for (command, expected) in blocks(&page, "console").into_iter().flat_map(commands) {
        let run = std::process::Command::new("bash")
            .current_dir(path)
            .env("NO_COLOR", "1")
            .arg("-c")
            .arg(format!("PATH=\"{bin}:$PATH\"; {command} 2>&1"))
            .output()
            .unwrap();
        let printed = String::from_utf8(run.stdout).unwrap();
        let same = |(line, expected): (&str, &&str)| match expected.split_once('…') {
            Some((start, _)) => line.starts_with(start),
            None => line == *expected,
        };
        assert!(
            printed.lines().count() == expected.len() && printed.lines().zip(&expected).all(same),
            "{command}\n{printed}\n{expected:#?}"
        );
    }
}

/// The JSON lines of each path.
fn by_path(out: &str) -> BTreeMap<String, Vec<Value>> {
    let mut lines: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in out.lines().map(json) {
        if let Some(path) = line["path"].as_str() {
            lines.entry(path.to_owned()).or_default().push(line);
        }
    }
    lines
}

#[test]
fn a_copy_is_found_in_both_files_and_rejected() {
    let (game, other) = (scenario("expert-win", 5), scenario("expert-win", 6));
    for twin in twins() {
        let mut game = game.clone();
        game.checksum = (0..18).map(|byte| byte * 7 + 1).collect();
        let Some(forged) = twin.of(&game, &other, 2) else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("games")).unwrap();
        fs::write(path.join("games/a.rmv"), rmv::write(&game).unwrap()).unwrap();
        fs::write(path.join("games/b.rmv"), rmv::write(&forged).unwrap()).unwrap();
        let lines = by_path(&outputs(path, "verify --json games", 0).0);
        for (one, other) in [
            ("games/a.rmv", "games/b.rmv"),
            ("games/b.rmv", "games/a.rmv"),
        ] {
            let [line] = lines[one].as_slice() else {
                panic!("{}: {lines:?}", twin.name);
            };
            let mut findings = line["findings"].as_array().unwrap().iter();
            let finding = findings.find(|finding| finding["code"] == twin.code);
            let finding = finding.unwrap_or_else(|| panic!("{}: {line}", twin.name));
            assert_eq!(finding["data"]["other"], other, "{}", twin.name);
            assert_eq!(line["verdict"], "warn", "{}", twin.name);
        }
        let (out, _) = outputs(path, "verify games", 0);
        assert!(out.contains(&format!("warning {}: ", twin.code)), "{out}");
        assert!(out.contains(", 2 related to others; "), "{out}");
        let lines = by_path(&outputs(path, "verify --json --policy default games", 1).0);
        for line in lines.values().map(|lines| &lines[0]) {
            assert_eq!(line["admitted"], false, "{}", twin.name);
            let mut codes = line["reasons"].as_array().unwrap().iter();
            assert!(codes.any(|reason| reason["code"] == twin.code), "{line}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_pipe_has_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // More than a pipe holds.
    let names: Vec<String> = (0..12).map(|number| number.to_string()).collect();
    for name in &names {
        demo(&path.join(name));
    }
    let paths = names.join(" ");
    let binary = cargo_bin("gametape");
    let run = std::process::Command::new("bash")
        .current_dir(path)
        .arg("-c")
        .arg(format!(
            "'{}' verify -v --json {paths} | head -1 > one; echo ${{PIPESTATUS[0]}}",
            binary.display()
        ))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "141\n");
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    assert_eq!(
        fs::read_to_string(path.join("one"))
            .unwrap()
            .lines()
            .count(),
        1
    );
}
