//! Outputs that are full or closed, for the verbs that print or write for some formats alone: the kit
//! tests what all formats share.

use std::fs;

use gametape_cli::kit::Kit;
use gametape_samples::mines::{record, scenarios};
use snapbox::cmd::cargo_bin;

#[cfg(target_os = "linux")]
use crate::common::{expect, full_at, names, within};
use crate::common::{fine, gametape, words};
use crate::{delta, echo, murk};

fn kit() -> Kit {
    Kit::new(cargo_bin("gametape"), Vec::new())
}

#[test]
fn what_is_printed_of_streams() {
    let folder = delta::support::folder();
    let lines = [
        "inspect --json packets",
        "dump --state run.mcap",
        "dump --state --at tick:3 run.delta",
        "convert --json packets new.mcap",
        "diff run.mcap run.delta",
        "schema show run.mcap",
        "schema hash run.mcap",
        "schema compare run.mcap run.delta",
    ];
    kit().printing(folder.path(), &lines, || ());
}

#[test]
fn what_is_printed_of_simulations() {
    let folder = murk::support::folder();
    let path = folder.path();
    let slow = murk::support::POND.replace("coefficient = 0.5", "coefficient = 0.25");
    fs::write(path.join("slow.toml"), slow).unwrap();
    let lines = [
        "dump --at tick:3 run.murk",
        "minimise run.murk - --against slow.toml",
        "sync-test pond.toml",
        "index run.murk",
        "index --json run.murk",
        "record murk --world pond.toml --ticks 3 new.murk",
    ];
    kit().printing(path, &lines, || {
        drop(fs::remove_file(path.join("new.murk")));
    });
    // The recording was made before anything was printed.
    let new = fs::read(path.join("new.murk")).unwrap();
    assert_eq!(gametape::murk::read(&new).unwrap().frames().count(), 3);
}

/// Also of a table that is longer than a pipe holds.
#[test]
fn a_closed_pipe_ends_a_table_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut all = scenarios().into_iter();
    let expert = all.find(|one| one.name == "v1-expert-win").unwrap();
    let long = record(&expert, 1).unwrap();
    let long = gametape::mines::rmv::write(&long).unwrap();
    fs::write(path.join("long.rmv"), long).unwrap();
    fs::create_dir(path.join("many")).unwrap();
    let one = gametape_samples::mines::example();
    for at in 0..500 {
        fs::write(path.join(format!("many/{at:0200}.rmv")), &one).unwrap();
    }
    let lines = [
        "dump long.rmv --table mouse_events --csv",
        "dump long.rmv --table cursor --state --csv",
        "inspect --csv many",
        "stats --csv=excel many",
        "verify --policy default --csv many",
    ];
    for line in &lines[2..] {
        let table = gametape(path, &words(line)).output().unwrap().stdout;
        assert!(table.len() > 100_000, "{line}: {}", table.len());
    }
    assert!(fine(path, lines[0]).len() > 100_000);
    kit().printing(path, &lines, || ());
}

/// A disk that fills up while a file is made of another: what was there stays, nothing else is left.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_leaves_what_was_there() {
    let folder = delta::support::folder();
    let path = folder.path();
    fs::write(path.join("out.mcap"), "what was there").unwrap();
    let before = names(path);
    for args in [
        "convert run.delta out.mcap",
        "repair run.delta out.mcap",
        "convert run.mcap out.mcap",
    ] {
        let output = within(&full_at(1), path, args).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {printed}");
        assert!(
            printed.starts_with("gametape: out.mcap: ") && printed.lines().count() == 1,
            "{printed}"
        );
        assert_eq!(fs::read(path.join("out.mcap")).unwrap(), b"what was there");
        assert_eq!(names(path), before);
    }
}

/// A disk that fills up under a recording: what fits is whole, and can be gone on with.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_leaves_whole_frames() {
    let folder = murk::support::folder();
    let path = folder.path();
    let record = "record murk --world pond.toml --commands drops.jsonl --ticks 200";
    expect(path, &format!("{record} whole.murk"), 0);
    let whole = fs::read(path.join("whole.murk")).unwrap();
    for blocks in [1, 2, 4] {
        let _ = fs::remove_file(path.join("full.murk"));
        let output = within(&full_at(blocks), path, &format!("{record} full.murk"))
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(
            printed.starts_with("gametape: full.murk: ") && printed.contains("File too large"),
            "{printed}"
        );
        assert_eq!(printed.lines().count(), 1, "{printed}");
        let there = fs::read(path.join("full.murk")).unwrap();
        assert!(whole.starts_with(&there) && there.len() + 100 > blocks * 1024);
        let frames: Vec<_> = gametape::murk::read(&there).unwrap().frames().collect();
        assert!(frames.iter().all(Result::is_ok));
        expect(path, "verify full.murk", 0);
        expect(path, &format!("{record} --resume full.murk"), 0);
        assert!(fs::read(path.join("full.murk")).unwrap() == whole);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_index() {
    let moment = "dump --state --table players --at step:70 zip.echoreplay";
    let folder = echo::support::folder();
    let path = folder.path();
    let before = names(path);
    for (args, complaint) in [
        (
            "inspect --keep-index text.echoreplay",
            "gametape: text.echoreplay: the index text.echoreplay.index can't be kept: ",
        ),
        (
            moment,
            "gametape: zip.echoreplay: the text of the zip can't be kept in a temporary file",
        ),
    ] {
        let run = within(&full_at(1), path, args).env("TMPDIR", path).output();
        let run = run.unwrap();
        let err = String::from_utf8(run.stderr).unwrap();
        assert!(err.starts_with(complaint), "{err}");
        assert!(err.contains("File too large"), "{err}");
        assert_eq!(run.status.code(), Some(2));
        assert_eq!(names(path), before);
    }
    // A single pass needs no index.
    let run = within(&full_at(1), path, "dump --table game zip.echoreplay").output();
    assert!(run.unwrap().status.success());
}
