//! Writing recordings as zips.

use std::io::{self, Seek, SeekFrom, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter as Zip};

use super::line::{Line, write_frame};
use crate::error::WriteError;
use crate::model::Frame;

/// Writes a recording as the single file of a zip, compressed as it comes.
///
/// If the process ends before [`ZipWriter::finish`], a lenient reader still finds the lines that were
/// compressed until then; some hundred kilobytes of text may be missing.
///
/// ```
/// use std::io::Cursor;
/// use gametape_echo::{Frame, echoreplay};
/// let mut writer = echoreplay::ZipWriter::new(Cursor::new(Vec::new()), "match.echoreplay", 6)?;
/// writer.push(&Frame::default())?;
/// let zip = writer.finish()?;
///
/// let mut reader = echoreplay::open(zip)?;
/// assert!(reader.next_frame()?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ZipWriter<W: Write + Seek> {
    zip: Zip<Failing<W>>,
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
    /// Starts a zip with one file of this name. Levels are 1 (fast) to 9 (small); 0 does not compress.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn new(sink: W, name: &str, level: u8) -> Result<Self, WriteError> {
        let options = SimpleFileOptions::default()
            // The length of a match is unknown in advance.
            .large_file(true);
        let options = match level {
            0 => options.compression_method(CompressionMethod::Stored),
            level => options
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(level.min(9).into())),
        };
        let mut zip = Zip::new(Failing {
            sink,
            failed: false,
        });
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
    /// Like [`Writer::push`](super::Writer::push).
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.line.clear();
        write_frame(frame, &mut self.line)?;
        self.write()
    }

    /// Writes a line as it is, like [`Writer::push_line`](super::Writer::push_line).
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn push_line(&mut self, line: &Line<'_>) -> Result<(), WriteError> {
        self.line.clear();
        line.write_ended(&mut self.line);
        self.write()
    }

    /// The number of frames written.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Writes the end of the zip, and returns the sink.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    pub fn finish(self) -> Result<W, WriteError> {
        let Failing { mut sink, failed } = self.zip.finish().map_err(io::Error::from)?;
        if failed {
            return Err(io::Error::other("an earlier write failed").into());
        }
        sink.flush()?;
        Ok(sink)
    }

    fn write(&mut self) -> Result<(), WriteError> {
        self.zip.write_all(&self.line)?;
        self.frames += 1;
        Ok(())
    }
}

/// A sink that takes everything after an error and drops it: a zip that can't be finished is finished
/// when it is dropped, and a second error would be printed by the library.
struct Failing<W> {
    sink: W,
    failed: bool,
}

impl<W> Failing<W> {
    fn unless_failed<T>(
        &mut self,
        otherwise: T,
        act: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.failed {
            return Ok(otherwise);
        }
        let done = act(&mut self.sink);
        self.failed = done
            .as_ref()
            .is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write> Write for Failing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_failed(bytes.len(), |sink| sink.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_failed((), Write::flush)
    }
}

impl<W: Seek> Seek for Failing<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.unless_failed(0, |sink| sink.seek(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sink with room for so many bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }

    #[test]
    fn a_zip_that_failed_is_never_whole() {
        for room in 0..400 {
            let Ok(mut writer) = ZipWriter::new(Full(room), "a.echoreplay", 0) else {
                continue;
            };
            let pushed = writer.push(&Frame::default());
            assert!(writer.finish().is_err(), "{room}: {pushed:?}");
        }
    }
}
