//! Reading a recording as its bytes come: from any source, or fed by hand, growing or whole.

use std::io::Read;

use gametape_core::feed::{self, Buffer, Decode, Fed, Step};

use crate::error::{Error, Finding, Findings};
use crate::frame::Frame;
use crate::header::header;
use crate::limits::ReadOptions;
use crate::model::Header;
use crate::rule::Rule;
use crate::scan::{self, FrameScan, Shape, Stop};

/// Makes frames of the bytes that have come.
#[derive(Debug)]
struct Decoder {
    options: ReadOptions,
    header: Option<Header<'static>>,
    /// Frames so far.
    frames: u64,
    scan: FrameScan,
    shape: Shape,
    /// The header has been read, and the next frame is one that nobody has looked at.
    plain: bool,
    /// What ended the recording, if not its end.
    findings: Findings,
    /// More bytes might mend that.
    cut: bool,
}

impl Decoder {
    fn new(options: ReadOptions) -> Self {
        Self {
            options,
            header: None,
            frames: 0,
            scan: FrameScan::default(),
            shape: Shape::default(),
            plain: false,
            findings: Findings::new(),
            cut: false,
        }
    }

    /// The header, as soon as all of it has come.
    fn header(&mut self, input: &mut Buffer) -> Result<Option<&Header<'static>>, Error> {
        if self.header.is_none() {
            match header(input.rest(), &self.options.limits) {
                Ok((header, size)) => {
                    self.header = Some(header.into_owned());
                    input.take(size);
                }
                Err(error) => match error.finding() {
                    Some(finding) if error.is_truncated() && !input.is_ended() => {
                        let needed = match finding.rule {
                            Rule::Truncated { needed, .. } => needed,
                            _ => 1,
                        };
                        input.want(finding.place.offset.unwrap_or(0) + needed);
                    }
                    _ => return Err(error),
                },
            }
        }
        Ok(self.header.as_ref())
    }

    fn whole(&mut self, size: usize, input: &mut Buffer) -> Step {
        self.scan = FrameScan::default();
        self.plain = true;
        self.frames += 1;
        input.take(size);
        Step::Item
    }

    /// Looks at what is no whole frame, or no small one that came at once.
    fn look_closer(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        self.plain = false;
        let (rest, limits) = (input.rest(), &self.options.limits);
        let found = self.scan.run(rest, limits);
        // How far into the frame one has to see: the same in whatever pieces the bytes came.
        let reach = match &found {
            Ok(size) => *size as u64,
            Err(stop) => stop.reach(),
        };
        let limit = limits.max_frame_bytes;
        let error = match found {
            _ if reach > limit => {
                let rule = Rule::Limit {
                    what: "frame",
                    command: None,
                    unit: "bytes or more",
                    claimed: limit + 1,
                    limit,
                };
                let place = Finding::new(rule).at(input.offset());
                place.step(self.frames).into()
            }
            Ok(size) => return Ok(self.whole(size, input)),
            Err(Stop::Short { .. }) if !input.is_ended() => {
                input.want(reach);
                return Ok(Step::NeedMore);
            }
            Err(stop) => self.scan.error(stop, rest, self.frames, input.offset()),
        };
        if !self.options.is_lenient() {
            return Err(error);
        }
        self.cut = error.is_truncated();
        self.findings.extend(error.into_finding());
        Ok(Step::End)
    }
}

impl Decode for Decoder {
    type Item<'a> = Frame<'a>;
    type Error = Error;

    #[inline]
    fn decode(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        if !self.findings.is_empty() {
            return Ok(Step::End);
        }
        if self.header.is_none() && self.header(input)?.is_none() {
            return Ok(Step::NeedMore);
        }
        let rest = input.rest();
        if rest.is_empty() {
            return Ok(if input.is_ended() {
                Step::End
            } else {
                Step::NeedMore
            });
        }
        self.look_closer(input)
    }

    /// A frame that is whole, and that nobody has looked at before.
    #[inline(always)]
    fn decode_plain(&mut self, input: &mut Buffer) -> bool {
        if !self.plain {
            return false;
        }
        let rest = input.rest();
        let limits = &self.options.limits;
        let Some((_, behind)) = scan::next_frame(rest, (0, 0), &mut self.shape, limits) else {
            return false;
        };
        let size = rest.len() - behind.len();
        if size as u64 > limits.max_frame_bytes {
            return false;
        }
        self.frames += 1;
        input.take(size);
        true
    }

    #[inline]
    fn item<'a>(&'a mut self, input: &'a Buffer) -> Frame<'a> {
        let piece = input.piece();
        let offset = input.offset() - piece.len() as u64;
        scan::frame(piece, self.frames.saturating_sub(1), offset)
    }

