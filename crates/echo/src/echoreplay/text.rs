//! The source of a recording's text, which may be a zip.

use std::fmt;
use std::io::{self, Read, Seek};

#[cfg(feature = "tape")]
use super::spool::Spooled;
#[cfg(feature = "zip")]
use super::unpack::{Filled, TextFile, Unpack};
use crate::rule::Rule;

/// Whether a file starts like one that must be unpacked: a zip, or UTF-16.
pub(crate) fn is_packed(start: &[u8]) -> bool {
    #[cfg(feature = "zip")]
    return super::unpack::is_packed(start);
    #[cfg(not(feature = "zip"))]
    return super::is_zip(start);
}

/// The source of the text. For a zip, reading reports an end after each of its files.
#[derive(Debug)]
pub(super) enum Text<R> {
    Plain(R),
    #[cfg(feature = "zip")]
    Zip(Box<Unpack<R>>),
    /// The text of a zip that was inflated before.
    #[cfg(feature = "tape")]
    Spool(Box<Spooled>),
}

/// A fault of a zip, wrapped in an [`io::Error`].
#[derive(Debug)]
struct ZipFault(Rule);

impl fmt::Display for ZipFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ZipFault {}

impl<R: Read + Seek> Text<R> {
    /// Opens a packed text. Also returns the fault of the zip, if there is one.
    #[cfg(feature = "zip")]
    pub fn unzip(source: R) -> io::Result<(Self, Option<Rule>)> {
        let (zip, fault) = Unpack::open(source)?;
        Ok((Self::Zip(Box::new(zip)), fault))
    }

    /// Reports that zips can't be read.
    #[cfg(not(feature = "zip"))]
    // With the feature, this can fail.
    #[allow(clippy::unnecessary_wraps)]
    pub fn unzip(source: R) -> io::Result<(Self, Option<Rule>)> {
        let (what, feature) = ("a zip", "zip");
        Ok((Self::Plain(source), Some(Rule::Feature { what, feature })))
    }
}

impl<R: Read> Text<R> {
    /// Returns the fault of the zip that an error of [`Text::read`] contains, or the error.
    pub fn fault(error: io::Error) -> Result<Rule, io::Error> {
        error.downcast::<ZipFault>().map(|fault| fault.0)
    }

    /// Goes to the next file of a zip. Also returns what is to be said about the files, each once.
    #[cfg(feature = "zip")]
    pub fn next_member(&mut self) -> io::Result<(TextFile, Vec<Rule>)> {
        match self {
            Self::Plain(_) => Ok((TextFile::None, Vec::new())),
            #[cfg(feature = "tape")]
            Self::Spool(spool) => spool.next_file(),
            Self::Zip(zip) => {
                let next = zip.next_file()?;
                Ok((next, zip.notes()))
            }
        }
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(source) => source.read(into),
            #[cfg(feature = "zip")]
            Self::Zip(zip) => to_read_result(zip.fill(into)?),
            #[cfg(feature = "tape")]
            Self::Spool(spool) => to_read_result(spool.fill(into)?),
        }
    }
}

#[cfg(feature = "zip")]
fn to_read_result(filled: Filled) -> io::Result<usize> {
    match filled {
        Filled::Bytes(count) => Ok(count),
        Filled::End(None) => Ok(0),
        Filled::End(Some(rule)) => Err(io::Error::other(ZipFault(rule))),
    }
}
