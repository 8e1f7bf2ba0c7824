//! How long commands take, and the programs that make something to time them on.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::{cargo, root};

/// Builds the programs that make archives.
pub fn built_examples() -> io::Result<()> {
    let built = cargo()
        .args(["build", "--release", "--quiet"])
        .args(["--package", "gametape-samples", "--examples"])
        .status()?;
    if built.success() {
        return Ok(());
    }
    Err(io::Error::other("the examples could not be built"))
}

/// Like [`timed`], for a command that must end with one of these codes: failing at once is not fast.
pub fn timed_well(command: &mut Command, codes: &[i32]) -> io::Result<(f64, u64)> {
    let (seconds, peak, status) = timed(command)?;
    if status.code().is_some_and(|code| codes.contains(&code)) {
        return Ok((seconds, peak));
    }
    Err(io::Error::other(format!("{command:?}: {status}")))
}

/// Returns the seconds that a command takes, its peak memory in KiB where the system tells it (Linux: the
/// high-water mark, read until the command ends), and its exit status.
pub fn timed(command: &mut Command) -> io::Result<(f64, u64, ExitStatus)> {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(text) = fs::read_to_string(&status) {
            let mark = text
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
            peak = mark.and_then(|kib| kib.parse().ok()).unwrap_or(peak);
        }
        if let Some(status) = child.try_wait()? {
            return Ok((start.elapsed().as_secs_f64(), peak, status));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How long a command took.
pub struct Took {
    pub seconds: f64,
    /// Seconds of all processors.
    pub cpu: f64,
    pub peak: u64,
    /// The bytes that it read from files.
    pub read: u64,
}

impl Took {
    pub fn told(&self) -> String {
        format!(
            "seconds={:.3} cpu={:.3} peak_MiB={:.0}",
            self.seconds,
            self.cpu,
            self.peak as f64 / 1024.0
        )
    }
}

/// Runs a command to its end. On Linux, the processor time is that of its whole life.
pub fn run_through(command: &mut Command) -> io::Result<Took> {
    let start = Instant::now();
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let id = child.id();
    let of = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}"));
    let (mut cpu, mut peak, mut read) = (0.0, 0, 0);
    loop {
        if let Ok(status) = of("status") {
            let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let mark = mark.and_then(|mark| mark.split_whitespace().next()?.parse().ok());
            peak = mark.unwrap_or(peak);
        }
        if let Ok(io) = of("io") {
            let count = io.lines().find_map(|line| line.strip_prefix("rchar:"));
            read = count
                .and_then(|count| count.trim().parse().ok())
                .unwrap_or(read);
        }
        cpu = processor_seconds(id).unwrap_or(cpu);
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                return Err(io::Error::other(format!("{command:?}: {status}")));
            }
            return Ok(Took {
                seconds: start.elapsed().as_secs_f64(),
                cpu,
                peak,
                read,
            });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the seconds that all threads of a process took so far, on Linux.
pub fn processor_seconds(id: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // After the name, which may contain anything: the 12th and 13th are ticks of 10 ms.
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Makes an archive with an example of `gametape-samples`.
pub fn make(example: &str, folder: &Path, args: &[usize]) -> io::Result<()> {
    built_examples()?;
    let program = root().join("target/release/examples").join(example);
    let args = args.iter().map(ToString::to_string);
    timed_well(Command::new(program).arg(folder).args(args), &[0]).map(|_| ())
}
