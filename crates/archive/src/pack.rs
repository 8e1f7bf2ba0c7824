//! Writing a folder as a zip.

use std::io::{self, Read, Seek, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// From this size on, a file needs fields of 64 bits; a little less than 4 GiB.
const LARGE: u64 = u32::MAX as u64 - (1 << 20);

/// Writes a zip. The same files in the same order give the same bytes.
#[derive(Debug)]
pub struct Pack<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Pack<W> {
    /// Begins a zip.
    pub fn new(out: W) -> Self {
        Self(ZipWriter::new(out))
    }

    /// Adds a file of this size.
    ///
    /// # Errors
    /// Errors of the file and of the output.
    pub fn file(&mut self, name: &str, size: u64, mut file: impl Read) -> io::Result<()> {
        let options = SimpleFileOptions::default().large_file(size >= LARGE);
        self.0.start_file(name, options)?;
        io::copy(&mut file, &mut self.0).map(drop)
    }

    /// Writes the table.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(self) -> io::Result<W> {
        Ok(self.0.finish()?)
    }
}
