//! What stands in the way of opening or converting packets.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use gametape_core::tape::Error;
use gametape_core::{Class, Coded};

use crate::error::CaptureError;

/// The schema of a recording's packets is missing, or another.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// The file that it is said of, where that is not the recording.
    pub path: Option<PathBuf>,
    /// What is wrong.
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

/// [`SchemaError`], as any format's.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::format(SchemaError {
        path: None,
        message: message.into(),
    })
}

/// [`wrong`], of another file.
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
