//! Damage costs what it hits; chunks alone and in order give the same; a seeming end is undone.

use std::cell::Cell;
use std::io::{self, Read};

use crate::common::{
    Outcome, agree, by_chunks, cases, frames_of, journal, match_options, options, read_all,
    read_strictly, reference_matches, salvaged, write,
};
use gametape_echo::butter::{self, Compression, Feed, Reader};
use gametape_echo::{Fed, Finding, Frame, ReadOptions, SalvageError, Time};
use gametape_samples::echo::MatchOptions;
use proptest::prelude::*;

/// A file of a few small chunks.
fn small(seed: u64, compression: Compression) -> (Vec<Frame>, Vec<u8>) {
    let match_ = MatchOptions {
        players_per_team: 1,
        bones: false,
        ..match_options(seed, 12)
    };
    let frames = frames_of(match_);
    let bytes = write(&frames, options(4, compression));
    (frames, bytes)
}

#[test]
fn cut_at_every_byte() {
    for compression in [
        Compression::None,
        Compression::Gzip,
        Compression::Zstd3,
        Compression::Zstd22,
    ] {
        let (_, bytes) = small(2, compression);
        let whole = read_strictly(&bytes);
        let file = butter::read(&bytes).unwrap();
        let starts: Vec<u64> = file.chunks().iter().map(|chunk| chunk.offset).collect();
        let mut kept = 0;
        for cut in 0..bytes.len() {
            let [strict, lenient] = agree(&bytes[..cut], 1 + cut % 7);
            if cut == 0 {
                assert_eq!((strict.error, strict.frames.len()), (None, 0));
                continue;
            }
            assert!(strict.truncated, "{cut}: {:?}", strict.error);
            let frames = lenient.frames.len();
            assert!(lenient.frames == whole.frames[..frames], "{cut}");
            // Chunks before the cut are whole; the chunk that is cut has some of its frames.
            let chunks = starts
                .iter()
                .skip(1)
                .filter(|&&start| start <= cut as u64)
                .count();
            assert!(frames >= chunks * 4, "{cut}: {frames}");
            assert!(frames >= kept, "{cut}");
            kept = frames;
            if (cut as u64) < starts[0] {
                assert!(lenient.truncated);
                assert!(
                    matches!(salvaged(&bytes[..cut]), Err(SalvageError::Read(e)) if e.is_truncated())
                );
                continue;
            }
            let findings: Vec<_> = lenient.findings.iter().map(Finding::code).collect();
            assert_eq!(findings, ["butter.truncated"], "{cut}");
            let (done, out) = salvaged(&bytes[..cut]).unwrap();
            assert_eq!(done.written.frames, frames as u64, "{cut}");
            assert!(!done.nothing_to_do());
            assert!(
                read_strictly(&out).frames == whole.frames[..frames],
                "{cut}"
            );
        }
        // Without compression, every frame before the cut.
        if compression == Compression::None {
            assert_eq!(kept, 11);
        }
    }
}

#[test]
fn salvage_of_a_whole_file_is_the_file() {
    for compression in Compression::ALL {
        for seed in [0, 1, 3] {
            let frames = frames_of(match_options(seed, 30));
            let bytes = write(&frames, options(7, compression));
            let (done, out) = salvaged(&bytes).unwrap();
            assert!(out == bytes);
            assert!(done.nothing_to_do(), "{done:?}");
            assert_eq!((done.written.frames, done.whole_chunks), (30, 5));
        }
    }
    for file in reference_matches() {
        let (done, out) = salvaged(&file.bytes).unwrap();
        assert!(out == file.bytes && done.nothing_to_do(), "{}", file.name);
    }
    let (done, out) = salvaged(&[]).unwrap();
    assert!(done.nothing_to_do() && out.is_empty());
}

