//! Writing recordings as text or in a zip, and continuing one that was interrupted.

use std::io::{self, Read, Seek, SeekFrom, Write};

use gametape_core::{Output, Stream};

use super::line::{Line, write_frame};
use super::stream::Reader;
#[cfg(feature = "zip")]
use super::zip::ZipWriter;
use crate::error::{Error, Resumed, WriteError};
use crate::limits::{Limits, ReadOptions};
use crate::model::{Frame, Time};
use crate::rule::Rule;

/// Writes frames to text in memory.
///
/// ```
/// # let frames = gametape_echo::doc_frames();
/// let text = gametape_echo::echoreplay::write(&frames)?;
/// assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), frames.len());
/// # Ok::<(), gametape_echo::WriteError>(())
/// ```
///
/// # Errors
/// Like [`write_frame`].
pub fn write<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Result<Vec<u8>, WriteError> {
    let mut text = Vec::new();
    for frame in frames {
        write_frame(frame, &mut text)?;
    }
    Ok(text)
}

/// Writes a plain recording, line by line.
///
/// Whatever happens to the process, the file holds whole lines and at most a part of one more. Readers take
/// the whole ones, and [`Writer::resume`] continues after them. If the output fails, a partial line is
/// removed; if that fails too, the next line starts on a new line.
///
/// ```
/// use gametape_echo::{Frame, echoreplay::Writer};
/// let mut writer = Writer::new(Vec::new()); // a file; of any other sink, a gametape_core::Stream
/// writer.push(&Frame::default())?;
/// let text = writer.finish()?;
/// assert!(text.starts_with(b"1970/01/01 00:00:00.000\t{"));
/// # Ok::<(), gametape_echo::WriteError>(())
/// ```
#[derive(Debug)]
pub struct Writer<O> {
    output: O,
    line: Vec<u8>,
    frames: u64,
    /// How the output ends.
    tail: Tail,
}

impl<O: Output> Writer<O> {
    /// Writes from the current position of `output`, which is the start or the end of a recording.
    pub const fn new(output: O) -> Self {
        Self {
            output,
            line: Vec::new(),
            frames: 0,
            tail: Tail::Whole,
        }
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// Like [`write_frame`], and nothing is written then; [`WriteError::Io`].
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.start();
        write_frame(frame, &mut self.line)?;
        self.write()
    }

    /// Writes a line as it is. If it has no ending, being the last of its recording, one is added.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn push_line(&mut self, line: &Line<'_>) -> Result<(), WriteError> {
        self.start();
        line.write_ended(&mut self.line);
        self.write()
    }

    /// The number of frames in the recording, including those before it was resumed.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// The output.
    pub const fn get_ref(&self) -> &O {
        &self.output
    }

    /// Ends the last line, flushes, and returns the output.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn finish(mut self) -> Result<O, WriteError> {
        self.cut()?;
        if let Tail::Unended(ending) = self.tail {
            self.put(ending)?;
        }
        self.output.flush()?;
        Ok(self.output)
    }

    /// Flushes.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn flush(&mut self) -> Result<(), WriteError> {
        Ok(self.output.flush()?)
    }

    fn start(&mut self) {
        self.line.clear();
        if let Tail::Unended(ending) = self.tail {
            // A partial line may be left, and must not become the start of this one.
            self.line.extend_from_slice(ending);
        }
    }

    fn write(&mut self) -> Result<(), WriteError> {
        self.cut()?;
        let line = std::mem::take(&mut self.line);
        let written = self.put(&line);
        self.line = line;
        written?;
        self.tail = Tail::Whole;
        self.frames += 1;
        Ok(())
    }

    /// Removes a partial line.
    fn cut(&mut self) -> Result<(), WriteError> {
        if let Tail::Torn(bytes) = self.tail {
            self.output.take_back(bytes)?;
            self.tail = Tail::Whole;
        }
        Ok(())
    }

    /// Writes all bytes, or removes what was written of them.
    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let mut sent = 0;
        while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
            let error = match self.output.write(rest) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(count) => {
                    sent += count;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            if sent > 0 && self.output.take_back(sent as u64).is_err() {
                self.tail = Tail::Unended(b"\r\n");
            }
            return Err(error.into());
        }
        Ok(())
    }
}

impl<F: Output + Read + Seek> Writer<F> {
    /// Continues a plain recording after its last whole line. The file is unchanged until a frame is
    /// written or the writer is finished; only then is a cut last line removed, or a missing ending added.
    ///
    /// ```no_run
    /// use gametape_echo::echoreplay::Writer;
    /// let file = std::fs::File::options().read(true).write(true).open("match.echoreplay")?;
    /// let (writer, resumed) = Writer::resume(file)?;
    /// println!("{} frames; {} bytes are cut off", resumed.frames, resumed.dropped);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `echoreplay.zipped` for a zip, `echoreplay.damaged` if the file does not end with a line or the
    /// start of one; [`Error::Io`].
    pub fn resume(mut file: F) -> Result<(Self, Resumed), Error> {
        let (tail, resumed) = find_tail(&mut file)?;
        file.seek(SeekFrom::End(0))
            .map_err(|source| Error::io(0, source))?;
        let writer = Self {
            frames: resumed.frames,
            tail,
            ..Self::new(file)
        };
        Ok((writer, resumed))
    }
}

