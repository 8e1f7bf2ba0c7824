//! The viewer: its packages, its build, its tests. Nothing is written beside its source.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::ran::{Ran, counted};
use crate::{root, run};

/// The first version of Node that runs the page and its tests.
const NODE: u32 = 20;

/// The path of Debian's Chromium.
const BROWSER: &str = "/usr/bin/chromium";

/// Why the viewer can't be built on this machine.
pub enum Blocked {
    /// Tools are missing, and this says how to install them.
    Missing(String),
    /// It does not build.
    Broken(String),
}

impl From<String> for Blocked {
    fn from(message: String) -> Self {
        Self::Broken(message)
    }
}

/// The folder of the packages, the built page, and the cases of its tests.
fn folder() -> PathBuf {
    root().join("target/viewer")
}

/// Checks the types, compiles the modules and their tests to `target/viewer/out`, and bundles the page in
/// `target/viewer/dist`: as a site, and as a single file.
pub fn build() -> Result<(), Blocked> {
    tools()?;
    packages().map_err(Blocked::Broken)?;
    let out = folder().join("out");
    if out.exists() {
        // What has lost its source would go on being tested.
        fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    for project in ["viewer/src", "viewer"] {
        run(node()
            .arg(folder().join("node_modules/typescript/bin/tsc"))
            .args(["--project", project]))?;
    }
    run(node().arg(out.join("build.js"))).map_err(Blocked::Broken)
}

/// Runs the tests of the built page: on the states that the Rust decoder gives for the same packets, and on the
/// demo's recordings as the command publishes them.
pub fn test(command: &Path, decoder_cases: &Path) -> Result<Ran, String> {
    let cases = folder().join("cases");
    run(Command::new(decoder_cases)
        .arg(&cases)
        .stdout(Stdio::null()))?;
    recordings(command)?;
    browser();
    let tests = folder().join("out/test");
    let files = tests_in(&tests).map_err(|error| format!("{}: {error}", tests.display()))?;
    counted(
        node()
            .args(["--test", "--test-reporter=spec"])
            .args(files)
            // Its lines are read.
            .env("NO_COLOR", "1")
            .env_remove("FORCE_COLOR"),
    )
}

/// Looks for Chromium, in which the tests open the page. Without it these tests are skipped, and say so.
fn browser() {
    let there = Path::new(BROWSER).exists() || env::var_os("CHROMIUM").is_some();
    if there || !may_install() {
        return;
    }
    println!("{BROWSER} is not there: installing it with apt-get install chromium");
    install("chromium");
}

/// Publishes the recordings of the demo: the page must show the same as the command.
fn recordings(command: &Path) -> Result<(), String> {
    let folder = folder().join("recordings");
    let (files, site) = (folder.join("files"), folder.join("site"));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let quiet = |command: &mut Command| run(command.stdout(Stdio::null()));
    quiet(Command::new(command).arg("demo").arg(&files))?;
    let page = self::folder().join("dist");
    let mut publish = Command::new(command);
    publish.arg("publish").arg(&files).arg("--out").arg(&site);
    let published = publish.arg("--page").arg(&page).stdout(Stdio::null());
    let status = published.status().map_err(|error| error.to_string())?;
    // Some of the demo's recordings are damaged: not all of those can be published.
    if status.success() || status.code() == Some(3) || status.code() == Some(1) {
        return Ok(());
    }
    Err(format!("gametape publish: {status}"))
}

/// The compiled tests, by name: versions of Node treat a folder differently.
fn tests_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.to_string_lossy().ends_with(".test.js"));
    files.sort();
    Ok(files)
}

fn node() -> Command {
    let mut command = Command::new("node");
    command.current_dir(root());
    command
}

/// Installs the packages of the lockfile, unless they are installed.
fn packages() -> Result<(), String> {
    let (from, to) = (root().join("viewer"), folder());
    let fail = |error: io::Error| format!("{}: {error}", to.display());
    fs::create_dir_all(&to).map_err(fail)?;
    // npm writes this last.
    let mut installed = to.join("node_modules/.package-lock.json").exists();
    for name in [".npmrc", "package.json", "package-lock.json"] {
        let ours = from.join(name);
        let wanted = fs::read(&ours).map_err(|error| format!("{}: {error}", ours.display()))?;
        let copy = to.join(name);
        if fs::read(&copy).ok().as_ref() != Some(&wanted) {
            installed = false;
            fs::write(&copy, &wanted).map_err(fail)?;
        }
    }
    if installed {
        return Ok(());
    }
    run(npm()
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ])
        // What it has added; errors go to the other stream.
        .stdout(Stdio::null())
        .current_dir(&to))
    .inspect_err(|_| {
        // The next run must not take a half-finished build.
        let _ = fs::remove_dir_all(to.join("node_modules"));
    })
}

fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// The output of a command, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Says what is missing of Node and npm.
enum Lack {
    /// It is not there.
    Tool(&'static str),
    /// What `node --version` says is not late enough.
    Version(String),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "{tool} is not there"),
            Self::Version(found) => write!(f, "node is {found}, and {NODE} or later is needed"),
        }
    }
}

fn lack() -> Option<Lack> {
    let Some(version) = output(node().arg("--version")) else {
        return Some(Lack::Tool("node"));
    };
    let major = |version: &str| version.strip_prefix('v')?.split('.').next()?.parse().ok();
    if major(&version).is_none_or(|major: u32| major < NODE) {
        return Some(Lack::Version(version));
    }
    output(npm().arg("--version"))
        .is_none()
        .then_some(Lack::Tool("npm"))
}

fn apt() -> bool {
    output(Command::new("apt-get").arg("--version")).is_some()
}

/// True if apt-get exists and may be used.
fn may_install() -> bool {
    apt() && output(Command::new("id").arg("-u")).as_deref() == Some("0")
}

fn install(packages: &str) {
    let install = format!("install --yes --quiet --no-install-recommends {packages}");
    for args in ["update --quiet", &install] {
        // Where it fails the tool is still missing, which is said later.
        let _ = run(Command::new("apt-get")
            .args(args.split(' '))
            .env("DEBIAN_FRONTEND", "noninteractive"));
    }
}

/// Finds Node and npm, or installs them with apt-get where it may be used.
fn tools() -> Result<(), Blocked> {
    let mut lacks = lack();
    if let Some(Lack::Tool(tool)) = lacks
        && may_install()
    {
        println!("{tool} is not there: installing it with apt-get install nodejs npm");
        install("nodejs npm");
        lacks = lack();
    }
    let Some(lacks) = lacks else {
        return Ok(());
    };
    // What Debian has may be the version that is too old.
    let how = if matches!(lacks, Lack::Tool(_)) && apt() {
        "sudo apt-get install nodejs npm"
    } else {
        "install it from https://nodejs.org"
    };
    Err(Blocked::Missing(format!("{lacks}: {how}")))
}
