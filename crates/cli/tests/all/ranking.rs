//! Folders of games, as a ranking meets them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gametape::mines::{Game, rmv};
use gametape_samples::mines::{Tampering, record, scenarios};
use gametape_testkit::mines::twins;
use serde_json::Value;
use snapbox::cmd::cargo_bin;

use crate::common::{fine, gametape, json, outputs};

fn scenario(name: &str, seed: u64) -> Game<'static> {
    let scenarios = scenarios();
    let scenario = scenarios.iter().find(|scenario| scenario.name == name);
    record(scenario.unwrap(), seed).unwrap()
}

/// The demo's games.
fn demo(folder: &Path) {
    let folder = folder.join("demo-recordings");
    fs::create_dir(&folder).unwrap();
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
    demo(path);
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
fn a_file_that_is_named_twice_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(
        path.join("a.rmv"),
        rmv::write(&scenario("expert-win", 5)).unwrap(),
    )
    .unwrap();
    fs::write(
        path.join("b.rmv"),
        rmv::write(&scenario("expert-win", 6)).unwrap(),
    )
    .unwrap();
    let out = fine(path, "verify a.rmv ./a.rmv .");
    assert!(!out.contains("same-game"), "{out}");
    assert!(out.contains("2 recordings: 2 pass; "), "{out}");
    assert!(out.ends_with(", 1 more path to one of them\n"), "{out}");
}

/// One line a file, when all have been read; who reads them is told of those that are no games, too.
#[test]
fn a_policy_says_one_line_a_file_and_what_was_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    demo(path);
    fs::write(path.join("demo-recordings/notes.txt"), "notes").unwrap();
    fs::write(path.join("demo-recordings/broken.rmv"), "nothing").unwrap();
    let (out, _) = outputs(path, "verify --json --policy default demo-recordings", 1);
    let lines = by_path(&out);
    assert!(lines.values().all(|lines| lines.len() == 1), "{out}");
    let of = |name: &str| &lines[&format!("demo-recordings/{name}")][0];
    assert_eq!(of("expert-win.rmv")["admitted"], true);
    assert_eq!(of("expert-win.rmv")["facts"]["level"], "expert");
    assert_eq!(of("broken.rmv")["admitted"], false);
    assert_eq!(of("broken.rmv")["reasons"][0]["code"], "rmv.signature");
    assert_eq!(of("tampered-time.rmv")["admitted"], false);
    assert!(of("notes.txt")["admitted"].is_null());
    assert!(
        of("notes.txt")["skipped"]
            .as_str()
            .unwrap()
            .contains("\"notes\"")
    );
    let summary = &json(out.lines().last().unwrap())["summary"];
    let [admitted, rejected] = ["admitted", "rejected"].map(|key| summary[key].as_u64().unwrap());
    assert_eq!(admitted + rejected, summary["recordings"].as_u64().unwrap());
    // A policy that rejects nothing.
    fs::write(path.join("all.toml"), "[rmv]\nreject = []\n").unwrap();
    outputs(path, "verify --policy all.toml demo-recordings", 0);
    for verb in ["stats", "inspect"] {
        let (out, _) = outputs(path, &format!("{verb} --json demo-recordings"), 2);
        assert!(
            out.contains("\"skipped\":\"not a recording"),
            "{verb}: {out}"
        );
    }
}

#[test]
fn stats_mark_a_game_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    demo(path);
    let (out, err) = outputs(path, "stats demo-recordings/tampered-time.rmv", 1);
    assert_eq!(err, "");
    let mut lines = out.lines();
    assert_eq!(
        lines.next(),
        Some("fail  demo-recordings/tampered-time.rmv")
    );
    assert!(
        lines.next().unwrap().starts_with("      error rmv.time, "),
        "{out}"
    );
    let (out, _) = outputs(path, "stats --json demo-recordings/tampered-time.rmv", 1);
    let line = json(&out);
    assert_eq!(line["verdict"], "fail");
    assert_eq!(line["findings"][0]["code"], "rmv.time");
    let line = json(&fine(path, "stats --json demo-recordings/mode-win7.rmv"));
    for (key, value) in [("verdict", "pass"), ("mode", "win7"), ("level", "beginner")] {
        assert_eq!(line[key], value);
    }
    assert!(line["style"].is_string() && line["bbbv"].is_u64());
    let out = fine(path, "stats demo-recordings/mode-win7.rmv");
    assert!(out.starts_with("demo-recordings/mode-win7.rmv\n"), "{out}");
}

