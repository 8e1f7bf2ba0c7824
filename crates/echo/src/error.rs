//! What can go wrong, by whose fault it is.

use std::io;

use crate::finding::{Finding, Grouped};
use crate::rule::Rule;

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source of the bytes failed.
    #[error("reading failed at byte {}: {source}", Grouped(*.offset))]
    Io {
        /// Bytes read before.
        offset: u64,
        /// What the source said.
        source: io::Error,
    },
    /// The recording breaks a rule: the finding says which, and where.
    #[error("{}{}{}", .0.place(), if .0.place().is_empty() { "" } else { ": " }, .0.rule)]
    Malformed(Box<Finding>),
}

impl Error {
    pub(crate) fn new(finding: Finding) -> Self {
        Self::Malformed(Box::new(finding))
    }

    pub(crate) fn at(rule: Rule, offset: u64) -> Self {
        Self::new(Finding::new(rule).at(offset))
    }

    /// The rule that is broken, and where; `None` where the source failed.
    #[must_use]
    pub const fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Malformed(finding) => Some(finding),
            Self::Io { .. } => None,
        }
    }

    /// [`Error::finding`], taken out.
    #[must_use]
    pub fn into_finding(self) -> Option<Finding> {
        match self {
            Self::Malformed(finding) => Some(*finding),
            Self::Io { .. } => None,
        }
    }

    /// `butter.truncated`, …; `io` where the source failed.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.finding().map_or("io", Finding::code)
    }

    /// True where the file ends too early: more bytes might mend it.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.finding().is_some_and(|finding| {
            matches!(
                finding.rule,
                Rule::Truncated { .. } | Rule::LineCut { .. } | Rule::ZipTruncated { .. }
            )
        })
    }

    /// True where a limit was reached: larger limits might mend it.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.finding().is_some_and(|finding| {
            matches!(finding.rule, Rule::Limit { .. } | Rule::LineLimit { .. })
        })
    }

    /// Where in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Io { offset, .. } => Some(*offset),
            Self::Malformed(finding) => finding.offset,
        }
    }

    /// In which frame, from 0.
    #[must_use]
    pub fn frame(&self) -> Option<u64> {
        self.finding().and_then(|finding| finding.frame)
    }
}

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
}