    fn reopen(&mut self) {
        if self.cut {
            self.findings = Findings::new();
            self.cut = false;
        }
    }
}

/// A reader without a source: bytes go in as they come, frames come out as they get whole.
///
/// It holds one frame, or as much as was pushed at once. A recording that grows can be read to its
/// end, and on from there when there is more.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// use gametape_murk::{Fed, Feed};
/// let mut feed = Feed::new();
/// let mut frames = 0;
/// for chunk in bytes.chunks(7) {
///     feed.push(chunk);
///     while let Fed::Item(_) = feed.next_frame()? {
///         frames += 1;
///     }
/// }
/// feed.finish();
/// assert!(matches!(feed.next_frame()?, Fed::End));
/// assert_eq!(frames, 3);
/// # Ok::<(), gametape_murk::Error>(())
/// ```
#[derive(Debug)]
pub struct Feed(feed::Feed<Decoder>);

impl Default for Feed {
    fn default() -> Self {
        Self::new()
    }
}

impl Feed {
    /// At the start of a recording.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// [`Feed::new`], with other options.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options)))
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// What was pushed and is not done with.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    /// Says that no more bytes will come: what is left over is a cut frame. Pushing more takes it
    /// back.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The header, as soon as all of it has come.
    ///
    /// # Errors
    /// As [`read()`](crate::read()); truncated only after [`Feed::finish`].
    pub fn header(&mut self) -> Result<Option<&Header<'static>>, Error> {
        let (decoder, input) = self.0.parts();
        decoder.header(input)
    }

    /// The next frame.
    ///
    /// # Errors
    /// As the slice reader's. A cut frame is an error after [`Feed::finish`] only, and pushing the
    /// rest mends it; after any other error the same comes again.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Fed<Frame<'_>>, Error> {
        self.0.next()
    }

    /// Where the next frame starts: the end of the frames that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Why a lenient reader ended before the bytes did; none else.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().findings
    }
}

/// Reads a recording from any source, frame by frame. It needs no [`std::io::BufReader`].
///
/// At the end of a recording that grows, [`Reader::next_frame`] gives `None`, or a truncated error
/// where a part of a frame is there; call it again when there is more.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// let mut reader = gametape_murk::Reader::new(bytes.as_slice());
/// println!("seed {}", reader.header()?.seed);
/// while let Some(frame) = reader.next_frame()? {
///     println!("tick {}: {} commands", frame.tick, frame.commands().len());
/// }
/// # Ok::<(), gametape_murk::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    reader: feed::Reader<R, Decoder>,
    /// Once it was asked for.
    header: Option<Header<'static>>,
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
            header: None,
        }
    }

    /// What the recording says once, before its first frame.
    ///
    /// # Errors
    /// As [`read()`](crate::read()), and [`Error::Io`].
    pub fn header(&mut self) -> Result<&Header<'static>, Error> {
        if let Some(ref header) = self.header {
            return Ok(header);
        }
        // What the first frame came with is not looked for again.
        let header = if let Some(header) = &self.reader.decoder().header {
            header.clone()
        } else {
            let known = |header: Option<&Header<'static>>| header.cloned();
            let reader = &mut self.reader;
            reader.until(|decoder, input| decoder.header(input).map(known))?
        };
        Ok(self.header.insert(header))
    }

    /// The next frame; `None` at the end.
    ///
    /// # Errors
    /// As the slice reader's, and [`Error::Io`].
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, Error> {
        self.reader.next()
    }

    /// Where the next frame starts: the end of the frames that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Which frame comes next.
    #[cfg(feature = "tape")]
    pub(crate) const fn next_index(&self) -> u64 {
        self.reader.decoder().frames
    }

    /// Goes to a frame whose place is known.
    #[cfg(feature = "tape")]
    pub(crate) fn go(&mut self, frame: u64, offset: u64) -> Result<(), Error>
    where
        R: std::io::Seek,
    {
        self.header()?;
        let source = self.reader.get_mut();
        let sought = source.seek(std::io::SeekFrom::Start(offset));
        sought.map_err(|error| Error::io(offset, error))?;
        let (decoder, input) = self.reader.parts();
        decoder.frames = frame;
        decoder.scan = FrameScan::default();
        decoder.findings = Findings::new();
        decoder.cut = false;
        input.restart(offset);
        Ok(())
    }

    /// Why a lenient reader stopped before the end; none else.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.reader.decoder().findings
    }

    /// The source, as it is: behind the bytes that were read ahead.
    pub const fn get_mut(&mut self) -> &mut R {
        self.reader.get_mut()
    }

    /// The source. Bytes that were read ahead are lost.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.reader.into_inner()
    }
}
