//! What every test of the command needs.

use std::fs;
use std::path::Path;

use snapbox::cmd::{Command, cargo_bin};

/// The command, in a folder, without colours.
pub fn gametape(folder: &Path, args: &[&str]) -> Command {
    Command::new(cargo_bin("gametape"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(args)
}

/// The words of a command line without quotes.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// What a command says that exits with `code`: on standard output, and on standard error.
pub fn said(folder: &Path, args: &str, code: i32) -> (String, String) {
    let run = gametape(folder, &words(args)).assert().code(code);
    let [out, err] = [&run.get_output().stdout, &run.get_output().stderr]
        .map(|text| String::from_utf8(text.clone()).unwrap());
    (out, err)
}

/// Runs a command that has to end well, and say nothing on standard error.
pub fn fine(folder: &Path, args: &str) -> String {
    let (out, err) = said(folder, args, 0);
    assert_eq!(err, "", "{args}");
    out
}

/// Runs a command that must not be carried out: one line on standard error, nothing on standard
/// output, and no file more or less than before.
pub fn refused(folder: &Path, args: &str, complaint: &str) {
    let before = names(folder);
    let (out, err) = said(folder, args, 2);
    assert_eq!(err, format!("gametape: {complaint}\n"), "{args}");
    assert_eq!(out, "", "{args}");
    assert_eq!(names(folder), before, "{args}");
}

/// Runs a command within a limit of the shell's, such as `ulimit -f 1`.
#[cfg(target_os = "linux")]
pub fn within(limit: &str, folder: &Path, args: &str) -> std::process::Command {
    let command = cargo_bin("gametape");
    let mut bash = std::process::Command::new("bash");
    bash.current_dir(folder)
        .env("NO_COLOR", "1")
        .arg("-c")
        .arg(format!("{limit}; exec '{}' {args}", command.display()));
    bash
}

/// Of the size of files, in kilobytes: stands for a disk that is full. Ignored, its signal becomes
/// an error.
#[cfg(target_os = "linux")]
pub fn full_at(kilobytes: usize) -> String {
    format!("trap '' XFSZ; ulimit -f {kilobytes}")
}

/// One JSON object that a command prints.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// The names of what is in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().display().to_string())
        .collect();
    names.sort();
    names
}
