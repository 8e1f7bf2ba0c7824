//! The text of a recording, which may be packed.

use std::fmt;
use std::io::{self, Read, Seek};

#[cfg(feature = "tape")]
use super::spool::Spooled;
#[cfg(feature = "zip")]
use super::unzip::{Filled, Member, Unzip};
use crate::rule::Rule;

/// Whether a file starts as a zip does.
pub(crate) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

/// Where the text comes from. A zip is at its end behind each of its files.
#[derive(Debug)]
pub(super) enum Text<R> {
    Plain(R),
    #[cfg(feature = "zip")]
    Zip(Box<Unzip<R>>),
    /// That of a zip, inflated before.
    #[cfg(feature = "tape")]
    Spool(Box<Spooled>),
}

/// What is wrong with a zip, on its way through [`io::Error`].
#[derive(Debug)]
struct Fault(Rule);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Fault {}

impl<R: Read + Seek> Text<R> {
    /// Looks for the table of a zip; what is wrong with it, if anything is.
    #[cfg(feature = "zip")]
    pub fn unzip(source: R) -> io::Result<(Self, Option<Rule>)> {
        let (zip, fault) = Unzip::open(source)?;
        Ok((Self::Zip(Box::new(zip)), fault))
    }

    /// Says that a zip can't be read.
    #[cfg(not(feature = "zip"))]
    // With the feature it can fail.
    #[allow(clippy::unnecessary_wraps)]
    pub fn unzip(source: R) -> io::Result<(Self, Option<Rule>)> {
        let (what, feature) = ("a zip", "zip");
        Ok((Self::Plain(source), Some(Rule::Feature { what, feature })))
    }
}

impl<R: Read> Text<R> {
    /// What an error of [`Text::read`] says of the zip, or else the error.
    pub fn fault(error: io::Error) -> Result<Rule, io::Error> {
        error.downcast::<Fault>().map(|fault| fault.0)
    }

    /// Goes to the next file of a zip. Also, once, how many there are, if there are several.
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
            Self::Zip(zip) => given(zip.fill(into)?),
            #[cfg(feature = "tape")]
            Self::Spool(spool) => given(spool.fill(into)?),
        }
    }
}

#[cfg(feature = "zip")]
fn given(filled: Filled) -> io::Result<usize> {
    match filled {
        Filled::Bytes(count) => Ok(count),
        Filled::End(None) => Ok(0),
        Filled::End(Some(rule)) => Err(io::Error::other(Fault(rule))),
    }
}
