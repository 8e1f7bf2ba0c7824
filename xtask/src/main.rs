//! Chores of the workspace: `cargo xtask demo | test | fmt | lint | bench | fuzz | book | viewer | docs | wheel | dist`.

mod bench;
mod dist;
mod outside;
mod python;
mod ran;
mod test;
mod viewer;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use viewer::Blocked;

const USAGE: &str = "\
cargo xtask COMMAND

  demo [ARGS]      build the command and run its demo (a bot plays, records, tampers, verifies)
  test [NAME]      run all tests, the kept inputs of the fuzz checks, the examples in the documentation, a
                   format with the manifest that CONTRIBUTING.md shows, the example for Bevy, the tests of the
                   viewer (needs node and npm) and of the Python package (needs python3 with venv and pip);
                   or the test programs whose name contains NAME
  fmt              format the code of all workspaces
  lint             check formatting and lints, as CI does
  bench [ARGS]     run the benchmarks beside the peers and print a line for each case; then time verify on
                   10,000 files, and convert on folders of matches; `bench query` times SQL, `bench cluster` a
                   cluster
  fuzz [SECONDS] [NAME]
                   run every fuzz check whose name contains NAME on all inputs that are one step away from a
                   seed, then under libFuzzer for SECONDS each (default 60); needs cargo-fuzz
  book             build the book; needs mdbook
  viewer           check and build the viewer, to target/viewer; needs node and npm
  docs             build the documentation of the Python package, with its notebooks, to target/python-docs/html;
                   needs python3 with venv and pip
  wheel [sql]      build the Python package for release, to target/wheels, and its extra `sql` (the program
                   gametape-query); needs python3 with venv and pip
  dist             build the programs for release and pack each with its licences, `gametape` also with completions
                   and manual pages: target/dist/gametape-VERSION-TARGET.tar.gz, gametape-query-…, and their
                   SHA-256 beside them; `dist gametape` packs one alone";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    let rest: Vec<String> = args.collect();
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let done = match command.as_deref() {
        Some("demo") => demo(&rest),
        Some("test") => test::run(rest.first().copied().unwrap_or_default()),
        Some("fmt") => fmt(&[]),
        Some("lint") => lint(),
        Some("bench") => bench::run_all(&rest),
        Some("fuzz") => fuzz(&rest),
        Some("book") => book(),
        Some("viewer") => build_viewer(),
        Some("docs") => python::docs(),
        Some("wheel") => python::wheel(&rest),
        Some("dist") => dist::pack_programs(&rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's root folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_owned)
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    without_ours(&mut command);
    command
}

/// Removes what cargo tells this program of its own package. Some build scripts, such as that of ring, run again
/// where it differs, and all that is built on them after it: DataFusion, too, each time that somebody calls cargo
/// once directly and once through a chore.
fn without_ours(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let of_package =
            |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
}

/// A command as it would be typed, without its environment.
fn said(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("can't run {}: {error}", said(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} failed: {status}", said(command)))
    }
}

/// Builds the command as the tests do and runs its demo: to optimise it takes minutes, and saves a second. The
/// page is built first, because the command contains it.
fn demo(args: &[&str]) -> Result<(), String> {
    println!(
        "Builds the page and the command, which takes 3 to 4 minutes on two cores the first time. Then it \
         shows in ten seconds what it can do: games, simulations and matches are recorded, tampered with and \
         verified."
    );
    match viewer::build() {
        Ok(()) => {}
        Err(Blocked::Missing(how)) => println!("without the page that plays recordings: {how}"),
        Err(Blocked::Broken(why)) => return Err(why),
    }
    run(cargo()
        .args(["run", "--package", "gametape-cli", "--", "demo"])
        .args(args))
}

/// The workspaces.
const MANIFESTS: [&str; 3] = ["Cargo.toml", "bench/Cargo.toml", outside::BEVY_MANIFEST];

fn fmt(args: &[&str]) -> Result<(), String> {
    MANIFESTS.into_iter().try_for_each(|manifest| {
        run(cargo()
            .args(["fmt", "--all", "--manifest-path", manifest])
            .args(args))
    })
}

/// Packages that are also checked with few features: with all features together, what is missing or unused
/// there stays hidden.
const SMALL: &[&[&str]] = &[
    &["gametape-archive", "--features", "zip"],
    &["gametape-capture"],
    &["gametape-capture", "--features", "tape"],
    &["gametape-delta"],
    &["gametape-echo"],
    &["gametape-mines"],
    &["gametape-murk"],
    &["gametape", "--features", "mines"],
    &["gametape", "--features", "mines,folders"],
    &["gametape", "--features", "mines,policy"],
    &["gametape-live"],
    &["gametape-cli"],
];

fn lint() -> Result<(), String> {
    fmt(&["--check"])?;
    for manifest in MANIFESTS {
        run(cargo()
            .args(["clippy", "--all-targets", "--manifest-path", manifest])
            // In one folder: the dependencies of all workspaces are checked once.
            .args(["--workspace", "--target-dir", "target"])
            .args(["--", "-D", "warnings"]))?;
    }
    for of in SMALL {
        run(cargo()
            .args(["clippy", "--no-default-features", "--package"])
            .args(*of)
            .args(["--", "-D", "warnings"]))?;
    }
    run(cargo().env("RUSTDOCFLAGS", "-D warnings").args([
        "doc",
        "--workspace",
        "--no-deps",
        "--quiet",
    ]))
}

/// Installs a tool that is not part of the toolchain, where it is missing.
fn need(tool: &str, package: &str) -> Result<(), String> {
    let found = Command::new(tool)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if found {
        return Ok(());
    }
    println!("{tool} is missing: installing it with cargo install {package} --locked");
    run(cargo().args(["install", package, "--locked"]))
}

fn fuzz(args: &[&str]) -> Result<(), String> {
    let seconds = args.first().copied().unwrap_or("60");
    seconds
        .parse::<u32>()
        .map_err(|_| format!("{seconds:?} is not a number of seconds"))?;
    let wanted = args.get(1).copied();
    // All inputs that are one step away from a seed: the tests take one in ten.
    run(cargo()
        .env("GAMETAPE_EXHAUSTIVE", "1")
        .args(["test", "--package", "gametape-fuzz", "--"])
        .args(wanted))?;
    need("cargo-fuzz", "cargo-fuzz")?;
    // It writes the seeds of each check, and prints the names of the checks.
    let listed = cargo()
        .args(["run", "--quiet", "--package", "gametape-fuzz"])
        .args(["--example", "corpus"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo run: {error}"))?;
    if !listed.status.success() {
        return Err("the corpora could not be written".into());
    }
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names = listed.lines().filter_map(|line| line.split_once(':'));
    for (name, _) in names.filter(|(name, _)| wanted.is_none_or(|wanted| name.contains(wanted))) {
        println!("== {name}");
        let artifacts = root().join("fuzz/artifacts").join(name);
        fs::create_dir_all(&artifacts)
            .map_err(|error| format!("{}: {error}", artifacts.display()))?;
        // The sanitizer's flags are unstable: on a stable toolchain this allows them.
        run(cargo()
            .env("RUSTC_BOOTSTRAP", "1")
            .env("GAMETAPE_CHECK", name)
            .args(["fuzz", "run", "--features", "libfuzzer", "check"])
            .arg(root().join("fuzz/corpus").join(name))
            .arg("--")
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(format!("-max_total_time={seconds}"))
            .args(["-rss_limit_mb=4096", "-max_len=20000"]))?;
    }
    Ok(())
}

fn book() -> Result<(), String> {
    need("mdbook", "mdbook")?;
    run(Command::new("mdbook").arg("build").arg(root().join("docs")))
}

fn build_viewer() -> Result<(), String> {
    viewer::build().map_err(|blocked| match blocked {
        Blocked::Missing(why) | Blocked::Broken(why) => why,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toml::{Table, Value};

    use super::*;

    /// The crates that know no other of ours but these. Above them cargo keeps the order: it takes no circle.
    const BELOW: [(&str, &[&str]); 9] = [
        ("core", &[]),
        ("archive", &["core"]),
        ("delta-derive", &[]),
        ("delta", &["core", "delta-derive"]),
        ("capture", &["core", "delta"]),
        ("echo", &["archive", "core"]),
        ("mines", &["core"]),
        ("murk", &["core"]),
        ("tables", &["core"]),
    ];

    fn manifest(of: &Path) -> Table {
        let text = fs::read_to_string(of.join("Cargo.toml")).unwrap();
        text.parse().unwrap()
    }

    #[test]
    fn formats_do_not_know_each_other_nor_what_is_built_on_them() {
        for (name, allowed) in BELOW {
            let manifest = manifest(&root().join("crates").join(name));
            let ours = manifest["dependencies"].as_table().unwrap().keys();
            let ours = ours.filter_map(|name| name.strip_prefix("gametape"));
            let ours = ours.map(|name| name.trim_start_matches('-'));
            let more: BTreeSet<&str> = ours.filter(|name| !allowed.contains(name)).collect();
            assert!(more.is_empty(), "crates/{name} depends on {more:?}");
        }
    }

    /// cargo takes a package without these; those who use it need them.
    #[test]
    fn what_is_published_has_its_licences_and_says_what_it_is() {
        for folder in fs::read_dir(root().join("crates")).unwrap() {
            let folder = folder.unwrap().path();
            let manifest = manifest(&folder);
            let package = &manifest["package"];
            if package.get("publish") == Some(&Value::Boolean(false)) {
                continue;
            }
            for key in ["description", "documentation", "keywords", "categories"] {
                assert!(package.get(key).is_some(), "{folder:?}: {key}");
            }
            for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
                assert!(folder.join(file).is_file(), "{folder:?}: {file}");
            }
        }
    }
}
