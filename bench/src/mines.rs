//! Compares gametape-mines with `ms_toollib`.

use std::hint::black_box;
use std::panic;
use std::path::{Path, PathBuf};

use gametape_mines::{Event, Metrics, rmv};
use gametape_samples::mines::{record, scenarios};
use ms_toollib::RmvVideo;
use ms_toollib::videos::NewSomeVideo2;

use crate::timing::{Pair, Plain, Prepared, geometric_mean, race};
use crate::{alloc, report, timing};

/// The number of rounds of a case; each is one batch of about half a millisecond on either side.
const ROUNDS: u32 = 401;

/// The cases of each file.
const GROUPS: [&str; 3] = ["read", "read+iterate", "audit+metrics"];

/// The real recordings, next to the repository.
const TAPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/tapes/rmv");

/// Measures these files and folders, or the real recordings.
pub fn run(mut paths: Vec<PathBuf>) {
    if paths.is_empty() {
        paths.push(PathBuf::from(TAPES));
    }
    let mut files = Vec::new();
    for path in &paths {
        if let Err(error) = collect(path, &mut files) {
            eprintln!("SKIPPED: {}: {error}", path.display());
        }
    }
    files.sort();

    // The peer panics on some files; each is reported once below.
    panic::set_hook(Box::new(|_| {}));
    let mut groups: [Vec<Pair>; 3] = Default::default();
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match std::fs::read(path) {
            Ok(bytes) => measure(&name, &bytes, &mut groups),
            Err(error) => eprintln!("SKIPPED: {}: {error}", path.display()),
        }
    }
    if files.is_empty() {
        eprintln!("NO REAL RECORDING to measure: name files or folders. Measuring the bot's:");
        for scenario in scenarios().iter().take(5) {
            if let Ok(bytes) = record(scenario, 1).and_then(|game| rmv::write(&game)) {
                measure(&format!("synthetic-{}", scenario.name), &bytes, &mut groups);
            }
        }
    }
    for (group, pairs) in GROUPS.into_iter().zip(&groups) {
        if !pairs.is_empty() {
            let pair = Pair {
                ours: geometric_mean(pairs.iter().map(|pair| pair.ours)),
                peer: geometric_mean(pairs.iter().map(|pair| pair.peer)),
            };
            report(group, "ALL", pair);
        }
    }
    drop(panic::take_hook());
}

/// A file, or the `.rmv` files of a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.metadata()?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in path.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rmv") {
            files.push(path);
        }
    }
    Ok(())
}

fn measure(name: &str, bytes: &[u8], groups: &mut [Vec<Pair>; 3]) {
    if let Err(error) = rmv::read(bytes) {
        eprintln!("SKIPPED: {name}: we refuse it: {error}");
        return;
    }
    match panic::catch_unwind(|| peer_parse(bytes.to_vec()).map(drop)) {
        Ok(Some(())) => {}
        Ok(None) => return eprintln!("SKIPPED: {name}: the peer refuses it"),
        Err(_) => return eprintln!("SKIPPED: {name}: the peer panics on it"),
    }

    let (_, allocations) = alloc::count(|| read_and_iterate(bytes));
    let (calls, size) = (allocations.calls, allocations.bytes);
    println!("alloc/{name} calls={calls} bytes={size}");

    let clock = timing::clock();
    let copy = || bytes.to_vec();
    let mut peer = Prepared {
        prepare: copy,
        call: peer_parse,
        clock,
    };
    let read = race(
        ROUNDS,
        &mut Plain(|| rmv::read(black_box(bytes)).is_ok()),
        &mut peer,
    );
    let iterate = race(
        ROUNDS,
        &mut Plain(|| read_and_iterate(black_box(bytes))),
        &mut peer,
    );
    for (at, pair) in [read, iterate].into_iter().enumerate() {
        report(GROUPS[at], name, pair);
        groups[at].push(pair);
    }

    if panic::catch_unwind(|| peer_analyse(bytes.to_vec()).map(drop)).is_err() {
        return eprintln!("SKIPPED: audit+metrics/{name}: the peer panics on it");
    }
    let pair = race(
        ROUNDS,
        &mut Plain(|| audit(black_box(bytes))),
        &mut Prepared {
            prepare: copy,
            call: peer_analyse,
            clock,
        },
    );
    report(GROUPS[2], name, pair);
    groups[2].push(pair);
}

/// Reads, and then accesses every field of every event once more.
fn read_and_iterate(bytes: &[u8]) -> Option<u64> {
    let game = rmv::read(bytes).ok()?;
    Some(game.events.iter().map(weigh).sum())
}

/// A value that depends on every field of an event.
#[inline]
fn weigh(event: Event) -> u64 {
    match event {
        Event::Mouse(mouse) => {
            u64::from(mouse.time_ms)
                + u64::from(mouse.x.cast_unsigned())
                + u64::from(mouse.y.cast_unsigned())
                + u64::from(mouse.action.code())
                + u64::from(mouse.buttons.0)
                + u64::from(mouse.reduced)
        }
        Event::Board(board) => {
            u64::from(board.cell.col) + u64::from(board.cell.row) + u64::from(board.face.code())
        }
        Event::Timestamp(time) => u64::from(time),
    }
}

/// Audits and computes every statistic. The caller drops the audit with its findings.
fn audit(bytes: &[u8]) -> (rmv::Audit<'_>, [Option<f64>; 11]) {
    let audit = rmv::audit(bytes);
    let ratios = audit.metrics.as_ref().map_or([None; 11], ratios);
    (audit, ratios)
}

fn ratios(metrics: &Metrics) -> [Option<f64>; 11] {
    [
        metrics.bbbv_per_s(),
        metrics.estimated_time(),
        metrics.ioe(),
        metrics.correctness(),
        metrics.throughput(),
        metrics.rqp(),
        metrics.qg(),
        metrics.ios(),
        metrics.stnb(),
        metrics.zne(),
        metrics.znt(),
    ]
}

fn peer_parse(bytes: Vec<u8>) -> Option<RmvVideo> {
    let mut video = <RmvVideo as NewSomeVideo2<_, _>>::new(bytes, "");
    video.parse().ok()?;
    Some(video)
}

/// The peer's analysis, which also computes ZiNi and HZiNi.
fn peer_analyse(bytes: Vec<u8>) -> Option<RmvVideo> {
    let mut video = peer_parse(bytes)?;
    video.data.analyse();
    Some(video)
}
