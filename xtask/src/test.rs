//! All tests: everything is built once, and what was built runs side by side.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::ran::{Ran, counted};
use crate::viewer::{self, Blocked};
use crate::{cargo, need, outside, python, root};

/// The tests of the page.
const VIEWER: &str = "the viewer";

/// The examples in the documentation.
const EXAMPLES: &str = "examples in the documentation";

/// The tests of the C interface, which make its header again.
const BINDINGS: &str = "c/tests/all";

/// The seed of the random cases, unless it is set already.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Builds all tests and runs those whose name contains this.
pub fn run(wanted: &str) -> Result<(), String> {
    let started = Instant::now();
    let seed = seed();
    println!("== random cases: {SEED}={seed}");
    // The command contains the page: built later, the command would be built again.
    let page = viewer::build();
    if let Err(Blocked::Broken(why)) = page {
        return Err(why);
    }
    if BINDINGS.contains(wanted)
        && let Err(why) = need("cbindgen", "cbindgen@0.29.4")
    {
        // The test of the header says that it was skipped.
        println!("== {why}");
    }
    let (built, python) = thread::scope(|scope| {
        let python = scope.spawn(python::ready);
        (build(), python.join())
    });
    let built = built?;
    println!("== built in {} s", started.elapsed().as_secs());
    let python = python.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    if let Err(why) = &python {
        println!(
            "== SKIPPED: our files in pyarrow, polars and DuckDB, and a bucket of S3: {why}; \
             they need python3 with venv and pip"
        );
    }

    let mut jobs = VecDeque::new();
    jobs.push_back(Job::new(VIEWER, |built| match &page {
        Ok(()) => viewer::test(built.command()?, built.example("decoder_cases")?),
        Err(Blocked::Missing(why) | Blocked::Broken(why)) => Ok(Ran::skipped(why)),
    }));
    jobs.push_back(Job::new(EXAMPLES, |_| {
        counted(cargo().args(["test", "--workspace", "--doc", "--no-fail-fast"]))
    }));
    jobs.push_back(Job::new(python::PACKAGE, |built| match &python {
        Ok(python) => python::test(python, built.command()?),
        Err(why) => Ok(Ran::skipped(why)),
    }));
    jobs.push_back(Job::new(outside::NAME, |_| outside::test()));
    jobs.push_back(Job::new(outside::BEVY, |_| outside::bevy()));
    for program in built.tests() {
        let (seed, python) = (&seed, &python);
        jobs.push_back(Job::new(&program.name, move |_| {
            let mut command = Command::new(&program.path);
            command.current_dir(&program.folder).env(SEED, seed);
            if let Ok(python) = python {
                command.env(python::VARIABLE, python);
            }
            counted(command.env("CARGO_MANIFEST_DIR", &program.folder))
        }));
    }
    jobs.retain(|job| job.name.contains(wanted));
    if jobs.is_empty() {
        return Err(format!("no test program contains {wanted:?} in its name"));
    }
    report(&side_by_side(jobs, &built), started.elapsed())
}

/// Returns the seed of the random cases. The same files are tested with the same cases everywhere, so that a
/// fault that somebody found can be reproduced; other files are tested with other cases.
fn seed() -> String {
    std::env::var(SEED).unwrap_or_else(|_| {
        let tree = Command::new("git")
            .current_dir(root())
            .args(["rev-parse", "HEAD^{tree}"])
            .output();
        let tree = tree.map(|output| output.stdout).unwrap_or_default();
        let digits = String::from_utf8_lossy(&tree)
            .chars()
            .take(12)
            .collect::<String>();
        u64::from_str_radix(&digits, 16).unwrap_or(1).to_string()
    })
}

/// A program that cargo built.
struct Program {
    name: String,
    kind: Kind,
    path: PathBuf,
    /// The folder of its package.
    folder: PathBuf,
    size: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Test,
    Command,
    Example,
}

struct Built(Vec<Program>);

impl Built {
    /// The test programs, the largest first: they tend to run longest.
    fn tests(&self) -> Vec<&Program> {
        let mut tests: Vec<&Program> = self.0.iter().filter(|p| p.kind == Kind::Test).collect();
        tests.sort_by_key(|program| std::cmp::Reverse(program.size));
        tests
    }

    fn command(&self) -> Result<&Path, String> {
        self.find(Kind::Command, "gametape")
    }

    fn example(&self, name: &str) -> Result<&Path, String> {
        self.find(Kind::Example, name)
    }

    fn find(&self, kind: Kind, name: &str) -> Result<&Path, String> {
        let mut programs = self.0.iter();
        let found = programs.find(|program| program.kind == kind && program.name == name);
        let found = found.ok_or_else(|| format!("{name} was not built"))?;
        Ok(&found.path)
    }
}

