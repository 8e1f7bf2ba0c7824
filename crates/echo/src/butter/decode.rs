//! The decoder, from bytes to frames. Slices, sources and growing recordings are all read through it, so
//! that they agree.

use gametape_core::feed::{Buffer, Decode, Step};

use super::dialect::Dialect;
use super::header::Header;
use super::input::Bytes;
use super::known::{Known, Look};
#[cfg(feature = "tape")]
use super::parts::Parts;
use super::play::{Playing, Seen};
use crate::error::{Error, Finding, Findings};
use crate::limits::ReadOptions;
use crate::model::Frame;

/// Decodes the bytes of a recording to frames, wherever the bytes come from.
#[derive(Debug)]
pub struct Decoder {
    known: Known,
    /// The state before the input was declared finished, and where the bytes ended then. If more bytes come
    /// after all, decoding returns to it.
    before: Option<(Box<Known>, u64)>,
    /// Bytes that were decoded since and not consumed.
    ahead: usize,
    /// The number of frames decoded since. The first `returned` were already returned to the caller and are
    /// not returned again.
    decoded: u64,
    returned: u64,
    /// The error that ended reading. It is returned again.
    failed: Option<Finding>,
}

impl Decoder {
    pub const fn new(options: ReadOptions, said: Option<Dialect>) -> Self {
        Self {
            known: Known::new(options, said),
            before: None,
            ahead: 0,
            decoded: 0,
            returned: 0,
            failed: None,
        }
    }

    /// Restricts decoding to these parts of a frame.
    #[cfg(feature = "tape")]
    #[must_use]
    pub const fn of_parts(mut self, parts: Parts) -> Self {
        self.known.parts = parts;
        self
    }

    /// The header, once it has been read.
    pub fn header(&self) -> Option<&Header> {
        self.playing().map(|playing| &playing.header)
    }

    pub fn findings(&self) -> &Findings {
        static NONE: Findings = Findings::new();
        self.playing().map_or(&NONE, |playing| &playing.findings)
    }

    pub fn seen(&self) -> Seen {
        self.playing()
            .map(|playing| playing.seen)
            .unwrap_or_default()
    }

    /// Whether the last frame is a keyframe.
    pub fn is_keyframe(&self) -> bool {
        self.playing().is_some_and(Playing::is_keyframe)
    }

    /// Whether the recording is unfinished, as far as it has been read.
    pub fn is_unfinished(&self) -> bool {
        self.known.may_be_open && self.seen().chunks == 0
    }

    /// In an unfinished recording, the number of header bytes after the first header, and the number of
    /// faults after which reading continued.
    pub const fn open_counts(&self) -> (u64, u64) {
        (self.known.headers, self.known.gaps)
    }

    pub const fn playing(&self) -> Option<&Playing> {
        self.known.playing.as_ref()
    }

    /// Start and end of the last frame in the file, for recordings whose frames are stored plain.
    pub fn frame_span(&self) -> (u64, u64) {
        self.playing().map_or((0, 0), Playing::span)
    }

    /// The last frame.
    pub fn frame(&self) -> &Frame {
        /// A placeholder that is never returned: callers ask for a frame after one was decoded.
        static NONE: std::sync::LazyLock<Frame> = std::sync::LazyLock::new(Frame::default);
        self.playing().map_or(&NONE, Playing::frame)
    }

    /// Decodes the next frame.
    #[inline]
    pub fn step(&mut self, input: &mut impl Bytes) -> Result<Step, Error> {
        if self.failed.is_some() && self.waits(input) {
            return Ok(Step::NeedMore);
        }
        if let Some(failed) = &self.failed {
            return Err(failed.clone().into());
        }
        let step = self.try_step(input);
        if let Err(error) = &step {
            self.failed = error.finding().cloned();
        }
        step
    }

    /// After a seeming end, returns true until more bytes come.
    fn waits(&mut self, input: &mut impl Bytes) -> bool {
        let waits = self.known.ended && !self.take_back(input) && !input.is_ended();
        if waits {
            input.want(input.rest().len() as u64 + 1);
        }
        waits
    }

    /// Returns to the seeming end if bytes have come after it. Returns false otherwise.
    fn take_back(&mut self, input: &impl Bytes) -> bool {
        let came = |before: &mut (Box<Known>, u64)| input.end() > before.1;
        let Some((known, _)) = self.before.take_if(came) else {
            return false;
        };
        self.known = *known;
        (self.ahead, self.decoded) = (0, 0);
        self.failed = None;
        true
    }

    #[inline]
    fn try_step<B: Bytes>(&mut self, input: &mut B) -> Result<Step, Error> {
        loop {
            if let Some(playing) = &mut self.known.playing
                && playing.has_more()
                && playing.step()?
            {
                if B::GROW && (self.known.ended || self.decoded < self.returned) {
                    self.decoded += 1;
                    if self.decoded <= self.returned {
                        continue;
                    }
                    self.returned = self.decoded;
                }
                return Ok(Step::Item);
            }
            if self.waits(input) {
                return Ok(Step::NeedMore);
            }
            let (rest, offset) = (input.rest(), input.offset() + self.ahead as u64);
            let rest = rest.get(self.ahead..).unwrap_or_default();
            match self.known.look(rest, offset)? {
                Look::Took(count) if B::GROW && self.known.ended => self.ahead += count,
                Look::Took(count) => input.take(count),
                Look::Wait(_) if input.is_ended() && !self.known.ended => {
                    if B::GROW {
                        let known = Box::new(self.known.between_chunks());
                        self.before = Some((known, input.end()));
                        (self.decoded, self.returned) = (0, self.returned - self.decoded);
                    }
                    self.known.ended = true;
                }
                Look::Wait(more) if !self.known.ended => {
                    let wanted = rest.len() as u64 + more;
                    input.want(wanted);
                    return Ok(Step::NeedMore);
                }
                Look::Wait(_) | Look::End => return Ok(Step::End),
            }
        }
    }
}

impl Decode for Decoder {
    type Item<'a> = &'a Frame;
    type Error = Error;

    #[inline]
    fn decode(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        self.step(input)
    }

    #[inline]
    fn item<'a>(&'a mut self, _: &'a Buffer) -> &'a Frame {
        self.frame()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Compression, Feed, Options, write};
    use crate::limits::ReadOptions;
    use gametape_core::feed::Fed;

    #[test]
    fn frames_returned_from_a_cut_chunk_are_not_returned_again() {
        let frames = crate::doc_frames();
        for compression in [Compression::None, Options::default().compression] {
            let options = Options {
                compression,
                ..Options::default()
            };
            let bytes = write(&frames, options).unwrap();
            let mut feed = Feed::with_options(ReadOptions::lenient());
            // The header first; from then on the recording seems to end after each byte.
            let start = bytes.len() - bytes.len() / 2;
            let mut pieces = vec![&bytes[..start]];
            pieces.extend(bytes[start..].chunks(1));
            let mut times = Vec::new();
            for piece in pieces {
                feed.push(piece);
                feed.finish();
                times.extend(feed.next_frame().ok().and_then(Fed::item).map(|f| f.time));
            }
            while let Fed::Item(frame) = feed.next_frame().unwrap() {
                times.push(frame.time);
            }
            let whole: Vec<_> = frames.iter().map(|frame| frame.time).collect();
            assert_eq!(times, whole, "{compression:?}");
            assert!(feed.findings().is_empty());
        }
    }
}
