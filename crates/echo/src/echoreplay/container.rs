//! What lines are kept in.

use std::io::{Seek, Write};

use gametape_core::Stream;

use super::line::Line;
use super::write::Writer;
#[cfg(feature = "zip")]
use super::zip::ZipWriter;
use crate::error::WriteError;

/// What the lines of an .echoreplay are kept in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Container {
    /// Plain: a frame a line, and nothing around them.
    Text,
    /// In a zip of one file of this name.
    Zip(String),
}

/// How strongly a zip is compressed: the default of zlib, as of those who share recordings.
#[cfg(feature = "zip")]
const LEVEL: u8 = 6;

/// Lines as text, or in a zip.
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

    /// Flushes.
    pub fn finish(self) -> Result<(), WriteError> {
        match self {
            Self::Text(writer) => writer.finish().map(drop),
            #[cfg(feature = "zip")]
            Self::Zip(writer) => writer.finish().map(drop),
        }
    }
}
