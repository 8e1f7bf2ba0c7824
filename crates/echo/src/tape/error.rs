//! Why a recording of a match can't be made.

use gametape_core::tape::Error;
use gametape_core::{Class, Coded};

use crate::{Frame, WriteError};

/// What only recordings of Echo VR can say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EchoError {
    /// What can't be written.
    #[error("{0}")]
    Unwritable(String),
    /// A position would be further off than was allowed.
    #[error("the {what} of frame {frame} would be {metres} m off; {most} m are allowed")]
    TooFarOff {
        /// Which position is furthest off.
        what: &'static str,
        /// In which frame, from 0.
        frame: u64,
        /// How far it is.
        metres: f32,
        /// How far it may be.
        most: f32,
    },
}

impl Coded for EchoError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unwritable(_) => "unwritable",
            Self::TooFarOff { .. } => "too-far-off",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Unwritable(_) => Class::Caller,
            Self::TooFarOff { .. } => Class::Refused,
        }
    }
}

/// What can't be written, a sentence.
pub(super) fn unwritable_because(message: impl Into<String>) -> Error {
    Error::format(EchoError::Unwritable(message.into()))
}

/// What could not be written, of which frame.
pub(super) fn unwritable(frame: &Frame, error: WriteError) -> Error {
    match error {
        WriteError::Io(source) => Error::Output(source),
        error => unwritable_because(format!("the frame of {}: {error}", frame.time)),
    }
}
