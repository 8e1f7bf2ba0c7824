//! How to read, and why something could not be read.

#[cfg(feature = "std")]
use alloc::boxed::Box;

/// How much a reader puts up with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Strictness {
    /// The specification, with what all known writers do beyond it: the first broken rule is the
    /// error.
    #[default]
    Strict,
    /// What real files need: what is whole is worth having, and each broken rule is a finding. (A
    /// header that can't be read leaves nothing to read, and stays an error.)
    Lenient,
}

/// How to read: how much to put up with, and what is too large. Limits are each format's own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadOptions<L> {
    /// What a broken rule is.
    pub strictness: Strictness,
    /// What is too large.
    pub limits: L,
}

impl<L: Default> ReadOptions<L> {
    /// [`Strictness::Strict`], within the default limits.
    #[must_use]
    pub fn strict() -> Self {
        Self {
            strictness: Strictness::Strict,
            limits: L::default(),
        }
    }

    /// [`Strictness::Lenient`], within the default limits.
    #[must_use]
    pub fn lenient() -> Self {
        Self {
            strictness: Strictness::Lenient,
            limits: L::default(),
        }
    }
}

impl<L> ReadOptions<L> {
    /// The same within other limits.
    #[must_use]
    pub fn limits(self, limits: L) -> Self {
        Self { limits, ..self }
    }

    /// True where broken rules are findings.
    #[must_use]
    pub const fn is_lenient(&self) -> bool {
        matches!(self.strictness, Strictness::Lenient)
    }
}

/// Why a recording could not be read: its source failed, or it breaks a rule.
///
/// Each format's `Error` is this, with the format's own rules.
#[cfg(feature = "std")]
#[derive(Debug)]
pub enum ReadError<R> {
    /// The source of the bytes failed.
    Io {
        /// Bytes read before.
        offset: u64,
        /// What the source said.
        source: std::io::Error,
    },
    /// The recording breaks a rule: the finding says which, and where.
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
        /// What `rule` says, at a byte of the file.
        #[must_use]
        pub fn at(rule: R, offset: u64) -> Self {
            Finding::new(rule).at(offset).into()
        }

        /// What the source of the bytes said, after so many of them.
        #[must_use]
        pub const fn io(offset: u64, source: io::Error) -> Self {
            Self::Io { offset, source }
        }

        /// The rule that is broken, and where; `None` where the source failed.
        #[must_use]
        pub fn finding(&self) -> Option<&Finding<R>> {
            match self {
                Self::Malformed(finding) => Some(finding),
                Self::Io { .. } => None,
            }
        }

        /// [`ReadError::finding`], taken out.
        #[must_use]
        pub fn into_finding(self) -> Option<Finding<R>> {
            match self {
                Self::Malformed(finding) => Some(*finding),
                Self::Io { .. } => None,
            }
        }

        /// The rule that is broken; `None` where the source failed.
        #[must_use]
        pub fn rule(&self) -> Option<&R> {
            self.finding().map(|finding| &finding.rule)
        }

        /// `murk.truncated`, …; `io` where the source failed.
        #[must_use]
        pub fn code(&self) -> &'static str {
            self.finding().map_or("io", Finding::code)
        }

        /// Whose fault it is.
        #[must_use]
        pub fn class(&self) -> Class {
            self.rule().map_or(Class::Io, Rule::class)
        }

        /// True where the file ends too early: more bytes might mend it.
        #[must_use]
        pub fn is_truncated(&self) -> bool {
            self.class() == Class::Truncated
        }

        /// True where a limit was reached: larger limits might mend it.
        #[must_use]
        pub fn is_limit(&self) -> bool {
            self.class() == Class::Limit
        }

        /// Where, in bytes.
        #[must_use]
        pub fn offset(&self) -> Option<u64> {
            match self {
                Self::Io { offset, .. } => Some(*offset),
                Self::Malformed(finding) => finding.place.offset,
            }
        }

        /// In which frame, event or packet, from 0.
        #[must_use]
        pub fn step(&self) -> Option<u64> {
            self.finding().and_then(|finding| finding.place.step)
        }

        /// At which tick.
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

    /// `frame 812 (tick 9,001, byte 65,536): command 3 claims 4,294,967,295 bytes, 212 are left`
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
