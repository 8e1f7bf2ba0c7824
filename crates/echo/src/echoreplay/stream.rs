//! Streaming: `Feed` for bytes pushed by the caller, `Reader` for any source.

use std::io::{Read, Seek, SeekFrom};
#[cfg(feature = "tape")]
use std::sync::Arc;

use gametape_core::AllAltered;
use gametape_core::feed::{self, Buffer, Decode, Fed, Step as Fetched};

use super::line::{Columns, Line};
#[cfg(feature = "tape")]
use super::scan::Skipped;
use super::scan::{Scan, Scanned};
#[cfg(feature = "tape")]
use super::spool::{Spool, Spooled};
use super::text::Text;
#[cfg(feature = "zip")]
use super::unpack::TextFile;
use crate::error::{Error, Findings};
use crate::limits::ReadOptions;
use crate::model::Frame;
#[cfg(feature = "tape")]
use crate::model::Time;
use crate::rule::Rule;

/// Decodes bytes to lines and frames.
#[derive(Debug)]
struct LineDecoder {
    scan: Scan,
    frame: Frame,
    /// Whether lines are read into the frame.
    reads: bool,
    /// The last line.
    columns: Option<Columns>,
}

impl LineDecoder {
    fn new(options: ReadOptions) -> Self {
        Self {
            scan: Scan::new(options),
            frame: Frame::default(),
            reads: true,
            columns: None,
        }
    }

    fn line<'a>(&'a self, input: &'a Buffer) -> Option<Line<'a>> {
        Some(Line {
            within: self.scan.within.as_deref(),
            ..Line::again(input.piece(), self.columns?)?
        })
    }
}

impl Decode for LineDecoder {
    type Item<'a> = ();
    type Error = Error;

    #[inline]
    fn decode(&mut self, input: &mut Buffer) -> Result<Fetched, Error> {
        let frame = self.reads.then_some(&mut self.frame);
        let (used, step) = self.scan.step(input.rest(), input.is_ended(), frame);
        self.columns = None;
        match step {
            Ok(Scanned::Line { skip, columns }) => {
                input.take(skip);
                input.take(used - skip);
                self.columns = Some(columns);
                Ok(Fetched::Item)
            }
            Ok(Scanned::NeedMore) => {
                input.take(used);
                input.want(input.rest().len() as u64 + 1);
                Ok(Fetched::NeedMore)
            }
            Ok(Scanned::End) => {
                input.take(used);
                Ok(Fetched::End)
            }
            Err(error) => {
                input.take(used);
                Err(error)
            }
        }
    }

    fn item<'a>(&'a mut self, _: &'a Buffer) {}

    fn reopen(&mut self) {
        self.scan.reopen();
    }
}

/// Methods that report a reader's state; `Feed` and `Reader` share them.
macro_rules! known {
    () => {
        /// The last frame.
        #[must_use]
        pub const fn frame(&self) -> &Frame {
            &self.0.decoder().frame
        }

        /// The last line, or the line of the last frame.
        #[must_use]
        pub fn line(&self) -> Option<Line<'_>> {
            self.0.decoder().line(self.0.input())
        }

        /// The findings so far.
        #[must_use]
        pub const fn findings(&self) -> &Findings {
            &self.0.decoder().scan.findings
        }

        /// The offset of the next line: the end of the whole lines so far. In a zip, the offset in the text
        /// of its file.
        #[must_use]
        pub const fn offset(&self) -> u64 {
            self.0.decoder().scan.offset()
        }
    };
}

/// A reader without a source: the caller pushes bytes as they come and takes lines as they become complete.
///
/// It holds one line, or as much as was pushed at once. A growing recording can be read to the end of its
/// last whole line, and further when there are more bytes.
///
/// ```
/// use gametape_echo::{Fed, echoreplay::Feed};
/// let mut feed = Feed::new();
/// feed.push(b"2022/01/02 03:00:00.000\t{\"game_cl");
/// assert_eq!(feed.next_frame()?, Fed::NeedMore);
/// feed.push(b"ock\":1.5}\r\n2022");
/// let frame = feed.next_frame()?.item().expect("a line");
/// assert_eq!(frame.session.game_clock, 1.5);
/// assert_eq!(feed.next_frame()?, Fed::NeedMore);
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Feed(feed::Feed<LineDecoder>);

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

