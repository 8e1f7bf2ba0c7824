//! The ways to read: a slice, a stream, bytes as they come, and each chunk alone.

use std::io::{self, Read};

use gametape_echo::butter::{Feed, File, Reader, read_with};
use gametape_echo::{Fed, Frame, ReadOptions, Strictness};

use super::{Outcome, read_all};

pub const BOTH: [Strictness; 2] = [Strictness::Strict, Strictness::Lenient];

pub fn with(strictness: Strictness) -> ReadOptions {
    ReadOptions {
        strictness,
        ..ReadOptions::default()
    }
}

/// Returns pieces of any size, and is interrupted now and then.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
    turn: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = self.size.min(to.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(size);
        to[..size].copy_from_slice(now);
        self.bytes = later;
        Ok(size)
    }
}

pub fn by_stream(bytes: &[u8], size: usize, options: ReadOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let source = Pieces {
        bytes,
        size,
        turn: 0,
    };
    let mut reader = Reader::with_options(source, options);
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => outcome.frames.push(frame.clone()),
            Ok(None) => break,
            Err(error) => {
                outcome.fail(&error);
                return outcome;
            }
        }
        outcome.keyframes.push(reader.is_keyframe());
    }
    outcome.findings = reader.findings().clone();
    outcome
}

pub fn by_growing(bytes: &[u8], size: usize, options: ReadOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let mut feed = Feed::with_options(options);
    let mut pieces = bytes.chunks(size);
    let mut done = false;
    while !done {
        if let Some(piece) = pieces.next() {
            feed.push(piece);
        } else {
            feed.finish();
            done = true;
        }
        loop {
            match feed.next_frame() {
                Ok(Fed::Item(frame)) => outcome.frames.push(frame.clone()),
                Ok(Fed::NeedMore | Fed::End) => break,
                Err(error) => {
                    outcome.fail(&error);
                    return outcome;
                }
            }
            outcome.keyframes.push(feed.is_keyframe());
        }
    }
    outcome.findings = feed.findings().clone();
    outcome
}

pub fn same(a: &Outcome, b: &Outcome, how: &str, size: usize) {
    let said = |o: &Outcome| {
        (
            o.frames.len(),
            o.error.clone(),
            o.truncated,
            o.findings.clone(),
        )
    };
    assert_eq!(said(a), said(b), "{how} in pieces of {size}");
    // Damage may produce NaN, which equals nothing.
    let equal = a == b || format!("{a:?}") == format!("{b:?}");
    assert!(equal, "{how} in pieces of {size}: other frames");
}

/// Checks that all ways to read agree. Returns the outcomes, strict and lenient.
pub fn agree(bytes: &[u8], size: usize) -> [Outcome; 2] {
    BOTH.map(|strictness| {
        let options = with(strictness);
        let mut slice = read_all(bytes, options);
        if slice.error.is_some() {
            // Only readers that reach the end report findings.
            slice.findings = gametape_echo::Findings::default();
        }
        let stream = by_stream(bytes, size, options);
        same(&stream, &slice, "stream", size);
        same(&by_growing(bytes, size, options), &slice, "growing", size);
        slice
    })
}

/// The frames of each chunk of a whole file, read alone.
pub fn by_chunks(bytes: &[u8], options: ReadOptions) -> Vec<Vec<Frame>> {
    chunks_of(&read_with(bytes, options).unwrap())
}

/// The frames of each chunk, read alone.
pub fn chunks_of(file: &File<'_>) -> Vec<Vec<Frame>> {
    file.par_chunks(|_, mut chunk| {
        let mut frames = Vec::new();
        while let Some(frame) = chunk.next_frame().unwrap() {
            frames.push(frame.clone());
        }
        frames
    })
}
