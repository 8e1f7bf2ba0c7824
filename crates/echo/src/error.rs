//! Errors, classified by whose fault they are; findings; and the state of a resumed recording.

use std::io;

pub use gametape_core::Severity;
use gametape_core::{Class, Coded};

use crate::model::Frame;
use crate::rule::Rule;

/// One result of an audit or of lenient reading: a rule, and the place where it is broken.
///
/// Its time is since the recording's first frame. For compressed data, the offset is into the named file of
/// a zip or the named inflated chunk.
pub type Finding = gametape_core::Finding<Rule>;

/// Findings, one for each code: the first place, and the number of further ones.
pub type Findings = gametape_core::Findings<Rule>;

/// Why a recording could not be read.
pub type Error = gametape_core::ReadError<Rule>;

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The destination failed.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// A frame holds a value that the format can't store. Nothing of the frame was written.
    #[error("{what} {found}; the format holds {holds}")]
    Unstorable {
        /// The name of the value.
        what: &'static str,
        /// The value.
        found: String,
        /// The values that the format can store.
        holds: &'static str,
    },
    /// This build can't compress in the requested way.
    #[error("{what} can't be made: this build lacks the feature {feature} of gametape-echo")]
    Feature {
        /// The requested format.
        what: &'static str,
        /// The cargo feature that it needs.
        feature: &'static str,
    },
}

impl Coded for WriteError {
    fn code(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::Unstorable { .. } => "unwritable",
            Self::Feature { .. } => "echo.feature",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Io(_) => Class::Io,
            Self::Unstorable { .. } | Self::Feature { .. } => Class::Caller,
        }
    }
}

/// Why a recording could not be salvaged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalvageError {
    /// Nothing can be read: the header of a .butter is broken, or the source fails.
    #[error(transparent)]
    Read(#[from] Error),
    /// The destination failed.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The state of a recording that was resumed.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Resumed {
    /// The number of whole frames in it.
    pub frames: u64,
    /// The last whole frame.
    pub last: Option<Frame>,
    /// The number of bytes after the frames. They are cut off when a frame is added.
    pub dropped: u64,
    /// The fault of those bytes.
    pub problem: Option<Finding>,
}
