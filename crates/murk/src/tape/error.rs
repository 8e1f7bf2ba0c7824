//! The errors that only this format has.

use std::io;
use std::path::{Path, PathBuf};

use gametape_core::tape::Error;
use gametape_core::{Class, Coded};

use crate::{Finding, WriteError};

/// An error of a recording of a simulation, or of the files that it is made from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MurkError {
    /// A world can't be built.
    #[error("{message}")]
    World {
        /// The file that describes it; none where the recording carries it.
        path: Option<PathBuf>,
        /// Why.
        message: String,
    },
    /// A list of commands can't be read.
    #[error("line {line}: {message}")]
    Commands {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// A file beside the recording can't be read.
    #[error("{source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The simulation can't go on.
    #[error("{message}")]
    Simulation {
        /// Why.
        message: String,
    },
    /// The recording can't be made as asked.
    #[error("{message}")]
    Unwritable {
        /// Why.
        message: String,
    },
    /// The existing file breaks a rule. It is not continued, or not replaced.
    #[error("{message}")]
    Damaged {
        /// The rule's code.
        code: &'static str,
        /// The offset in the file.
        offset: Option<u64>,
        /// The sentence.
        message: String,
    },
    /// A folder is where the recording should go.
    #[error("is a folder")]
    IsFolder,
}

impl Coded for MurkError {
    fn code(&self) -> &'static str {
        match self {
            Self::World { .. } => "world",
            Self::Commands { .. } => "commands",
            Self::File { .. } => "io",
            Self::Simulation { .. } => "simulation",
            Self::Unwritable { .. } => "unwritable",
            Self::Damaged { code, .. } => code,
            Self::IsFolder => "is-folder",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::World { path: None, .. } | Self::Simulation { .. } | Self::Damaged { .. } => {
                Class::File
            }
            Self::File { .. } => Class::Io,
            _ => Class::Caller,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Damaged { offset, .. } => *offset,
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::World { path, .. } => path.as_deref(),
            Self::Commands { path, .. } | Self::File { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl From<MurkError> for Error {
    fn from(error: MurkError) -> Self {
        Self::format(error)
    }
}

/// An error about an existing file that breaks a rule; the advice says what follows for the request.
pub(crate) fn damaged(finding: &Finding, advice: &str) -> Error {
    MurkError::Damaged {
        code: finding.code(),
        offset: finding.place.offset,
        message: format!("{}: {}; {advice}", finding.place, finding.message()),
    }
    .into()
}

/// An error: the requested output can't be made from this recording.
pub(crate) fn unwritable(message: impl Into<String>) -> Error {
    let message = message.into();
    MurkError::Unwritable { message }.into()
}

/// The simulation can't go on.
pub(crate) fn stopped(message: impl Into<String>) -> Error {
    let message = message.into();
    MurkError::Simulation { message }.into()
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(source) => Self::Output(source),
            other @ WriteError::DataTooLarge { .. } => unwritable(other.to_string()),
        }
    }
}
