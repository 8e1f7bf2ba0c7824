//! What users get: an archive of each program.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{build_viewer, cargo, root, run};

/// The version of the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The programs: each has its package and an archive of its own, because SQL is heavy.
const PROGRAMS: [(&str, &str); 3] = [
    ("gametape", "gametape-cli"),
    ("gametape-query", "gametape-query"),
    ("gametape-cluster", "gametape-cluster"),
];

/// Builds the programs and packs each, with all that belongs to it, for the platform of this machine. One of
/// them alone, if it is named.
pub fn pack_programs(args: &[&str]) -> Result<(), String> {
    let wanted = |name: &&str| args.is_empty() || args.contains(name);
    if let Some(unknown) = args
        .iter()
        .find(|arg| PROGRAMS.iter().all(|(name, _)| name != *arg))
    {
        return Err(format!("there is no program {unknown}"));
    }
    for (name, package) in PROGRAMS.iter().filter(|(name, _)| wanted(name)) {
        pack(name, package)?;
    }
    Ok(())
}

fn pack(program: &str, package: &str) -> Result<(), String> {
    let is_command = package == "gametape-cli";
    if is_command {
        build_viewer()?;
    }
    let command = built(package)?;
    let name = format!("{program}-{VERSION}-{}", host()?);
    let dist = root().join("target/dist");
    let folder = dist.join(&name);
    emptied(&folder)?;
    let mut filled = fill(&folder, package, &command);
    if is_command {
        filled = filled.and_then(|()| of_command(&folder, &command));
    }
    filled.map_err(|error| format!("{}: {error}", folder.display()))?;
    // A name without a folder: some kinds of tar take the `C:` of a path for a host.
    let archive = format!("{name}.tar.gz");
    run(Command::new("tar")
        .current_dir(&dist)
        .args(["-czf", &archive, &name])
        // Else macOS adds a file of attributes for each file.
        .env("COPYFILE_DISABLE", "1"))?;
    let fail = |error: io::Error| format!("{archive}: {error}");
    let sum = sha256(&dist.join(&archive)).map_err(fail)?;
    let line = format!("{sum}  {archive}\n");
    fs::write(dist.join(format!("{archive}.sha256")), line).map_err(fail)?;
    fs::remove_dir_all(&folder).map_err(fail)?;
    println!("{}", dist.join(archive).display());
    Ok(())
}

/// Builds a program for release and returns its path.
fn built(package: &str) -> Result<PathBuf, String> {
    let output = cargo()
        .args(["build", "--release", "--locked", "--package", package])
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo build: {error}"))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let command = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    command
        .filter(|_| output.status.success())
        .ok_or_else(|| format!("{package} does not build"))
}

/// The platform that the compiler builds for.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let host = output(Command::new(rustc).args(["--print", "host-tuple"]))?;
    Ok(host.trim().to_owned())
}

/// Puts a program and what every program needs into the folder of an archive.
fn fill(folder: &Path, package: &str, command: &Path) -> io::Result<()> {
    let into = |from: &Path| {
        let name = from.file_name().unwrap_or_default();
        fs::copy(from, folder.join(name))
    };
    into(command)?;
    for name in ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        into(&root().join(name))?;
    }
    let crates = cargo_tree(package).map_err(io::Error::other)?;
    fs::write(folder.join("DEPENDENCIES.txt"), crates)
}

/// Adds what the command alone has: fonts, completions, manual pages.
fn of_command(folder: &Path, command: &Path) -> io::Result<()> {
    fs::copy(
        root().join("crates/picture/fonts/LICENSE"),
        folder.join("LICENSE-FONTS"),
    )?;
    let man = Command::new(command)
        .arg("man")
        .arg(folder.join("man"))
        .stdout(Stdio::null())
        .status()?;
    if !man.success() {
        return Err(io::Error::other(format!("the manual pages: {man}")));
    }
    let completions = folder.join("completions");
    fs::create_dir(&completions)?;
    let names = [
        ("bash", "gametape.bash"),
        ("fish", "gametape.fish"),
        ("zsh", "_gametape"),
    ];
    for (shell, name) in names {
        let script =
            output(Command::new(command).args(["completions", shell])).map_err(io::Error::other)?;
        fs::write(completions.join(name), script)?;
    }
    Ok(())
}

/// The crates in a program: name, version, licence, address.
fn cargo_tree(package: &str) -> Result<String, String> {
    let tree = output(cargo().args([
        "tree",
        "--locked",
        "--package",
        package,
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}, {l}, {r}",
    ]))?;
    // A crate that comes again is marked. Without the marks, all that it needs would come again as well, and a
    // large tree has far more paths than crates.
    let mut lines: Vec<&str> = tree
        .lines()
        .filter(|line| !line.starts_with("gametape") && !line.ends_with(" (*)"))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

/// What a command prints, if it succeeds and prints anything.
fn output(command: &mut Command) -> Result<String, String> {
    let done = command.stderr(Stdio::inherit()).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() || done.stdout.is_empty() {
        return Err(format!("{command:?} printed nothing: {}", done.status));
    }
    String::from_utf8(done.stdout).map_err(|error| format!("{command:?}: {error}"))
}

fn emptied(folder: &Path) -> Result<(), String> {
    let fail = |error: io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(fail)?;
    }
    fs::create_dir_all(folder).map_err(fail)
}

/// The SHA-256 of a file, as hexadecimal digits.
fn sha256(path: &Path) -> io::Result<String> {
    let mut digits = String::new();
    for byte in Sha256::digest(fs::read(path)?) {
        let _ = write!(digits, "{byte:02x}");
    }
    Ok(digits)
}
