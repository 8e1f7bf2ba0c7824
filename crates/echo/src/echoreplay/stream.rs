//! Reading a recording as its bytes come: fed by hand, growing or whole, or from any [`Read`].

use std::io::{self, Read, Seek, SeekFrom};

use super::line::{Columns, Line};
use super::options::ReadOptions;
use super::scan::{Scan, Step};
use super::unzip::{self, Filled, Next, Unzip};
use crate::error::Error;
use crate::finding::{Finding, Findings};
use crate::model::Frame;

/// Bytes asked of a source at a time.
const CHUNK: usize = 64 << 10;

/// What a [`Decoder`] has to give.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The next line.
    Line(Line<'a>),
    /// Nothing whole is left: more bytes are needed, or [`Decoder::finish_input`].
    NeedMore,
    /// The recording ended.
    End,
}

/// A reader without a source: bytes go in as they come, lines come out as they get whole.
///
/// It holds one line, or as much as was pushed at once. A recording that grows can be read to the
/// end of its last whole line, and on from there when there is more.
///
/// ```
/// use gametape_echo::Frame;
/// use gametape_echo::echoreplay::{Decoder, Progress, ReadOptions};
/// let mut decoder = Decoder::new(ReadOptions::default());
/// let mut frame = Frame::default();
/// decoder.push(b"2022/01/02 03:00:00.000\t{\"game_cl");
/// assert!(matches!(decoder.next_frame(&mut frame)?, Progress::NeedMore));
/// decoder.push(b"ock\":1.5}\r\n2022");
/// assert!(matches!(decoder.next_frame(&mut frame)?, Progress::Line(_)));
/// assert_eq!(frame.session.game_clock, 1.5);
/// assert!(matches!(decoder.next_frame(&mut frame)?, Progress::NeedMore));
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    scan: Scan,
    buffer: Vec<u8>,
    /// Bytes of the buffer that have come; behind them is space for more.
    filled: usize,
    /// Bytes of the buffer that were given out.
    taken: usize,
    finished: bool,
}

/// A line that was found and not yet given out.
struct Found {
    start: usize,
    columns: Columns,
}

enum Poll {
    Line(Found),
    NeedMore,
    End,
}

impl Decoder {
    /// A decoder at the start of a plain recording.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self {
            scan: Scan::new(options),
            buffer: Vec::new(),
            filled: 0,
            taken: 0,
            finished: false,
        }
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.make_room();
        self.buffer.truncate(self.filled);
        self.buffer.extend_from_slice(bytes);
        self.filled = self.buffer.len();
        self.finished &= bytes.is_empty();
    }

    /// Says that no more bytes will come: what is left over is the last line, or a part of it.
    pub const fn finish_input(&mut self) {
        self.finished = true;
    }

    /// The next line as it is: only its columns and its time are looked at.
    ///
    /// # Errors
    /// The first broken line, where reading is strict; the same comes again.
    pub fn next_line(&mut self) -> Result<Progress<'_>, Error> {
        let poll = self.poll(None)?;
        Ok(self.progress(&poll))
    }

    /// The next line, read into a frame. What is in the frame when there is no line is of no use.
    ///
    /// # Errors
    /// As [`Decoder::next_line`]; a line that is no session is broken.
    pub fn next_frame(&mut self, frame: &mut Frame) -> Result<Progress<'_>, Error> {
        let poll = self.poll(Some(frame))?;
        Ok(self.progress(&poll))
    }

    /// What was found so far.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.scan.findings
    }

    /// Where the next line starts: the end of the lines that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.scan.offset()
    }

    fn progress(&self, poll: &Poll) -> Progress<'_> {
        match poll {
            Poll::Line(found) => self.line(found).map_or(Progress::End, Progress::Line),
            Poll::NeedMore => Progress::NeedMore,
            Poll::End => Progress::End,
        }
    }

    fn line(&self, found: &Found) -> Option<Line<'_>> {
        Line::again(self.buffer.get(found.start..self.taken)?, found.columns)
    }

    fn poll(&mut self, frame: Option<&mut Frame>) -> Result<Poll, Error> {
        let rest = self.buffer.get(self.taken..self.filled).unwrap_or_default();
        let (used, step) = self.scan.step(rest, self.finished, frame)?;
        let start = self.taken;
        self.taken += used;
        Ok(match step {
            Step::Line { skip, columns } => Poll::Line(Found {
                start: start + skip,
                columns,
            }),
            Step::NeedMore => Poll::NeedMore,
            Step::End => Poll::End,
        })
    }

    /// Lets go of what was given out.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.buffer.copy_within(self.taken..self.filled, 0);
            self.filled -= self.taken;
            self.taken = 0;
        }
    }

    /// Space for the next bytes of a source.
    fn spare(&mut self) -> &mut [u8] {
        self.make_room();
        if self.buffer.len() < self.filled + CHUNK {
            self.buffer.resize(self.filled + CHUNK, 0);
        }
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }

    /// So many of them have come.
    fn came(&mut self, count: usize) {
        self.filled = (self.filled + count).min(self.buffer.len());
        self.finished = count == 0;
    }

    /// The next bytes are those of another text.
    fn restart(&mut self) {
        self.taken = 0;
        self.filled = 0;
        self.finished = false;
        self.scan.restart();
    }
}

/// Where the text comes from.
#[derive(Debug)]
enum Source<R> {
    Plain(R),
    Zip(Box<Unzip<R>>),
}

