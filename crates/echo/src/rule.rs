//! Every rule a recording can break or stretch: the vocabulary of errors and findings alike.

use crate::finding::{Bytes, Grouped, Left, Severity};

/// Defines the rules once: variant, code, severity, and (through `thiserror`) the sentence.
macro_rules! rules {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($(#[$fdoc:meta])* $field:ident : $ty:ty),* $(,)? })? = $code:literal, $severity:ident;
    )*) => {
        /// One rule of a format, or of what a recording should be, with the numbers that break it.
        ///
        /// Readers raise those that stand in their way; the audits name them all. Each has a
        /// code, documented in the book.
        #[derive(Clone, PartialEq, Debug, thiserror::Error)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                $(#[$doc])*
                $name $({ $(
                    $(#[$fdoc])*
                    #[allow(missing_docs)]
                    $field: $ty
                ),* })?,
            )*
        }

        impl Rule {
            /// Code and severity of every rule, in the order of the enum.
            pub const CODES: &'static [(&'static str, Severity)] =
                &[$(($code, Severity::$severity)),*];

            /// The stable code, such as `butter.truncated`.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self { $(Self::$name { .. } => $code,)* }
            }

            /// How much breaking this rule matters.
            #[must_use]
            pub const fn severity(&self) -> Severity {
                match self { $(Self::$name { .. } => Severity::$severity,)* }
            }
        }
    };
}

rules! {
    // .butter: what stands in the way of reading.
    /// The first byte is not a version.
    #[error("the first byte is {found}; a .butter starts with its version, 1 to 3")]
    Version { found: u8 } = "butter.version", Error;
    /// The file ends before something does.
    #[error("{what} needs {}, {}", Bytes(*.needed), Left(*.left))]
    Truncated { what: &'static str, needed: u64, left: u64 } = "butter.truncated", Error;
    /// An unknown compression.
    #[error("compression {found}; 0 to 6 are defined")]
    Compression { found: u8 } = "butter.compression", Error;
    /// A chunk does not inflate.
    #[error("the chunk does not inflate: {message}")]
    Inflate { message: String } = "butter.inflate", Error;
    /// A frame starts with other bytes than a frame.
    #[error("a frame starts with FC FE or FE FE, not with {:02X} {:02X}", found[0], found[1])]
    Marker { found: [u8; 2] } = "butter.marker", Error;
    /// A frame that is no keyframe has none before it.
    #[error("the first frame is no keyframe: what it differs from is not there")]
    NoKeyframe = "butter.no-keyframe", Error;
    /// A player that the header does not have.
    #[error("player {index}; the header has {players}")]
    PlayerIndex { index: u8, players: u32 } = "butter.player-index", Error;
    /// A number of a bone that no writer writes.
    #[error("a number starts with byte {found}; 249 is the largest that one can start with")]
    Varint { found: u8 } = "butter.varint", Error;
    /// More than the limits allow.
    #[error("{what} of {}; the limit is {}", Bytes(*.size), Bytes(*.limit))]
    Limit { what: &'static str, size: u64, limit: u64 } = "butter.limit", Error;
}
