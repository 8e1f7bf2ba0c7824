//! A recording that is not in memory is never loaded as a whole; only a chunk or a packet of it is.
//!
//! This test has a program of its own, because the allocator counts for the whole process.

#![cfg(feature = "tape")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gametape_capture::container::{WalkEnd, walk};
use gametape_capture::tape::{Delta, Mcap};
use gametape_capture::{Options, Writer};
use gametape_core::tape::{
    Depth, Dump, Format, OptionValue, Options as Asked, Secrets, Source, Tape, Target, Verdict,
    Work,
};
use gametape_core::{At, Input};
use gametape_delta::{Codec, Component, Encoder, Field, Limits, Schema, Snapshot, Value};

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn taken(bytes: usize) {
    PEAK.fetch_max(HELD.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that is allocated while `what` runs, in addition to that allocated before.
fn peak<T>(what: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = what();
    (PEAK.load(Relaxed) - before, result)
}

fn schema() -> Schema {
    let fields: Vec<Field> = (1..=16)
        .map(|id| Field::new(id, Codec::UInt { bits: 32 }))
        .collect();
    Schema::new([Component::new(1, fields)]).unwrap()
}

/// A packet of incompressible numbers.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = Snapshot::new(&schema(), 1);
    let mut number = seed;
    for id in 1..=700 {
        let values = [(); 16].map(|()| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            Value::UInt(number >> 32)
        });
        state.entry(id).set(1, &values).unwrap();
    }
    let mut packet = Vec::new();
    let mut encoder = Encoder::new(&schema()).limits(Limits::NONE);
    encoder.full(&state, &mut packet).unwrap();
    packet
}

/// The packets of a recording of more than 16 MB, one at a time.
fn packets(mut each: impl FnMut(&[u8])) {
    let kinds = [1, 2, 3, 4, 5, 6, 7].map(noise);
    for (tick, kind) in (1..=400_u32).zip((0..kinds.len()).cycle()) {
        let mut packet = kinds[kind].clone();
        packet[16..20].copy_from_slice(&tick.to_le_bytes());
        each(&packet);
    }
}

fn opened(format: &dyn Format, mut file: File) -> Arc<dyn Tape> {
    file.seek(SeekFrom::Start(0)).unwrap();
    let options = Asked::new().with(
        "schema",
        OptionValue::File {
            path: "given.json".into(),
            bytes: serde_json::to_vec(&schema()).unwrap(),
        },
    );
    let source = Source {
        options: options.only(format.options(gametape_core::tape::Verb::Open)),
        ..Source::new(Input::file(file).unwrap())
    };
    format.open(source).unwrap()
}

/// Runs an operation and checks its memory; `what` names it in the message.
fn within(most: usize, what: &str, run: impl FnOnce()) {
    let (held, ()) = peak(run);
    assert!(held < most, "{what} holds {held} bytes, more than {most}");
}

/// Every operation on recordings.
fn all_of(tape: &Arc<dyn Tape>, other: &'static str, most: usize) {
    within(most, "header", || {
        drop(
            tape.describe(Depth::Header, Secrets::Hide, &Work::default())
                .unwrap(),
        );
    });
    within(most, "info", || {
        drop(
            tape.describe(Depth::Whole, Secrets::Hide, &Work::default())
                .unwrap(),
        );
    });
    within(most, "audit", || {
        tape.audit(&Asked::new(), &Work::default()).unwrap();
    });
    let dump = Dump {
        at: Some(At::Tick(300)),
        ..Dump::default()
    };
    // As text, a packet takes several times as much memory.
    within(most + (16 << 20), "dump", || {
        let dumped = tape.dump(&dump, &mut io::sink());
        dumped.unwrap().whole().unwrap();
    });
    within(most, "convert", || {
        let options = Asked::new();
        let target = Target {
            format: other,
            options: &options,
        };
        let mut out = tempfile::tempfile().unwrap();
        tape.convert(target, &mut out, &Work::default()).unwrap();
    });
    within(most, "repair", || {
        let mut out = tempfile::tempfile().unwrap();
        let work = Work::default();
        tape.repair(&Asked::new(), &mut out, &work).unwrap();
    });
    within(most, "compare", || {
        let compare = tape.abilities().compare.unwrap();
        assert!(
            compare
                .compare(&**tape, &Work::default())
                .unwrap()
                .unwrap()
                .same
        );
    });
}

#[test]
fn a_large_file_is_gone_through_in_the_memory_of_a_chunk() {
    let options = Options {
        chunk_bytes: 256 << 10,
        ..Options::default()
    };
    let file = tempfile::tempfile().unwrap();
    let mut writer = Writer::new(file, &schema(), options).unwrap();
    packets(|packet| {
        writer.push(packet).unwrap();
    });
    let file = writer.finish().unwrap();
    let size = file.metadata().unwrap().len() as usize;
    assert!(size > 16 << 20, "{size}");
    // A chunk both packed and unpacked, states, and the largest part over which checksums are
    // computed.
    let most = 4 << 20;

    let whole = opened(&Mcap, file.try_clone().unwrap());
    within(256 << 10, "header", || {
        let header = whole
            .describe(Depth::Header, Secrets::Hide, &Work::default())
            .unwrap();
        assert_eq!(header.value.steps, Some(400));
    });
    let audit = whole.audit(&Asked::new(), &Work::default()).unwrap();
    assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
    all_of(&whole, "delta", most);

    // The same if the recorder was killed, and if a chunk is damaged.
    let input = Input::file(file.try_clone().unwrap()).unwrap();
    let WalkEnd::DataEnd { at, .. } = walk(&input).unwrap().end else {
        panic!("it is whole");
    };
    file.set_len(at).unwrap();
    assert_repairs(&Mcap, file, most);

    let mut file = tempfile::tempfile().unwrap();
    packets(|packet| file.write_all(packet).unwrap());
    all_of(&opened(&Delta, file.try_clone().unwrap()), "capture", most);
    assert_repairs(&Delta, file, most);
}

/// Damages a recording far from its start and repairs it.
fn assert_repairs(format: &dyn Format, mut file: File, most: usize) {
    file.seek(SeekFrom::Start(9 << 20)).unwrap();
    file.write_all(&vec![0x55; 100_000]).unwrap();
    let damaged = opened(format, file);
    let (held, repaired) = peak(|| {
        let mut out = tempfile::tempfile().unwrap();
        let work = Work::default();
        damaged.repair(&Asked::new(), &mut out, &work).unwrap()
    });
    assert!(repaired.lossy);
    assert!(held < most, "repair holds {held} bytes");
}
