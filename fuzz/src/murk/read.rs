//! All ways to read a recording agree.

use std::io::Read;

use gametape_core::feed::Fed;
use gametape_murk::{
    Feed, Findings, Frame, Frames, Header, Limits, ReadOptions, Reader, Replay, Strictness,
    read_with,
};

use super::expected::{Expected, checked, is_cut};
use crate::odd_size;
use crate::ways::{ByHand, Failure, FedWay, Format, Way, agree, in_step};

/// Small enough to be reached by small inputs.
const SMALL: Limits = Limits {
    max_string_bytes: 5,
    max_blob_bytes: 100,
    max_commands: 3,
    max_frame_bytes: u64::MAX,
};

/// A slice, any [`Read`] and bytes fed by hand: all ways to read give the same
/// header, the same frames, the same problem, or the same error with the same message, for any
/// bytes, strictly and leniently, with the usual limits, with tiny ones and with none.
///
/// While a recording grows, the readers always give the result for a slice of the bytes so far, and
/// continue; the same is true after an error of the source. Strict reading fails with the problem
/// that lenient reading reports. Errors are within the file, after the complete frames, and their
/// numbers are those of the file. Every command is typed or there is an error with the reason; its
/// lists are not longer than its bytes, and encoding a typed command gives the same bytes. A frame
/// that exceeds the limit is never returned, however it arrives.
pub fn murk_read(data: &[u8]) {
    for (at, limits) in [Limits::DEFAULT, SMALL, Limits::NONE]
        .into_iter()
        .enumerate()
    {
        let options = |strictness| ReadOptions { strictness, limits };
        let [strict, lenient] = [Strictness::Strict, Strictness::Lenient].map(options);
        agree::<Murk>(data, strict, 2 * at);
        agree::<Murk>(data, lenient, 2 * at + 1);
        let (strict, lenient) = (checked(data, &strict), checked(data, &lenient));
        match (&strict, &lenient) {
            (Ok(strict), Ok(lenient)) => strictnesses(strict, lenient),
            (Err(strict), Err(lenient)) => assert_eq!(strict.finding(), lenient.finding()),
            (strict, lenient) => panic!("strictly {strict:?}, leniently {lenient:?}"),
        }
        if let Ok(strict) = &strict {
            let limit = strict.frames.iter().map(Frame::size).max();
            frame_limit(strict, data, limits, 20 + odd_size(data, at) as u64);
            frame_limit(strict, data, limits, limit.unwrap_or(20) - 1);
        }
    }
}

fn strictnesses(strict: &Expected<'_>, lenient: &Expected<'_>) {
    assert_eq!(strict.header, lenient.header);
    assert_eq!(strict.frames, lenient.frames);
    assert_eq!(strict.end, lenient.end);
    assert!(strict.problem.is_none() && lenient.failure.is_none());
    let finding = strict
        .failure
        .as_ref()
        .and_then(|failure| failure.finding());
    assert_eq!(finding, lenient.problem.as_ref());
}

/// With a limit on the size of a frame, which slices do not have, the first frame that exceeds it is the error, in
/// whatever pieces it arrives. Before it, and without such a frame, the result is the same as without the limit.
fn frame_limit(whole: &Expected<'_>, data: &[u8], limits: Limits, max_frame_bytes: u64) {
    let limits = Limits {
        max_frame_bytes,
        ..limits
    };
    let options = ReadOptions::strict().limits(limits);
    let fits = |frame: &&Frame<'_>| frame.size() <= max_frame_bytes;
    let allowed = whole.frames.iter().take_while(fits).count();
    for size in [1, 7, 31, data.len().max(1)] {
        let mut fed = ByHand::<Murk, _>::new(data, options, |_| size);
        let given = in_step::<Murk>(&mut Reader::with_options(data, options), &mut fed);
        let taken = given.items;
        assert_eq!(taken, allowed, "in pieces of {size}");
        let over = whole.frames.get(taken);
        match given.failure {
            Some(failure) if failure.code == "murk.limit" && over.is_some() => {
                assert_eq!(failure.offset, over.map(|frame| frame.offset));
            }
            // An incomplete frame can exceed the limit, too.
            Some(failure) if failure.code == "murk.limit" => assert!(whole.failure.is_some()),
            failure => {
                assert_eq!(taken, whole.frames.len(), "{failure:?}");
                let message = whole.failure.as_ref().map(ToString::to_string);
                assert_eq!(failure.map(|failure| failure.message), message);
            }
        }
    }
}

