//! Damage: frames after it are neither lost, nor cut off, nor left out of the count.

use std::io::{Cursor, Read, Write};

use crate::common::{
    frames_of, journal, match_options, options, read_all, read_strictly, salvaged, write,
};
use gametape_echo::butter::{self, Compression, Journal, Reader};
use gametape_echo::{Frame, Player, ReadOptions, Time};
use gametape_samples::echo::MatchOptions;

const OPTIONS: butter::Options = butter::Options {
    keyframe_interval: 6,
    compression: Compression::Zstd3,
};

fn frames(count: u64) -> Vec<Frame> {
    frames_of(MatchOptions {
        players_per_team: 1,
        joins: false,
        bones: false,
        ..match_options(0, count)
    })
}

/// Returns an unfinished recording in which a player joins, and the end of each frame.
fn joined(count: u64) -> (Vec<u8>, Vec<usize>) {
    let mut frames = frames(count);
    for frame in frames.iter_mut().skip(9) {
        frame.session.teams[1].players.push(Player {
            name: "Quinn".into(),
            userid: 70,
            ..Player::default()
        });
    }
    journal(&frames, OPTIONS)
}

fn resumed(bytes: &[u8]) -> String {
    match Journal::resume(Cursor::new(bytes.to_vec()), OPTIONS) {
        Ok(_) => String::new(),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn damage_in_a_journal_costs_the_frames_that_depend_on_it() {
    let (bytes, ends) = joined(18);
    let whole = read_strictly(&bytes);
    let head = butter::read(&bytes).unwrap().header().map(|header| {
        let mut head = Vec::new();
        header.write(&mut head);
        head.len() + 8
    });
    for broken in 0..17_usize {
        let mut spoilt = bytes.clone();
        let at = broken.checked_sub(1).map_or(head.unwrap(), |at| ends[at]);
        spoilt[at] ^= 0x80;
        let read = read_all(&spoilt, ReadOptions::lenient());
        let next = (broken + 1..18)
            .find(|&at| whole.keyframes[at])
            .unwrap_or(18);
        // If a header is broken, the frames after it are read with the players known before.
        if broken != 9 {
            let kept = [&whole.frames[..broken], &whole.frames[next..]].concat();
            assert!(read.frames == kept, "{broken}: {}", read.frames.len());
        }
        assert!(read.frames.len() >= broken, "{broken}");
        let audit = butter::audit(&spoilt);
        assert!(audit.findings.has("butter.marker"), "{:?}", audit.findings);
        assert!(!audit.findings.has("butter.trailing"));
        let (done, out) = salvaged(&spoilt).unwrap();
        assert!(read_strictly(&out).frames == read.frames, "{broken}");
        assert!(done.lost_bytes > 0 && !done.nothing_to_do());
        if broken != 9 {
            assert_eq!(done.gaps, u64::from(next < 18), "{broken}");
        }
        // Resuming would destroy the frames after the damage.
        assert_eq!(resumed(&spoilt), "butter.damaged", "{broken}");
    }
    // Damage in the last frame alone is a torn frame.
    let mut spoilt = bytes.clone();
    spoilt[ends[16]] ^= 0x80;
    assert_eq!(resumed(&spoilt), "");
    // A file of one broken frame.
    let mut spoilt = bytes[..ends[0]].to_vec();
    spoilt[head.unwrap()] ^= 0x80;
    assert_eq!(resumed(&spoilt), "butter.marker");
    assert!(butter::read(&spoilt).unwrap().is_unfinished());
    // A header that claims too many players hides the frames after it.
    let mut spoilt = bytes;
    let client = spoilt[4..].iter().position(|&byte| byte == 0).unwrap();
    spoilt[4 + client + 21] = 250;
    assert!(!resumed(&spoilt).is_empty());
}

/// Makes a file of these chunks, whatever its table says.
fn file(like: &[u8], sizes: &[u32], body: &[&[u8]]) -> Vec<u8> {
    let read = butter::read(like).unwrap();
    let mut bytes = Vec::new();
    read.header().unwrap().write(&mut bytes);
    bytes.extend_from_slice(&(sizes.len() as u32).to_le_bytes());
    for size in sizes {
        bytes.extend_from_slice(&size.to_le_bytes());
    }
    bytes.extend_from_slice(&body.concat());
    bytes
}

#[test]
fn salvage_counts_lost_bytes() {
    for compression in [Compression::Gzip, Compression::Zstd3] {
        let bytes = write(&frames(8), options(4, compression));
        let whole = read_strictly(&bytes).frames;
        let read = butter::read(&bytes).unwrap();
        let chunk = |at: usize| {
            let entry = read.chunks()[at];
            &bytes[entry.offset as usize..][..entry.size as usize]
        };
        let (a, b) = (chunk(0), chunk(1));
        let (n, m) = (a.len() as u32, b.len() as u32);
        let junk = [0xAA; 50];
        let cases = [
            // Bytes after the data within an entry, between chunks, at the end.
            (file(&bytes, &[n + 50, m], &[a, &junk, b]), 50),
            (file(&bytes, &[n, m + 50], &[a, b, &junk]), 50),
            (file(&bytes, &[n + 1, m], &[&junk, a, &junk, b, &junk]), 150),
            (file(&bytes, &[n, m], &[a, b, &junk]), 50),
            // Two chunks in one entry; one after the table's last; one after an empty entry.
            (file(&bytes, &[n + m], &[a, b]), 0),
            (file(&bytes, &[n], &[a, b]), 0),
            (file(&bytes, &[n], &[a, &junk, b]), 50),
            (file(&bytes, &[n, 0, m], &[a, b]), 0),
        ];
        for (at, (broken, lost)) in cases.iter().enumerate() {
            let (done, out) = salvaged(broken).unwrap();
            assert!(!done.nothing_to_do(), "{compression}, {at}");
            assert_eq!(done.lost_bytes, *lost, "{compression}, {at}: {done:?}");
            assert!(read_strictly(&out).frames == whole, "{compression}, {at}");
        }
        // Chunks that the table does not name are more than trailing bytes.
        for at in [5, 7] {
            let read = read_all(&cases[at].0, ReadOptions::lenient());
            assert!(read.findings.has("butter.unlisted"), "{compression}, {at}");
        }
    }
}

#[test]
fn one_stream_with_many_starts_is_not_inflated_for_each() {
    let mut raw = vec![0; 2 << 20];
    raw[..2].copy_from_slice(&[0xFC, 0xFE]);
    let mut deflated = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    deflated.write_all(&raw).unwrap();
    let starts = [0x1F, 0x8B, 8, 8, 1, 1, 1, 1, 1, 3].repeat(20);
    let like = write(&frames(2), options(4, Compression::Gzip));
    let good = butter::read(&like).unwrap().chunks()[0];
    let mut body = [
        &starts,
        b"n\0".as_slice(),
        &deflated.finish().unwrap(),
        &[1; 8],
    ]
    .concat();
    let size = body.len() as u32;
    body.extend_from_slice(&like[good.offset as usize..]);
    // By the next chunk, the search has been given up.
    let (done, _) = salvaged(&file(&like, &[size], &[&body])).unwrap();
    assert_eq!(done.found_chunks, 0);
}

#[test]
fn names_without_end_are_refused() {
    let mut head = vec![3, 44, 1, 0];
    for most in [1024_usize, 1025] {
        let mut bytes = head.clone();
        bytes.resize(4 + most, b'a');
        bytes.push(0);
        let error = butter::read(&bytes).unwrap_err();
        assert_eq!(error.is_limit(), most == 1025, "{error}");
    }
    // A name that never ends is not waited for.
    head.push(b'a');
    let endless = Cursor::new(head).chain(std::io::repeat(b'a'));
    let error = Reader::new(endless).next_frame().map(drop).unwrap_err();
    assert_eq!(error.code(), "butter.limit");
}

#[test]
fn frames_without_end_are_refused() {
    // The text of the rules has no end.
    let (bytes, ends) = joined(3);
    let header = butter::read(&bytes).unwrap().header().unwrap().clone();
    let mut open = header;
    open.map |= 1;
    let mut head = Vec::new();
    open.write(&mut head);
    head.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0xFC, 0xFE]);
    head.extend_from_slice(&[0; 12]);
    head.push(0x80);
    let endless = Cursor::new(head).chain(std::io::repeat(b'a'));
    let error = Reader::new(endless).next_frame().map(drop).unwrap_err();
    assert_eq!(error.code(), "butter.limit");
    assert_eq!(ends.len(), 3);
}

#[test]
fn chunks_of_no_time_are_passed_over() {
    let bytes = write(&frames(30), options(6, Compression::Zstd3));
    let whole = read_strictly(&bytes).frames;
    for broken in 0..5 {
        let mut spoilt = bytes.clone();
        spoilt[butter::read(&bytes).unwrap().chunks()[broken].offset as usize] ^= 0xFF;
        let file = butter::read(&spoilt).unwrap();
        for at in 0..5_usize {
            let told = if at == broken {
                at.checked_sub(1)
            } else {
                Some(at)
            };
            assert_eq!(file.chunk_at(whole[at * 6].time), told, "{broken}, {at}");
        }
    }
}

#[test]
fn times_without_a_date_are_reported() {
    for time in [i64::MIN, -1, 253_402_300_800_000, i64::MAX] {
        let mut frames = frames(1);
        frames[0].time = Time(time);
        let bytes = write(&frames, OPTIONS);
        let audit = butter::audit(&bytes);
        assert!(audit.findings.has("butter.time"), "{time}");
    }
}
