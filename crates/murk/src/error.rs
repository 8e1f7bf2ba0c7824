//! What can go wrong, by whose fault it is.

use std::io;

use crate::payload::Payload;
use crate::rule::{Bytes, Finding, Grouped, Rule};
use crate::torn::Doubt;

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
    /// The file does not start with `MURK`.
    #[error("{}", Rule::Magic { found: *.found })]
    InvalidMagic {
        /// What it starts with.
        found: [u8; 4],
    },
    /// The format has another version than 3.
    #[error("{}", Rule::Version { found: *.found })]
    UnsupportedVersion {
        /// The version.
        found: u8,
    },
    /// The header breaks a rule of the format.
    #[error("header ({}): {}", .0.place(), .0.rule)]
    MalformedHeader(Box<Finding>),
    /// A frame breaks a rule of the format: the finding says where, at which tick, and which rule.
    #[error("{}: {}", .0.place(), .0.rule)]
    MalformedFrame(Box<Finding>),
    /// A command has a payload of a type that is not defined. Frames are read without looking at
    /// payloads; only typed reading raises this.
    #[error("{}: {}", .0.place(), .0.rule)]
    UnknownPayloadType(Box<Finding>),
    /// What stands behind the last whole frame is not surely the start of another one: it may be
    /// damage, and hide frames that are whole. [`Writer::resume`](crate::Writer::resume) raises
    /// this where it would have to cut that off.
    #[error("{}: {}; {doubt}: that is no frame that was cut, but damage", .problem.place(), .problem.rule)]
    NotTorn {
        /// Why the frame can't be read.
        problem: Box<Finding>,
        /// Why it is not a frame that was cut.
        doubt: Doubt,
    },
}

impl Error {
    pub(crate) fn header(rule: Rule, offset: u64) -> Self {
        Self::MalformedHeader(Box::new(Finding::new(rule).at(offset)))
    }

    /// What is wrong with the payload of command `command`, counted from 0, of this frame.
    #[must_use]
    pub fn payload(frame: &crate::Frame<'_>, command: u32, error: PayloadError) -> Self {
        let rule = error.rule(command);
        let unknown = matches!(rule, Rule::UnknownPayload { .. });
        let finding = Box::new(
            Finding::new(rule)
                .at(frame.offset)
                .in_frame(frame.index, Some(frame.tick)),
        );
        if unknown {
            Self::UnknownPayloadType(finding)
        } else {
            Self::MalformedFrame(finding)
        }
    }

    /// The finding that tells place and rule, where there is one.
    fn finding(&self) -> Option<&Finding> {
        match self {
            Self::MalformedHeader(f)
            | Self::MalformedFrame(f)
            | Self::UnknownPayloadType(f)
            | Self::NotTorn { problem: f, .. } => Some(f),
            _ => None,
        }
    }

    /// `murk.truncated`, …; `io` where the source failed.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::InvalidMagic { found } => Rule::Magic { found: *found }.code(),
            Self::UnsupportedVersion { found } => Rule::Version { found: *found }.code(),
            Self::MalformedHeader(f)
            | Self::MalformedFrame(f)
            | Self::UnknownPayloadType(f)
            | Self::NotTorn { problem: f, .. } => f.code(),
        }
    }

    /// True where the file ends too early: more bytes might mend it.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        let cut = |finding: &Finding| {
            matches!(
                finding.rule,
                Rule::Truncated { .. }
                    | Rule::PayloadTruncated { .. }
                    | Rule::CommandTruncated { .. }
            )
        };
        !matches!(self, Self::NotTorn { .. }) && self.finding().is_some_and(cut)
    }

    /// True where a limit was reached: larger limits might mend it.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.finding()
            .is_some_and(|finding| matches!(finding.rule, Rule::Limit { .. }))
    }

    /// Where in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Io { offset, .. } => Some(*offset),
            Self::InvalidMagic { .. } => Some(0),
            Self::UnsupportedVersion { .. } => Some(4),
            _ => self.finding().and_then(|finding| finding.offset),
        }
    }

    /// In which frame, from 0.
    #[must_use]
    pub fn frame(&self) -> Option<u64> {
        self.finding().and_then(|finding| finding.frame)
    }

    /// At which tick.
    #[must_use]
    pub fn tick(&self) -> Option<u64> {
        self.finding().and_then(|finding| finding.tick)
    }

    /// What it says of the file; `None` where the source failed, which a slice does not.
    #[must_use]
    pub fn into_finding(self) -> Option<Finding> {
        let offset = self.offset();
        let whole = |rule| Finding {
            offset,
            ..Finding::new(rule)
        };
        match self {
            Self::Io { .. } => None,
            Self::InvalidMagic { found } => Some(whole(Rule::Magic { found })),
            Self::UnsupportedVersion { found } => Some(whole(Rule::Version { found })),
            Self::MalformedHeader(f)
            | Self::MalformedFrame(f)
            | Self::UnknownPayloadType(f)
            | Self::NotTorn { problem: f, .. } => Some(*f),
        }
    }
}

/// Why a payload has no typed form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The type is not defined.
    #[error("payload type {tag}; types 0 to 6 are defined")]
    UnknownType {
        /// The type.
        tag: u8,
    },
    /// The payload ends before its type's fields do, or a count claims more than is there.
    #[error("the {kind} payload ends too early: {} do not hold its fields", Bytes(*.bytes as u64))]
    Short {
        /// The type's name.
        kind: &'static str,
        /// The payload's length.
        bytes: usize,
    },
}

impl PayloadError {
    #[cold]
    pub(crate) fn of(tag: u8, bytes: &[u8]) -> Self {
        match Payload::NAMES.get(usize::from(tag)) {
            None => Self::UnknownType { tag },
            Some(kind) => Self::Short {
                kind,
                bytes: bytes.len(),
            },
        }
    }

    pub(crate) const fn rule(self, command: u32) -> Rule {
        match self {
            Self::UnknownType { tag } => Rule::UnknownPayload { command, tag },
            Self::Short { kind, bytes } => Rule::ShortPayload {
                command,
                kind,
                bytes: bytes as u64,
            },
        }
    }
}

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The destination failed. What it has not taken is kept: see [`Writer`](crate::Writer).
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// Larger than the format's readers take. Nothing of it was written.
    #[error("{what} of {} {unit}; readers take at most {}", Grouped(*.size), Grouped(*.limit))]
    DataTooLarge {
        /// What is too large.
        what: &'static str,
        /// What its size counts.
        unit: &'static str,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
}