struct Murk;

/// The members of a frame, and the bytes of its commands.
#[derive(PartialEq, Debug)]
struct OwnFrame {
    index: u64,
    offset: u64,
    tick: u64,
    commands: Vec<u8>,
    hash: u64,
}

impl From<Frame<'_>> for OwnFrame {
    fn from(frame: Frame<'_>) -> Self {
        Self {
            index: frame.index,
            offset: frame.offset,
            tick: frame.tick,
            commands: frame.commands().as_bytes().to_vec(),
            hash: frame.snapshot_hash,
        }
    }
}

/// The header as text, the problem that stopped a lenient reader, and the offset after the last whole frame.
type MurkKnown = (String, Findings, u64);

fn known(header: &Header<'_>, findings: &Findings, offset: u64) -> MurkKnown {
    assert!(findings.len() < 2);
    (format!("{header:?}"), findings.clone(), offset)
}

impl Format for Murk {
    type Options = ReadOptions;
    type Item = OwnFrame;
    type Known = MurkKnown;

    fn slice(data: &[u8], options: ReadOptions) -> impl Way<Self> {
        let replay = read_with(data, options).map_err(Failure::from);
        MurkSlice(replay.map(|replay| (replay.frames(), replay)))
    }

    fn source(source: impl Read, options: ReadOptions) -> impl Way<Self> {
        Reader::with_options(source, options)
    }

    fn feed(options: ReadOptions) -> impl FedWay<Self> {
        Feed::with_options(options)
    }

    fn is_over((_, findings, _): &MurkKnown) -> bool {
        // Nothing is read after a problem, unless the problem is that bytes are missing.
        findings.iter().any(|finding| !is_cut(&finding.rule))
    }
}

struct MurkSlice<'a>(Result<(Frames<'a>, Replay<'a>), Failure>);

impl Way<Murk> for MurkSlice<'_> {
    fn next(&mut self) -> Result<Option<OwnFrame>, Failure> {
        let (frames, _) = self.0.as_mut().map_err(|failure| failure.clone())?;
        Ok(frames.next().transpose()?.map(OwnFrame::from))
    }

    fn known(&mut self) -> Option<MurkKnown> {
        let (frames, replay) = self.0.as_ref().ok()?;
        Some(known(replay.header(), frames.findings(), frames.offset()))
    }
}

impl<R: Read> Way<Murk> for Reader<R> {
    fn next(&mut self) -> Result<Option<OwnFrame>, Failure> {
        Ok(self.next_frame()?.map(OwnFrame::from))
    }

    fn known(&mut self) -> Option<MurkKnown> {
        let header = self.header().ok()?.clone();
        Some(known(&header, self.findings(), self.offset()))
    }
}

impl FedWay<Murk> for Feed {
    fn push(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }

    fn finish(&mut self) {
        self.finish();
    }

    fn next(&mut self) -> Result<Fed<OwnFrame>, Failure> {
        Ok(match self.next_frame()? {
            Fed::Item(frame) => Fed::Item(frame.into()),
            Fed::NeedMore => Fed::NeedMore,
            Fed::End => Fed::End,
        })
    }

    fn known(&mut self) -> Option<MurkKnown> {
        let header = self.header().ok()??.clone();
        Some(known(&header, self.findings(), self.offset()))
    }
}
