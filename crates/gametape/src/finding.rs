//! Results of an audit, in the same shape for every format.

use std::fmt;

use serde::Serialize;

/// How much a finding matters to the question "is this file what it claims to be?".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A fact worth knowing, or a deviation that known writers show.
    Info,
    /// Unusual: somebody should look.
    Warning,
    /// The file is not what it claims to be.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One result of an audit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// Stable, documented in the book: `rmv.board-event`.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Byte offset in the file.
    pub offset: Option<u64>,
    /// Time in the recording's own unit: milliseconds in event logs, ticks elsewhere.
    pub tick: Option<u64>,
    /// Index of the frame or event.
    pub event: Option<u64>,
    /// The sentence.
    pub message: String,
    /// The place as people read it: `event 6,412, 34.884 s, byte 52,001`.
    #[serde(skip)]
    pub place: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.severity, self.code)?;
        if !self.place.is_empty() {
            write!(f, ", {}", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// What an audit comes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing, or facts and deviations that known writers show.
    Pass,
    /// Somebody should look.
    Warn,
    /// The file is not what it claims to be.
    Fail,
}

impl Verdict {
    /// The verdict that a list of findings comes to.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        match findings.iter().map(|finding| finding.severity).max() {
            None | Some(Severity::Info) => Self::Pass,
            Some(Severity::Warning) => Self::Warn,
            Some(Severity::Error) => Self::Fail,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        })
    }
}

/// The outcome of checking a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Audit {
    /// Worst first.
    pub findings: Vec<Finding>,
    /// The recording in half a line, as its own people would say it:
    /// `expert win 34.884 s, 3BV 128`.
    pub summary: String,
}

impl Audit {
    /// What it comes to.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.findings)
    }
}
