//! Files that are not recordings, or are broken, given to every command: a message, an exit code, and no
//! loss.

use std::fs;
use std::path::Path;

use gametape::mines::rmv;
use gametape_samples::mines::{record as play, scenarios};

use super::support::{POND, expect, folder, gametape, header_size, names};

/// Every command that takes a recording, given `file`. Outputs go to `out.murk`.
fn commands(file: &str) -> Vec<Vec<&str>> {
    [
        &["inspect", file][..],
        &["stats", file],
        &["dump", file],
        &["dump", "--at", "tick:5", file],
        &["convert", file, "out.murk"],
        &["repair", file, "out.murk"],
        &["diff", file, "run.murk"],
        &["diff", "run.murk", file],
        &["minimise", file, "out.murk"],
        &["minimise", file, "out.murk", "--against", "slow.toml"],
        &["sync-test", file],
        &["sync-test", "--rollback", "2", file],
        &["index", file],
    ]
    .map(<[&str]>::to_vec)
    .into()
}

fn murk_folder() -> tempfile::TempDir {
    let folder = folder();
    let slow = POND.replace("coefficient = 0.5", "coefficient = 0.25");
    fs::write(folder.path().join("slow.toml"), slow).unwrap();
    folder
}

/// Runs a command that has to fail: with `code`, nothing on standard output, one line that
/// starts as `complaint` on standard error, and no file more or less than before.
fn refused(folder: &Path, args: &[&str], code: i32, complaint: &str) {
    let before = names(folder);
    let run = gametape(folder, args).assert().code(code).stdout_eq("");
    let printed = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(printed.starts_with(complaint), "{args:?}: {printed}");
    assert!(printed.lines().count() == 1, "{args:?}: {printed}");
    assert_eq!(names(folder), before, "{args:?}");
}

#[test]
fn files_whose_header_cannot_be_read() {
    let folder = murk_folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let with = |at: usize, what: &[u8]| {
        let mut copy = bytes.clone();
        copy[at..at + what.len()].copy_from_slice(what);
        copy
    };
    for (content, code, complaint) in [
        (
            bytes[..7].to_vec(),
            "murk.truncated",
            "byte 5: the file ends in the toolchain: 4 bytes needed, 2 are left",
        ),
        (
            with(4, &[2]),
            "murk.version",
            "byte 4: format version 2; only version 3 can be read (1 and 2 are superseded and lose what replaying needs)",
        ),
    ] {
        fs::write(path.join("bad.murk"), &content).unwrap();
        for args in commands("bad.murk") {
            refused(path, &args, 2, &format!("gametape: bad.murk: {complaint}"));
        }
        // To check is to find out: that is a finding.
        let verified = expect(path, "verify --json bad.murk", 1).stderr_eq("");
        let printed = String::from_utf8_lossy(&verified.get_output().stdout).into_owned();
        assert!(
            printed.contains(&format!(
                "\"verdict\":\"fail\",\"facts\":{{}},\"findings\":[{{\"code\":\"{code}\",\"severity\":\"error\""
            )),
            "{printed}"
        );
        assert_eq!(fs::read(path.join("bad.murk")).unwrap(), content);
    }
}

#[test]
fn files_with_a_frame_that_cannot_be_read() {
    let folder = murk_folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let first = header_size(&bytes);
    let with = |at: usize, what: &[u8]| {
        let mut copy = bytes.clone();
        copy[at..at + what.len()].copy_from_slice(what);
        copy
    };
    for (content, code, complaint) in [
        (
            bytes[..first + 30].to_vec(),
            "murk.payload-truncated",
            "frame 0 (tick 1, byte ",
        ),
        // Four gigabytes of commands.
        (
            with(first + 8, &[0xFF; 4]),
            "murk.limit",
            "frame 0 (tick 1, byte ",
        ),
    ] {
        fs::write(path.join("bad.murk"), &content).unwrap();
        let complaint = format!("gametape: bad.murk: {complaint}");
        for args in commands("bad.murk") {
            match args[0] {
                // The readable part is shown.
                "inspect" | "stats" => {
                    let run = gametape(path, &args).assert().code(1);
                    let printed = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
                    assert!(printed.starts_with(&complaint), "{args:?}: {printed}");
                }
                "dump" if args.len() == 2 => refused(path, &args, 1, &complaint),
                // The header is whole; the rest is not.
                "repair" => {
                    gametape(path, &args).assert().code(3).stdout_eq("").stderr_eq(
                        "kept the header; no frame is whole; dropped [..] bytes after them: frame 0 [..]\n",
                    );
                    assert_eq!(fs::read(path.join("out.murk")).unwrap(), bytes[..first]);
                    fs::remove_file(path.join("out.murk")).unwrap();
                }
                _ => refused(path, &args, 2, &complaint),
            }
        }
        let verified = expect(path, "verify --json bad.murk", 1);
        let printed = String::from_utf8_lossy(&verified.get_output().stdout).into_owned();
        assert!(printed.contains(code), "{code}: {printed}");
        assert_eq!(fs::read(path.join("bad.murk")).unwrap(), content);
    }
}

#[test]
fn files_that_are_no_murk_recordings() {
    let folder = murk_folder();
    let path = folder.path();
    fs::create_dir(path.join("folder")).unwrap();
    for (args, complaint) in [
        (&["minimise", "folder", "out.murk"][..], "is a folder; "),
        (&["sync-test", "--rollback=2", "folder"], "is a folder; "),
        (&["index", "folder"], "no recordings found\n"),
    ] {
        refused(path, args, 2, &format!("gametape: folder: {complaint}"));
    }

    // A recording of another format, whatever it is called.
    let game = rmv::write(&play(&scenarios()[0], 1).unwrap()).unwrap();
    for file in ["game.rmv", "game.murk"] {
        fs::write(path.join(file), &game).unwrap();
        for (args, complaint) in [
            (
                &["convert", file, "out.murk"][..],
                "rmv can't be converted to murk",
            ),
            (
                &["minimise", file, "out.murk"],
                "rmv recordings have no commands to run",
            ),
            (
                &["sync-test", file],
                "rmv recordings have no commands to run",
            ),
            (&["index", file], "rmv recordings have no index"),
        ] {
            refused(path, args, 2, &format!("gametape: {file}: {complaint}"));
        }
        refused(
            path,
            &["diff", "run.murk", file],
            2,
            &format!("gametape: {file}: is rmv, the other recording is murk\n"),
        );
        refused(
            path,
            &["diff", file, "run.murk"],
            2,
            "gametape: run.murk: is murk, the other recording is rmv\n",
        );
        expect(path, &format!("verify {file}"), 0);
    }
    // And one of ours under a name of another's.
    fs::copy(path.join("run.murk"), path.join("run.rmv")).unwrap();
    expect(path, "verify run.rmv", 0)
        .stdout_eq("pass  run.rmv  12 ticks, replayed: every hash is right\n");
}
