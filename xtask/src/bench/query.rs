//! SQL: how fast questions about an archive are answered.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::timing::{Took, make, run_through, timed_well};
use crate::{cargo, root, run};

/// Games in the archive.
const GAMES: usize = 10_000;
/// Frames of a match: two minutes and a half at 30 Hz.
const FRAMES: usize = 4_500;
const MATCHES: usize = 8;
/// Frames of an hour.
const HOUR: usize = 60 * 60 * 30;

/// Answers questions about many small recordings and a few large ones.
pub fn all() -> Result<(), String> {
    for package in ["gametape-cli", "gametape-query"] {
        run(cargo().args(["build", "--release", "--quiet", "--package", package]))?;
    }
    let told = |error: io::Error| format!("questions in SQL: {error}");
    let folder = std::env::temp_dir().join(format!("gametape-sql-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(told)?;
    games(&folder).map_err(told)?;
    matches(&folder).map_err(told)?;
    hour(&folder).map_err(told)?;
    fs::remove_dir_all(&folder).map_err(told)
}

/// Ten thousand games of Minesweeper.
fn games(folder: &Path) -> io::Result<()> {
    let games = folder.join("games");
    make("games", &games, &[GAMES])?;
    let list = "SELECT format, count(*), sum(bytes) FROM recordings GROUP BY 1";
    let efficiency = "SELECT avg(ioe) FROM games";
    let listed = asked(list, &games, None)?;
    println!(
        "sql/list-{GAMES}-files {} files/s={:.0}",
        listed.told(),
        GAMES as f64 / listed.seconds
    );
    let one = asked(efficiency, &games, Some(1))?;
    println!(
        "sql/avg-ioe-{GAMES}-games one core: {} files/s={:.0}",
        one.told(),
        GAMES as f64 / one.seconds
    );
    let all = asked(efficiency, &games, None)?;
    println!(
        "sql/avg-ioe-{GAMES}-games all cores: {} files/s={:.0}",
        all.told(),
        GAMES as f64 / all.seconds
    );
    if let Some(peer) = python(&games)? {
        println!(
            "sql/avg-ioe-{GAMES}-games ms_toollib in Python: {} ours/peer: {:.1} times the speed on one core, {:.1} on all",
            peer.told(),
            peer.cpu / one.cpu,
            peer.seconds / all.seconds
        );
    }
    let rows = count("SELECT count(*) FROM mouse_events", &games)?;
    let columns = asked("SELECT max(x), max(y) FROM mouse_events", &games, Some(1))?;
    println!(
        "sql/two-columns-of-mouse_events one core: {} Mrows/s={:.1}",
        columns.told(),
        rows / 1e6 / columns.cpu
    );
    let lag = "SELECT max(ms) FROM (SELECT time_ms - lag(time_ms) OVER (PARTITION BY recording ORDER BY step) AS ms FROM mouse_events)";
    println!(
        "sql/lag-of-{:.1}-million-events all cores: {}",
        rows / 1e6,
        asked(lag, &games, None)?.told()
    );
    // A file that is younger than two seconds is not trusted.
    std::thread::sleep(Duration::from_secs(3));
    let indexed = run_through(Command::new(binary()).arg("index").arg(&games))?;
    println!("sql/index-{GAMES}-games {}", indexed.told());
    let listed = asked(list, &games, None)?;
    println!("sql/list-{GAMES}-files with a catalogue: {}", listed.told());
    let known = asked(efficiency, &games, None)?;
    println!(
        "sql/avg-ioe-{GAMES}-games with a catalogue: {}",
        known.told()
    );
    let start = asked("SELECT 1", &folder.join("games"), None)?;
    println!("sql/select-1 (what the rest costs) {}", start.told());
    Ok(())
}

/// Matches of Echo VR in three forms.
fn matches(folder: &Path) -> io::Result<()> {
    let zip = folder.join("zip");
    make("archive", &zip, &[MATCHES, FRAMES])?;
    let gametape = root().join("target/release/gametape");
    let mut text = 0;
    let (texts, packed) = (folder.join("text"), folder.join("butter"));
    for (to, out) in [("butter", &packed), ("echoreplay", &texts)] {
        let mut convert = Command::new(&gametape);
        convert
            .args(["convert", "--to", to])
            .arg(&zip)
            .arg("--out")
            .arg(out);
        if to == "echoreplay" {
            convert.arg("--plain");
        }
        timed_well(convert.stderr(Stdio::null()), &[0, 3])?;
    }
    for (form, folder) in [("butter", &packed), ("text", &texts), ("zip", &zip)] {
        let bytes = count("SELECT sum(bytes) FROM recordings", folder)?;
        if form == "text" {
            text = bytes as u64;
        }
        let four = "SELECT max(head_x), max(head_y), max(head_z), max(ping) FROM players";
        let four = asked(four, folder, Some(1))?;
        println!(
            "sql/four-columns-of-players/{form} one core: {} MB/s={:.0}",
            four.told(),
            bytes / 1e6 / four.cpu
        );
        let columns = "SELECT string_agg('count(' || column_name || ')', ', ') FROM information_schema.columns WHERE table_schema = 'echo' AND table_name = 'players'";
        let columns = answer(columns, folder)?;
        let every = asked(&format!("SELECT {columns} FROM players"), folder, Some(1))?;
        println!(
            "sql/all-columns-of-players/{form} one core: {} MB/s={:.0}",
            every.told(),
            bytes / 1e6 / every.cpu
        );
        let ten = format!(
            "SELECT count(*) FROM players WHERE step BETWEEN {0} AND {0} + 9",
            FRAMES / 2
        );
        println!(
            "sql/ten-steps-of-players/{form} {}",
            asked(&ten, folder, None)?.told()
        );
    }
    println!("sql: the matches have {} MB of text", text / 1_000_000);
    Ok(())
}

/// Ten steps in the middle of an hour: how much of each form is read.
fn hour(folder: &Path) -> io::Result<()> {
    let zip = folder.join("hour-zip");
    make("archive", &zip, &[1, HOUR])?;
    let gametape = root().join("target/release/gametape");
    let mut all = vec![("zip", zip.clone())];
    let forms: [(&str, &[&str]); 3] = [
        ("butter", &["butter"]),
        ("text", &["echoreplay", "--plain"]),
        ("capture", &["mcap"]),
    ];
    for (form, to) in forms {
        let out = folder.join(format!("hour-{form}"));
        let mut convert = Command::new(&gametape);
        convert.arg("convert").arg(&zip).arg("--out").arg(&out);
        convert.arg("--to").args(to).stderr(Stdio::null());
        timed_well(&mut convert, &[0, 3])?;
        all.push((form, out));
    }
    // Those that are kept an index for come last.
    for (form, of) in [("text-with-index", "text"), ("butter-with-index", "butter")] {
        all.push((form, folder.join(format!("hour-{of}"))));
    }
    for (form, folder) in all {
        if form.ends_with("-with-index") {
            let mut keep = Command::new(&gametape);
            timed_well(keep.args(["inspect", "--keep-index"]).arg(&folder), &[0])?;
        }
        let bytes = count("SELECT sum(bytes) FROM recordings", &folder)?;
        let ten = format!(
            "SELECT count(*) FROM players WHERE step BETWEEN {0} AND {0} + 9",
            HOUR / 2
        );
        let took = asked(&ten, &folder, None)?;
        println!(
            "sql/ten-steps-of-an-hour/{form} {} MB={:.1} read={:.2}%",
            took.told(),
            bytes / 1e6,
            100.0 * took.read as f64 / bytes
        );
    }
    Ok(())
}

fn binary() -> PathBuf {
    root().join("target/release/gametape-query")
}

/// Returns the median of three runs of a query, after one that fills the page cache.
fn asked(sql: &str, folder: &Path, threads: Option<usize>) -> io::Result<Took> {
    let mut runs = Vec::new();
    for _ in 0..4 {
        let mut command = Command::new(binary());
        command.arg(sql).arg(folder);
        if let Some(threads) = threads {
            command.args(["--threads", &threads.to_string()]);
        }
        runs.push(run_through(&mut command)?);
    }
    runs.remove(0);
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(1))
}

fn answer(sql: &str, folder: &Path) -> io::Result<String> {
    let output = Command::new(binary())
        .arg(sql)
        .arg(folder)
        .args(["--format", "csv"])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text
        .lines()
        .nth(1)
        .ok_or_else(|| io::Error::other(format!("{sql}: no answer")))?;
    Ok(line.trim_matches('"').to_owned())
}

fn count(sql: &str, folder: &Path) -> io::Result<f64> {
    answer(sql, folder)?.parse().map_err(io::Error::other)
}

/// The peer: a loop in Python, if there is a Python with `ms_toollib`: `GAMETAPE_PYTHON`.
fn python(games: &Path) -> io::Result<Option<Took>> {
    let Some(python) = std::env::var_os("GAMETAPE_PYTHON") else {
        println!("SKIPPED: the loop in Python: set GAMETAPE_PYTHON to a Python with ms_toollib");
        return Ok(None);
    };
    let script = "\
import os, sys, ms_toollib
games = [os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[1]) for name in names]
total = count = 0
for path in games:
    video = ms_toollib.RmvVideo(path)
    video.parse()
    video.analyse()
    video.current_time = 1e9
    total += video.ioe
    count += 1
print(total / count)";
    run_through(Command::new(python).args(["-c", script]).arg(games)).map(Some)
}