/// Builds the tests of the workspace, and with them the command and the examples. `target/cargo-timings` shows
/// how long each crate took.
fn build() -> Result<Built, String> {
    let fail = |error: std::io::Error| format!("cargo test --no-run: {error}");
    let mut child = cargo()
        .args(["test", "--workspace", "--no-run", "--timings"])
        .arg("--message-format=json-render-diagnostics")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(fail)?;
    let mut programs = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(fail)?;
            programs.extend(serde_json::from_str(&line).ok().and_then(|m| program(&m)));
        }
    }
    if child.wait().map_err(fail)?.success() {
        Ok(Built(programs))
    } else {
        Err("the tests do not build".into())
    }
}

/// The program that a message of cargo's names.
fn program(message: &Value) -> Option<Program> {
    let path = PathBuf::from(message["executable"].as_str()?);
    let target = message["target"]["name"].as_str()?;
    let kinds = message["target"]["kind"].as_array()?;
    let is = |kind: &str| kinds.iter().any(|of| of == kind);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_str()?;
    let (kind, name) = match message["profile"]["test"].as_bool()? {
        true if is("test") => (Kind::Test, format!("{package}/tests/{target}")),
        true => (Kind::Test, format!("{package}/src ({target})")),
        false if is("example") => (Kind::Example, target.to_owned()),
        false => (Kind::Command, target.to_owned()),
    };
    Some(Program {
        name,
        kind,
        size: fs::metadata(&path).map_or(0, |metadata| metadata.len()),
        folder: folder.to_owned(),
        path,
    })
}

/// The work of a job, given the programs that were built.
type Work<'j> = dyn FnOnce(&Built) -> Result<Ran, String> + Send + 'j;

/// A test program, or another part of the tests.
struct Job<'j> {
    name: String,
    work: Box<Work<'j>>,
}

impl<'j> Job<'j> {
    fn new(name: &str, work: impl FnOnce(&Built) -> Result<Ran, String> + Send + 'j) -> Self {
        Self {
            name: name.to_owned(),
            work: Box::new(work),
        }
    }
}

struct Ended {
    name: String,
    ran: Ran,
    took: Duration,
}

/// Runs jobs, as many at a time as there are cores, and prints how each ended; if it failed, also its output.
fn side_by_side(jobs: VecDeque<Job<'_>>, built: &Built) -> Vec<Ended> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (jobs, ended) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    let next = || jobs.lock().ok()?.pop_front();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(Job { name, work }) = next() {
                    let started = Instant::now();
                    let ran = work(built).unwrap_or_else(|why| Ran {
                        output: why,
                        ..Ran::default()
                    });
                    let took = started.elapsed();
                    if let Ok(mut ended) = ended.lock() {
                        let job = Ended { name, ran, took };
                        print(&job);
                        ended.push(job);
                    }
                }
            });
        }
    });
    ended.into_inner().unwrap_or_default()
}

fn print(Ended { name, ran, took }: &Ended) {
    if !ran.success {
        println!("{}", ran.output);
    }
    let skips = ran.output.lines().filter(|line| line.contains("SKIPPED:"));
    skips.for_each(|line| println!("{line}"));
    let state = match (&ran.skipped, ran.success) {
        (Some(why), _) => format!("SKIPPED: {why}"),
        (None, true) => "ok".to_owned(),
        (None, false) => "FAILED".to_owned(),
    };
    let (passed, failed, took) = (ran.passed, ran.failed, took.as_secs_f64());
    println!("== {name}: {passed} passed, {failed} failed, {took:.1} s: {state}");
}

/// The slowest programs, and the closing line.
fn report(ended: &[Ended], took: Duration) -> Result<(), String> {
    let mut slowest: Vec<&Ended> = ended.iter().collect();
    slowest.sort_by_key(|job| std::cmp::Reverse(job.took));
    println!("== the slowest, of {} s in all", took.as_secs());
    for job in slowest.iter().take(12) {
        println!("{:8.1} s  {}", job.took.as_secs_f64(), job.name);
    }
    let names = |of: fn(&Ran) -> bool| -> Vec<&str> {
        let ended = ended.iter().filter(|job| of(&job.ran));
        ended.map(|job| &*job.name).collect()
    };
    let mut failed = names(|ran| !ran.success);
    let skipped = names(|ran| ran.skipped.is_some());
    let others = match skipped.as_slice() {
        [] => String::new(),
        skipped => format!(", skipped: {}", skipped.join(", ")),
    };
    // In CI, a skipped part is a failure.
    if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
        failed.extend(skipped);
    }
    let sum = |of: fn(&Ran) -> u64| ended.iter().map(|job| of(&job.ran)).sum::<u64>();
    let (passed, broken) = (sum(|ran| ran.passed), sum(|ran| ran.failed));
    println!("{passed} passed, {broken} failed{others}");
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")))
    }
}