#[test]
#[cfg(target_os = "linux")]
fn paths_that_are_no_text_do_not_collide() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let games = path.join("games");
    fs::create_dir(&games).unwrap();
    for (seed, name) in [(1, b"g\xfe.rmv"), (2, b"g\xff.rmv")] {
        let name = games.join(std::ffi::OsStr::from_bytes(name));
        let game = scenario("expert-win", seed);
        fs::write(name, rmv::write(&game).unwrap()).unwrap();
    }
    for (verb, code) in [
        ("verify", 0),
        ("verify --policy default", 0),
        ("stats", 0),
        ("inspect", 0),
        ("convert --out made", 0),
    ] {
        let (out, _) = outputs(path, &format!("--json {verb} games"), code);
        let lines = out.lines().map(json);
        let bytes = lines.filter_map(|line| Some(line["path_bytes"].as_str()?.to_owned()));
        let bytes: Vec<String> = bytes.collect();
        assert_eq!(bytes, ["games/g%FE.rmv", "games/g%FF.rmv"], "{verb}: {out}");
    }
    let (out, _) = outputs(path, "verify games", 0);
    assert!(out.contains("games/g\\xff.rmv"), "{out}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_pipe_has_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // More than a pipe holds.
    let names: Vec<String> = (0..12).map(|number| number.to_string()).collect();
    for name in &names {
        fs::create_dir(path.join(name)).unwrap();
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

#[test]
fn a_broken_policy_is_refused_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("bad.toml"), "[rmv]\nreject = [\"rmv.timee\"]\n").unwrap();
    for (args, complaint) in [
        (
            ["verify", "--policy", "bad.toml", "nothing"],
            "gametape: bad.toml: line 2: rmv has no finding \"rmv.timee\"; the nearest is \"rmv.time\"\n",
        ),
        (
            ["verify", "--policy", "none.toml", "nothing"],
            "gametape: none.toml: no such file; a policy is a file, or default, which --print-policy prints\n",
        ),
        (
            ["verify", "--policy", "defalt", "nothing"],
            "gametape: defalt: no such file; default may be meant\n",
        ),
        (
            ["verify", "--policy", ".", "nothing"],
            "gametape: .: is a folder; a policy is a file, or default, which --print-policy prints\n",
        ),
    ] {
        let run = gametape(path, &args).assert().code(2).stdout_eq("");
        assert_eq!(String::from_utf8_lossy(&run.get_output().stderr), complaint);
    }
}

/// A recording of a simulation.
fn simulated() -> Vec<u8> {
    let world = gametape::murk::engine::World::from_toml(gametape_samples::murk::HEAT).unwrap();
    gametape_samples::murk::record(&world, world.build().unwrap(), 1, 5).unwrap()
}

/// A policy that says nothing of a format neither admits nor rejects its recordings, and hides nothing of what is
/// wrong with them.
#[test]
fn what_a_policy_does_not_judge_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut run = simulated();
    fs::write(path.join("run.murk"), &run).unwrap();
    let out = fine(path, "verify --policy default run.murk");
    assert_eq!(
        out,
        "not judged  run.murk  5 ticks, replayed: every hash is right\n"
    );
    assert_eq!(
        fine(path, "verify --policy default --csv run.murk"),
        "path,admitted,class,reasons\nrun.murk,,,\n"
    );
    // The last byte belongs to the last hash.
    *run.last_mut().unwrap() ^= 1;
    fs::write(path.join("false.murk"), &run).unwrap();
    let (out, err) = outputs(path, "verify --policy default false.murk run.murk", 1);
    assert_eq!(err, "");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("not judged  false.murk  "), "{out}");
    assert!(lines[1].trim_start().starts_with("error murk."), "{out}");
    assert!(out.contains("2 recordings: 2 not judged; "), "{out}");
    outputs(path, "verify --policy default --json false.murk", 1);
    // A table for the format judges them.
    fs::write(path.join("runs.toml"), "[murk]\n").unwrap();
    let (out, _) = outputs(path, "verify --policy runs.toml false.murk run.murk", 1);
    assert!(
        out.contains("2 recordings: 1 admitted, 1 rejected; "),
        "{out}"
    );
}

