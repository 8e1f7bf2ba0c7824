//! What can go wrong, by whose fault it is.

use std::io;

pub use gametape_core::Severity;
use gametape_core::{Class, Coded};

use crate::rule::Rule;

/// One result of an audit, or of lenient reading: a rule, and where it is broken or stretched.
///
/// Its time is since the recording's first frame. Of what is packed, the offset is into the file of
/// a zip or the inflated chunk that it names.
pub type Finding = gametape_core::Finding<Rule>;

/// Findings, one for each code: the first place, and how often it came again.
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
    /// A frame holds what the format has no room for; nothing of it was written.
    #[error("{what} {found}; the format holds {holds}")]
    Unstorable {
        /// What does not fit.
        what: &'static str,
        /// What it is.
        found: String,
        /// What would fit.
        holds: &'static str,
    },
    /// The reference of .butter makes no file of such a frame, or none that can be read:
    /// [`Mode::Compat`](crate::butter::Mode) has nothing to write.
    #[error(
        "frame {frame}: {member} {why}: the reference makes no file of it that can be read, and so mode compat makes none"
    )]
    Reference {
        /// Which frame, from 0; lines that it leaves out are not counted.
        frame: u64,
        /// Which member: `teams[0].players[1].holding_left`.
        member: String,
        /// What is wrong with it.
        why: String,
    },
    /// This build can't pack in the way that was asked for.
    #[error("{what} can't be made: this build lacks the feature {feature} of gametape-echo")]
    Feature {
        /// What was asked for.
        what: &'static str,
        /// The cargo feature that it takes.
        feature: &'static str,
    },
}

impl Coded for WriteError {
    fn code(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::Unstorable { .. } => "unwritable",
            Self::Reference { .. } => "echo.reference",
            Self::Feature { .. } => "echo.feature",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Io(_) => Class::Io,
            Self::Unstorable { .. } | Self::Reference { .. } | Self::Feature { .. } => {
                Class::Caller
            }
        }
    }
}

/// Why a recording could not be salvaged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalvageError {
    /// Nothing of it can be read: the header of a .butter is broken, the source fails.
    #[error(transparent)]
    Read(#[from] Error),
    /// The destination failed.
    #[error(transparent)]
    Write(#[from] WriteError),
}
