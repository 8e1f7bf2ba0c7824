//! The decoder, from bytes to frames, and streaming with it: `Feed` for bytes pushed by the caller,
//! `Reader` for any source. Slices, sources and growing recordings are all read through the decoder, so
//! that they agree.

use std::io::Read;

use gametape_core::feed::{self, Buffer, Decode, Fed, Step};

use super::frame::reference::Dialect;
#[cfg(feature = "tape")]
use super::frame::unpack::Parts;
use super::header::Header;
#[cfg(feature = "tape")]
use super::play::Skip;
use super::play::{Playing, Seen};
use super::structure::{Look, ReadState};
use crate::error::{Error, Finding, Findings};
use crate::limits::ReadOptions;
use crate::model::Frame;

/// Bytes that have arrived and are not consumed yet.
pub trait Bytes {
    /// Whether bytes may still come after a seeming end.
    const GROW: bool;

    fn rest(&self) -> &[u8];
    fn take(&mut self, count: usize);
    /// The position of the remaining bytes in the recording.
    fn offset(&self) -> u64;
    /// The position in the recording at which the bytes that have arrived end.
    fn end(&self) -> u64;
    fn is_ended(&self) -> bool;
    /// Says that nothing can be decoded before `bytes` bytes remain.
    fn want(&mut self, bytes: u64);
}

impl Bytes for Buffer {
    const GROW: bool = true;

    fn rest(&self) -> &[u8] {
        self.rest()
    }

    fn take(&mut self, count: usize) {
        self.take(count);
    }

    fn offset(&self) -> u64 {
        self.offset()
    }

    fn end(&self) -> u64 {
        self.end()
    }

    fn is_ended(&self) -> bool {
        self.is_ended()
    }

    fn want(&mut self, bytes: u64) {
        self.want(bytes);
    }
}

/// A whole recording in memory.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    bytes: &'a [u8],
    taken: usize,
}

impl<'a> Slice<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, taken: 0 }
    }
}

impl Bytes for Slice<'_> {
    const GROW: bool = false;

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) {
        self.taken += count;
    }

    fn offset(&self) -> u64 {
        self.taken as u64
    }

    fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn is_ended(&self) -> bool {
        true
    }

    fn want(&mut self, _: u64) {}
}

/// Decodes the bytes of a recording to frames, wherever the bytes come from.
#[derive(Debug)]
pub struct Decoder {
    known: ReadState,
    /// The state before the input was declared finished, and where the bytes ended then. If more bytes come
    /// after all, decoding returns to it.
    before: Option<(Box<ReadState>, u64)>,
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
    pub const fn new(options: ReadOptions, writer: Option<Dialect>) -> Self {
        Self {
            known: ReadState::new(options, writer),
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
        let came = |before: &mut (Box<ReadState>, u64)| input.end() > before.1;
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

/// Methods that report a reader's state; `Feed` and `Reader` share them.
macro_rules! known {
    ($($decoder:tt)*) => {
        /// The header, once it has been read. In an unfinished recording it has the players so far.
        #[must_use]
        pub fn header(&self) -> Option<&Header> {
            self.$($decoder)*.header()
        }

        /// The faults found, if reading is lenient, and the values that can be understood in two ways.
        #[must_use]
        pub fn findings(&self) -> &Findings {
            self.$($decoder)*.findings()
        }

        /// What the reader has counted and detected so far.
        #[must_use]
        pub fn seen(&self) -> Seen {
            self.$($decoder)*.seen()
        }

        /// Whether the last frame is a keyframe.
        #[must_use]
        pub fn is_keyframe(&self) -> bool {
            self.$($decoder)*.is_keyframe()
        }
    };
}
pub(super) use known;

/// A reader without a source: the caller pushes bytes as they come and takes frames as they become
/// complete.
///
/// A chunk is decoded once it is complete. In a recording that [`Journal`](super::Journal) is still
/// writing, each frame is. Reading can continue whenever there are more bytes.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// use gametape_echo::{Fed, butter::Feed};
/// let mut feed = Feed::new();
/// let mut frames = 0;
/// for piece in bytes.chunks(100) {
///     feed.push(piece);
///     while let Fed::Item(_) = feed.next_frame()? {
///         frames += 1;
///     }
/// }
/// feed.finish();
/// assert_eq!(feed.next_frame()?, Fed::End);
/// assert_eq!(frames, 3);
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Feed(feed::Feed<Decoder>);

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

impl Feed {
    /// Starts reading a recording, strictly.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// Like [`Feed::new`], with other options.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options, None)))
    }

    /// Adds the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Starts reading these parts of a recording's frames, leniently. Other parts of a frame are
    /// meaningless.
    #[cfg(feature = "tape")]
    pub(crate) fn of_parts(parts: Parts) -> Self {
        let decoder = Decoder::new(ReadOptions::lenient(), None);
        Self(feed::Feed::new(decoder.of_parts(parts)))
    }

    /// The bytes that were pushed and not consumed.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    /// Declares that no more bytes will come, so that an incomplete end counts as cut off. Pushing more
    /// bytes undoes it.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// Returns the next frame. It borrows from the feed: nothing is allocated per frame.
    ///
    /// # Errors
    /// The same as the slice reader's. An incomplete end is an error only after [`Feed::finish`], and
    /// pushing the rest clears it; any other error is returned again.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Fed<&Frame>, Error> {
        self.0.next()
    }

    /// The position of the next byte to be decoded. Everything before it was whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    known!(0.decoder());
}

/// Reads frames from any source, with memory bounded by one chunk. A [`std::io::BufReader`] is not needed.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// let mut reader = gametape_echo::butter::Reader::new(bytes.as_slice());
/// while let Some(frame) = reader.next_frame()? {
///     println!("{}", frame.session.game_clock);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R>(feed::Reader<R, Decoder>);

impl<R: Read> Reader<R> {
    /// Starts reading a recording, strictly.
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// Like [`Reader::new`], with other options.
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self(feed::Reader::new(source, Decoder::new(options, None)))
    }

    /// Starts reading these parts of a recording's frames, leniently. Other parts of a frame are
    /// meaningless.
    #[cfg(feature = "tape")]
    pub(crate) fn of_parts(source: R, parts: Parts) -> Self {
        let decoder = Decoder::new(ReadOptions::lenient(), None);
        Self(feed::Reader::new(source, decoder.of_parts(parts)))
    }

    /// Like [`Reader::of_parts`], without the frames of some chunks. `source` leaves out the bytes of
    /// these chunks.
    #[cfg(feature = "tape")]
    pub(crate) fn skipping(source: R, parts: Parts, skip: Skip) -> Self {
        let mut decoder = Decoder::new(ReadOptions::lenient(), None).of_parts(parts);
        decoder.known.skip(skip);
        Self(feed::Reader::new(source, decoder))
    }

    /// Returns the next frame, or `None` at the end. If the recording grows, more frames may come later.
    ///
    /// # Errors
    /// Like [`Feed::next_frame`], and [`Error::Io`].
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        self.0.next()
    }

    /// The position of the next byte to be decoded. Everything before it was whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    known!(0.decoder());

    pub(super) const fn decoder(&self) -> &Decoder {
        self.0.decoder()
    }
}
