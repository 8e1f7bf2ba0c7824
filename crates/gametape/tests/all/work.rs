//! Long tasks report progress in all of their passes, and stop soon after they are cancelled.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gametape::core::tape::{self, Options, Work};
use gametape::core::{Input, ReadAt};
use gametape::{At, Error, Lane, Recording, Scan, Secrets};

use crate::known::{long_match, samples};

/// Counts the bytes that are read.
struct Counted {
    bytes: Vec<u8>,
    read: AtomicU64,
}

impl ReadAt for Counted {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap().min(self.bytes.len());
        let count = into.len().min(self.bytes.len() - from);
        into[..count].copy_from_slice(&self.bytes[from..from + count]);
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Returns large recordings, because small ones are read in one piece.
fn recordings() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = Vec::new();
    for format in gametape::formats().iter() {
        let largest = samples(format.name()).into_iter().max_by_key(Vec::len);
        all.extend(largest.map(|bytes| (format.name(), bytes)));
    }
    let text = long_match();
    let lines = Recording::from_bytes(text.clone(), "a").unwrap();
    for to in ["butter", "capture"] {
        let made = lines.convert(to, &Options::new()).unwrap();
        all.push((to, made.content.bytes().unwrap()));
    }
    all.push(("echoreplay", text));
    all
}

fn is_cancelled(error: &Error) -> bool {
    let of_tape = matches!(error, Error::Tape { .. });
    of_tape && error.code() == tape::Error::Cancelled.code()
}

