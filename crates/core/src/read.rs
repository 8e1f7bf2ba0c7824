//! Read options, and the error of readers.

#[cfg(feature = "std")]
use alloc::boxed::Box;

/// How tolerant a reader is of broken rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Strictness {
    /// Follow the specification, and accept what all known writers do beyond it. The first broken
    /// rule is an error.
    #[default]
    Strict,
    /// Accept what real files contain: each broken rule becomes a finding, and the intact parts are
    /// read. An unreadable header stays an error because nothing after it can be read.
    Lenient,
}

/// Read options: the strictness, and the limits, which each format defines for itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadOptions<L> {
    /// Whether a broken rule is an error or a finding.
    pub strictness: Strictness,
    /// The sizes and counts above which the reader refuses a recording.
    pub limits: L,
}

impl<L: Default> ReadOptions<L> {
    /// Returns [`Strictness::Strict`] with the default limits.
    #[must_use]
    pub fn strict() -> Self {
        Self {
            strictness: Strictness::Strict,
            limits: L::default(),
        }
    }

    /// Returns [`Strictness::Lenient`] with the default limits.
    #[must_use]
    pub fn lenient() -> Self {
        Self {
            strictness: Strictness::Lenient,
            limits: L::default(),
        }
    }
}

impl<L> ReadOptions<L> {
    /// Replaces the limits.
    #[must_use]
    pub fn limits(self, limits: L) -> Self {
        Self { limits, ..self }
    }

    /// Returns true if broken rules become findings.
    #[must_use]
    pub const fn is_lenient(&self) -> bool {
        matches!(self.strictness, Strictness::Lenient)
    }
}

/// Why a recording could not be read: its source failed, or it breaks a rule.
///
/// Each format's `Error` is this type with the format's own rules.
#[cfg(feature = "std")]
#[derive(Debug)]
pub enum ReadError<R> {
    /// The source of the bytes failed.
    Io {
        /// The number of bytes read before the failure.
        offset: u64,
        /// The error of the source.
        source: std::io::Error,
    },
    /// The recording breaks a rule; the finding says which one, and where.
    Malformed(Box<crate::Finding<R>>),
}

#[cfg(feature = "std")]
mod std_error {
    use alloc::boxed::Box;
    use core::fmt;
    use std::io;

    use super::ReadError;
    use crate::finding::Finding;
    use crate::rule::{Class, Coded, Rule};
    use crate::text::Grouped;

    impl<R: Rule> ReadError<R> {
        /// Creates an error for `rule`, broken at a byte of the file.
        #[must_use]
        pub fn at(rule: R, offset: u64) -> Self {
            Finding::new(rule).at(offset).into()
        }

        /// Creates an error for a source that failed after `offset` bytes.
        #[must_use]
        pub const fn io(offset: u64, source: io::Error) -> Self {
            Self::Io { offset, source }
        }

        /// Returns the broken rule and its place; `None` if the source failed.
        #[must_use]
        pub fn finding(&self) -> Option<&Finding<R>> {
            match self {
                Self::Malformed(finding) => Some(finding),
                Self::Io { .. } => None,
            }
        }

        /// Consumes the error and returns its [`finding`](ReadError::finding).
        #[must_use]
        pub fn into_finding(self) -> Option<Finding<R>> {
            match self {
                Self::Malformed(finding) => Some(*finding),
                Self::Io { .. } => None,
            }
        }

        /// Returns the broken rule; `None` if the source failed.
        #[must_use]
        pub fn rule(&self) -> Option<&R> {
            self.finding().map(|finding| &finding.rule)
        }

        /// Returns the rule's code, such as `murk.truncated`; `io` if the source failed.
        #[must_use]
        pub fn code(&self) -> &'static str {
            self.finding().map_or("io", Finding::code)
        }

        /// Returns whose fault the error is.
        #[must_use]
        pub fn class(&self) -> Class {
            self.rule().map_or(Class::Io, Rule::class)
        }

        /// Returns true if the file ends too early, so that more bytes might fix it.
        #[must_use]
        pub fn is_truncated(&self) -> bool {
            self.class() == Class::Truncated
        }

        /// Returns true if a limit was exceeded, so that larger limits might fix it.
        #[must_use]
        pub fn is_limit(&self) -> bool {
            self.class() == Class::Limit
        }

        /// Returns the offset in bytes.
        #[must_use]
        pub fn offset(&self) -> Option<u64> {
            match self {
                Self::Io { offset, .. } => Some(*offset),
                Self::Malformed(finding) => finding.place.offset,
            }
        }

        /// Returns the frame, event or packet, counted from 0.
        #[must_use]
        pub fn step(&self) -> Option<u64> {
            self.finding().and_then(|finding| finding.place.step)
        }

        /// Returns the tick.
        #[must_use]
        pub fn tick(&self) -> Option<u64> {
            self.finding().and_then(|finding| finding.place.tick)
        }
    }

    impl<R: Rule> From<Finding<R>> for ReadError<R> {
        fn from(finding: Finding<R>) -> Self {
            Self::Malformed(Box::new(finding))
        }
    }

    /// For example
    /// `frame 812 (tick 9,001, byte 65,536): command 3 claims 4,294,967,295 bytes, 212 are left`.
    impl<R: Rule> fmt::Display for ReadError<R> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::Io { offset, source } => {
                    write!(f, "reading failed at byte {}: {source}", Grouped(*offset))
                }
                Self::Malformed(finding) if finding.place.is_nowhere() => {
                    f.write_str(&finding.message())
                }
                Self::Malformed(finding) => {
                    write!(f, "{}: {}", finding.place, finding.message())
                }
            }
        }
    }

    impl<R: Rule> std::error::Error for ReadError<R> {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            match self {
                Self::Io { source, .. } => Some(source),
                Self::Malformed(_) => None,
            }
        }
    }

    impl<R: Rule> Coded for ReadError<R> {
        fn code(&self) -> &'static str {
            self.code()
        }

        fn class(&self) -> Class {
            self.class()
        }

        fn offset(&self) -> Option<u64> {
            self.offset()
        }
    }
}