#[test]
fn chunks_are_found_where_the_table_does_not_say() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd7] {
        let (_, bytes) = small(2, compression);
        let whole = read_strictly(&bytes).frames;
        let file = butter::read(&bytes).unwrap();
        let chunks = file.chunks().len();
        let table = file.chunks()[0].offset as usize - chunks * 4;
        for entry in 0..chunks {
            for change in [1_u32, 5, 300, 0xFFFF_FFFF, 0x4000_0000] {
                let mut broken = bytes.clone();
                let at = table + entry * 4;
                let size = u32::from_le_bytes(broken[at..at + 4].try_into().unwrap());
                for changed in [size.wrapping_add(change), size.wrapping_sub(change), change] {
                    broken[at..at + 4].copy_from_slice(&changed.to_le_bytes());
                    let (_, out) = salvaged(&broken).unwrap();
                    let read = read_strictly(&out).frames;
                    assert!(
                        read == whole,
                        "{compression}, size {entry} of {size} is {changed}: {} of {} frames",
                        read.len(),
                        whole.len()
                    );
                }
            }
        }
    }
}

#[test]
fn damage_in_one_chunk_costs_that_chunk() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd7] {
        let (_, bytes) = small(2, compression);
        let whole = read_strictly(&bytes).frames;
        let chunk = butter::read(&bytes).unwrap().chunks()[1];
        for at in chunk.offset..chunk.offset + chunk.size {
            let mut broken = bytes.clone();
            broken[at as usize] ^= 0xFF;
            let [_, lenient] = agree(&broken, 64);
            assert!(lenient.frames.starts_with(&whole[..4]));
            assert!(lenient.frames.ends_with(&whole[8..]), "byte {at}");
            let (_, out) = salvaged(&broken).unwrap();
            let read = read_strictly(&out).frames;
            assert!(read.len() >= lenient.frames.len(), "byte {at}");
            assert!(
                read.starts_with(&whole[..4]) && read.ends_with(&whole[8..]),
                "byte {at}"
            );
        }
    }
}

#[test]
fn a_chunk_that_continues_a_broken_one_is_not_invented() {
    // A chunk may start with an ordinary frame, which differs from the chunk before. If that is broken,
    // there is nothing to differ from.
    let (_, bytes) = small(2, Compression::None);
    let whole = read_strictly(&bytes).frames;
    let file = butter::read(&bytes).unwrap();
    let first = file.chunks()[0];
    // The table names two chunks in place of the first: up to the second frame, and from it.
    let start = first.offset as usize;
    let split = memchr::memmem::find(&bytes[start..], &[0xFE, 0xFE]).unwrap();
    let table = first.offset as usize - 12;
    let mut split_bytes = bytes[..table - 4].to_vec();
    split_bytes.extend_from_slice(&4_u32.to_le_bytes());
    split_bytes.extend_from_slice(&(split as u32).to_le_bytes());
    split_bytes.extend_from_slice(&(first.size as u32 - split as u32).to_le_bytes());
    split_bytes.extend_from_slice(&bytes[table + 4..]);
    assert!(read_strictly(&split_bytes).frames == whole);
    agree(&split_bytes, 50);
    // The first byte of the first chunk, which the table's new entry has moved.
    split_bytes[start + 4] ^= 0xFF;
    let [strict, lenient] = agree(&split_bytes, 50);
    assert!(strict.error.unwrap().contains("starts with FC FE"));
    assert!(lenient.findings.has("butter.no-keyframe"));
    assert!(lenient.frames == whole[4..]);
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn chunks_alone_and_in_order_give_the_same_frames(
        seed in 0_u64..1000,
        interval in 1_u16..40,
    ) {
        let frames = frames_of(match_options(seed, 120));
        alone_and_in_order(&write(&frames, options(interval, Compression::Zstd3)));
    }
}

/// Bones of the reference can't be decoded from one chunk.
#[test]
fn chunks_of_the_reference_alone_and_in_order_give_the_same_frames() {
    for file in reference_matches() {
        alone_and_in_order(&file.bytes);
    }
}

fn alone_and_in_order(bytes: &[u8]) {
    let whole = read_strictly(bytes).frames;
    let file = butter::read(bytes).unwrap();
    let alone = by_chunks(bytes, ReadOptions::default());
    assert!(alone.concat() == whole);
    let index = file.index();
    assert_eq!(index.len(), file.chunks().len());
    for ((info, frames), entry) in index.iter().zip(&alone).zip(file.chunks()) {
        assert_eq!(&info.entry, entry);
        assert_eq!(info.frames, frames.len() as u64);
        assert_eq!(info.keyframes, 1);
        assert_eq!(info.first, frames.first().map(|frame| frame.time));
        assert_eq!(info.last, frames.last().map(|frame| frame.time));
        assert_eq!(&info.error, &None);
    }
    for (at, frames) in alone.iter().enumerate() {
        for frame in frames.iter().take(1).chain(frames.last()) {
            assert_eq!(file.chunk_at(frame.time), Some(at));
        }
    }
    assert_eq!(file.chunk_at(Time(whole[0].time.0 - 1)), None);
    assert_eq!(file.chunk_at(Time(i64::MAX)), Some(alone.len() - 1));
    assert!(file.chunk(alone.len()).is_none());
}

