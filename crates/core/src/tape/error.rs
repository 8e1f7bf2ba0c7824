//! What can go wrong with a recording of any format.

use std::io;
use std::path::Path;

use super::audit::AnyFinding;
use super::cut::Cut;
use super::option::OptionError;
use crate::clock::{At, NoClock};
use crate::finding::{Finding, Findings};
use crate::read::ReadError;
use crate::rule::{Class, Coded, Rule};
use crate::table::ScanError;
use crate::text::Grouped;

/// Why something could not be done with a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording could not be read.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// What was made of it could not be written.
    #[error("{0}")]
    Output(#[source] io::Error),
    /// The recording breaks a rule of its format.
    #[error("{}", place_first(.0))]
    Broken(Box<AnyFinding>),
    /// What only its format can say.
    #[error("{0}")]
    Format(Box<dyn Coded + Send + Sync>),
    /// There is no conversion between these.
    #[error("{from} can't be converted to {to}")]
    NoConversion {
        /// The recording's format.
        from: &'static str,
        /// What was asked for.
        to: String,
    },
    /// An option that the format does not know, or that has another kind of value.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// A table, a column or a range that is not there.
    #[error("{0}")]
    Scan(#[from] ScanError),
    /// Recordings of two kinds can't be compared.
    #[error("is {format}, the other recording is {other}")]
    FormatsDiffer {
        /// The second recording's format.
        format: &'static str,
        /// The first's.
        other: &'static str,
    },
    /// What is asked for can't be done with this kind of recording.
    #[error("{0}")]
    Unsupported(String),
    /// The recording has nothing at this moment.
    #[error("{at} is not recorded")]
    NotRecorded {
        /// The moment.
        at: At,
    },
    /// The recording has no step in this range.
    #[error("nothing is recorded {cut}")]
    NothingIn {
        /// The range.
        cut: Cut,
    },
    /// A part of such a recording would be none.
    #[error("it can't be cut{}: {why}{}", if *.at_start { " at its start" } else { "" }, cut_instead(.instead.as_deref()))]
    Uncut {
        /// True where its end may be cut off.
        at_start: bool,
        /// The reason.
        why: &'static str,
        /// What it can be converted to, and that be cut: the extension of a format.
        instead: Option<String>,
    },
    /// The recording has no such clock: ticks, or times.
    #[error("{0}")]
    NoClock(#[from] NoClock),
    /// Of a comparison: what is wrong is the other recording's.
    #[error("{0}")]
    Other(#[source] Box<Error>),
    /// What was read of a recording while it was being written is not there any more.
    #[error(
        "it was cut or replaced since its first {} bytes were read: it has to be opened anew",
        Grouped(*.read)
    )]
    Changed {
        /// The bytes that were read of it.
        read: u64,
    },
    /// Whoever had it done wanted it no more.
    #[error("cancelled")]
    Cancelled,
}

/// `; convert it to .mcap, and cut that`
fn cut_instead(extension: Option<&str>) -> String {
    extension.map_or_else(String::new, |extension| {
        format!("; convert it to .{extension}, and cut that")
    })
}

/// `frame 812 (tick 9,001, byte 65,536): command 3 claims …`
fn place_first(finding: &AnyFinding) -> String {
    if finding.place.is_nowhere() {
        finding.message()
    } else {
        format!("{}: {}", finding.place, finding.message())
    }
}

impl Error {
    /// What only this format can say.
    pub fn format(error: impl Coded + Send + Sync + 'static) -> Self {
        Self::Format(Box::new(error))
    }

    /// The same, of the second of two recordings.
    #[must_use]
    pub fn of_other(self) -> Self {
        Self::Other(Box::new(self))
    }

    /// The error of a format's that this is, if it is one.
    #[must_use]
    pub fn of_format<E: Coded + 'static>(&self) -> Option<&E> {
        let Self::Format(error) = self else {
            return None;
        };
        let error: &(dyn std::error::Error + 'static) = &**error;
        error.downcast_ref()
    }

    /// A short stable code for machine-readable output.
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

    /// Whose fault it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            // Of what was changed no rule is broken: the source is another one.
            Self::Io(_) | Self::Output(_) | Self::Changed { .. } => Class::Io,
            Self::Broken(finding) => finding.rule.class,
            Self::Format(error) => error.class(),
            Self::Other(error) => error.class(),
            _ => Class::Caller,
        }
    }

    /// The file that it is said of, where that is not the recording.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Format(error) => error.path(),
            Self::Other(error) => error.path(),
            _ => None,
        }
    }

    /// Where in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Broken(finding) => finding.place.offset,
            Self::Format(error) => error.offset(),
            Self::Other(error) => error.offset(),
            _ => None,
        }
    }

    /// True where the recording itself is damaged: `repair` may keep what is whole of it.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Broken(_))
    }
}

impl<R: Rule> From<ReadError<R>> for Error {
    fn from(error: ReadError<R>) -> Self {
        match error {
            // What a source met that is itself of this kind, such as the wish to stop.
            ReadError::Io { source, .. } => source.downcast().unwrap_or_else(Self::Io),
            ReadError::Malformed(finding) => (*finding).into(),
        }
    }
}

impl<R: Rule> Findings<R> {
    /// What is wrong with a recording that was read leniently: its first broken rule, if any.
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
