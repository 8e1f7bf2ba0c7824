//! `gametape query` runs the program beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use snapbox::cmd::cargo_bin;

/// The command in a folder of its own, without the program that it runs.
fn alone() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in(cargo_bin("gametape").parent().unwrap()).unwrap();
    fs::hard_link(cargo_bin("gametape"), folder.path().join("gametape")).unwrap();
    folder
}

fn query(folder: &tempfile::TempDir) -> (Option<i32>, String, String) {
    let output = Command::new(folder.path().join("gametape"))
        .args(["query", "SELECT 1", "--format", "csv", "a folder"])
        .env("PATH", "/bin:/usr/bin")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_program_gets_all_arguments_and_its_exit_code_is_that_of_the_command() {
    let folder = alone();
    let program = folder.path().join("gametape-query");
    fs::write(&program, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, out, error) = query(&folder);
    assert_eq!((code, error.as_str()), (Some(7), ""));
    assert_eq!(out, "SELECT 1|--format|csv|a folder|");
}

#[test]
fn without_the_program_it_says_how_to_get_it() {
    let (code, out, error) = query(&alone());
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let told = "gametape: SQL needs the program gametape-query, which is not here: cargo install --path crates/query (it builds for some ten minutes)\n";
    assert_eq!(error, told);
}
