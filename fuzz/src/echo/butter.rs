//! All ways to read a .butter agree, and the result of salvage is readable.

use std::io::{Cursor, Read};

use gametape_core::Input;
use gametape_core::feed::Fed;
use gametape_echo::butter::{self, Feed, Frames, Header, Reader, Seen, read_with};
use gametape_echo::{
    Error, Finding, Findings, Frame, Limits, ReadOptions, SalvageError, Severity, Strictness,
};

use super::{all, is_known};
use crate::ways::{Failure, FedWay, Format, Way, agree};

/// The limit of an unpacked chunk: within reach of inputs, and so low that an input does not take
/// seconds.
pub(super) const LIMITS: Limits = Limits {
    max_chunk_bytes: 128 << 10,
    max_line_bytes: 1 << 16,
    ..Limits::DEFAULT
};

/// Small enough to be reached by small inputs.
const SMALL: Limits = Limits {
    max_chunk_bytes: 300,
    max_line_bytes: 40,
    max_name_bytes: 8,
    max_frame_bytes: 250,
};

/// A slice, any [`Read`](std::io::Read) and bytes fed by hand give the same frames, findings or
/// error, for any bytes, strictly and leniently, with the usual limits and with tiny ones.
///
/// Errors are within the file. The strict error is among the findings of the audit; these have
/// known codes and are within the file, worst first. The index, the single chunks and the header
/// agree with the audit. The result of salvage reads strictly, with as many frames and chunks as
/// salvage reports, and at least as many as a strict reader gets; an intact recording stays the
/// same, byte for byte.
pub fn butter_read(data: &[u8]) {
    for (at, limits) in [LIMITS, SMALL].into_iter().enumerate() {
        let options = |strictness| ReadOptions { strictness, limits };
        let strict = every_way(data, options(Strictness::Strict), at);
        let lenient = every_way(data, options(Strictness::Lenient), at + 1);
        assert!(lenient.0 >= strict.0, "{strict:?}, leniently {lenient:?}");
        audited(data, limits, strict.1.as_ref());
        salvaged(data, limits, &strict);
    }
}

struct Butter;

/// A frame, and whether it is a keyframe.
#[derive(Debug)]
struct ButterFrame(Frame, bool);

impl PartialEq for ButterFrame {
    fn eq(&self, other: &Self) -> bool {
        // Comparing as text is slow, but treats all NaNs as equal.
        let same = || self.0 == other.0 || format!("{:?}", self.0) == format!("{:?}", other.0);
        self.1 == other.1 && same()
    }
}

/// The findings, the counts, and the names of the players in the header.
type ButterKnown = (Findings, Seen, Vec<Vec<u8>>);

fn players(header: Option<&Header>) -> Vec<Vec<u8>> {
    let players = header.map(|header| header.players.as_slice());
    let players = players.unwrap_or_default().iter();
    players.map(|player| player.name.clone()).collect()
}

impl Format for Butter {
    type Options = ReadOptions;
    type Item = ButterFrame;
    type Known = ButterKnown;
    // A chunk that can't be read loses its frames, and no others.
    const ERRORS: usize = 3;
    const GROWS: bool = false;

    fn slice(data: &[u8], options: ReadOptions) -> impl Way<Self> {
        ButterSlice(read_with(data, options).map(|file| file.frames()))
    }

    fn source(source: impl Read, options: ReadOptions) -> impl Way<Self> {
        Reader::with_options(source, options)
    }

    fn feed(options: ReadOptions) -> impl FedWay<Self> {
        Feed::with_options(options)
    }
}

struct ButterSlice<'a>(Result<Frames<'a>, Error>);

impl Way<Butter> for ButterSlice<'_> {
    fn next(&mut self) -> Result<Option<ButterFrame>, Failure> {
        let frames = self.0.as_mut().map_err(|error| Failure::of(error))?;
        let frame = frames.next_frame()?.cloned();
        Ok(frame.map(|frame| ButterFrame(frame, frames.is_keyframe())))
    }

    fn known(&mut self) -> Option<ButterKnown> {
        let frames = self.0.as_ref().ok()?;
        Some((
            frames.findings().clone(),
            frames.seen(),
            players(frames.header()),
        ))
    }
}

impl<R: Read> Way<Butter> for Reader<R> {
    fn next(&mut self) -> Result<Option<ButterFrame>, Failure> {
        let frame = self.next_frame()?.cloned();
        Ok(frame.map(|frame| ButterFrame(frame, self.is_keyframe())))
    }

