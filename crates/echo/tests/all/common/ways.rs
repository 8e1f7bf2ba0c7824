//! The ways to read: a slice, bytes as they come, and each chunk alone. That all agree on any input, a stream
//! included, is the promise of the fuzz check `butter_read`; here they do on inputs made for a purpose.

use gametape_echo::butter::{Feed, File, read_with};
use gametape_echo::{Fed, Frame, ReadOptions, Strictness};

use super::{Outcome, read_all};

pub const BOTH: [Strictness; 2] = [Strictness::Strict, Strictness::Lenient];

pub fn with(strictness: Strictness) -> ReadOptions {
    ReadOptions {
        strictness,
        ..ReadOptions::default()
    }
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

/// Checks that both ways agree. Returns the outcomes, strict and lenient.
pub fn agree(bytes: &[u8], size: usize) -> [Outcome; 2] {
    let said = |o: &Outcome| {
        let told = (o.frames.len(), o.truncated, o.findings.clone());
        (o.error.clone(), told)
    };
    BOTH.map(|strictness| {
        let options = with(strictness);
        let mut slice = read_all(bytes, options);
        if slice.error.is_some() {
            // Only readers that reach the end report findings.
            slice.findings = gametape_echo::Findings::default();
        }
        let fed = by_growing(bytes, size, options);
        assert_eq!(said(&fed), said(&slice), "in pieces of {size}");
        // Damage may produce NaN, which equals nothing.
        let equal = fed == slice || format!("{fed:?}") == format!("{slice:?}");
        assert!(equal, "in pieces of {size}: other frames");
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