type Verb = fn(&Recording, &Work<'_>) -> Result<(), Error>;

/// Those that write a recording, and tell how far they are in all formats, from early on.
const WRITING: [&str; 2] = ["convert", "repair"];
/// Those that tell how far they are in all formats; of a small recording, perhaps at its end.
const TELLING: [&str; 4] = ["convert", "repair", "audit", "stats"];

const VERBS: [(&str, Verb); 8] = [
    ("convert", |recording, work| {
        let to = recording.format().name();
        recording
            .convert_with(to, &Options::new(), work)
            .map(|_| ())
    }),
    ("repair", |recording, work| {
        recording.repair_with(&Options::new(), work).map(|_| ())
    }),
    ("audit", |recording, work| {
        recording.audit_with(&Options::new(), work).map(|_| ())
    }),
    ("stats", |recording, work| {
        recording.stats_with(&Options::new(), work).map(|_| ())
    }),
    ("info", |recording, work| {
        recording.info_with(Secrets::Hide, work).map(|_| ())
    }),
    ("playback", |recording, work| {
        recording.playback_with(work).map(|_| ())
    }),
    ("diff", |recording, work| {
        let other = recording.clone();
        recording
            .diff_with(&other, &Options::new(), work)
            .map(|_| ())
    }),
    ("scan", |recording, work| {
        let tables = recording.tables()?;
        let rows = tables.iter().find(|table| table.lane == Lane::Events);
        let scan = Scan::table(&*rows.unwrap_or(&tables[0]).name);
        let all = |_| Ok(ControlFlow::Continue(()));
        recording.scan_with(&scan, work, all).map(|_| ())
    }),
];

#[test]
fn what_is_wanted_no_more_ends_before_it_is_read_again() {
    for (name, bytes) in recordings() {
        let size = bytes.len() as u64;
        // Also test broken recordings, because repairing them is more work.
        let mut broken = bytes.clone();
        let middle = broken.len() / 2;
        broken[middle] ^= 0x55;
        for (bytes, sound) in [(bytes, true), (broken, false)] {
            for (verb, run) in VERBS {
                let place = format!("{verb} {name}, {size} bytes, sound: {sound}");
                let counted = Arc::new(Counted {
                    bytes: bytes.clone(),
                    read: AtomicU64::new(0),
                });
                let open = || {
                    let input = Input::at(counted.clone()).unwrap();
                    gametape::formats().open_input(input, "a").unwrap()
                };
                let recording = open();
                counted.read.store(0, Ordering::Relaxed);
                let (cancel, told) = (AtomicBool::new(true), AtomicU64::new(0));
                let hear = |_| {
                    told.fetch_add(1, Ordering::Relaxed);
                };
                let work = Work {
                    cancel: Some(&cancel),
                    progress: Some(&hear),
                    ..Work::default()
                };
                let error = run(&recording, &work).unwrap_err();
                assert!(is_cancelled(&error) || !sound, "{place}: {error}");
                let read = counted.read.load(Ordering::Relaxed);
                assert!(
                    read <= size / 4 + (256 << 10),
                    "{place}: {read} bytes were read"
                );
                // Without cancellation, progress is reported to the end.
                cancel.store(false, Ordering::Relaxed);
                told.store(0, Ordering::Relaxed);
                let recording = open();
                let done = run(&recording, &work);
                assert!(done.is_ok() || !sound, "{place}: {done:?}");
                let told = told.load(Ordering::Relaxed);
                let tells = TELLING.contains(&verb);
                assert!(
                    !sound || !tells || told > size >> 18,
                    "{place}: told {told} times"
                );
            }
        }
    }
}

/// Cancels the task at its first report of progress.
#[test]
fn what_says_how_far_it_is_says_so_early_and_ends_then() {
    for (name, bytes) in recordings() {
        let size = bytes.len() as u64;
        for (verb, run) in VERBS.into_iter().filter(|(verb, _)| WRITING.contains(verb)) {
            let place = format!("{verb} {name}, {size} bytes");
            let counted = Arc::new(Counted {
                bytes: bytes.clone(),
                read: AtomicU64::new(0),
            });
            let input = Input::at(counted.clone()).unwrap();
            let recording = gametape::formats().open_input(input, "a").unwrap();
            let (cancel, first) = (AtomicBool::new(false), AtomicU64::new(0));
            let hear = |done| {
                if done > 0 {
                    cancel.store(true, Ordering::Relaxed);
                    // Only the first report counts.
                    let _ = first.compare_exchange(0, done, Ordering::Relaxed, Ordering::Relaxed);
                }
            };
            let work = Work {
                cancel: Some(&cancel),
                progress: Some(&hear),
                ..Work::default()
            };
            let error = run(&recording, &work).unwrap_err();
            assert!(is_cancelled(&error), "{place}: {error}");
            let first = first.load(Ordering::Relaxed);
            assert!(first <= size / 4 + (256 << 10), "{place}: first at {first}");
        }
    }
}

/// The state of a simulation at its end takes all ticks before it.
#[test]
fn a_state_that_is_wanted_no_more_leaves_the_playback_where_it_was() {
    let longest = samples("murk").into_iter().max_by_key(Vec::len).unwrap();
    let recording = Recording::from_bytes(longest, "a").unwrap();
    let tables = recording.tables().unwrap();
    let grid = tables.iter().find(|table| table.lane == Lane::Grid);
    let scan = Scan::table(&*grid.unwrap().name);
    let mut play = recording.playback().unwrap();
    let last = play.span().last;
    let at_the_end = |play: &mut gametape::Playback| play.seek(At::Step(last.step)).unwrap();
    let cancel = AtomicBool::new(true);
    let work = Work {
        cancel: Some(&cancel),
        ..Work::default()
    };
    at_the_end(&mut play);
    assert!(is_cancelled(&play.state_with(&scan, &work).unwrap_err()));
    assert_eq!(play.now(), last);
    cancel.store(false, Ordering::Relaxed);
    let found = play.state_with(&scan, &work).unwrap();
    assert_eq!(play.now(), last);
    let mut other = recording.playback().unwrap();
    at_the_end(&mut other);
    assert_eq!(rows_of(&found), rows_of(&other.state(&scan).unwrap()));
}

fn rows_of(batch: &gametape::Batch) -> Vec<gametape::core::table::kit::Row> {
    gametape::core::table::kit::rows_of(batch).collect()
}
