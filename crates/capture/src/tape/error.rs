//! What stands in the way of opening or converting packets.

use gametape_core::tape::Error;
use gametape_core::{Class, Coded};

use crate::error::CaptureError;

/// The schema of a recording's packets is missing, or another.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(pub String);

impl Coded for SchemaError {
    fn code(&self) -> &'static str {
        "schema"
    }

    fn class(&self) -> Class {
        Class::Caller
    }
}

/// [`SchemaError`], as any format's.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::format(SchemaError(message.into()))
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
