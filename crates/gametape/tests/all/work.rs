//! Long tasks report progress in all of their passes, and stop soon after they are cancelled.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gametape::core::tape::{self, Options, Work};
use gametape::core::{Input, ReadAt};
use gametape::{Error, Recording};

use crate::samples::{long_match, samples};

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

const VERBS: [(&str, Verb); 2] = [
    ("convert", |recording, work| {
        let to = recording.format().name();
        recording
            .convert_with(to, &Options::new(), work)
            .map(|_| ())
    }),
    ("repair", |recording, work| {
        recording.repair_with(&Options::new(), work).map(|_| ())
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
                assert!(!sound || told > size >> 18, "{place}: told {told} times");
            }
        }
    }
}

/// Cancels the task at its first report of progress.
#[test]
fn what_says_how_far_it_is_says_so_early_and_ends_then() {
    for (name, bytes) in recordings() {
        let size = bytes.len() as u64;
        for (verb, run) in VERBS {
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
