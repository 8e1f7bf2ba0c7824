//! Benchmarks: those of the libraries beside their peers, of the command, and of SQL.

mod cluster;
mod query;
mod timing;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{cargo, root, run};
use timing::{built_examples, timed, timed_well};

/// Runs the chosen benchmarks beside the peers, then times the command. `query` times SQL alone,
/// `cluster` the same on executors.
pub fn run_all(args: &[&str]) -> Result<(), String> {
    match args {
        ["query"] => return query::all(),
        ["cluster"] => return cluster::all(),
        _ => {}
    }
    run(cargo()
        .args([
            "run",
            "--release",
            "--quiet",
            "--manifest-path",
            "bench/Cargo.toml",
            "--",
        ])
        .args(args))?;
    run(cargo().args(["build", "--release", "--quiet", "--package", "gametape-cli"]))?;
    verify_many().map_err(|error| format!("verify of many files: {error}"))?;
    for (matches, frames) in [(1_000, 120), (6, 6_000)] {
        convert_many(matches, frames).map_err(|error| format!("convert of a folder: {error}"))?;
    }
    verify_large().map_err(|error| format!("verify of a large file: {error}"))
}

/// Files in the folder that `verify` is timed on.
const MANY: usize = 10_000;

/// Times `gametape verify` on a folder of the demo's recordings, copied until they are many.
fn verify_many() -> io::Result<()> {
    let gametape = root().join("target/release/gametape");
    let folder = std::env::temp_dir().join(format!("gametape-bench-{}", std::process::id()));
    let (demo, many) = (folder.join("demo"), folder.join("many"));
    fs::create_dir_all(&many)?;
    let played = Command::new(&gametape)
        .arg("demo")
        .arg(&demo)
        .stdout(Stdio::null())
        .status()?;
    if !played.success() {
        return Err(io::Error::other("the demo failed"));
    }
    let mut recordings: Vec<PathBuf> = fs::read_dir(&demo)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    recordings.retain(|path| path.extension().is_some_and(|extension| extension == "rmv"));
    recordings.sort();
    let mut bytes = 0;
    for (at, recording) in recordings.iter().cycle().take(MANY).enumerate() {
        bytes += fs::copy(recording, many.join(format!("{at:05}.rmv")))?;
    }
    let mut runs = (0..5)
        .map(|_| timed(Command::new(&gametape).arg("verify").arg(&many)))
        .collect::<io::Result<Vec<_>>>()?;
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (seconds, peak, _) = runs.get(2).copied().unwrap_or_default();
    println!(
        "verify/{MANY}-files files/s={:.0} MB/s={:.0} peak_MiB={:.1}",
        MANY as f64 / seconds,
        bytes as f64 / 1e6 / seconds,
        peak as f64 / 1024.0
    );
    fs::remove_dir_all(&folder)
}

/// Times `gametape convert` on a folder of invented matches of Echo VR, in turns with the necessary part of that
/// work: inflating and parsing them.
fn convert_many(matches: u32, frames: u32) -> io::Result<()> {
    let gametape = root().join("target/release/gametape");
    let folder = std::env::temp_dir().join(format!("gametape-convert-{}", std::process::id()));
    let (archive, out) = (folder.join("archive"), folder.join("out"));
    built_examples()?;
    let examples = root().join("target/release/examples");
    let made = Command::new(examples.join("archive"))
        .arg(&archive)
        .args([matches.to_string(), frames.to_string()])
        .stdout(Stdio::null())
        .status()?;
    if !made.success() {
        return Err(io::Error::other("the matches could not be made"));
    }
    let mut runs = Vec::new();
    for run in 0..5 {
        // What was deleted a moment ago makes new files dearer.
        let out = out.join(run.to_string());
        let mut inflate = Command::new(examples.join("inflate"));
        let (bound, _) = timed_well(inflate.arg(&archive), &[0])?;
        let mut convert = Command::new(&gametape);
        convert.args(["convert", "--to", "butter"]).arg(&archive);
        convert.arg("--out").arg(&out).stderr(Stdio::null());
        // Numbers are rounded.
        let (seconds, peak) = timed_well(&mut convert, &[0, 3])?;
        runs.push((seconds, bound, peak));
    }
    runs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (seconds, bound, peak) = runs.get(2).copied().unwrap_or_default();
    println!(
        "convert/{matches}-matches-of-{frames}-frames seconds={seconds:.2} inflating_and_parsing={bound:.2} \
         times={:.2} peak_MiB={:.1}",
        seconds / bound,
        peak as f64 / 1024.0
    );
    fs::remove_dir_all(&folder)
}

/// Megabytes of the recording that commands are timed on.
const LARGE: &str = "1000";

/// Times `gametape` on one large Murk recording: it is replayed in the world that it carries.
fn verify_large() -> io::Result<()> {
    let gametape = root().join("target/release/gametape");
    let folder = std::env::temp_dir().join(format!("gametape-large-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let recording = folder.join("large.murk");
    let made = cargo()
        .args(["run", "--release", "--quiet"])
        .args(["--package", "gametape-samples", "--no-default-features"])
        .args(["--features", "engine", "--example", "large_murk", "--"])
        .arg(&recording)
        .arg(LARGE)
        .stdout(Stdio::null())
        .status()?;
    if !made.success() {
        return Err(io::Error::other("the recording could not be made"));
    }
    let megabytes = fs::metadata(&recording)?.len() as f64 / 1e6;
    let time = |name: &str, args: &[&str]| -> io::Result<()> {
        let (seconds, peak, _) = timed(Command::new(&gametape).args(args).arg(&recording))?;
        println!(
            "{name} seconds={seconds:.2} MB/s={:.0} peak_MiB={:.1}",
            megabytes / seconds,
            peak as f64 / 1024.0
        );
        Ok(())
    };
    time("verify/murk-1GB", &["verify"])?;
    time("index/murk-1GB", &["index"])?;
    time("verify/murk-1GB-with-index", &["verify"])?;
    let (seconds, peak, _) = timed(
        Command::new(&gametape)
            .args(["dump", "--at", "tick:1500000"])
            .arg(&recording),
    )?;
    println!(
        "dump/one-tick-of-murk-1GB ms={:.1} peak_MiB={:.1} (the process's start among it)",
        seconds * 1e3,
        peak as f64 / 1024.0
    );
    fs::remove_dir_all(&folder)
}
