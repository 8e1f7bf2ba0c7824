//! Outputs: existing files and full disks. The kit tests the parts that all formats share.

use std::fs;

use gametape_cli::kit::Kit;
use snapbox::cmd::cargo_bin;

use super::support::{fine, folder, names, outputs};
#[cfg(target_os = "linux")]
use super::support::{full_at, packets, schema_json, within};

#[test]
fn outputs_that_are_there_already() {
    let folder = folder();
    let path = folder.path();
    // An existing file is replaced by a whole file.
    fs::write(path.join("old.mcap"), "old").unwrap();
    fine(path, "convert --replace packets old.mcap");
    assert_eq!(
        fine(path, "diff old.mcap run.mcap"),
        "the recordings are the same\n"
    );
    // The schema of other packets is not what ends up beside these, and it is not lost, either.
    fs::write(path.join("old.schema.json"), "{}").unwrap();
    for call in ["convert packets old.delta", "repair run.delta old.delta"] {
        let (_, err) = outputs(path, call, 2);
        let refused =
            "gametape: old.schema.json exists and is not replaced; --replace replaces it\n";
        assert_eq!(err, refused, "{call}");
        assert!(!path.join("old.delta").exists(), "{call}");
        assert_eq!(fs::read(path.join("old.schema.json")).unwrap(), b"{}");
    }
    fine(path, "convert --replace packets old.delta");
    assert_eq!(fine(path, "schema hash old.delta"), "8bd8c1dbe8794429\n");
    // The same again, of packets and schema, is no replacement.
    fine(path, "convert packets old.delta");
    // A schema that can't be written is reported.
    fs::create_dir(path.join("stuck.schema.json")).unwrap();
    let (out, err) = outputs(path, "convert packets stuck.delta", 2);
    assert_eq!(
        (out.as_str(), err.as_str()),
        ("", "gametape: stuck.schema.json: is a folder\n")
    );
    assert!(names(path).iter().all(|name| !name.contains("partial")));
}

/// The commands that print only for streams, or for folders.
#[test]
fn a_full_standard_output_is_an_error_and_a_closed_pipe_is_none() {
    let folder = folder();
    let kit = Kit::new(cargo_bin("gametape"), Vec::new());
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
    kit.printing(folder.path(), &lines, || ());
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