impl Feed {
    /// Starts reading a plain recording, strictly.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// Like [`Feed::new`], with other options.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(LineDecoder::new(options)))
    }

    /// Adds the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// The bytes that were pushed and not consumed.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    /// Declares that no more bytes will come: the rest is the last line or a part of it. Pushing more bytes
    /// undoes it.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// Reads the next line into a frame. The frame borrows from the feed: nothing is allocated per frame.
    ///
    /// # Errors
    /// The first broken line, if reading is strict. The same error is returned again. A cut line is an
    /// error only after [`Feed::finish`], and pushing the rest clears it.
    pub fn next_frame(&mut self) -> Result<Fed<&Frame>, Error> {
        Ok(match self.step(true)? {
            Fetched::Item => Fed::Item(self.frame()),
            Fetched::NeedMore => Fed::NeedMore,
            Fetched::End => Fed::End,
        })
    }

    /// Returns the next line as it is; only its columns and its time are parsed.
    ///
    /// # Errors
    /// Like [`Feed::next_frame`], except that the content of the columns is not checked.
    pub fn next_line(&mut self) -> Result<Fed<Line<'_>>, Error> {
        Ok(match self.step(false)? {
            Fetched::Item => self.line().map_or(Fed::End, Fed::Item),
            Fetched::NeedMore => Fed::NeedMore,
            Fetched::End => Fed::End,
        })
    }

    fn step(&mut self, reads: bool) -> Result<Fetched, Error> {
        self.0.decoder_mut().reads = reads;
        self.0.step()
    }

    known!();
}

/// Reads a recording line by line, with memory bounded by one line. A [`std::io::BufReader`] is not needed.
///
/// For a growing recording, see [`Feed`].
///
/// ```
/// use gametape_echo::echoreplay::Reader;
/// let text = b"2022/01/02 03:00:00.000\t{\"game_clock\":300.0}\r\n";
/// let mut reader = Reader::new(text.as_slice());
/// while let Some(frame) = reader.next_frame()? {
///     println!("{}: {} s", frame.time, frame.session.game_clock);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R>(feed::Reader<Text<R>, LineDecoder>);

/// Opens an .echoreplay, plain or zip, and reads it strictly. The files of a zip are read one after
/// another.
///
/// ```no_run
/// use gametape_echo::echoreplay;
/// let mut reader = echoreplay::open(std::fs::File::open("match.echoreplay")?)?;
/// while let Some(frame) = reader.next_frame()? {
///     println!("{}", frame.session.game_clock_display);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Io`]; `echoreplay.zip-truncated` for an unfinished zip; `echo.feature` for any zip without the
/// feature `zip`.
pub fn open<R: Read + Seek>(source: R) -> Result<Reader<R>, Error> {
    open_with(source, ReadOptions::default())
}

/// Like [`open()`], with other options. A lenient reader reads as much of a broken zip as there is.
///
/// # Errors
/// Like [`open()`].
pub fn open_with<R: Read + Seek>(mut source: R, options: ReadOptions) -> Result<Reader<R>, Error> {
    let io = |source| Error::io(0, source);
    source.seek(SeekFrom::Start(0)).map_err(io)?;
    let mut start = Vec::new();
    source
        .by_ref()
        .take(4)
        .read_to_end(&mut start)
        .map_err(io)?;
    source.seek(SeekFrom::Start(0)).map_err(io)?;
    if !super::text::is_packed(&start) {
        return Ok(Reader::with_options(source, options));
    }
    let (text, fault) = Text::unzip(source).map_err(io)?;
    Reader::of_zip(text, fault, options)
}

impl<R: Read> Reader<R> {
    fn of_zip(text: Text<R>, fault: Option<Rule>, options: ReadOptions) -> Result<Self, Error> {
        let mut decoder = LineDecoder::new(options);
        match fault {
            Some(rule @ Rule::Feature { .. }) => return Err(Error::at(rule, 0)),
            Some(rule) => decoder.scan.fault_of_zip(rule)?,
            None => {}
        }
        Ok(Self(feed::Reader::new(text, decoder)))
    }

    /// Reads a spooled zip, like [`open_with`] reads the zip.
    #[cfg(feature = "tape")]
    pub(crate) fn spooled(spool: Arc<Spool>, options: ReadOptions) -> Result<Self, Error> {
        let fault = spool.fault.clone();
        let text = Text::Spool(Box::new(Spooled::new(spool)));
        Self::of_zip(text, fault, options)
    }

