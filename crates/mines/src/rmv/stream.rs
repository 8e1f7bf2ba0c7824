//! Reading from a stream, from pieces, and from a file that is still growing.

use std::io::Read;

use gametape_core::feed::{self, Fed};

use super::error::{Error, Findings};
use super::events::EventLog;
use super::limits::ReadOptions;
use super::read::Reading;
use super::stream_decoder::Decoder;
use crate::{Event, Game};

/// Reads a recording from bytes as they arrive, without doing I/O itself.
///
/// Push pieces of any size. The feed keeps one event at a time (and the sections before the events,
/// at most 448 KiB). If a growing file ends in the middle of an event, [`Feed::next_event`] returns
/// [`Fed::NeedMore`] and continues once more bytes are pushed.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{Fed, Feed};
/// let mut feed = Feed::new();
/// let mut events = 0;
/// for piece in bytes.chunks(7) {
///     feed.push(piece);
///     while let Fed::Item(_) = feed.next_event()? {
///         events += 1;
///     }
/// }
/// feed.finish();
/// assert_eq!(feed.next_event()?, Fed::End);
/// assert_eq!(events, gametape_mines::rmv::read(&bytes)?.events.len());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[derive(Default, Debug)]
pub struct Feed(feed::Feed<Decoder>);

impl Feed {
    /// Creates a strict feed at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a feed at the start of a file.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options)))
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Declares that no more bytes will come. Pushing more bytes revokes this.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The next event.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with). An incomplete file is an error only after
    /// [`Feed::finish`]; pushing the rest then resolves it.
    #[inline]
    pub fn next_event(&mut self) -> Result<Fed<Event>, Error> {
        self.0.next()
    }

    /// The game without its events. The sections before the events are available as soon as they
    /// have arrived; ending, tail, checksum and file size once they have been read.
    #[must_use]
    pub fn game(&self) -> Option<&Game<'static>> {
        self.0.decoder().game()
    }

    /// The broken rules found so far (lenient reading).
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().deviations.findings
    }

    /// The offset of the next event, which is the end of the complete part.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// True if the recording is complete to its last byte, even if more bytes might follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.decoder().is_complete()
    }
}

/// Reads events from any [`Read`], one at a time.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// let mut reader = gametape_mines::rmv::Reader::new(&bytes[..]);
/// println!("{} mines", reader.game()?.board.mines.len());
/// while let Some(event) = reader.next_event()? {
///     # let _ = event;
/// }
/// assert!(reader.game()?.ending.is_some());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R>(feed::Reader<R, Decoder>);

impl<R: Read> Reader<R> {
    /// Creates a strict reader at the start of a recording.
    #[must_use]
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// Like [`Reader::new`], with other options.
    #[must_use]
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self(feed::Reader::new(source, Decoder::new(options)))
    }

    /// The game without its events: the sections before them. Ending, tail, checksum and file size
    /// are known once [`Reader::next_event`] has returned `None`.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with), and errors of the source.
    pub fn game(&mut self) -> Result<&Game<'static>, Error> {
        if self.0.decoder().game().is_none() {
            self.0
                .until(|decoder, input| Ok(decoder.header(input)?.then_some(())))?;
        }
        Ok(&self.0.decoder().game)
    }

    /// The next event; `None` once the file has been read and checked to its end. In a growing
    /// file, more events may follow later.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with), and errors of the source.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        self.0.next()
    }

    /// The broken rules found so far (lenient reading).
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().deviations.findings
    }

    /// The offset of the next event, which is the end of the complete part.
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }
}

/// Reads a whole recording from any [`Read`].
///
/// The result is the same as that of [`read_with`](super::read_with) for the same bytes in memory.
///
/// # Errors
/// As [`read_with`](super::read_with), and errors of the source.
pub fn read_from<R: Read>(source: R, options: ReadOptions) -> Result<Reading<'static>, Error> {
    let mut reader = Reader::with_options(source, options);
    let mut events = EventLog::empty(reader.game()?.version());
    while let Some(event) = reader.next_event()? {
        // An event that was decoded can be encoded again.
        let appended = events.append(event);
        debug_assert!(appended.is_ok(), "{appended:?}");
    }
    let (decoder, _) = reader.0.parts();
    let decoder = std::mem::take(decoder);
    events.set_offset(decoder.video.start);
    Ok(Reading {
        findings: decoder.deviations.findings,
        game: Game {
            events,
            ..decoder.game
        },
    })
}
