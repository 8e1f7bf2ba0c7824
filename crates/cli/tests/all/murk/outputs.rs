//! Outputs: existing files and full disks. The kit tests the parts that all formats share.

use std::fs;

use gametape::murk::read;
use gametape_cli::kit::Kit;
use snapbox::cmd::cargo_bin;

use super::support::{POND, folder};
use crate::common::{expect, gametape, refused, words};
#[cfg(target_os = "linux")]
use crate::common::{full_at, within};

fn murk_folder() -> tempfile::TempDir {
    let folder = folder();
    let path = folder.path();
    let slow = POND.replace("coefficient = 0.5", "coefficient = 0.25");
    fs::write(path.join("slow.toml"), slow).unwrap();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::write(path.join("cut.murk"), &bytes[..bytes.len() - 1]).unwrap();
    folder
}

#[test]
fn an_existing_file_is_not_recorded_over() {
    let folder = murk_folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    for (out, complaint) in [
        (
            "run.murk",
            "run.murk: exists already; --resume continues after it",
        ),
        (
            "pond.toml",
            "pond.toml: exists already; --resume continues after it",
        ),
        ("folder", "folder: is a folder"),
        ("none/out.murk", "none/out.murk: no such folder: none"),
        (
            "-",
            "-: a recording goes into a file, from which it can be resumed",
        ),
    ] {
        refused(
            path,
            &format!("record murk --world pond.toml --ticks 9 {out}"),
            complaint,
        );
    }
    assert_eq!(fs::read(path.join("run.murk")).unwrap(), bytes);
    assert_eq!(fs::read(path.join("pond.toml")).unwrap(), POND.as_bytes());
}

#[test]
fn the_input_is_not_replaced_by_less() {
    let folder = murk_folder();
    let path = folder.path();
    let whole = fs::read(path.join("run.murk")).unwrap();
    let cut = fs::read(path.join("cut.murk")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("cut.murk", path.join("link.murk")).unwrap();
    let kept = |args: &str, name: &str| {
        gametape(path, &words(args)).assert().code(2).stdout_eq("").stderr_eq(format!(
            "gametape: {name}: would be replaced by a file that holds less; name another output\n"
        ));
    };
    kept("repair cut.murk cut.murk", "cut.murk");
    kept("repair cut.murk ./cut.murk", "cut.murk");
    #[cfg(unix)]
    kept("repair cut.murk link.murk", "cut.murk");
    kept("minimise run.murk run.murk --against slow.toml", "run.murk");
    assert_eq!(fs::read(path.join("cut.murk")).unwrap(), cut);
    assert_eq!(fs::read(path.join("run.murk")).unwrap(), whole);
    // Nothing is lost by these.
    for args in ["repair run.murk run.murk", "convert run.murk run.murk"] {
        gametape(path, &words(args)).assert().code(0);
        assert_eq!(fs::read(path.join("run.murk")).unwrap(), whole);
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = murk_folder();
    let path = folder.path();
    fs::create_dir(path.join("folder.murk")).unwrap();
    for (out, complaint) in [
        ("none/out.murk", "none/out.murk: no such folder: none"),
        ("folder.murk", "folder.murk: is a folder"),
        #[cfg(target_os = "linux")]
        (
            "/dev/full",
            "/dev/full: No space left on device (os error 28)",
        ),
    ] {
        for args in [
            "repair cut.murk OUT",
            "minimise run.murk OUT --against slow.toml",
        ] {
            refused(path, &args.replace("OUT", out), complaint);
        }
    }
}

/// The commands that print only for Murk recordings.
#[test]
fn a_full_standard_output_is_an_error_and_a_closed_pipe_is_none() {
    let folder = murk_folder();
    let path = folder.path();
    let kit = Kit::new(cargo_bin("gametape"), Vec::new());
    let lines = [
        "dump --at tick:3 run.murk",
        "minimise run.murk - --against slow.toml",
        "sync-test pond.toml",
        "index run.murk",
        "index --json run.murk",
        "record murk --world pond.toml --ticks 3 new.murk",
    ];
    kit.printing(path, &lines, || {
        drop(fs::remove_file(path.join("new.murk")));
    });
    // The recording was made before anything was printed.
    #[cfg(unix)]
    assert_eq!(
        read(&fs::read(path.join("new.murk")).unwrap())
            .unwrap()
            .frames()
            .count(),
        3
    );
}

/// A disk that fills up under a recording: what fits is whole, and can be gone on with.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_leaves_whole_frames() {
    let folder = murk_folder();
    let path = folder.path();
    let record = "record murk --world pond.toml --commands drops.jsonl --ticks 200";
    gametape(path, &words(&format!("{record} whole.murk")))
        .assert()
        .code(0);
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
        // Every frame is whole.
        let frames: Vec<_> = read(&there).unwrap().frames().collect();
        assert!(frames.iter().all(Result::is_ok));
        expect(path, "verify full.murk", 0);
        gametape(path, &words(&format!("{record} --resume full.murk")))
            .assert()
            .code(0);
        assert!(fs::read(path.join("full.murk")).unwrap() == whole);
    }
}
