//! Reading a recording as its bytes come: from any [`Read`], or fed by hand, growing or whole.

use std::io::{self, Read};

use crate::error::Error;
use crate::model::{Frame, Header};
use crate::read::{ReadOptions, Strictness};
use crate::rule::{Finding, Rule};
use crate::scan::{self, FrameScan, Shape, Stop};

/// Bytes asked of a source at a time.
const CHUNK: usize = 64 << 10;

/// What a [`Decoder`] has to give.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The next frame.
    Frame(Frame<'a>),
    /// Nothing whole is left: more bytes are needed, or [`Decoder::finish_input`].
    NeedMore,
    /// The recording ended.
    End,
}

/// A reader without a source: bytes go in as they come, frames come out as they get whole.
///
/// It holds one frame, or as much as was fed at once. A recording that grows can be read to its
/// end, and on from there when there is more.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// use gametape_murk::{Decoder, Progress, ReadOptions};
/// let mut decoder = Decoder::new(ReadOptions::default());
/// let mut frames = 0;
/// for chunk in bytes.chunks(7) {
///     decoder.feed(chunk);
///     while let Progress::Frame(_) = decoder.next_frame()? {
///         frames += 1;
///     }
/// }
/// decoder.finish_input();
/// assert!(matches!(decoder.next_frame()?, Progress::End));
/// assert_eq!(frames, 3);
/// # Ok::<(), gametape_murk::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    options: ReadOptions,
    buffer: Vec<u8>,
    /// Bytes of the buffer that have come; behind them is space for more.
    filled: usize,
    /// Bytes of the buffer that were given out.
    taken: usize,
    /// Where in the recording the next frame (or the header) starts.
    offset: u64,
    header: Option<Header<'static>>,
    index: u64,
    scan: FrameScan,
    shape: Shape,
    /// Bytes that have to be there before it makes sense to look again.
    wanted: u64,
    finished: bool,
    /// What ended the recording, if not its end.
    problem: Option<Box<Finding>>,
    /// More bytes might mend it.
    problem_is_cut: bool,
}

/// What [`Decoder::poll`] sees.
enum Poll {
    Frame { size: usize },
    NeedMore,
    End,
}

