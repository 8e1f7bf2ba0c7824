//! A cluster: one query over more and more executors, beside `gametape-query`.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::timing::{Took, make, processor_seconds, run_through};
use crate::{cargo, root, run};

/// Games that are made.
const GAMES: usize = 10_000;
/// How often the larger archive has each of them.
const TIMES: usize = 10;
/// The numbers of executors, each with one core.
const EXECUTORS: [usize; 3] = [1, 2, 4];

/// A query, and its name.
type Query = (&'static str, &'static str);

const QUERIES: [Query; 4] = [
    ("count", "SELECT outcome, count(*) FROM games GROUP BY 1"),
    ("avg-ioe", "SELECT avg(ioe) FROM games"),
    (
        "audit",
        "SELECT code, count(*) FROM findings GROUP BY 1 ORDER BY 2 DESC",
    ),
    (
        "shuffle",
        "SELECT recording, count(*) AS moves, max(x) AS x FROM mouse_events GROUP BY 1 ORDER BY 2 DESC LIMIT 10",
    ),
];

/// Times queries on loopback.
pub fn all() -> Result<(), String> {
    let mut build = cargo();
    build.args(["build", "--release", "--quiet"]);
    run(build.args([
        "--package",
        "gametape-cluster",
        "--package",
        "gametape-query",
    ]))?;
    let told = |error: io::Error| format!("queries on a cluster: {error}");
    let folder = std::env::temp_dir().join(format!("gametape-cluster-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(told)?;
    let measured = measure(&folder).map_err(told);
    fs::remove_dir_all(&folder).map_err(told)?;
    measured
}

fn measure(folder: &Path) -> io::Result<()> {
    let small = folder.join("games");
    make("games", &small, &[GAMES])?;
    let large = folder.join("many");
    copy(&small, &large)?;
    for (games, archive) in [(GAMES, &small), (GAMES * TIMES, &large)] {
        for (name, sql) in QUERIES {
            for threads in [1, 2] {
                let took = alone(sql, archive, threads)?;
                println!(
                    "cluster/{name}-{games}-games gametape-query --threads {threads}: {}",
                    took.told()
                );
            }
        }
        for executors in EXECUTORS {
            let cluster = Cluster::start(folder, executors)?;
            for (name, sql) in QUERIES {
                println!(
                    "cluster/{name}-{games}-games executors={executors}: {}",
                    cluster.asked(sql, archive)?
                );
            }
        }
    }
    Ok(())
}

/// Links to the same games under many names.
fn copy(games: &Path, to: &Path) -> io::Result<()> {
    for time in 0..TIMES {
        let folder = to.join(time.to_string());
        fs::create_dir_all(&folder)?;
        for game in fs::read_dir(games)? {
            let game = game?;
            fs::hard_link(game.path(), folder.join(game.file_name()))?;
        }
    }
    Ok(())
}

fn alone(sql: &str, archive: &Path, threads: usize) -> io::Result<Took> {
    let mut runs = Vec::new();
    for _ in 0..3 {
        let mut command = Command::new(root().join("target/release/gametape-query"));
        command.arg(sql).arg(archive);
        command.args(["--threads", &threads.to_string()]);
        // As many threads look through the archive, and are free for rows.
        command.env("RAYON_NUM_THREADS", threads.to_string());
        command.env("TOKIO_WORKER_THREADS", threads.to_string());
        runs.push(run_through(&mut command)?);
    }
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(1))
}

/// A scheduler and executors on this machine, which end with this value.
struct Cluster {
    scheduler: Child,
    executors: Vec<Child>,
}

/// The port of the scheduler. Those of executors follow it.
const PORT: usize = 21_300;

impl Cluster {
    fn start(folder: &Path, executors: usize) -> io::Result<Self> {
        let scheduler = ["scheduler", "--bind", &format!("127.0.0.1:{PORT}")];
        let mut cluster = Self {
            scheduler: started(&scheduler)?,
            executors: Vec::new(),
        };
        for executor in 0..executors {
            let work = folder.join(format!("work-{executor}"));
            let bind = format!("127.0.0.1:{}", PORT + 2 + 2 * executor);
            let scheduler = format!("127.0.0.1:{PORT}");
            let args = ["executor", "--threads", "1", "--scheduler", &scheduler];
            let work = work.to_string_lossy();
            let own = ["--bind", &bind, "--work-dir", &work];
            let args: Vec<&str> = args.into_iter().chain(own).collect();
            cluster.executors.push(started(&args)?);
        }
        // They make themselves known.
        std::thread::sleep(std::time::Duration::from_secs(3));
        Ok(cluster)
    }

    /// Returns the median of three runs: seconds by the clock, of the processors of each part, and bytes.
    fn asked(&self, sql: &str, archive: &Path) -> io::Result<String> {
        let mut runs = Vec::new();
        for _ in 0..3 {
            let (before, bytes) = (self.seconds(), through_loopback()?);
            let mut command = Command::new(program());
            command.arg("query").arg(sql).arg(archive);
            command.args(["--cluster", &format!("127.0.0.1:{PORT}")]);
            let took = run_through(&mut command)?;
            let after = self.seconds();
            let bytes = through_loopback()?.saturating_sub(bytes);
            let scheduler = after.0 - before.0;
            let executors = after.1 - before.1;
            runs.push((took, scheduler, executors, bytes));
        }
        runs.sort_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds));
        let (took, scheduler, executors, bytes) = runs.swap_remove(1);
        Ok(format!(
            "seconds={:.3} cpu: client={:.2} scheduler={scheduler:.2} executors={executors:.2} MB={:.2} scheduler_MiB={}",
            took.seconds,
            took.cpu,
            bytes as f64 / 1e6,
            self.peak() / 1024
        ))
    }

    /// The seconds of processor that the scheduler took so far, and all executors.
    fn seconds(&self) -> (f64, f64) {
        let seconds = |child: &Child| processor_seconds(child.id()).unwrap_or_default();
        let executors = self.executors.iter().map(seconds).sum();
        (seconds(&self.scheduler), executors)
    }

    /// The most memory that the scheduler had, in KiB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.scheduler.id()));
        let status = status.unwrap_or_default();
        let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = mark.and_then(|mark| mark.split_whitespace().next()?.parse().ok());
        mark.unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in self.executors.iter_mut().chain([&mut self.scheduler]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn program() -> std::path::PathBuf {
    root().join("target/release/gametape-cluster")
}

/// Starts a part of a cluster, and waits for the line that says so.
fn started(args: &[&str]) -> io::Result<Child> {
    let mut child = Command::new(program())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut line = String::new();
    if let Some(out) = &mut child.stdout {
        BufReader::new(out).read_line(&mut line)?;
    }
    if line.is_empty() {
        return Err(io::Error::other(format!("{args:?} ended at once")));
    }
    Ok(child)
}

/// The bytes that went through the loopback interface so far.
fn through_loopback() -> io::Result<u64> {
    let interfaces = fs::read_to_string("/proc/net/dev")?;
    let own = interfaces
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("lo:"));
    let bytes = own.and_then(|own| own.split_whitespace().next()?.parse().ok());
    bytes.ok_or_else(|| io::Error::other("no loopback interface"))
}
