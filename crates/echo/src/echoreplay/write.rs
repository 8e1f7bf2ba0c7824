//! Writing recordings, plain and zip.

use std::io::{self, Read, Seek, SeekFrom, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter as Zip};

use super::line::{Line, write_frame};
use crate::error::WriteError;
use crate::model::Frame;

/// Writes a plain recording, each line at once.
///
/// Whatever happens to the process, what is written are whole lines and at most a part of the last:
/// readers take the whole ones, and [`whole_size`] says from where on to go on.
///
/// ```
/// use gametape_echo::{Frame, echoreplay::Writer};
/// let mut writer = Writer::new(Vec::new());
/// writer.push(&Frame::default())?;
/// let text = writer.finish()?;
/// assert!(text.starts_with(b"1970/01/01 00:00:00.000\t{"));
/// # Ok::<(), gametape_echo::WriteError>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    sink: W,
    line: Vec<u8>,
    frames: u64,
    /// A line may have been written in part.
    broken: bool,
}

impl<W: Write> Writer<W> {
    /// A writer of a recording that starts, or goes on, where `sink` is.
    pub const fn new(sink: W) -> Self {
        Self {
            sink,
            line: Vec::new(),
            frames: 0,
            broken: false,
        }
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// As [`write_frame`], which writes nothing, and [`WriteError::Io`].
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.start();
        write_frame(frame, &mut self.line)?;
        self.write()
    }

    /// Writes a line as it is; one without an ending, which is the last of its recording, gets one.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn push_line(&mut self, line: &Line<'_>) -> Result<(), WriteError> {
        self.start();
        push_line(line, &mut self.line);
        self.write()
    }

    /// Frames written.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Flushes, and gives the sink back.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.sink.flush()?;
        Ok(self.sink)
    }

    /// Flushes.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn flush(&mut self) -> Result<(), WriteError> {
        Ok(self.sink.flush()?)
    }

    fn start(&mut self) {
        self.line.clear();
        if self.broken {
            // The part of a line that may be there must not become the start of this one.
            self.line.extend_from_slice(b"\r\n");
        }
    }

    fn write(&mut self) -> Result<(), WriteError> {
        self.broken = true;
        self.sink.write_all(&self.line)?;
        self.broken = false;
        self.frames += 1;
        Ok(())
    }
}

fn push_line(line: &Line<'_>, out: &mut Vec<u8>) {
    line.write(out);
    if line.ending.is_empty() {
        out.extend_from_slice(b"\r\n");
    }
}

/// Writes a recording as the one file of a zip, compressed as it comes.
///
/// Where the process ends before [`ZipWriter::finish`], a lenient reader still finds the lines: those
/// that were compressed until then, which may be some hundred kilobytes of text short.
///
/// ```
/// use std::io::Cursor;
/// use gametape_echo::{Frame, echoreplay};
/// let mut writer = echoreplay::ZipWriter::new(Cursor::new(Vec::new()), "match.echoreplay", 6)?;
/// writer.push(&Frame::default())?;
/// let zip = writer.finish()?;
///
/// let mut reader = echoreplay::open(zip)?;
/// let mut frame = Frame::default();
/// assert!(reader.next_frame(&mut frame)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ZipWriter<W: Write + Seek> {
    zip: Zip<W>,
    line: Vec<u8>,
    frames: u64,
}

impl<W: Write + Seek> std::fmt::Debug for ZipWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZipWriter")
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl<W: Write + Seek> ZipWriter<W> {
    /// Starts a zip with one file of this name. Levels are 1 (fast) to 9 (small), 0 stores.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn new(sink: W, name: &str, level: u8) -> Result<Self, WriteError> {
        let options = SimpleFileOptions::default()
            // Nobody knows how long a match will be.
            .large_file(true);
        let options = match level {
            0 => options.compression_method(CompressionMethod::Stored),
            level => options
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(level.min(9).into())),
        };
        let mut zip = Zip::new(sink);
        zip.start_file(name, options).map_err(io::Error::from)?;
        Ok(Self {
            zip,
            line: Vec::new(),
            frames: 0,
        })
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// As [`Writer::push`].
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.line.clear();
        write_frame(frame, &mut self.line)?;
        self.write()
    }

    /// Writes a line as it is, as [`Writer::push_line`].
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn push_line(&mut self, line: &Line<'_>) -> Result<(), WriteError> {
        self.line.clear();
        push_line(line, &mut self.line);
        self.write()
    }

    /// Frames written.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Writes the end of the zip, and gives the sink back.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn finish(self) -> Result<W, WriteError> {
        let mut sink = self.zip.finish().map_err(io::Error::from)?;
        sink.flush()?;
        Ok(sink)
    }

    fn write(&mut self) -> Result<(), WriteError> {
        self.zip.write_all(&self.line)?;
        self.frames += 1;
        Ok(())
    }
}

/// The size of the whole lines of a plain recording: what follows is a part of a line. Cut there,
/// the recording can go on.
///
/// ```
/// use gametape_echo::echoreplay::whole_size;
/// assert_eq!(whole_size(b"one line\r\nand a p"), 10);
/// ```
#[must_use]
pub fn whole_size(bytes: &[u8]) -> u64 {
    memchr::memrchr(b'\n', bytes).map_or(0, |at| at as u64 + 1)
}

/// [`whole_size`] of a file, which is read from its end. The file is left at that place: what is
/// behind it is to be cut off.
///
/// ```no_run
/// use gametape_echo::{WriteError, echoreplay::{Writer, seek_whole}};
/// let mut file = std::fs::File::options().read(true).write(true).open("match.echoreplay")?;
/// let size = seek_whole(&mut file)?;
/// file.set_len(size)?;
/// let writer = Writer::new(file);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What the file says.
pub fn seek_whole<F: Read + Seek>(file: &mut F) -> io::Result<u64> {
    const BLOCK: u64 = 64 << 10;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        block.clear();
        file.by_ref().take(end - start).read_to_end(&mut block)?;
        let size = whole_size(&block);
        if size > 0 {
            return file.seek(SeekFrom::Start(start + size));
        }
        end = start;
    }
    file.seek(SeekFrom::Start(0))
}