impl Decoder {
    /// A decoder at the start of a recording.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self {
            options,
            buffer: Vec::new(),
            filled: 0,
            taken: 0,
            offset: 0,
            header: None,
            index: 0,
            scan: FrameScan::default(),
            shape: Shape::default(),
            wanted: 0,
            finished: false,
            problem: None,
            problem_is_cut: false,
        }
    }

    /// Takes the next bytes of the recording.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.make_room();
        self.buffer.truncate(self.filled);
        self.buffer.extend_from_slice(bytes);
        self.filled = self.buffer.len();
        if !bytes.is_empty() {
            self.reopen();
        }
    }

    /// Says that no more bytes will come: what is left over is a cut frame. Feeding more takes it
    /// back.
    pub const fn finish_input(&mut self) {
        self.finished = true;
    }

    /// The header, as soon as all of it has come.
    ///
    /// # Errors
    /// As [`ReadOptions::read`]; truncated only after [`Decoder::finish_input`].
    pub fn header(&mut self) -> Result<Option<&Header<'static>>, Error> {
        if self.header.is_none() {
            self.read_header()?;
        }
        Ok(self.header.as_ref())
    }

    /// Where the next frame starts: the end of the frames that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Why a lenient decoder ended before the bytes did.
    #[must_use]
    pub fn problem(&self) -> Option<&Finding> {
        self.problem.as_deref()
    }

    /// The next frame.
    ///
    /// # Errors
    /// As the slice reader's. A cut frame is an error after [`Decoder::finish_input`] only, and
    /// feeding the rest mends it; after any other error the same comes again.
    pub fn next_frame(&mut self) -> Result<Progress<'_>, Error> {
        Ok(match self.poll()? {
            Poll::Frame { size } => self.take(size).map_or(Progress::End, Progress::Frame),
            Poll::NeedMore => Progress::NeedMore,
            Poll::End => Progress::End,
        })
    }

    /// Looks for the next frame and leaves it where it is.
    #[inline]
    fn poll(&mut self) -> Result<Poll, Error> {
        if self.problem.is_some() {
            return Ok(Poll::End);
        }
        if self.header.is_none() && self.header()?.is_none() {
            return Ok(Poll::NeedMore);
        }
        let rest = self.buffer.get(self.taken..self.filled).unwrap_or_default();
        if (rest.len() as u64) < self.wanted && !self.finished {
            return Ok(Poll::NeedMore);
        }
        if rest.is_empty() {
            return Ok(if self.finished {
                Poll::End
            } else {
                Poll::NeedMore
            });
        }
        let limits = &self.options.limits;
        // The common case: the frame is whole, and nobody has looked at it before.
        if self.scan.is_fresh()
            && let Some((_, behind)) = scan::next_frame(rest, (0, 0), &mut self.shape, limits)
            && (rest.len() - behind.len()) as u64 <= limits.max_frame_bytes
        {
            let size = rest.len() - behind.len();
            return Ok(Poll::Frame { size });
        }
        let found = self.scan.run(rest, limits);
        // How far into the frame one has to see: the same in whatever pieces the bytes came.
        let reach = match &found {
            Ok(size) => *size as u64,
            Err(stop) => stop.reach(),
        };
        let limit = self.options.limits.max_frame_bytes;
        let error = match found {
            _ if reach > limit => {
                let rule = Rule::Limit {
                    what: "the frame".into(),
                    unit: "bytes or more",
                    claimed: limit + 1,
                    limit,
                };
                let finding = Finding::new(rule)
                    .at(self.offset)
                    .in_frame(self.index, None);
                Error::MalformedFrame(Box::new(finding))
            }
            Ok(size) => return Ok(Poll::Frame { size }),
            Err(Stop::Short { .. }) if !self.finished => {
                self.wanted = reach;
                return Ok(Poll::NeedMore);
            }
            Err(stop) => self.scan.error(stop, rest, self.index, self.offset),
        };
        match self.options.strictness {
            Strictness::Strict => Err(error),
            Strictness::Lenient => {
                self.problem_is_cut = error.is_truncated();
                self.problem = error.into_finding().map(Box::new);
                Ok(Poll::End)
            }
        }
    }

    /// Gives out the frame that [`Decoder::poll`] found.
    #[inline]
    fn take(&mut self, size: usize) -> Option<Frame<'_>> {
        let (index, offset, start) = (self.index, self.offset, self.taken);
        self.scan = FrameScan::default();
        self.wanted = 0;
        self.taken += size;
        self.offset += size as u64;
        self.index += 1;
        scan::frame(self.buffer.get(start..self.taken)?, index, offset)
    }

    /// More may come behind what seemed to be the end.
    fn reopen(&mut self) {
        self.finished = false;
        if self.problem_is_cut {
            self.problem = None;
            self.problem_is_cut = false;
        }
    }

    fn read_header(&mut self) -> Result<(), Error> {
        if (self.filled as u64) < self.wanted && !self.finished {
            return Ok(());
        }
        let held = self.buffer.get(..self.filled).unwrap_or_default();
        match scan::header(held, &self.options.limits) {
            Ok((header, size)) => {
                self.header = Some(header.into_owned());
                self.taken = size;
                self.offset = size as u64;
                self.wanted = 0;
                Ok(())
            }
            Err(Error::MalformedHeader(finding)) if !self.finished => match finding.rule {
                Rule::Truncated { needed, .. } => {
                    self.wanted = finding.offset.unwrap_or(0) + needed;
                    Ok(())
                }
                _ => Err(Error::MalformedHeader(finding)),
            },
            Err(error) => Err(error),
        }
    }

    /// Lets go of what was given out.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.buffer.copy_within(self.taken..self.filled, 0);
            self.filled -= self.taken;
            self.taken = 0;
        }
    }

    /// Feeds one chunk from a source; false at its end.
    fn feed_from(&mut self, source: &mut impl Read) -> Result<bool, Error> {
        self.make_room();
        let held = self.filled;
        // A large frame is read in large pieces, but never in larger ones than have come so far:
        // a claim alone reserves nothing.
        let chunk = CHUNK.max(held.min(usize::try_from(self.wanted).unwrap_or(usize::MAX)));
        if self.buffer.len() < held + chunk {
            self.buffer.resize(held + chunk, 0);
        }
        let spare = self.buffer.get_mut(held..held + chunk).unwrap_or_default();
        let result = loop {
            match source.read(spare) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = *result.as_ref().unwrap_or(&0);
        self.filled += count.min(chunk);
        self.finished = count == 0;
        match result {
            Ok(count) => Ok(count > 0),
            Err(source) => {
                self.finished = false;
                Err(Error::Io {
                    offset: self.offset + held as u64,
                    source,
                })
            }
        }
    }
}

/// Reads a recording from any source, frame by frame. It needs no [`io::BufReader`].
///
/// At the end of a recording that grows, [`Reader::next_frame`] gives `None`, or a truncated error
/// where a part of a frame is there; call it again when there is more.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// let mut reader = gametape_murk::Reader::new(bytes.as_slice())?;
/// println!("seed {}", reader.header().seed);
/// while let Some(frame) = reader.next_frame()? {
///     println!("tick {}: {} commands", frame.tick, frame.commands().len());
/// }
/// # Ok::<(), gametape_murk::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    decoder: Decoder,
    header: Header<'static>,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and [`Error::Io`].
    pub fn new(source: R) -> Result<Self, Error> {
        Self::with_options(source, ReadOptions::default())
    }

    /// [`Reader::new`], with other options.
    pub fn with_options(mut source: R, options: ReadOptions) -> Result<Self, Error> {
        let mut decoder = Decoder::new(options);
        let header = loop {
            if let Some(header) = decoder.header()? {
                break header.clone();
            }
            decoder.feed_from(&mut source)?;
        };
        Ok(Self {
            source,
            decoder,
            header,
        })
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &Header<'static> {
        &self.header
    }

    /// The next frame; `None` at the end.
    ///
    /// # Errors
    /// As the slice reader's, and [`Error::Io`].
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, Error> {
        // What ended before may have grown since.
        self.decoder.reopen();
        loop {
            match self.decoder.poll()? {
                Poll::Frame { size } => return Ok(self.decoder.take(size)),
                Poll::End => return Ok(None),
                Poll::NeedMore => self.decoder.feed_from(&mut self.source)?,
            };
        }
    }

    /// Where the next frame starts: the end of the frames that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    /// Why a lenient reader stopped before the end.
    #[must_use]
    pub fn problem(&self) -> Option<&Finding> {
        self.decoder.problem()
    }

    /// The source, as it is: behind the bytes that were read ahead.
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// The source. Bytes that were read ahead are lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.source
    }
}