#[test]
fn empty_chunks_at_the_end_and_an_empty_file() {
    assert_eq!(agree(&[], 1)[0], Outcome::default());
    let (_, bytes) = small(2, Compression::Gzip);
    let whole = read_strictly(&bytes).frames;
    let file = butter::read(&bytes).unwrap();
    let start = file.chunks()[0].offset as usize;
    for empty in 1..=2_u32 {
        let mut more = bytes[..start].to_vec();
        let count = start - file.chunks().len() * 4 - 4;
        let chunks = file.chunks().len() as u32 + empty;
        more[count..count + 4].copy_from_slice(&chunks.to_le_bytes());
        more.extend(std::iter::repeat_n(0, 4 * empty as usize));
        more.extend_from_slice(&bytes[start..]);
        let [strict, lenient] = agree(&more, 9);
        assert!(strict.frames == whole && strict.error.is_none());
        assert!(lenient.findings.is_empty());
        assert_eq!(
            butter::read(&more).unwrap().chunks().len(),
            file.chunks().len()
        );
    }
}

/// A seeming end is undone: in chunks, in frames of a recording in progress, in bytes after the last chunk;
/// strictly and leniently; pushed, and read from a growing file.
#[test]
fn a_seeming_end_is_undone_by_more_bytes() {
    let (frames, plain) = small(2, Compression::None);
    let (_, packed) = small(2, Compression::Zstd3);
    let (journal, _) = journal(&frames, options(4, Compression::None));
    let trailing = [packed.as_slice(), b"after it"].concat();
    for bytes in [plain, packed, journal, trailing] {
        for options in [ReadOptions::strict(), ReadOptions::lenient()] {
            let whole = read_all(&bytes, options);
            for cut in 0..bytes.len() {
                let mut feed = Feed::with_options(options);
                let mut frames = Vec::new();
                // Twice, so that an end that was undone once is undone again.
                for part in [&bytes[..cut / 2], &bytes[cut / 2..cut], &bytes[cut..]] {
                    feed.push(part);
                    feed.finish();
                    while let Ok(Fed::Item(frame)) = feed.next_frame() {
                        frames.push(frame.clone());
                    }
                }
                assert_eq!(frames.len(), whole.frames.len(), "{cut}");
                assert!(frames == whole.frames, "{cut}");
                let error = feed.next_frame().err().map(|error| error.to_string());
                assert_eq!(error, whole.error, "{cut}");
                assert_eq!(feed.findings(), &whole.findings, "{cut}");
            }
            grows(&bytes, options, &whole);
        }
    }
}

/// A file that another process writes: reads return no more than has been written.
struct Grows<'a> {
    rest: &'a [u8],
    room: &'a Cell<usize>,
}

impl Read for Grows<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = self.room.get().min(self.rest.len()).min(into.len());
        let (now, later) = self.rest.split_at(size);
        into[..size].copy_from_slice(now);
        self.rest = later;
        self.room.set(self.room.get() - size);
        Ok(size)
    }
}

fn grows(bytes: &[u8], options: ReadOptions, whole: &Outcome) {
    for step in [1, 50, 333] {
        let room = &Cell::new(0);
        let mut reader = Reader::with_options(Grows { rest: bytes, room }, options);
        let mut frames = 0;
        let mut error = None;
        for _ in 0..=bytes.len() / step {
            room.set(room.get() + step);
            error = loop {
                match reader.next_frame() {
                    Ok(Some(frame)) => {
                        assert!(*frame == whole.frames[frames], "{step}");
                        frames += 1;
                    }
                    Ok(None) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
        }
        assert_eq!(frames, whole.frames.len(), "{step}");
        assert_eq!(error, whole.error, "{step}");
        assert_eq!(reader.findings(), &whole.findings, "{step}");
    }
}
