//! Helpers of all tests of the command.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};

use snapbox::cmd::{Command, OutputAssert, cargo_bin};

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

/// Runs a command line, which has to exit with `code`.
pub fn expect(folder: &Path, args: &str, code: i32) -> OutputAssert {
    gametape(folder, &words(args)).assert().code(code)
}

/// Runs a command that exits with `code`; returns standard output and standard error.
pub fn outputs(folder: &Path, args: &str, code: i32) -> (String, String) {
    let run = expect(folder, args, code);
    let [out, err] = [&run.get_output().stdout, &run.get_output().stderr]
        .map(|text| String::from_utf8(text.clone()).unwrap());
    (out, err)
}

/// Runs a command that has to succeed without output on standard error.
pub fn fine(folder: &Path, args: &str) -> String {
    let (out, err) = outputs(folder, args, 0);
    assert_eq!(err, "", "{args}");
    out
}

/// Runs a command that has to be refused: one line on standard error, nothing on standard output, and no
/// change in the folder.
pub fn refused(folder: &Path, args: &str, complaint: &str) {
    let before = names(folder);
    let (out, err) = outputs(folder, args, 2);
    assert_eq!(err, format!("gametape: {complaint}\n"), "{args}");
    assert_eq!(out, "", "{args}");
    assert_eq!(names(folder), before, "{args}");
}

/// Runs a command under a limit of the shell, such as `ulimit -f 1`.
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

/// A limit on the size of files, in kilobytes, in the place of a full disk. The signal is ignored, so that it
/// becomes an error.
#[cfg(target_os = "linux")]
pub fn full_at(kilobytes: usize) -> String {
    format!("trap '' XFSZ; ulimit -f {kilobytes}")
}

/// One JSON object that a command prints.
pub fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

/// The sorted names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().display().to_string())
        .collect();
    names.sort();
    names
}

/// The files below a folder, sorted; they may go while they are counted.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let below = entries.map(|entry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![path],
    });
    let mut files: Vec<PathBuf> = below.flatten().collect();
    files.sort();
    files
}

/// The files below a folder, by their names there, with their bytes.
pub fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let file = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        (name.to_owned(), fs::read(&path).unwrap())
    };
    files(root).into_iter().map(file).collect()
}

/// A command that runs until something happens to it.
pub struct Running {
    pub child: Child,
    pub stderr: BufReader<ChildStderr>,
}

impl Running {
    pub fn of(command: &mut std::process::Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr }
    }

    /// The next line of standard error.
    pub fn says(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args([name, &id]).status().unwrap().success());
    }

    /// Waits for its end; its exit code, standard output and the rest of standard error.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.stderr.read_to_string(&mut err).unwrap();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code(), out, err)
    }
}

/// Calls a command again and again, and kills it as soon as it has made a few more files, until `is_enough`.
pub fn killed_in_between(
    folder: &Path,
    args: &str,
    there: impl Fn() -> usize,
    is_enough: impl Fn() -> bool,
) {
    let mut kills = 0;
    while !is_enough() && kills < 200 {
        let before = there();
        let mut child = std::process::Command::new(cargo_bin("gametape"))
            .current_dir(folder)
            .args(words(args))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while there() < before + 5 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
}
