//! How long commands take, and the programs that make something to time them on.

use std::fs;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::cargo;

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
