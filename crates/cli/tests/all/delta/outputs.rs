//! Where output goes: files that are there already, folders that are not, full disks, readers
//! that have gone away.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use snapbox::cmd::cargo_bin;

use super::support::{fine, folder, names, packets, refused, said, schema_json, words};

#[test]
fn outputs_that_cannot_be_written() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("folder.mcap")).unwrap();
    fs::create_dir(path.join("folder.delta")).unwrap();
    for (out, complaint) in [
        ("none/out.mcap", "none/out.mcap: no such folder: none"),
        ("none/out.delta", "none/out.delta: no such folder: none"),
        ("folder.mcap", "folder.mcap: is a folder"),
        ("folder.delta", "folder.delta: is a folder"),
    ] {
        refused(path, &format!("convert packets {out}"), complaint);
        refused(path, &format!("repair packets {out}"), complaint);
    }
    #[cfg(target_os = "linux")]
    refused(
        path,
        "repair run.mcap /dev/full",
        "/dev/full: No space left on device (os error 28)",
    );
    // What is there is replaced, by a whole file.
    fs::write(path.join("old.mcap"), "old").unwrap();
    fine(path, "convert packets old.mcap");
    assert_eq!(
        fine(path, "diff old.mcap run.mcap"),
        "the recordings are the same\n"
    );
    // The schema of other packets is not what ends up beside these.
    fs::write(path.join("old.schema.json"), "{}").unwrap();
    fine(path, "convert packets old.delta");
    assert_eq!(fine(path, "schema hash old.delta"), "8bd8c1dbe8794429\n");
    // Where the schema can't be written, it is said.
    fs::create_dir(path.join("stuck.schema.json")).unwrap();
    let (out, err) = said(path, "convert packets stuck.delta", 2);
    assert_eq!(
        (out.as_str(), err.as_str()),
        ("", "gametape: stuck.schema.json: is a folder\n")
    );
    assert!(names(path).iter().all(|name| !name.contains("partial")));
}

/// Every command that prints something.
const PRINTING: [&str; 15] = [
    "inspect run.mcap",
    "inspect --json packets",
    "verify run.mcap",
    "verify --json run.delta",
    "stats run.delta",
    "dump run.mcap",
    "dump --state run.mcap",
    "dump --state --at tick:3 run.delta",
    "convert run.mcap -",
    "repair run.mcap -",
    "convert --json packets new.mcap",
    "diff run.mcap run.delta",
    "schema show run.mcap",
    "schema hash run.mcap",
    "schema compare run.mcap run.delta",
];

fn run(folder: &Path, args: &str, stdout: impl Into<Stdio>) -> Output {
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
    let folder = folder();
    let path = folder.path();
    for args in PRINTING {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = run(path, args, full);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
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
    let folder = folder();
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
}

/// A disk that fills up while a file is converted: what was there stays, nothing else is left.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_leaves_what_was_there() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("long.delta"), packets().concat()).unwrap();
    fs::write(path.join("long.schema.json"), schema_json()).unwrap();
    fs::write(path.join("out.mcap"), "what was there").unwrap();
    let before = names(path);
    for args in [
        "convert long.delta out.mcap",
        "repair long.delta out.mcap",
        "convert run.mcap out.mcap",
    ] {
        // A limit on the size of files stands for the disk; ignored, its signal becomes an error.
        let output = std::process::Command::new("bash")
            .current_dir(path)
            .env("NO_COLOR", "1")
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f 1; exec '{}' {args}",
                cargo_bin("gametape").display()
            ))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
        assert!(
            said.starts_with("gametape: out.mcap: ") && said.lines().count() == 1,
            "{said}"
        );
        assert_eq!(fs::read(path.join("out.mcap")).unwrap(), b"what was there");
        assert_eq!(names(path), before);
    }
}
