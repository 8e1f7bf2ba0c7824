//! The container of the lines: plain text or a zip.

use std::io::{Seek, Write};

use gametape_core::Stream;

use super::line::Line;
use super::write::Writer;
#[cfg(feature = "zip")]
use super::zip::ZipWriter;
use crate::error::WriteError;

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
pub(crate) enum Lines<W: Write + Seek> {
    Text(Writer<Stream<W>>),
    #[cfg(feature = "zip")]
    Zip(Box<ZipWriter<W>>),
}

impl<W: Write + Seek> Lines<W> {
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
