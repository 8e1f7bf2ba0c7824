//! The source of a recording's text, which may be a zip.

use std::fmt;
use std::io::{self, Read, Seek};

#[cfg(feature = "tape")]
use super::spool::Spooled;
#[cfg(feature = "zip")]
use super::unzip::{Filled, Member, Unzip};
use crate::rule::Rule;

/// Whether a file starts like a zip.
pub(crate) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

/// The source of the text. For a zip, reading reports an end after each of its files.
#[derive(Debug)]
pub(super) enum Text<R> {
    Plain(R),
    #[cfg(feature = "zip")]
    Zip(Box<Unzip<R>>),
    /// The text of a zip that was inflated before.
    #[cfg(feature = "tape")]
    Spool(Box<Spooled>),
}

/// A fault of a zip, wrapped in an [`io::Error`].
#[derive(Debug)]
struct Fault(Rule);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl<R: Read + Seek> Text<R> {
    /// Looks for the table of a zip. Also returns the fault of the zip, if there is one.
    #[cfg(feature = "zip")]
    pub fn unzip(source: R) -> io::Result<(Self, Option<Rule>)> {
        let (zip, fault) = Unzip::open(source)?;
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
        error.downcast::<Fault>().map(|fault| fault.0)
    }

    /// Goes to the next file of a zip. Once, also returns how many files there are, if there are several.
    #[cfg(feature = "zip")]
    pub fn next_member(&mut self) -> io::Result<(Member, Option<Rule>)> {
        match self {
            Self::Plain(_) => Ok((Member::None, None)),
            #[cfg(feature = "tape")]
            Self::Spool(spool) => spool.next_file(),
            Self::Zip(zip) => {
                let next = zip.next_file()?;
                Ok((next, zip.several()))
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
        Filled::End(Some(rule)) => Err(io::Error::other(Fault(rule))),
    }
}
