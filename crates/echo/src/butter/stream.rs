//! Reading as bytes come: fed by hand, growing or whole, or from any source.

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

/// What a reader knows so far, whatever its bytes come from.
macro_rules! known {
    ($($decoder:tt)*) => {
        /// The header, once it was read; of a recording that was not finished, with the players so far.
        #[must_use]
        pub fn header(&self) -> Option<&Header> {
            self.$($decoder)*.header()
        }

        /// What was found wrong, where reading is lenient; and which numbers may be two things.
        #[must_use]
        pub fn findings(&self) -> &Findings {
            self.$($decoder)*.findings()
        }

        /// What the file has shown to be, so far.
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

/// A reader without a source: bytes go in as they come, frames come out as they get whole.
///
/// Chunks are taken whole; of a recording that [`Journal`](super::Journal) is writing, each frame as
/// it comes. It can go on whenever there are more bytes.
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
    /// At the start of a recording, strictly.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// [`Feed::new`], with other options.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options, None)))
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// At the start of a recording, leniently, for these parts of its frames; the rest of a frame
    /// means nothing.
    #[cfg(feature = "tape")]
    pub(crate) fn of_parts(parts: Parts) -> Self {
        let decoder = Decoder::new(ReadOptions::lenient(), None);
        Self(feed::Feed::new(decoder.of_parts(parts)))
    }

    /// What was pushed and is not done with.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    /// Says that no more bytes will come: what is incomplete is cut off. Pushing more takes it back.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The next frame. It lives until the next is asked for: nothing is allocated for a frame.
    ///
    /// # Errors
    /// As the slice reader's. What is cut off is an error after [`Feed::finish`] only, and pushing
    /// the rest mends it; after any other error the same comes again.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Fed<&Frame>, Error> {
        self.0.next()
    }

    /// Where the next bytes stand that are looked at: before them, all was whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    known!(0.decoder());
}

/// Reads frames from any source, in memory bounded by a chunk. It needs no
/// [`std::io::BufReader`].
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
    /// At the start of a recording, strictly.
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// [`Reader::new`], with other options.
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self(feed::Reader::new(source, Decoder::new(options, None)))
    }

    /// At the start of a recording, leniently, for these parts of its frames; the rest of a frame
    /// means nothing.
    #[cfg(feature = "tape")]
    pub(crate) fn of_parts(source: R, parts: Parts) -> Self {
        let decoder = Decoder::new(ReadOptions::lenient(), None);
        Self(feed::Reader::new(source, decoder.of_parts(parts)))
    }

    /// The next frame; `None` at the end. Where the recording grows, more may come after it.
    ///
    /// # Errors
    /// As [`Feed::next_frame`], and [`Error::Io`].
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        self.0.next()
    }

    /// Where the next bytes stand that are looked at: before them, all was whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    known!(0.decoder());

    pub(super) const fn decoder(&self) -> &Decoder {
        self.0.decoder()
    }
}
