//! Tests of `gametape record echo`.

#[allow(dead_code)] // The library's tests need more of it.
#[path = "../../../../record/tests/echo/game.rs"]
pub mod game;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use game::{Game, Reply, a_match, answers, frames};
use gametape::echo::{ReadOptions, butter, echoreplay};
use serde_json::{Value, json};
use snapbox::cmd::cargo_bin;
use snapbox::str;

use crate::common::Running;

/// More frames than any test waits for.
pub const MANY: usize = 3_000;

/// Starts a recorder of this game.
pub fn start(folder: &Path, game: &Game, args: &str) -> Running {
    let url = game.url();
    let mut command = Command::new(cargo_bin("gametape"));
    command.args(["record", "echo", "--rate", "120", "--url", &url]);
    command.args(args.split(' '));
    running(folder, &mut command)
}

fn running(folder: &Path, command: &mut Command) -> Running {
    command
        .current_dir(folder)
        .env("NO_COLOR", "1")
        // The game is asked directly, whatever the system is set up with.
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9");
    Running::of(command)
}

/// Waits until the game has given so many frames.
pub fn wait_for(game: &Game, served: usize) {
    for _ in 0..6_000 {
        if game.served() >= served {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("the recorder asks no more, after {}", game.served());
}

/// Frames of a .butter that can be read, of one that is not finished as well.
fn butter_frames(path: &Path, strict: bool) -> usize {
    let options = if strict {
        ReadOptions::default()
    } else {
        ReadOptions::lenient()
    };
    let file = fs::File::open(path).unwrap();
    let mut reader = butter::Reader::with_options(file, options);
    let mut frames = 0;
    while reader.next_frame().unwrap().is_some() {
        frames += 1;
    }
    frames
}

fn without_address(text: &str, game: &Game) -> String {
    text.replace(&game.url(), "http://GAME")
}

#[test]
fn a_match_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let script = [
        vec![Reply::Status(404)],
        frames(12),
        vec![Reply::Text("{\"sessionid\"")],
        frames(8),
    ];
    let played = [a_match(1, 12), a_match(2, 8)].concat();
    let game = Game::start(played.clone(), script.concat());
    let (code, out, err) = start(path, &game, "--frames 20 match.butter").end();
    snapbox::assert_data_eq!(
        without_address(&err, &game),
        str![[r#"
asking http://GAME 120 times a second; Ctrl-C ends the recording
waiting for a match: HTTP status 404
recording Echo_Arena on mpl_arena_a
the next match: Echo_Arena on mpl_arena_a
goes on in match.2.butter

"#]]
    );
    snapbox::assert_data_eq!(
        out,
        str![[r#"
match.butter: recorded 12 frames ([..] bytes)
match.2.butter: recorded 8 frames ([..] bytes)
20 frames in [..] s[..]; 1 answer had another HTTP status than 200; 1 answer could not be used

"#]]
    );
    assert_eq!(code, Some(0));
    assert_eq!(butter_frames(&path.join("match.butter"), true), 12);
    assert_eq!(butter_frames(&path.join("match.2.butter"), true), 8);

    let game = Game::start(played.clone(), frames(20));
    let args = "--frames 20 --no-bones --json match.echoreplay";
    let (code, out, _) = start(path, &game, args).end();
    assert_eq!(code, Some(0));
    let mut printed: Value = serde_json::from_str(&out).unwrap();
    let bytes = fs::metadata(path.join("match.echoreplay")).unwrap().len();
    for key in ["duration_ms", "skipped"] {
        assert!(printed[key].is_u64(), "{printed}");
        printed[key] = json!(0);
    }
    assert_eq!(
        printed,
        json!({
            "path": "match.echoreplay",
            "format": "echoreplay",
            "frames": 20,
            "bytes": bytes,
            "duration_ms": 0,
            "matches": 2,
            "skipped": 0,
            "faults": {
                "unreachable": 0,
                "timeout": 0,
                "status": 0,
                "no_match": 0,
                "malformed": 0,
                "bones": 0,
            },
            "resumed": false,
            "dropped": 0,
            "files": [{ "path": "match.echoreplay", "frames": 20, "frames_before": 0, "bytes": bytes }],
        })
    );
    let text = fs::read(path.join("match.echoreplay")).unwrap();
    let lines: Vec<_> = echoreplay::read(&text)
        .map(|line| line.unwrap().session.to_vec())
        .collect();
    let expected: Vec<_> = played.iter().map(|frame| answers(frame).0).collect();
    assert_eq!(lines, expected);
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_a_polite_kill_end_it_with_all_frames() {
    for (signal, name) in [("-INT", "match.butter"), ("-TERM", "match.echoreplay")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let game = Game::start(a_match(1, MANY as u64), frames(MANY));
        let recorder = start(path, &game, &format!("--json {name}"));
        wait_for(&game, 25);
        recorder.signal(signal);
        let (code, out, err) = recorder.end();
        assert_eq!(code, Some(0), "{err}");
        let printed: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(printed["frames"], game.served());
        let there = if name == "match.butter" {
            butter_frames(&path.join(name), true)
        } else {
            let text = fs::read(path.join(name)).unwrap();
            echoreplay::read(&text).map(Result::unwrap).count()
        };
        assert_eq!(there, game.served());
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(path).unwrap().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn killed_it_leaves_every_frame_and_goes_on() {
    for name in ["match.butter", "match.echoreplay"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let game = Game::start(a_match(1, MANY as u64), frames(MANY));
        let recorder = start(path, &game, name);
        wait_for(&game, 40);
        recorder.signal("-KILL");
        assert_eq!(recorder.end().0, None);
        let served = game.served();
        let file = path.join(name);
        let there = || {
            if name == "match.butter" {
                butter_frames(&file, false)
            } else {
                let text = fs::read(&file).unwrap();
                let mut lines = echoreplay::read_with(&text, ReadOptions::lenient());
                lines.by_ref().map(Result::unwrap).count()
            }
        };
        // The last one may have been on its way.
        assert!((served - 1..=served).contains(&there()), "{served}");
        let before = there();
        let (code, out, err) = start(path, &game, name).end();
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert_eq!(err, format!("gametape: {name}: is there already\n"));
        assert_eq!(there(), before);
        let args = format!("--resume --frames 10 {name}");
        let (code, out, _) = start(path, &game, &args).end();
        assert_eq!(code, Some(0));
        assert!(
            out.starts_with(&format!(
                "{name}: recorded 10 frames, {} with those before (",
                before + 10
            )),
            "{out}"
        );
        assert_eq!(there(), before + 10);
        if name == "match.butter" {
            assert_eq!(butter_frames(&file, true), before + 10);
        }
    }
}

/// A disk that fills up: what fits can be read.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up() {
    for (name, blocks) in [("match.echoreplay", 60), ("match.butter", 8)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let game = Game::start(a_match(1, MANY as u64), frames(MANY));
        // A limit on the size of files stands for the disk; ignored, its signal becomes an error.
        let mut command = Command::new("bash");
        command.arg("-c").arg(format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}' record echo --no-bones --rate 120 --url {} {name}",
            cargo_bin("gametape").display(),
            game.url(),
        ));
        let (code, out, err) = running(path, &mut command).end();
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        let last = err.lines().last().unwrap();
        let kept = last
            .strip_prefix(&format!(
                "gametape: {name}: a frame can't be written: File too large (os error 27); the "
            ))
            .and_then(|rest| rest.strip_suffix(" frames before it are kept"))
            .unwrap_or_else(|| panic!("{err}"));
        let kept: usize = kept.parse().unwrap();
        assert!(kept > 1);
        if name == "match.butter" {
            assert_eq!(butter_frames(&path.join(name), false), kept);
        } else {
            let text = fs::read(path.join(name)).unwrap();
            assert_eq!(echoreplay::read(&text).map(Result::unwrap).count(), kept);
        }
        assert_eq!(fs::read_dir(path).unwrap().count(), 1);
    }
}

#[test]
fn recordings_that_do_not_begin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let game = Game::start(Vec::new(), Vec::new());
    let run = |args: &str| start(path, &game, args).end();
    for (args, complaint) in [
        (
            "match.rmv",
            "match.rmv: a match is recorded into a .butter or an .echoreplay file",
        ),
        (
            "-",
            "-: a match is recorded into a .butter or an .echoreplay file",
        ),
        (
            "--zip match.butter",
            "match.butter: a .butter is compressed already; a zip is made of an .echoreplay",
        ),
        (
            "none/match.butter",
            "none/match.butter: no such folder: none",
        ),
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert_eq!(err, format!("gametape: {complaint}\n"));
    }
    for args in [
        "--rate 0",
        "--rate 121",
        "--frames 0",
        "--seconds 0",
        "--idle x",
        "",
    ] {
        let mut command = Command::new(cargo_bin("gametape"));
        command.args(["record", "echo", "match.butter"]);
        command.args(args.split(' '));
        let (code, out, err) = running(path, &mut command).end();
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(err.starts_with("error: "), "{err}");
    }
    let mut command = Command::new(cargo_bin("gametape"));
    command.args(["record", "echo", "--url", "ftp://x", "match.butter"]);
    let (code, _, err) = running(path, &mut command).end();
    assert_eq!(
        (code, err.as_str()),
        (Some(2), "gametape: ftp://x: the game speaks http\n")
    );
    // No match, no file.
    let mut recorder = start(path, &game, "--seconds 0.3 match.butter");
    assert!(recorder.says().starts_with("asking http://127.0.0.1:"));
    let (code, out, err) = recorder.end();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let lines: Vec<_> = err.lines().collect();
    assert_eq!(lines[0], "waiting for a match: HTTP status 404");
    let end = format!("gametape: {}: no frame came; ", game.url());
    assert!(lines[1].starts_with(&end), "{err}");
    assert!(
        lines[1].ends_with(" had another HTTP status than 200"),
        "{err}"
    );
    assert_eq!(lines.len(), 2);
    assert_eq!(fs::read_dir(path).unwrap().count(), 0);
}

#[test]
fn files_of_others_are_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let game = Game::start(Vec::new(), Vec::new());
    for (name, content, refused) in [
        (
            "notes.echoreplay",
            "2026 my notes, all on one line, not a recording",
            "byte 0: 47 bytes at the end are neither a line nor the start of one",
        ),
        ("notes.butter", "my notes, no recording at all", "byte "),
        // The remains of a recording, to which no frame is added.
        ("torn.echoreplay", "2026/01/02 03:04:05.678\t{\"a", ""),
        ("empty.echoreplay", "", ""),
        ("empty.butter", "", ""),
    ] {
        fs::write(path.join(name), content).unwrap();
        let args = format!("--resume --seconds 0.3 {name}");
        let (code, out, err) = start(path, &game, &args).end();
        assert_eq!((code, out.as_str()), (Some(2), ""));
        if !refused.is_empty() {
            let refusal = format!("gametape: {name}: can't be continued: {refused}");
            assert!(err.starts_with(&refusal), "{err}");
        }
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), content);
    }
}

#[test]
#[cfg(unix)]
fn two_do_not_record_into_one_file() {
    for name in ["match.butter", "match.echoreplay"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let game = Game::start(a_match(1, MANY as u64), frames(MANY));
        let first = start(path, &game, name);
        wait_for(&game, 20);
        let (code, _, err) = start(path, &game, &format!("--resume {name}")).end();
        assert_eq!(code, Some(2));
        assert_eq!(
            err,
            format!("gametape: {name}: another recorder writes into it\n")
        );
        first.signal("-INT");
        assert_eq!(first.end().0, Some(0));
    }
}

#[test]
fn resuming_a_finished_recording_names_the_next_file() {
    let folder = tempfile::tempdir().unwrap();
    let game = Game::start(a_match(1, MANY as u64), frames(MANY));
    let run = || start(folder.path(), &game, "--resume --frames 3 r.butter").end();
    assert!(!run().2.contains("goes on in"));
    let (code, out, err) = run();
    assert_eq!(code, Some(0));
    assert!(err.contains("\ngoes on in r.2.butter\n"), "{err}");
    assert!(out.starts_with("r.2.butter: recorded 3 frames ("), "{out}");
}

#[test]
fn an_address_may_name_the_page_and_its_password_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let game = Game::start(a_match(1, MANY as u64), frames(MANY));
    let record = |url: &str, args: &[&str]| {
        let mut command = Command::new(cargo_bin("gametape"));
        command.args(["record", "echo", "--url", url]).args(args);
        running(folder.path(), &mut command).end()
    };
    let url = format!("{}/session", game.url());
    let (code, ..) = record(&url, &["--frames", "2", "a.butter"]);
    assert_eq!(code, Some(0));
    let (code, out, err) = record(
        "http://me:secret@127.0.0.1:1/",
        &["--seconds", "0.2", "b.butter"],
    );
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.starts_with("asking http://…@127.0.0.1:1/ 30 times"),
        "{err}"
    );
    assert!(!err.contains("secret"), "{err}");
}

/// Ctrl-C, a polite kill and a closed terminal.
#[test]
#[cfg(unix)]
fn a_conversion_that_is_ended_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut text = Vec::new();
    for frame in &a_match(1, 200) {
        echoreplay::write_frame(frame, &mut text).unwrap();
    }
    // Long enough to be ended on the way.
    fs::write(
        path.join("a.echoreplay"),
        text.repeat((24 << 20) / text.len()),
    )
    .unwrap();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut command = Command::new(cargo_bin("gametape"));
        command.args(["convert", "--zip", "a.echoreplay", "b.echoreplay"]);
        let converter = running(path, &mut command);
        let partial = || {
            let mut names = fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().file_name());
            names.any(|name| name.display().to_string().ends_with(".partial"))
        };
        while !partial() {
            assert!(
                !path.join("b.echoreplay").exists(),
                "too fast for this test"
            );
            sleep(Duration::from_millis(1));
        }
        converter.signal(signal);
        assert_eq!(converter.end().0, Some(130), "{signal}");
        assert_eq!(fs::read_dir(path).unwrap().count(), 1, "{signal}");
    }
}