/// How the text ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tail {
    /// With a whole line.
    Whole,
    /// With this many bytes of a cut line.
    Torn(u64),
    /// With a whole line or its start, lacking these bytes.
    Unended(&'static [u8]),
}

/// Reads a recording to its end.
pub(super) fn find_tail<F: Read + Seek>(file: &mut F) -> Result<(Tail, Resumed), Error> {
    let io = |source| Error::io(0, source);
    let length = file.seek(SeekFrom::End(0)).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    let mut reader = Reader::with_options(&mut *file, ReadOptions::lenient());
    let mut resumed = Resumed::default();
    // The end of the last line, and the line.
    let (mut end, mut last) = (0, Vec::new());
    while let Some(line) = reader.next_line()? {
        resumed.frames += 1;
        end = line.offset + line.size() as u64;
        last.clear();
        line.write(&mut last);
    }
    let cut = reader.findings().get("echoreplay.truncated").cloned();
    drop(reader);
    let mut frame = Frame::default();
    let line = super::read::read(&last).next().and_then(Result::ok);
    if line.is_some_and(|line| line.read_into(&mut frame).is_ok()) {
        resumed.last = Some(frame);
    }
    if end == length {
        let tail = match line.map_or(b"".as_slice(), |line: Line<'_>| line.ending) {
            b"" if end == 0 => Tail::Whole,
            // Only the line's ending is missing.
            b"" if last.ends_with(b"\r") => Tail::Unended(b"\n"),
            b"" => Tail::Unended(b"\r\n"),
            _ => Tail::Whole,
        };
        return Ok((tail, resumed));
    }
    let mut torn = Vec::new();
    file.seek(SeekFrom::Start(end)).map_err(io)?;
    file.take(Limits::DEFAULT.max_line_bytes)
        .read_to_end(&mut torn)
        .map_err(io)?;
    if end == 0 && super::is_zip(&torn) {
        return Err(Error::at(Rule::Zipped, 0));
    }
    let bytes = length - end;
    if torn.len() as u64 != bytes || !is_torn(&torn) {
        return Err(Error::at(Rule::NoTail { bytes }, end));
    }
    resumed.dropped = bytes;
    resumed.problem = cut;
    Ok((Tail::Torn(bytes), resumed))
}

/// Whether this is how a line begins: a time or a part of one, a tab, JSON.
fn is_torn(rest: &[u8]) -> bool {
    /// Completes the start of a time.
    const TIME: &[u8] = b"2000/01/01 00:00:00.0";
    let mut columns = rest.splitn(2, |byte| *byte == b'\t');
    let time = columns.next().unwrap_or_default();
    if let Some(json) = columns.next() {
        Time::parse(time).is_some() && matches!(json, [] | [b'{', ..]) && !json.contains(&b'\n')
    } else {
        let missing = TIME.get(time.len()..).unwrap_or_default();
        Time::parse(&[time, missing].concat()).is_some()
    }
}

/// The container of an .echoreplay's lines.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Container {
    /// Plain text: one frame per line, and nothing else.
    Text,
    /// A zip with one file of this name.
    Zip(String),
}

/// The compression level of zips: zlib's default, which shared recordings commonly use.
#[cfg(feature = "zip")]
const LEVEL: u8 = 6;

/// A writer of lines, as text or in a zip.
pub(crate) enum LineWriter<W: Write + Seek> {
    Text(Writer<Stream<W>>),
    #[cfg(feature = "zip")]
    Zip(Box<ZipWriter<W>>),
}

impl<W: Write + Seek> LineWriter<W> {
    pub fn new(container: &Container, out: W) -> Result<Self, WriteError> {
        match container {
            Container::Text => Ok(Self::Text(Writer::new(Stream(out)))),
            #[cfg(feature = "zip")]
            Container::Zip(name) => Ok(Self::Zip(Box::new(ZipWriter::new(out, name, LEVEL)?))),
            #[cfg(not(feature = "zip"))]
            Container::Zip(_) => Err(WriteError::Feature {
                what: "a zip",
                feature: "zip",
            }),
        }
    }

    pub fn push(&mut self, line: &Line<'_>) -> Result<(), WriteError> {
        match self {
            Self::Text(writer) => writer.push_line(line),
            #[cfg(feature = "zip")]
            Self::Zip(writer) => writer.push_line(line),
        }
    }

    /// Writes the rest, and flushes.
    pub fn finish(self) -> Result<(), WriteError> {
        match self {
            Self::Text(writer) => writer.finish().map(drop),
            #[cfg(feature = "zip")]
            Self::Zip(writer) => writer.finish().map(drop),
        }
    }
}
