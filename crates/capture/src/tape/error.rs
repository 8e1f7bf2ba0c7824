//! Errors of opening or converting packets.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use gametape_core::tape::Error;
use gametape_core::{Class, Coded};

use crate::error::CaptureError;

/// The schema of a recording's packets is missing or does not match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// The file with the problem, if it is not the recording.
    pub path: Option<PathBuf>,
    /// The problem.
    pub message: String,
}

impl Coded for SchemaError {
    fn code(&self) -> &'static str {
        "schema"
    }

    fn class(&self) -> Class {
        Class::Caller
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// A [`SchemaError`] as the error of any format.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::format(SchemaError {
        path: None,
        message: message.into(),
    })
}

/// Like [`wrong`], about another file.
pub(super) fn wrong_in(path: &Path, message: &dyn Display) -> Error {
    Error::format(SchemaError {
        path: Some(path.to_owned()),
        message: message.to_string(),
    })
}

impl From<CaptureError> for Error {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Io(source) => Self::Output(source),
            CaptureError::Read(error) => error.into(),
            error => Self::format(error),
        }
    }
}