/// The rows of a table, each by its columns.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let cells = heads.iter().zip(row.iter());
        cells
            .map(|(head, cell)| (head.to_owned(), cell.to_owned()))
            .collect()
    });
    rows.collect()
}

#[test]
fn a_ranking_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    demo(path);
    fs::write(path.join("demo-recordings/broken.rmv"), "nothing").unwrap();
    fs::write(path.join("demo-recordings/notes.txt"), "notes").unwrap();
    fs::write(path.join("demo-recordings/run.murk"), simulated()).unwrap();
    let (out, err) = outputs(path, "verify --policy default --csv demo-recordings", 1);
    assert_eq!(err, "");
    let heads = out.lines().next().unwrap();
    assert_eq!(
        heads,
        "path,admitted,class,reasons,player_name,level,total_time_ms,mode,outcome,board_cols,board_mines,board_rows,bbbv"
    );
    let rows = table(&out);
    let (json, _) = outputs(path, "verify --policy default --json demo-recordings", 1);
    let lines = by_path(&json);
    for row in &rows {
        // The table says what the objects say.
        let [line] = lines[&row["path"]].as_slice() else {
            panic!("{row:?}")
        };
        let admitted = line["admitted"].as_bool();
        let admitted = admitted.map_or_else(String::new, |admitted| admitted.to_string());
        assert_eq!(row["admitted"], admitted);
        let mut labels: Vec<String> = Vec::new();
        for reason in line["reasons"].as_array().unwrap() {
            let mut label = reason["code"].as_str().unwrap().to_owned();
            if label == "policy.require" {
                label = format!("{label}:{}", reason["data"]["column"].as_str().unwrap());
            }
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        assert_eq!(row["reasons"], labels.join(" "), "{row:?}");
    }
    let recordings = lines
        .values()
        .filter(|lines| lines[0].get("skipped").is_none());
    assert_eq!(rows.len(), recordings.count());
    let of_file = |name: &str| {
        let path = format!("demo-recordings/{name}");
        rows.iter().find(|row| row["path"] == path).unwrap()
    };
    let of = |name: &str| of_file(&format!("{name}.rmv"));
    // The ranking says nothing of simulations.
    assert!(
        of_file("run.murk")
            .iter()
            .all(|(head, cell)| head == "path" || cell.is_empty())
    );
    assert_eq!(of("expert-win")["class"], "expert");
    assert_eq!(of("expert-win")["level"], "expert");
    assert_eq!(of("expert-win")["player_name"], "Synthetic Player");
    assert_eq!(of("mode-win7")["reasons"], "policy.require:mode");
    assert_eq!(of("loss")["reasons"], "policy.require:outcome");
    assert!(of("tampered-time")["reasons"].contains("rmv.same-game"));
    assert_eq!(of("broken")["reasons"], "rmv.signature");
    assert_eq!(of("broken")["level"], "");
    // A file that can't be read is a row, too.
    let (out, err) = outputs(path, "verify --policy default --csv nowhere.rmv", 2);
    assert!(err.contains("nowhere.rmv: no such file"), "{err}");
    assert_eq!(
        out,
        "path,admitted,class,reasons\nnowhere.rmv,false,,not-found\n"
    );
    // Without a policy there is nothing to list, and there is one form at a time.
    outputs(path, "verify --csv demo-recordings", 2);
    let (_, err) = outputs(
        path,
        "verify --json --csv --policy default demo-recordings",
        2,
    );
    assert_eq!(err, "gametape: either --json or --csv\n");
}
