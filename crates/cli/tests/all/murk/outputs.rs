//! Where output goes: files that are there already, folders that are not, full disks, readers
//! that have gone away.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use gametape::murk::read;
use snapbox::cmd::cargo_bin;

use super::support::{POND, folder, gametape, names};

fn murk_folder() -> tempfile::TempDir {
    let folder = folder();
    let path = folder.path();
    let slow = POND.replace("coefficient = 0.5", "coefficient = 0.25");
    fs::write(path.join("slow.toml"), slow).unwrap();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::write(path.join("cut.murk"), &bytes[..bytes.len() - 1]).unwrap();
    folder
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn what_is_there_already_is_not_recorded_over() {
    let folder = murk_folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    for (out, complaint) in [
        (
            "run.murk",
            "run.murk: is there already; --resume goes on behind it",
        ),
        (
            "pond.toml",
            "pond.toml: is there already; --resume goes on behind it",
        ),
        ("folder", "folder: is a folder"),
        ("none/out.murk", "none/out.murk: no such folder: none"),
        (
            "-",
            "-: a recording goes into a file, from which it can be resumed",
        ),
    ] {
        let before = names(path);
        gametape(
            path,
            &[
                "record",
                "murk",
                "--world",
                "pond.toml",
                "--ticks",
                "9",
                out,
            ],
        )
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(format!("gametape: {complaint}\n"));
        assert_eq!(names(path), before, "{out}");
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
        let before = names(path);
        for args in [
            &["repair", "run.murk", out][..],
            &["repair", "cut.murk", out],
            &["minimise", "run.murk", out, "--against", "slow.toml"],
            &["convert", "run.murk", out],
        ] {
            if args[0] == "convert" && out == "/dev/full" {
                continue; // Not a name of a recording.
            }
            gametape(path, args)
                .assert()
                .code(2)
                .stdout_eq("")
                .stderr_eq(format!("gametape: {complaint}\n"));
            assert_eq!(names(path), before, "{args:?}");
        }
    }
}

/// Every command that prints something, with where its output is.
const PRINTING: [&str; 14] = [
    "record murk --world pond.toml --ticks 3 new.murk",
    "inspect run.murk",
    "verify run.murk",
    "verify --json run.murk",
    "stats run.murk",
    "dump run.murk",
    "dump --at tick:3 run.murk",
    "convert run.murk -",
    "diff run.murk cut.murk.whole",
    "repair run.murk -",
    "minimise run.murk - --against slow.toml",
    "sync-test pond.toml",
    "index run.murk",
    "index --json run.murk",
];

fn run(folder: &Path, args: &str, stdout: impl Into<Stdio>) -> Output {
    // A pipe that is closed stays so from one command to the next.
    let _ = fs::remove_file(folder.join("new.murk"));
    let _ = fs::copy(folder.join("run.murk"), folder.join("cut.murk.whole"));
    std::process::Command::new(cargo_bin("gametape"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(words(args))
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_is_an_error() {
    let folder = murk_folder();
    let path = folder.path();
    for args in PRINTING {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = run(path, args, full);
        assert_eq!(output.status.code(), Some(2), "{args}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.ends_with(
                "gametape: can't write the output: No space left on device (os error 28)\n"
            ),
            "{args}: {said}"
        );
    }
}

/// A reader that goes away is no error, and no panic.
#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let folder = murk_folder();
    let path = folder.path();
    for args in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = run(path, args, writer);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args}: {said}");
        assert!(
            !said.contains("panicked") && !said.contains("can't write"),
            "{args}: {said}"
        );
    }
    // The recording was made before anything was printed.
    run(path, PRINTING[0], Stdio::null());
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
    // A limit on the size of files stands for the disk; ignored, its signal becomes an error.
    for blocks in [1, 2, 4] {
        let _ = fs::remove_file(path.join("full.murk"));
        let output = std::process::Command::new("bash")
            .current_dir(path)
            .env("NO_COLOR", "1")
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f {blocks}; exec '{}' {record} full.murk",
                cargo_bin("gametape").display()
            ))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.starts_with("gametape: full.murk: ") && said.contains("File too large"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
        let there = fs::read(path.join("full.murk")).unwrap();
        assert!(whole.starts_with(&there) && there.len() + 100 > blocks * 1024);
        // Every frame is whole.
        let frames: Vec<_> = read(&there).unwrap().frames().collect();
        assert!(frames.iter().all(Result::is_ok));
        gametape(path, &["verify", "full.murk"]).assert().code(0);
        gametape(path, &words(&format!("{record} --resume full.murk")))
            .assert()
            .code(0);
        assert!(fs::read(path.join("full.murk")).unwrap() == whole);
    }
}