/// Reads a recording line by line; memory is bounded by a line, whatever the recording. It needs no
/// [`io::BufReader`].
///
/// For a recording that grows, see [`Decoder`].
///
/// ```
/// use gametape_echo::{Frame, echoreplay::Reader};
/// let text = b"2022/01/02 03:00:00.000\t{\"game_clock\":300.0}\r\n";
/// let mut reader = Reader::new(text.as_slice());
/// let mut frame = Frame::default();
/// while reader.next_frame(&mut frame)?.is_some() {
///     println!("{}: {} s", frame.time, frame.session.game_clock);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: Source<R>,
    decoder: Decoder,
    /// Nothing more comes from the source.
    ended: bool,
    /// What ended the recording, where reading is strict.
    fault: Option<Finding>,
}

/// Opens an .echoreplay, plain or zip, and reads it strictly. The files of a zip are read one after
/// the other.
///
/// ```no_run
/// use gametape_echo::{Frame, echoreplay};
/// let mut reader = echoreplay::open(std::fs::File::open("match.echoreplay")?)?;
/// let mut frame = Frame::default();
/// while reader.next_frame(&mut frame)?.is_some() {
///     println!("{}", frame.session.game_clock_display);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Io`]; for a zip that was not written to its end, `echoreplay.zip-truncated`.
pub fn open<R: Read + Seek>(source: R) -> Result<Reader<R>, Error> {
    ReadOptions::strict().open(source)
}

impl ReadOptions {
    /// [`open()`], with these options. A lenient reader takes from a broken zip what is there.
    ///
    /// # Errors
    /// As [`open()`].
    pub fn open<R: Read + Seek>(self, mut source: R) -> Result<Reader<R>, Error> {
        let io = |source| Error::Io { offset: 0, source };
        source.seek(SeekFrom::Start(0)).map_err(io)?;
        let mut start = [0; 4];
        let size = unzip::read_full(&mut source, &mut start).map_err(io)?;
        source.seek(SeekFrom::Start(0)).map_err(io)?;
        if !unzip::is_zip(start.get(..size).unwrap_or_default()) {
            return Ok(self.reader(source));
        }
        let mut decoder = Decoder::new(self);
        let (zip, fault) = Unzip::open(source).map_err(io)?;
        if let Some(rule) = fault {
            decoder.scan.fault(Finding::new(rule))?;
        }
        Ok(Reader {
            source: Source::Zip(Box::new(zip)),
            decoder,
            ended: false,
            fault: None,
        })
    }

    /// [`Reader::new`], with these options.
    pub fn reader<R: Read>(self, source: R) -> Reader<R> {
        Reader {
            source: Source::Plain(source),
            decoder: Decoder::new(self),
            ended: false,
            fault: None,
        }
    }
}

impl<R: Read> Reader<R> {
    /// Reads plain text, strictly; for a zip, see [`open()`].
    pub fn new(source: R) -> Self {
        ReadOptions::strict().reader(source)
    }

    /// The next line as it is; `None` at the end.
    ///
    /// # Errors
    /// As [`Decoder::next_line`], and [`Error::Io`].
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, Error> {
        self.next(None)
    }

    /// The next line, read into a frame; `None` at the end.
    ///
    /// # Errors
    /// As [`Decoder::next_frame`], and [`Error::Io`].
    pub fn next_frame(&mut self, frame: &mut Frame) -> Result<Option<Line<'_>>, Error> {
        self.next(Some(frame))
    }

    /// What was found so far.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        self.decoder.findings()
    }

    /// Where the next line starts; of a zip, in the text of the file it is in.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    fn next(&mut self, mut frame: Option<&mut Frame>) -> Result<Option<Line<'_>>, Error> {
        if let Some(fault) = &self.fault {
            return Err(Error::new(fault.clone()));
        }
        loop {
            let filled = match self.decoder.poll(frame.as_deref_mut())? {
                Poll::Line(found) => return Ok(self.decoder.line(&found)),
                Poll::NeedMore => self.fill(),
                Poll::End if self.ended => return Ok(None),
                Poll::End => self.next_file(),
            };
            if let Err(error) = filled {
                self.fault = error.finding().cloned();
                return Err(error);
            }
        }
    }

    /// Gets more text, or says that there is none.
    fn fill(&mut self) -> Result<(), Error> {
        let held = (self.decoder.filled - self.decoder.taken) as u64;
        let offset = self.decoder.offset() + held;
        let io = |source| Error::Io { offset, source };
        let spare = self.decoder.spare();
        let fault = match &mut self.source {
            Source::Plain(source) => {
                let count = read_some(source, spare).map_err(io)?;
                self.decoder.came(count);
                self.ended = count == 0;
                None
            }
            Source::Zip(zip) => match zip.fill(spare).map_err(io)? {
                Filled::Bytes(count) => {
                    self.decoder.came(count);
                    None
                }
                Filled::End(fault) => {
                    self.decoder.came(0);
                    fault
                }
            },
        };
        match fault {
            Some(rule) => self.decoder.scan.fault(Finding::new(rule)),
            None => Ok(()),
        }
    }

    /// Goes on with the next file of a zip.
    fn next_file(&mut self) -> Result<(), Error> {
        let Source::Zip(zip) = &mut self.source else {
            self.ended = true;
            return Ok(());
        };
        let offset = self.decoder.scan.offset();
        let io = |source| Error::Io { offset, source };
        let next = zip.next_file().map_err(io)?;
        if let Some(rule) = zip.several() {
            self.decoder.scan.note(rule);
        }
        match next {
            Next::File => self.decoder.restart(),
            Next::Closed(rule) => {
                self.decoder.restart();
                // There is nothing to read of it.
                self.decoder.finish_input();
                self.decoder.scan.fault(Finding::new(rule))?;
            }
            Next::None => self.ended = true,
        }
        Ok(())
    }
}

/// Reads, and again where that was interrupted.
pub(super) fn read_some(source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // No more than there is space for, whatever the source says.
            other => return other.map(|count| count.min(into.len())),
        }
    }
}
