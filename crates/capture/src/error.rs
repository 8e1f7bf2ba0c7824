//! Errors of writing captures and of migrating recordings.

use std::io;

use gametape_core::text::{Bytes, Grouped};
use gametape_core::{Class, Coded, RuleInfo, Severity};
use gametape_delta as delta;

use crate::rule::Error;

/// Why a capture cannot be written, or a recording not be migrated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The output can't be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A packet whose tick is not after the last recorded one.
    #[error("a packet of tick {} comes after tick {}: the ticks of a capture ascend", Grouped((*.tick).into()), Grouped((*.last).into()))]
    TickOrder {
        /// The tick of the packet that was refused.
        tick: u32,
        /// The last recorded tick.
        last: u32,
    },
    /// A packet that is larger than readers accept.
    #[error("a packet of {}, captures hold packets of up to {}", Bytes(*.bytes), Grouped(*.limit))]
    PacketTooLarge {
        /// The size of the packet.
        bytes: u64,
        /// The largest allowed size.
        limit: u64,
    },
    /// A packet that does not fit the capture.
    #[error("{0}")]
    BadPacket(delta::Error),
    /// The recording cannot be migrated to another schema.
    #[error("the recording can't be carried over to the schema: {0}")]
    Migrate(String),
    /// The recording from which packets are taken cannot be read.
    #[error("{0}")]
    Read(#[from] Error),
    /// An option out of range.
    #[error("{0}")]
    Option(String),
    /// The MCAP library reports an error.
    #[error("the capture can't be written: {0}")]
    Write(String),
}

impl From<mcap::McapError> for CaptureError {
    fn from(error: mcap::McapError) -> Self {
        match error {
            mcap::McapError::Io(error) => Self::Io(error),
            other => Self::Write(other.to_string()),
        }
    }
}

const fn refusal(code: &'static str, doc: &'static str) -> RuleInfo {
    RuleInfo {
        code,
        severity: Severity::Error,
        doc,
        data: &[],
    }
}

impl CaptureError {
    /// The codes that are not those of a recording's rules but of the caller's errors.
    pub const CODES: &'static [RuleInfo] = &[
        refusal(
            "capture.migrate",
            "A value or a field does not fit the new schema.\n\n[widen it](captures.md#another-schema).",
        ),
        refusal(
            "capture.option",
            "A tick, a chunk or a distance that is out of range.\n\nThe message has the bound.",
        ),
        refusal(
            "capture.write",
            "The output could not be written.\n\nThe message has the reason.",
        ),
    ];

    /// The stable code, documented in the book; for a packet, the wire's own code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::TickOrder { .. } => "capture.tick-order",
            Self::PacketTooLarge { .. } => "capture.limit",
            Self::BadPacket(error) => error.code(),
            Self::Migrate(_) => "capture.migrate",
            Self::Read(error) => error.code(),
            Self::Option(_) => "capture.option",
            Self::Write(_) => "capture.write",
        }
    }
}

impl Coded for CaptureError {
    fn code(&self) -> &'static str {
        self.code()
    }

    fn class(&self) -> Class {
        match self {
            Self::Io(_) | Self::Write(_) => Class::Io,
            Self::PacketTooLarge { .. } => Class::Limit,
            Self::BadPacket(error) => error.class(),
            Self::Read(error) => error.class(),
            Self::TickOrder { .. } | Self::Migrate(_) | Self::Option(_) => Class::Caller,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Read(error) => error.offset(),
            _ => None,
        }
    }
}
