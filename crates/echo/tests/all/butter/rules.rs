//! Every rule that readers of .butter raise: strictly as the error, leniently as a finding if reading can
//! continue.

use crate::common::{frames_of, match_options, options, read_all, write};
use gametape_echo::butter::{self, Compression};
use gametape_echo::{Game, Limits, ReadOptions, Strictness};
use gametape_samples::echo::MatchOptions;

/// Two chunks of three frames, and the start of the first.
fn file(compression: Compression) -> (Vec<u8>, usize) {
    let frames = frames_of(MatchOptions {
        game: Game::Arena,
        bones: true,
        players_per_team: 1,
        ..match_options(0, 6)
    });
    let bytes = write(&frames, options(3, compression));
    let start = butter::read(&bytes).unwrap().chunks()[0].offset as usize;
    (bytes, start)
}

/// The code of the error, the codes of the findings, and the number of frames that are left.
fn codes(bytes: &[u8], limits: Limits) -> (String, Vec<String>, usize) {
    let with = |strictness| ReadOptions { strictness, limits };
    let strict = match butter::read_with(bytes, with(Strictness::Strict)) {
        Err(error) => error.code().to_owned(),
        Ok(file) => {
            let mut frames = file.frames();
            loop {
                match frames.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) => break String::new(),
                    Err(error) => break error.code().to_owned(),
                }
            }
        }
    };
    let lenient = read_all(bytes, with(Strictness::Lenient));
    let findings = lenient.findings.iter().map(|f| f.code().to_owned());
    (strict, findings.collect(), lenient.frames.len())
}

fn changed(
    compression: Compression,
    change: impl FnOnce(&mut Vec<u8>, usize),
) -> (String, Vec<String>, usize) {
    let (mut bytes, start) = file(compression);
    change(&mut bytes, start);
    codes(&bytes, Limits::DEFAULT)
}

fn outcome(code: &str, frames: usize) -> (String, Vec<String>, usize) {
    (code.into(), vec![code.into()], frames)
}

const NONE: Compression = Compression::None;

#[test]
fn headers() {
    // Without a header, even lenient reading fails.
    let dead = |code: &str| (code.to_owned(), Vec::new(), 0);
    assert_eq!(
        changed(NONE, |bytes, _| bytes[0] = 4),
        dead("butter.version")
    );
    assert_eq!(
        changed(NONE, |bytes, _| bytes[0] = 0),
        dead("butter.version")
    );
    assert_eq!(
        changed(NONE, |bytes, _| bytes[3] = 7),
        dead("butter.compression")
    );
    assert_eq!(
        changed(NONE, |bytes, _| bytes.truncate(20)),
        dead("butter.truncated")
    );
    // A table of more chunks than any file has.
    assert_eq!(
        changed(NONE, |bytes, start| bytes[start - 9] = 0xFF),
        dead("butter.limit")
    );
}

/// A fault is reported where it starts, not where it ends, however the bytes come.
#[test]
fn a_fault_of_the_header_is_reported_where_it_starts() {
    let (bytes, start) = file(NONE);
    // The version, as text and as zero; the compression; the number of chunks.
    for (at, byte, place) in [
        (0, b'h', 0),
        (0, 0, 0),
        (3, 7, 3),
        (start - 9, 0xFF, start - 12),
    ] {
        let mut broken = bytes.clone();
        broken[at] = byte;
        let offset = Some(place as u64);
        let error = butter::read(&broken).unwrap_err();
        assert_eq!(error.offset(), offset, "{error}");
        let mut reader = butter::Reader::new(&broken[..]);
        assert_eq!(reader.next_frame().unwrap_err().offset(), offset, "{error}");
        let mut feed = butter::Feed::new();
        feed.push(&broken);
        assert_eq!(feed.next_frame().unwrap_err().offset(), offset, "{error}");
        let findings = butter::audit(&broken).findings;
        assert_eq!(findings.iter().next().unwrap().place.offset, offset);
    }
}

#[test]
fn chunks_and_frames() {
    assert_eq!(
        changed(NONE, |bytes, _| bytes.truncate(bytes.len() - 1)),
        outcome("butter.truncated", 5)
    );
    assert_eq!(
        changed(NONE, |bytes, start| bytes[start] = 0xFB),
        outcome("butter.marker", 3)
    );
    // The first frame becomes an ordinary frame: 8 bytes of time become 2.
    assert_eq!(
        changed(NONE, |bytes, start| {
            bytes[start] = 0xFE;
            bytes.drain(start + 4..start + 10);
            let size = u32::from_le_bytes(bytes[start - 8..start - 4].try_into().unwrap()) - 6;
            bytes[start - 8..start - 4].copy_from_slice(&size.to_le_bytes());
        }),
        outcome("butter.no-keyframe", 3)
    );
    assert_eq!(
        changed(NONE, |bytes, _| bytes.extend_from_slice(b"junk")),
        outcome("butter.trailing", 6)
    );
    for compression in [Compression::Gzip, Compression::Zstd3] {
        let (strict, findings, frames) = changed(compression, |bytes, start| bytes[start + 1] ^= 1);
        assert_eq!(
            (strict.as_str(), findings.len(), frames),
            ("butter.inflate", 1, 3)
        );
    }
}

#[test]
fn players_that_the_header_lacks() {
    // Removes its second player: name, user id, number and level.
    let (bytes, start) = file(NONE);
    let file = butter::read(&bytes).unwrap();
    let mut header = file.header().unwrap().clone();
    header.players.truncate(1);
    let mut broken = Vec::new();
    header.write(&mut broken);
    broken.extend_from_slice(&bytes[start - 12..]);
    assert_eq!(codes(&broken, Limits::DEFAULT).0, "butter.player-index");
}

#[test]
fn numbers_of_bones() {
    // The last bone with a position, of the last frame: no number starts with 250.
    let (bytes, start) = file(NONE);
    let found = (start..bytes.len()).any(|at| {
        let mut broken = bytes.clone();
        broken[at] = 250;
        codes(&broken, Limits::DEFAULT).0 == "butter.varint"
    });
    assert!(found);
}

#[test]
fn limits() {
    for compression in [NONE, Compression::Gzip, Compression::Zstd3] {
        let (bytes, _) = file(compression);
        let limits = Limits {
            max_chunk_bytes: 600,
            ..Limits::DEFAULT
        };
        let (strict, _, _) = codes(&bytes, limits);
        assert_eq!(strict, "butter.limit", "{compression}");
        let error = butter::read_with(&bytes, ReadOptions::strict().limits(limits))
            .unwrap()
            .frames()
            .next_frame()
            .map(drop)
            .unwrap_err();
        assert!(error.is_limit() && !error.is_truncated());
    }
}

#[test]
fn a_finding_says_where() {
    let (mut bytes, start) = file(NONE);
    bytes.truncate(bytes.len() - 1);
    let chunk = butter::read(&bytes).unwrap().chunks()[1];
    let outcome = read_all(&bytes, ReadOptions::lenient());
    let finding = outcome.findings.iter().next().unwrap();
    assert_eq!(finding.place.offset, Some(chunk.offset));
    assert!(
        finding
            .to_string()
            .starts_with("error butter.truncated, frame "),
        "{finding}"
    );
    let (mut bytes, _) = file(NONE);
    bytes[start] = 0;
    let outcome = read_all(&bytes, ReadOptions::default());
    assert!(
        outcome
            .error
            .unwrap()
            .contains("a frame starts with FC FE or FE FE, not with 00 FE")
    );
}
