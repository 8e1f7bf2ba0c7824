//! Where output goes: files that are there already, disks that fill up. What the same is for every
//! format, the kit proves.

use std::fs;

use gametape_cli::kit::Kit;
use snapbox::cmd::cargo_bin;

use super::support::{fine, folder, names, said};
#[cfg(target_os = "linux")]
use super::support::{full_at, packets, schema_json, within};

#[test]
fn outputs_that_are_there_already() {
    let folder = folder();
    let path = folder.path();
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

/// What is printed of streams alone, or of a folder.
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
