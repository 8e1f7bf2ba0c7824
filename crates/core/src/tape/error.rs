//! Errors of operations on recordings of any format.

use std::io;
use std::path::Path;

use super::audit::AnyFinding;
use super::cut::Cut;
use super::option::OptionError;
use crate::clock::{At, NoClock, Span, Stamp};
use crate::finding::{Finding, Findings};
use crate::read::ReadError;
use crate::rule::{Class, Coded, Rule};
use crate::table::ScanError;
use crate::text::Grouped;

/// Why an operation on a recording failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording could not be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// The result could not be written.
    #[error("{0}")]
    Output(#[source] io::Error),
    /// The recording breaks a rule of its format.
    #[error("{}", place_first(.0))]
    Broken(Box<AnyFinding>),
    /// An error specific to the format.
    #[error("{0}")]
    Format(Box<dyn Coded + Send + Sync>),
    /// There is no conversion between these formats.
    #[error("{from} can't be converted to {to}{}", targets(.known))]
    NoConversion {
        /// The recording's format.
        from: &'static str,
        /// The requested format.
        to: String,
        /// The extensions of formats to which it can be converted, if they are known.
        known: Vec<&'static str>,
    },
    /// An option that the format does not know, or whose value is invalid.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// A table, column or range that does not exist.
    #[error("{0}")]
    Scan(#[from] ScanError),
    /// Recordings of different kinds cannot be compared.
    #[error("is {format}, the other recording is {other}")]
    FormatsDiffer {
        /// The second recording's format.
        format: &'static str,
        /// The first recording's format.
        other: &'static str,
    },
    /// This kind of recording does not support the operation.
    #[error("{0}")]
    Unsupported(String),
    /// The recording has no data at this moment.
    #[error("{at} is not recorded{}", reach(*.at, .recorded.as_deref()))]
    NotRecorded {
        /// The moment.
        at: At,
        /// The first and the last recorded moment, if they are known.
        recorded: Option<Box<Span>>,
    },
    /// The recording has no step in this range.
    #[error("nothing is recorded {cut}")]
    NothingIn {
        /// The range.
        cut: Cut,
    },
    /// A part of this recording would not be a valid recording.
    #[error("it can't be cut{}: {why}{}", if *.at_start { " at its start" } else { "" }, cut_instead(.instead.as_deref()))]
    Uncut {
        /// Whether only the start cannot be cut off; cutting off the end is possible.
        at_start: bool,
        /// The reason.
        why: &'static str,
        /// The extension of a format to which it can be converted and then cut.
        instead: Option<String>,
    },
    /// The recording does not have the requested clock (ticks or times).
    #[error("{0}")]
    NoClock(#[from] NoClock),
    /// In a comparison: an error of the second recording.
    #[error("{0}")]
    Other(#[source] Box<Error>),
    /// A recording was read while it was being written, and bytes that were read have changed or
    /// are gone.
    #[error(
        "it was cut or replaced since its first {} bytes were read: it has to be opened anew",
        Grouped(*.read)
    )]
    Changed {
        /// The number of bytes that were read.
        read: u64,
    },
    /// The caller cancelled the operation.
    #[error("cancelled")]
    Cancelled,
}

/// For example `; convert it to .mcap, and cut that`.
fn cut_instead(extension: Option<&str>) -> String {
    extension.map_or_else(String::new, |extension| {
        format!("; convert it to .{extension}, and cut that")
    })
}

/// For example `; it can be converted to .rmv or .mcap`.
fn targets(known: &[&str]) -> String {
    if known.is_empty() {
        return String::new();
    }
    format!("; it can be converted to .{}", known.join(" or ."))
}

/// For example `: the recording ends at 0.515 s`.
fn reach(at: At, recorded: Option<&Span>) -> String {
    let on_clock = |stamp: Stamp| match at {
        At::Time(_) => stamp.time.map(At::Time),
        At::Tick(_) => stamp.tick.map(At::Tick),
        At::Step(_) => Some(At::Step(stamp.step)),
    };
    let ends = recorded.and_then(|span| Some((on_clock(span.first)?, on_clock(span.last)?)));
    match ends {
        Some((first, _)) if first.is_behind(at) => format!(": the recording starts at {first}"),
        Some((_, last)) if at.is_behind(last) => format!(": the recording ends at {last}"),
        Some((first, last)) => format!(": the recording goes from {first} to {last}"),
        None => String::new(),
    }
}

/// For example `frame 812 (tick 9,001, byte 65,536): command 3 claims …`.
fn place_first(finding: &AnyFinding) -> String {
    if finding.place.is_nowhere() {
        finding.message()
    } else {
        format!("{}: {}", finding.place, finding.message())
    }
}

impl Error {
    /// The recording has no data at this moment.
    #[must_use]
    pub const fn not_recorded(at: At) -> Self {
        Self::NotRecorded { at, recorded: None }
    }

    /// There is no conversion between these formats.
    pub fn no_conversion(from: &'static str, to: impl Into<String>) -> Self {
        let (to, known) = (to.into(), Vec::new());
        Self::NoConversion { from, to, known }
    }

    /// Wraps an error specific to a format.
    pub fn format(error: impl Coded + Send + Sync + 'static) -> Self {
        Self::Format(Box::new(error))
    }

    /// Marks the error as one of the second recording.
    #[must_use]
    pub fn of_other(self) -> Self {
        Self::Other(Box::new(self))
    }

    /// Returns the format-specific error if it has this type.
    #[must_use]
    pub fn of_format<E: Coded + 'static>(&self) -> Option<&E> {
        let Self::Format(error) = self else {
            return None;
        };
        let error: &(dyn std::error::Error + 'static) = &**error;
        error.downcast_ref()
    }

    /// Returns a short stable code for machine-readable output.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io(_) | Self::Output(_) => "io",
            Self::Broken(finding) => finding.rule.code,
            Self::Format(error) => error.code(),
            Self::Other(error) => error.code(),
            Self::NoConversion { .. } => "no-conversion",
            Self::Option(_) => "option",
            Self::Scan(_) => "scan",
            Self::FormatsDiffer { .. } => "formats-differ",
            Self::Unsupported(_) => "unsupported",
            Self::NotRecorded { .. } | Self::NothingIn { .. } => "not-recorded",
            Self::Uncut { .. } => "uncut",
            Self::NoClock(_) => "no-clock",
            Self::Changed { .. } => "changed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns whose fault it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            // A changed recording breaks no rule; its source is no longer the same.
            Self::Io(_) | Self::Output(_) | Self::Changed { .. } => Class::Io,
            Self::Broken(finding) => finding.rule.class,
            Self::Format(error) => error.class(),
            Self::Other(error) => error.class(),
            _ => Class::Caller,
        }
    }

    /// Returns the path of the file at fault if it is not the recording.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Format(error) => error.path(),
            Self::Other(error) => error.path(),
            _ => None,
        }
    }

    /// Returns the offset in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Broken(finding) => finding.place.offset,
            Self::Format(error) => error.offset(),
            Self::Other(error) => error.offset(),
            _ => None,
        }
    }

    /// Returns true if the recording itself is damaged; `repair` may keep its intact parts.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Broken(_))
    }
}

impl<R: Rule> From<ReadError<R>> for Error {
    fn from(error: ReadError<R>) -> Self {
        match error {
            // A source may fail with an error of this type, such as a cancellation.
            ReadError::Io { source, .. } => source.downcast().unwrap_or_else(Self::Io),
            ReadError::Malformed(finding) => (*finding).into(),
        }
    }
}

impl<R: Rule> Findings<R> {
    /// Returns the first broken rule of a recording that was read leniently, as an error.
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        self.broken().next().map(|finding| finding.clone().into())
    }
}

impl<R: Rule> From<Finding<R>> for Error {
    fn from(finding: Finding<R>) -> Self {
        Self::Broken(Box::new(finding.told()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Missing;

    #[test]
    fn what_has_to_be_fetched_of_either_recording_is_found_in_the_error() {
        let missing = Missing {
            offset: 3,
            length: 9,
        };
        let error = Error::Io(missing.into());
        assert_eq!(Missing::of(&error), Some(missing));
        assert_eq!(Missing::of(&error.of_other()), Some(missing));
        assert_eq!(Missing::of(&Error::Cancelled), None);
    }
}
