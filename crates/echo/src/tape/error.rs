//! Errors of recordings of matches.

use std::io;
use std::path::PathBuf;

use gametape_core::Spell as _;
use gametape_core::tape::Error;
use gametape_core::text::{Bytes, Grouped};
use gametape_core::{Class, Coded};

use crate::{Frame, WriteError};

/// An error that only recordings of Echo VR have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EchoError {
    /// The recording can't be written.
    #[error("{0}")]
    Unwritable(String),
    /// The index beside a recording can't be written.
    #[error("the index {} can't be kept: {source}", path.spelled())]
    Index {
        /// The path of the index.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The text of a zip can't be kept in a temporary file.
    #[error("the text of the zip can't be kept in a temporary file, which seeking requires: {0}")]
    Spool(#[source] io::Error),
    /// The text of a zip is too large to be kept in a temporary file.
    #[error(
        "the text of the zip takes more than {}: too many to be kept in a temporary file, which seeking requires",
        Bytes(*limit)
    )]
    SpoolLimit {
        /// The maximum size in bytes.
        limit: u64,
    },
    /// A position would be further from the recorded one than was allowed.
    #[error("the {what} of frame {} would be {metres} m off; {most} m are allowed", Grouped(*frame))]
    TooFarOff {
        /// The position that is furthest off.
        what: &'static str,
        /// The frame, from 0.
        frame: u64,
        /// Its distance from the recorded one.
        metres: f32,
        /// The maximum distance that was allowed.
        most: f32,
    },
}

impl Coded for EchoError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unwritable(_) => "unwritable",
            Self::Index { .. } | Self::Spool(_) => "io",
            Self::SpoolLimit { .. } => "echoreplay.limit",
            Self::TooFarOff { .. } => "too-far-off",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Unwritable(_) => Class::Caller,
            Self::Index { .. } | Self::Spool(_) => Class::Io,
            Self::SpoolLimit { .. } => Class::Limit,
            Self::TooFarOff { .. } => Class::Refused,
        }
    }
}

/// The error for a recording that can't be written, with a sentence that says why.
pub(super) fn unwritable_because(message: impl Into<String>) -> Error {
    Error::format(EchoError::Unwritable(message.into()))
}

/// The error for a recording without any frame to repair or convert: an output of no frames would claim that
/// there was no match.
pub(super) fn no_frame(to_do: &str) -> Error {
    unwritable_because(format!("no frame can be read: there is nothing to {to_do}"))
}

/// The error for a frame that can't be written.
pub(super) fn unwritable(frame: &Frame, error: WriteError) -> Error {
    match error {
        WriteError::Io(source) => Error::Output(source),
        error => unwritable_because(format!("the frame of {}: {error}", frame.time)),
    }
}
