//! The examples in C and C++: they compile without a warning, link with both libraries, and do what they say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use crate::common::skipped;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// The libraries that the static library needs on Linux.
const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// The libraries, which cargo builds beside the tests.
fn library(name: &str) -> PathBuf {
    let tests = env::current_exe().unwrap();
    let library = tests.parent().unwrap().join(name);
    assert!(library.exists(), "{} was not built", library.display());
    library
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{text}",
        output.status
    );
    output
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// A compiler from the environment or the path, if it is there. In CI it has to be.
fn compiler(variable: &str, name: &str) -> Option<String> {
    let tool = env::var(variable).unwrap_or_else(|_| name.to_owned());
    if is_there(&tool) {
        return Some(tool);
    }
    skipped(&format!(
        "{tool} is not there, so that no program was built with it"
    ));
    assert!(env::var("CI").as_deref() != Ok("true"), "install {tool}");
    None
}

fn compile(compiler: &str, standard: &str, source: &Path, library: &Path, to: &Path) {
    let mut command = Command::new(compiler);
    command
        .args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-g"])
        .arg(format!("-I{FOLDER}/include"))
        .arg(source)
        .arg(library)
        .args(SYSTEM)
        .arg(format!(
            "-Wl,-rpath,{}",
            library.parent().unwrap().display()
        ))
        .arg("-o")
        .arg(to);
    run(&mut command);
}

#[test]
fn the_arena_in_c_prints_what_it_did() {
    let Some(compiler) = compiler("CC", "cc") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (program, capture) = (folder.path().join("arena"), folder.path().join("a.mcap"));
    let library = library("libgametape_c.a");
    let source = Path::new(FOLDER).join("examples/arena.c");
    compile(&compiler, "-std=c99", &source, &library, &program);
    let output = run(Command::new(&program).arg(&capture));
    let printed = String::from_utf8(output.stdout).unwrap();
    let golden = format!("{FOLDER}/examples/arena.txt");
    if env::var_os("GAMETAPE_BLESS").is_some() {
        fs::write(&golden, &printed).unwrap();
    }
    assert_eq!(printed, fs::read_to_string(golden).unwrap());
    // The capture is one for all of gametape.
    let bytes = fs::read(&capture).unwrap();
    let read = gametape_capture::read(&bytes).unwrap();
    assert!(read.is_view() && read.problem().is_none());

    if !is_there("valgrind") {
        skipped("valgrind is not there, so that memory was not checked");
        return;
    }
    fs::remove_file(&capture).unwrap();
    let mut checked = Command::new("valgrind");
    checked.args(["--quiet", "--leak-check=full", "--error-exitcode=9"]);
    let checked = run(checked.arg(&program).arg(&capture));
    assert_eq!(String::from_utf8(checked.stdout).unwrap(), printed);
    assert_eq!(String::from_utf8(checked.stderr).unwrap(), "");
}

#[test]
fn the_header_works_in_cpp_and_with_the_shared_library() {
    let Some(compiler) = compiler("CXX", "c++") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("check");
    let library = library("libgametape_c.so");
    let source = Path::new(FOLDER).join("examples/check.cpp");
    compile(&compiler, "-std=c++11", &source, &library, &program);
    run(&mut Command::new(&program));
}

#[test]
fn the_example_of_the_readme_prints_what_it_says() {
    let Some(compiler) = compiler("CC", "cc") else {
        return;
    };
    let readme = include_str!("../../README.md");
    let (_, example) = readme.split_once("```c\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("game.c"), folder.path().join("game"));
    fs::write(&source, example).unwrap();
    let library = library("libgametape_c.so");
    compile(&compiler, "-std=c99", &source, &library, &program);
    let output = run(&mut Command::new(&program));
    assert_eq!(output.stdout, b"ship 7 is at 1.50\n");
}