    fn known(&mut self) -> Option<ButterKnown> {
        Some((self.findings().clone(), self.seen(), players(self.header())))
    }
}

impl FedWay<Butter> for Feed {
    fn push(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }

    fn finish(&mut self) {
        self.finish();
    }

    fn next(&mut self) -> Result<Fed<ButterFrame>, Failure> {
        let frame = match self.next_frame()? {
            Fed::Item(frame) => frame.clone(),
            Fed::NeedMore => return Ok(Fed::NeedMore),
            Fed::End => return Ok(Fed::End),
        };
        Ok(Fed::Item(ButterFrame(frame, self.is_keyframe())))
    }

    fn known(&mut self) -> Option<ButterKnown> {
        Some((self.findings().clone(), self.seen(), players(self.header())))
    }
}

/// Returns the number of frames before the first error, and that error.
fn every_way(data: &[u8], options: ReadOptions, vary: usize) -> (usize, Option<Failure>) {
    let given = agree::<Butter>(data, options, vary);
    let outcome = (given.items, given.failure);
    let Ok(file) = read_with(data, options) else {
        return outcome;
    };
    assert_eq!(file.header().is_none(), data.is_empty());
    for (at, info) in file.index().iter().enumerate() {
        let mut chunk = file.chunk(at).expect("it has an index");
        let mut frames = 0;
        while let Ok(Some(_)) = chunk.next_frame() {
            frames += 1;
        }
        assert!(frames <= info.frames, "chunk {at}: {info:?}");
        assert!(info.keyframes <= info.frames);
        assert!(info.entry.offset + info.entry.there <= data.len() as u64);
    }
    assert!(file.chunk(file.chunks().len()).is_none());
    assert!(file.trailing_bytes() <= data.len() as u64);
    outcome
}

fn audited(data: &[u8], limits: Limits, strict: Option<&Failure>) {
    let audit = butter::audit_with(data, limits);
    let mut worst = Severity::Error;
    for finding in &audit.findings {
        assert!(is_known(finding), "{finding}");
        assert!(finding.severity() <= worst, "{finding}");
        worst = finding.severity();
        assert!(is_inside(finding, data, limits), "{finding}");
    }
    if let Some(error) = strict {
        assert!(
            audit.findings.has(error.code),
            "{error:?}, the audit: {:?}",
            audit.findings
        );
    }
}

/// Whether the place of a finding is within the file or, for packed data, within its unpacked
/// bytes.
fn is_inside(finding: &Finding, data: &[u8], limits: Limits) -> bool {
    let place = &finding.place;
    let end = match place.within {
        None => data.len() as u64,
        Some(_) => limits.max_chunk_bytes,
    };
    place.offset.is_none_or(|offset| offset <= end)
}

fn salvaged(data: &[u8], limits: Limits, strict: &(usize, Option<Failure>)) {
    let mut out = Vec::new();
    let input = Input::from(data.to_vec());
    let salvaged = match butter::salvage_to(&input, limits, Cursor::new(Vec::new()), &mut out) {
        Ok(salvaged) => salvaged,
        Err(SalvageError::Read(error)) => {
            assert_eq!(strict.0, 0, "{error}");
            assert!(strict.1.is_some(), "{error}");
            return;
        }
        Err(error) => panic!("memory failed: {error}"),
    };
    let written = salvaged.written;
    assert_eq!(written.bytes, out.len() as u64, "{salvaged:?}");
    assert!(
        written.frames >= strict.0 as u64,
        "{salvaged:?}, {strict:?}"
    );
    // Chunks that a limit kept apart may exceed it together.
    let file = butter::read(&out).expect("salvage wrote it");
    assert_eq!(file.chunks().len() as u64, written.chunks, "{salvaged:?}");
    let mut frames = file.frames();
    let mut count = 0;
    while frames
        .next_frame()
        .unwrap_or_else(|error| panic!("salvaged ({salvaged:?}), and still: {error}"))
        .is_some()
    {
        count += 1;
    }
    assert_eq!(count, written.frames, "{salvaged:?}");
    if strict.1.is_none() && salvaged.nothing_to_do() && !out.is_empty() {
        let whole = butter::read(data).expect("it was read");
        if whole.chunks().len() == written.chunks as usize && out.len() == data.len() {
            assert!(out == data, "a sound recording stays as it is");
        }
        assert!(out.len() <= data.len());
        let _ = all(&whole);
    }
}
