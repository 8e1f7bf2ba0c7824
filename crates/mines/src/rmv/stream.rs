//! Reading from a stream, from pieces, and from a file that is still growing.

use std::io::Read;

use gametape_core::feed::{self, Fed};

use super::error::{Error, Findings};
use super::events::EventLog;
use super::limits::ReadOptions;
use super::pieces::Decoder;
use super::read::Reading;
use crate::{Event, Game};

/// Reads a recording from bytes as they come, without doing I/O itself.
///
/// Push any pieces; it holds one event at a time (and the sections before the events, at most
/// 448 KiB). Where a growing file ends in the middle of an event it says [`Fed::NeedMore`] and
/// goes on when more is pushed.
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
#[derive(Debug)]
pub struct Feed(feed::Feed<Decoder>);

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

impl Feed {
    /// At the start of a file, strict.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// At the start of a file.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options)))
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Says that no more bytes will come. Pushing more takes it back.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The next event.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with). A file that is cut is an error after [`Feed::finish`]
    /// only, and pushing the rest mends it.
    #[inline]
    pub fn next_event(&mut self) -> Result<Fed<Event>, Error> {
        self.0.next()
    }

    /// The game without its events: the sections before them as soon as they have come; ending,
    /// tail, checksum and file size once they were read.
    #[must_use]
    pub const fn game(&self) -> Option<&Game<'static>> {
        self.0.decoder().game.as_ref()
    }

    /// The rules that were found broken so far (lenient reading).
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().deviations.findings
    }

    /// Where the next event starts: the end of what was whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// True where the recording is there to its last byte, although more might follow.
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
pub struct Reader<R> {
    reader: feed::Reader<R, Decoder>,
    /// Once it was asked for.
    game: Option<Game<'static>>,
}

impl<R: Read> Reader<R> {
    /// At the start of a recording, strictly.
    #[must_use]
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// [`Reader::new`], with other options.
    #[must_use]
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self {
            reader: feed::Reader::new(source, Decoder::new(options)),
            game: None,
        }
    }

    /// The game without its events: the sections before them; ending, tail, checksum and file size are
    /// known when [`Reader::next_event`] has said `None`.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with), and what the source says.
    pub fn game(&mut self) -> Result<&Game<'static>, Error> {
        if let Some(ref game) = self.game {
            return Ok(game);
        }
        // What the first event came with is not looked for again.
        let game = match &self.reader.decoder().game {
            Some(game) => game.clone(),
            None => self.reader.until(|decoder, input| {
                let there = decoder.header(input)?;
                Ok(decoder.game.clone().filter(|_| there))
            })?,
        };
        Ok(self.game.insert(game))
    }

    /// The next event; `None` when the file has been read and checked to its end. Where the file
    /// grows, more may come after it.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with), and what the source says.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        if self.reader.step()? {
            return Ok(Some(self.reader.item()));
        }
        self.game.clone_from(&self.reader.decoder().game);
        Ok(None)
    }

    /// The rules that were found broken so far (lenient reading).
    pub const fn findings(&self) -> &Findings {
        &self.reader.decoder().deviations.findings
    }

    /// Where the next event starts: the end of what was whole.
    pub const fn offset(&self) -> u64 {
        self.reader.offset()
    }
}

/// Reads a whole recording from any [`Read`].
///
/// Says the same as [`read_with`](super::read_with) does of the same bytes in memory.
///
/// # Errors
/// As [`read_with`](super::read_with), and what the source says.
pub fn read_from<R: Read>(source: R, options: ReadOptions) -> Result<Reading<'static>, Error> {
    let mut reader = Reader::with_options(source, options);
    let mut events = EventLog::empty(reader.game()?.version());
    while let Some(event) = reader.next_event()? {
        // What was decoded can be encoded again.
        let appended = events.append(event);
        debug_assert!(appended.is_ok(), "{appended:?}");
    }
    let game = reader.game()?.clone();
    let (decoder, _) = reader.reader.parts();
    events.set_offset(decoder.video.start);
    Ok(Reading {
        findings: std::mem::take(&mut decoder.deviations.findings),
        game: Game { events, ..game },
    })
}
