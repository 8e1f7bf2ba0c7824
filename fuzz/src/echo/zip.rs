//! Reads any bytes as an .echoreplay, plain or zipped.

use std::io::Cursor;

use gametape_echo::echoreplay::{self, Reader, ZipWriter, open_with};
use gametape_echo::{Error, Findings, Limits, ReadOptions, Strictness};

use super::is_known;
use crate::delta::Script;
use crate::odd_size;
use crate::ways::{Failure, Pieces};

/// Packed data can be long, but lines cannot.
const LIMITS: Limits = Limits {
    max_chunk_bytes: 0,
    max_line_bytes: 4000,
    ..Limits::DEFAULT
};

/// The most lines of one input that are examined.
const MOST: usize = 20_000;

/// Opens any bytes: nothing panics, and reading ends. A lenient reader reaches the end without an
/// error, and its findings include the strict reader's error. A zip from a source that returns
/// small pieces gives the same result as a whole one.
///
/// If the first byte is 0: lines that we write to a zip are read back unchanged. If the zip is cut
/// anywhere, a lenient reader gets the first of these lines and reports the cut.
pub fn echoreplay_zip(data: &[u8]) {
    match data.split_first() {
        Some((0, rest)) => packed(rest),
        _ => any(data),
    }
}

#[derive(Debug)]
struct ReadLines {
    /// Each line, including its line ending.
    lines: Vec<Vec<u8>>,
    error: Option<Error>,
    findings: Findings,
}

fn outcome<R: std::io::Read>(reader: Result<Reader<R>, Error>) -> ReadLines {
    let mut outcome = ReadLines {
        lines: Vec::new(),
        error: None,
        findings: Findings::default(),
    };
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(error) => {
            outcome.error = Some(error);
            return outcome;
        }
    };
    while outcome.lines.len() < MOST {
        match reader.next_line() {
            Ok(Some(line)) => {
                let mut bytes = Vec::new();
                line.write(&mut bytes);
                outcome.lines.push(bytes);
            }
            Ok(None) => break,
            Err(error) => {
                outcome.error = Some(error);
                break;
            }
        }
    }
    outcome.findings = reader.findings().clone();
    for finding in &outcome.findings {
        assert!(is_known(finding), "{finding}");
    }
    outcome
}

fn options(strictness: Strictness) -> ReadOptions {
    ReadOptions {
        strictness,
        limits: LIMITS,
    }
}

/// A source that returns small pieces.
fn in_pieces(data: &[u8]) -> Pieces<'_, impl Fn(usize) -> usize> {
    Pieces::new(data, |at| odd_size(data, at) * (1 + data.len() / 300))
}

fn any(data: &[u8]) {
    let strict = options(Strictness::Strict);
    let lenient = options(Strictness::Lenient);
    let opened = outcome(open_with(Cursor::new(data), lenient));
    assert!(opened.error.is_none(), "leniently {:?}", opened.error);
    let slow = outcome(open_with(in_pieces(data), lenient));
    assert_eq!(opened.lines, slow.lines);
    assert_eq!(opened.findings, slow.findings);

    let checked = outcome(open_with(Cursor::new(data), strict));
    match &checked.error {
        Some(Error::Io { source, .. }) => panic!("memory does not fail: {source}"),
        Some(error) => assert!(opened.findings.has(error.code()), "{error}: {opened:?}"),
        None => {
            assert_eq!(checked.lines, opened.lines);
            assert_eq!(checked.findings, opened.findings);
        }
    }
    assert!(opened.lines.starts_with(&checked.lines));
    let slow = outcome(open_with(in_pieces(data), strict));
    assert_eq!(slow.lines, checked.lines);
    let why = |outcome: &ReadLines| outcome.error.as_ref().map(Failure::of);
    assert_eq!(why(&slow), why(&checked));
}

fn packed(data: &[u8]) {
    let mut script = Script::new(data);
    let level = script.byte() % 10;
    let cut: u16 = script.word();
    let text = script.rest();
    let lenient = options(Strictness::Lenient);
    let mut zip =
        ZipWriter::new(Cursor::new(Vec::new()), "match.echoreplay", level).expect("memory");
    let mut lines = Vec::new();
    let mut reader = Reader::with_options(Pieces::new(text, |at| odd_size(text, at)), lenient);
    while let Some(line) = reader.next_line().expect("leniently") {
        zip.push_line(&line).expect("memory");
        let mut bytes = Vec::new();
        line.write(&mut bytes);
        if line.ending.is_empty() {
            bytes.extend_from_slice(b"\r\n");
        }
        lines.push(bytes);
    }
    assert_eq!(zip.frames(), lines.len() as u64);
    let zip = zip.finish().expect("memory").into_inner();
    let whole = outcome(echoreplay::open(Cursor::new(&zip)));
    assert!(whole.error.is_none(), "{:?}", whole.error);
    assert_eq!(whole.lines, lines);

    let cut = usize::from(cut) % zip.len();
    let part = outcome(open_with(Cursor::new(&zip[..cut]), lenient));
    assert!(part.error.is_none(), "{:?}", part.error);
    // The last line may have lost its line ending.
    for (at, line) in part.lines.iter().enumerate() {
        let was = lines.get(at).map(Vec::as_slice).unwrap_or_default();
        assert!(was.starts_with(line), "line {at} of a zip cut at {cut}");
        assert!(line.len() == was.len() || at + 1 == part.lines.len());
    }
    assert!(!part.findings.is_empty() || cut == 0);
    any(&zip[..cut]);
}
