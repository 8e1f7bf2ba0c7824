//! What can go wrong, by whose fault it is.

use std::io;

pub use gametape_core::Severity;
use gametape_core::{Class, Coded};

use crate::limits::Limits;
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

/// How to read either encoding: how much to put up with, and what is too large.
///
/// A lenient reader of a .butter gives of a broken chunk the frames before its fault, and goes on
/// with the next. One of an .echoreplay skips broken lines, leaves broken bones out, and reads a
/// broken zip as far as it goes. What is wrong is a finding.
///
/// ```
/// use gametape_echo::{ReadOptions, echoreplay};
/// // The middle line is what some recorders write while the game restarts.
/// let text = b"2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}\r\n\
///     2022/01/02 03:00:00.100\t404\r\n\
///     2022/01/02 03:00:00.200\t{\"sessionid\":\"B\"}\r\n";
/// let mut lines = echoreplay::read_with(text, ReadOptions::lenient());
/// let mut ids = Vec::new();
/// while let Some(frame) = lines.next_frame()? {
///     ids.push(frame.session.sessionid.clone());
/// }
/// assert_eq!(ids, ["A", "B"]);
/// assert!(lines.findings().has("echoreplay.no-session"));
/// # Ok::<(), gametape_echo::Error>(())
/// ```
pub type ReadOptions = gametape_core::ReadOptions<Limits>;

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
    /// Nothing of it can be read: the header of a .butter is broken, the source fails.
    #[error(transparent)]
    Read(#[from] Error),
    /// The destination failed.
    #[error(transparent)]
    Write(#[from] WriteError),
}
