//! A whole conversion, from a zipped .echoreplay to .butter, compared with its minimal work:
//! unzipping and parsing.

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use gametape::{Options as Wishes, Recording, Work};
use gametape_echo::Game;
use gametape_echo::butter::{Options, Writer};
use gametape_echo::echoreplay::{self, ZipWriter};
use gametape_samples::echo::Match;

use super::best;
use super::frames::options;

/// The number of frames in the recording: three minutes at 30 Hz, 70 MB of text.
const FRAMES: usize = 6000;

pub(super) fn run(wants: &dyn Fn(&str) -> bool) {
    for (bones, name) in [(false, "arena-plain"), (true, "arena-bones")] {
        let title = format!("echo-convert/{name}");
        if wants(&title) {
            let file = zipped(bones);
            measure(&title, file.path());
        }
    }
}

fn zipped(bones: bool) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let sink = std::io::BufWriter::new(file.as_file());
    let mut zip = ZipWriter::new(sink, "match.echoreplay", 6).expect("space");
    for frame in Match::new(options(Game::Arena, bones, FRAMES)) {
        zip.push(&frame).expect("finite numbers");
    }
    zip.finish().expect("space");
    file
}

fn measure(title: &str, path: &Path) {
    let open = || File::open(path).expect("the temporary file");
    // The lower bound: inflating the text, finding its lines, and parsing each with the JSON
    // library.
    let bound = best(3, || {
        let mut reader = echoreplay::open(open()).expect("a zip");
        while let Some(line) = reader.next_line().expect("sound") {
            let parsed = sonic_rs::from_slice::<sonic_rs::Value>(line.session);
            drop(black_box(parsed.expect("sound")));
            if let Some(bones) = line.bones {
                let parsed = sonic_rs::from_slice::<sonic_rs::Value>(bones);
                drop(black_box(parsed.expect("sound")));
            }
        }
    });
    let unzip = best(3, || {
        let mut reader = echoreplay::open(open()).expect("a zip");
        while let Some(line) = reader.next_line().expect("sound") {
            black_box(line.size());
        }
    });
    for (how, work) in [
        ("library", &(|| library(path)) as &dyn Fn()),
        ("crate-alone", &|| one_thread(open())),
    ] {
        let (time, cores) = timed(work);
        println!(
            "{title}-{how} frames/s={:.0} ms={:.0} cores={cores:.2} cpu_ms={:.0} \
             bound_cpu_ms={:.0} unzip_cpu_ms={:.0}",
            FRAMES as f64 / time.as_secs_f64(),
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() * 1e3 * cores,
            bound.as_secs_f64() * 1e3,
            unzip.as_secs_f64() * 1e3,
        );
    }
}

/// As `gametape convert` does it: with both cores, and every frame is read back to measure its
/// errors.
fn library(path: &Path) {
    let recording = Recording::open(path).expect("a zip");
    let work = Work {
        folder: path.parent(),
        ..Work::default()
    };
    let converted = recording.convert_with("butter", &Wishes::new(), &work);
    assert!(converted.expect("sound").outcome.report.is_some());
}

/// The processor time of this process on all cores, in steps of 10 ms. Threads that have ended are
/// included.
fn processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// The fastest of three runs, and the number of cores that were busy during it.
fn timed(work: &dyn Fn()) -> (Duration, f64) {
    let mut fastest = (Duration::MAX, 0.0);
    for _ in 0..3 {
        let (start, before) = (Instant::now(), processor());
        work();
        let time = start.elapsed();
        let spent = processor()
            .zip(before)
            .map_or(Duration::ZERO, |(now, then)| now - then);
        if time < fastest.0 {
            fastest = (time, spent.as_secs_f64() / time.as_secs_f64());
        }
    }
    fastest
}

/// A program that uses only the crate: it reads, and writes to a temporary file.
fn one_thread(file: impl Read + Seek) {
    let mut reader = echoreplay::open(file).expect("a zip");
    let spool = tempfile::tempfile().expect("a temporary file");
    let mut writer = Writer::new(spool, Options::default());
    while let Some(frame) = reader.next_frame().expect("sound") {
        writer.push(frame).expect("ten players");
    }
    let mut out = tempfile::tempfile().expect("a temporary file");
    writer.finish(&mut out).expect("space");
    out.flush().expect("space");
}
