//! Reads a recording from any source, or from bytes that are pushed as they arrive.

use std::io::Read;

use gametape_core::feed::{self, Buffer, Decode, Fed, Step};

use crate::error::{Error, Finding, Findings};
use crate::layout::scan::{self, FrameScan, Shape, Stop};
use crate::layout::{Frame, header};
use crate::limits::ReadOptions;
use crate::model::Header;
use crate::rule::Rule;

/// Decodes frames from the bytes that have arrived.
#[derive(Debug)]
struct Decoder {
    options: ReadOptions,
    header: Option<Header<'static>>,
    /// The number of frames so far.
    frames: u64,
    scan: FrameScan,
    shape: Shape,
    /// True if the header has been read and the next frame has not been examined yet.
    plain: bool,
    /// The problem that ended a lenient reading.
    findings: Findings,
    /// True if more bytes might solve that problem.
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

    /// Returns the header once it has arrived.
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

    /// Examines a frame that is not whole yet, or that the fast path does not handle.
    fn look_closer(&mut self, input: &mut Buffer) -> Result<Step, Error> {
        self.plain = false;
        let (rest, limits) = (input.rest(), &self.options.limits);
        let found = self.scan.run(rest, limits);
        // The number of bytes of the frame that are needed for the result. It does not depend on
        // the pieces in which the bytes arrived.
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

    /// Takes a whole frame that has not been examined before.
    #[inline(always)]
    fn decode_plain(&mut self, input: &mut Buffer) -> bool {
        if !self.plain {
            return false;
        }
        let rest = input.rest();
        let limits = &self.options.limits;
        let Some((_, after)) = scan::next_frame(rest, (0, 0), &mut self.shape, limits) else {
            return false;
        };
        let size = rest.len() - after.len();
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

/// Reads a recording from bytes as they arrive, without doing I/O itself.
///
/// It buffers one frame, or as much as was pushed at once. At the end of a recording that grows, it
/// can continue when there are more bytes.
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
    /// Creates a strict feed at the start of a recording.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// [`Feed::new`] with other options.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options)))
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Returns the pushed bytes that were not consumed.
    #[cfg(feature = "tape")]
    pub(crate) fn rest(&self) -> &[u8] {
        self.0.input().rest()
    }

    /// Marks the end of the input, so that an incomplete frame is an error. Pushing more bytes
    /// clears the mark.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// Returns the header once it has arrived.
    ///
    /// # Errors
    /// Same as [`read()`](crate::read()). A truncated header is an error only after
    /// [`Feed::finish`].
    pub fn header(&mut self) -> Result<Option<&Header<'static>>, Error> {
        let (decoder, input) = self.0.parts();
        decoder.header(input)
    }

    /// Returns the next frame.
    ///
    /// # Errors
    /// The same errors as the slice reader. An incomplete frame is an error only after
    /// [`Feed::finish`], and pushing the missing bytes recovers from it. Any other error is
    /// returned again by the next call.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Fed<Frame<'_>>, Error> {
        self.0.next()
    }

    /// Returns the start of the next frame, which is the end of the whole frames so far.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Returns why a lenient reading ended early; no findings otherwise.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().findings
    }
}

/// Reads a recording from any source, frame by frame. It needs no [`std::io::BufReader`].
///
/// At the end of a recording that grows, [`Reader::next_frame`] returns `None`, or a truncation
/// error after a part of a frame. Call it again when the recording has grown.
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
pub struct Reader<R>(feed::Reader<R, Decoder>);

impl<R: Read> Reader<R> {
    /// Creates a strict reader at the start of a recording.
    #[must_use]
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// [`Reader::new`] with other options.
    #[must_use]
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self(feed::Reader::new(source, Decoder::new(options)))
    }

    /// Returns the header.
    ///
    /// # Errors
    /// Same as [`read()`](crate::read()), and [`Error::Io`].
    pub fn header(&mut self) -> Result<&Header<'static>, Error> {
        // The first frame may have read the header already.
        if self.0.decoder().header.is_none() {
            let known = |header: Option<&Header<'static>>| header.map(|_| ());
            let reader = &mut self.0;
            reader.until(|decoder, input| decoder.header(input).map(known))?;
        }
        // `until` ends with a header or with an error, so this error is never returned.
        let rule = Rule::Truncated {
            what: "header",
            needed: 1,
            left: 0,
        };
        let header = self.0.decoder().header.as_ref();
        header.ok_or_else(|| Error::at(rule, 0))
    }

    /// Returns the next frame; `None` at the end.
    ///
    /// # Errors
    /// The same errors as the slice reader, and [`Error::Io`].
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, Error> {
        self.0.next()
    }

    /// Returns the start of the next frame, which is the end of the whole frames so far.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Returns the number of the next frame.
    #[cfg(feature = "tape")]
    pub(crate) const fn next_index(&self) -> u64 {
        self.0.decoder().frames
    }

    /// Seeks to a frame with a known place.
    #[cfg(feature = "tape")]
    pub(crate) fn go(&mut self, frame: u64, offset: u64) -> Result<(), Error>
    where
        R: std::io::Seek,
    {
        self.header()?;
        let source = self.0.get_mut();
        let sought = source.seek(std::io::SeekFrom::Start(offset));
        sought.map_err(|error| Error::io(offset, error))?;
        let (decoder, input) = self.0.parts();
        decoder.frames = frame;
        decoder.scan = FrameScan::default();
        decoder.findings = Findings::new();
        decoder.cut = false;
        input.restart(offset);
        Ok(())
    }

    /// Returns why a lenient reading ended early; no findings otherwise.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().findings
    }

    /// Returns the source. Its position is after the bytes that were read ahead.
    pub const fn get_mut(&mut self) -> &mut R {
        self.0.get_mut()
    }

    /// Returns the source and discards the bytes that were read ahead.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.0.into_inner()
    }
}