    /// Opens an .echoreplay for a caller that takes all whole lines and asks for the others with
    /// [`Reader::take_skipped`]. A broken zip is an error.
    #[cfg(feature = "tape")]
    pub(crate) fn open_for_whole_lines(source: R) -> Result<Self, Error>
    where
        R: Seek,
    {
        // Faults of the zip as a whole are reported before its first line.
        let mut reader = open(source)?;
        let scan = &mut reader.0.parts().0.scan;
        scan.be_lenient();
        scan.skipped = Some(Skipped::default());
        Ok(reader)
    }

    /// In lenient reading, the frames so far that may be altered.
    pub(super) const fn altered(&self) -> &AllAltered<Rule> {
        &self.0.decoder().scan.altered
    }

    /// Returns the lines skipped since the last call.
    #[cfg(feature = "tape")]
    pub(crate) fn take_skipped(&mut self) -> Skipped {
        let skipped = &mut self.0.parts().0.scan.skipped;
        skipped.as_mut().map(Skipped::take).unwrap_or_default()
    }

    /// The number of the last line in its text, from 1.
    #[cfg(feature = "tape")]
    pub(crate) fn line_number(&self) -> u64 {
        self.0.decoder().scan.lines()
    }

    /// The position of the next line in the whole text. In a spooled zip, the text of all its files.
    #[cfg(feature = "tape")]
    pub(crate) fn place(&mut self) -> u64 {
        let start = match self.0.get_mut() {
            Text::Spool(spool) => spool.start(),
            Text::Plain(_) | Text::Zip(_) => 0,
        };
        start + self.offset()
    }

    /// Reads plain text, strictly. For a zip, see [`open()`].
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// Like [`Reader::new`], with other options.
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self(feed::Reader::new(
            Text::Plain(source),
            LineDecoder::new(options),
        ))
    }

    /// Reads the lines after those that are left out: the number of these, the offset at which the source
    /// goes on, and when the first of all was recorded.
    #[cfg(feature = "tape")]
    pub(crate) fn continuing(source: R, options: ReadOptions, after: (u64, u64, Time)) -> Self {
        let mut reader = Self::with_options(source, options);
        let (decoder, input) = reader.0.parts();
        decoder.scan.continue_after(after);
        input.restart(after.1);
        reader
    }

    /// Reads the next line into a frame; `None` at the end. The frame borrows from the reader: nothing is
    /// allocated per frame.
    ///
    /// # Errors
    /// The first broken line, if reading is strict. The same error is returned again. [`Error::Io`].
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(self.step(true)?.then(|| self.frame()))
    }

    /// Returns the next line as it is, or `None` at the end.
    ///
    /// # Errors
    /// Like [`Reader::next_frame`], except that the content of the columns is not checked.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, Error> {
        Ok(if self.step(false)? { self.line() } else { None })
    }

    fn step(&mut self, reads: bool) -> Result<bool, Error> {
        self.0.parts().0.reads = reads;
        loop {
            match self.0.step() {
                Ok(true) => return Ok(true),
                Ok(false) if self.next_member()? => {}
                Ok(false) => return Ok(false),
                Err(Error::Io { offset, source }) => {
                    let rule = Text::<R>::fault(source);
                    let rule = rule.map_err(|source| Error::io(offset, source))?;
                    self.0.parts().0.scan.fault_of_zip(rule)?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    #[cfg(not(feature = "zip"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)] // As with it.
    const fn next_member(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    /// Continues with the next file of a zip. Returns false if there is none.
    #[cfg(feature = "zip")]
    fn next_member(&mut self) -> Result<bool, Error> {
        let offset = self.offset();
        self.0.parts().0.scan.end_file();
        let next = self.0.get_mut().next_member();
        let (member, notes) = next.map_err(|source| Error::io(offset, source))?;
        let (decoder, input) = self.0.parts();
        for rule in notes {
            let finding = decoder.scan.of_zip(rule);
            decoder.scan.findings.push(finding);
        }
        let (name, closed) = match member {
            TextFile::None => return Ok(false),
            TextFile::Open(name) => (name, None),
            TextFile::Closed(name, rule) => (name, Some(rule)),
        };
        input.restart(0);
        // The file may have the same name as its zip.
        decoder.scan.restart(name);
        match closed {
            // No part of it can be read.
            Some(rule) => decoder.scan.fault_of_zip(rule).map(|()| true),
            None => Ok(true),
        }
    }

    known!();
}
