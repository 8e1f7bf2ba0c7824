//! Errors of recordings of simulations.

use std::io;
use std::path::{Path, PathBuf};

use gametape_core::tape::Error;
use gametape_core::{Class, Coded};

use crate::{Finding, WriteError};

/// An error of a recording of a simulation, or of the files it is made from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MurkError {
    /// A world can't be built.
    #[error("{message}")]
    World {
        /// The file that describes it; `None` if it is in the recording.
        path: Option<PathBuf>,
        /// The reason.
        message: String,
    },
    /// A list of commands can't be read.
    #[error("line {line}: {message}")]
    Commands {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The reason.
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
    /// The simulation can't continue.
    #[error("{message}")]
    Simulation {
        /// The reason.
        message: String,
    },
    /// The recording can't be made as requested.
    #[error("{message}")]
    Unwritable {
        /// The reason.
        message: String,
    },
    /// An existing recording breaks a rule, so it is not continued or replaced.
    #[error("{message}")]
    Damaged {
        /// The rule's code.
        code: &'static str,
        /// The offset in the file.
        offset: Option<u64>,
        /// The sentence.
        message: String,
    },
    /// The path of the new recording is a folder.
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

/// Returns the error for a recording that breaks a rule, with advice.
pub(crate) fn damaged(finding: &Finding, advice: &str) -> Error {
    MurkError::Damaged {
        code: finding.code(),
        offset: finding.place.offset,
        message: format!("{}: {}; {advice}", finding.place, finding.message()),
    }
    .into()
}

/// Returns the error for a recording that can't be made as requested.
pub(crate) fn unwritable(message: impl Into<String>) -> Error {
    let message = message.into();
    MurkError::Unwritable { message }.into()
}

/// Returns the error for a simulation that can't continue.
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
