//! How a sender sends, what it sent, and why it did not.

use core::fmt;

use crate::error::EncodeError;
use crate::limits::Limits;
use crate::wire::HEADER_BYTES;

/// States that sender and receiver keep if nothing else is said: two seconds at 30 packets a
/// second.
pub const DEFAULT_WINDOW: usize = 64;

/// How a [`Sender`](crate::Sender) sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SenderOptions {
    /// Bytes of a packet, at most. The default, 1200, passes any path of the Internet in one
    /// piece.
    pub budget: usize,
    /// States that may be acknowledged late; the receiver should keep as many.
    pub window: usize,
    /// The limits of the receiver.
    pub limits: Limits,
}

impl Default for SenderOptions {
    fn default() -> Self {
        Self {
            budget: 1200,
            window: DEFAULT_WINDOW,
            limits: Limits::DEFAULT,
        }
    }
}

/// What went into a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Its tick.
    pub tick: u32,
    /// The acknowledged tick it builds on; none for a full snapshot.
    pub baseline: Option<u32>,
    /// Its bytes.
    pub bytes: usize,
    /// Entities it creates or updates.
    pub named: usize,
    /// Entities that had something to say and have to wait.
    pub waiting: usize,
}

/// Why a state was not sent. The sender is as it was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SendError {
    /// The state can't be a packet.
    Encode(EncodeError),
    /// Tick 0, which can't be a baseline.
    TickZero,
    /// A tick that is not after the last one sent.
    TickOrder {
        /// The tick.
        tick: u32,
        /// The last one sent.
        last: u32,
    },
    /// Not even a header fits.
    NoRoom {
        /// Bytes a packet may have.
        budget: usize,
    },
    /// An entity that would not fit into a packet of its own: it could never be delivered.
    BudgetTooSmall {
        /// The entity.
        entity: u32,
        /// Bytes of a packet with nothing else in it.
        needed: usize,
        /// Bytes a packet may have.
        budget: usize,
    },
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encode(error) => error.fmt(f),
            Self::TickZero => f.write_str("a session starts at tick 1 or later"),
            Self::TickOrder { tick, last } => {
                write!(f, "tick {tick} is not after tick {last}, the last one sent")
            }
            Self::NoRoom { budget } => write!(
                f,
                "a packet has a header of {HEADER_BYTES} bytes, the budget is {budget}"
            ),
            Self::BudgetTooSmall {
                entity,
                needed,
                budget,
            } => write!(
                f,
                "entity {entity} needs a packet of {needed} bytes, the budget is {budget}"
            ),
        }
    }
}

impl core::error::Error for SendError {}
