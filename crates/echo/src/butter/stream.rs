//! Streaming: `Feed` for bytes pushed by the caller, `Reader` for any source.

use std::io::Read;

use gametape_core::feed::{self, Fed};

use super::decode::Decoder;
use super::header::Header;
#[cfg(feature = "tape")]
use super::parts::Parts;
use super::play::Seen;
use crate::error::{Error, Findings};
use crate::limits::ReadOptions;
use crate::model::Frame;

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
