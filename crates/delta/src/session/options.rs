//! How a sender sends, what it sent, and why it did not.

use gametape_core::text::{Bytes, Grouped};

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
    /// The tick of the state that was sent.
    pub tick: u32,
    /// The acknowledged tick it builds on; none for a full snapshot.
    pub baseline: Option<u32>,
    /// Length of the packet, its header included; at most the budget.
    pub bytes: usize,
    /// Entities it creates or updates.
    pub named: usize,
    /// Entities that had something to say and have to wait.
    pub waiting: usize,
}

/// Why a state was not sent. The sender is as it was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The state can't be a packet.
    #[error("{0}")]
    Encode(EncodeError),
    /// Tick 0, which can't be a baseline.
    #[error("a session starts at tick 1 or later")]
    TickZero,
    /// A tick that is not after the last one sent.
    #[error("tick {} is not after tick {}, the last one sent", Grouped((*.tick).into()), Grouped((*.last).into()))]
    TickOrder {
        /// The tick of the state that was to be sent.
        tick: u32,
        /// The last one sent.
        last: u32,
    },
    /// Not even a header fits.
    #[error("a packet has a header of {HEADER_BYTES} bytes, the budget is {}", Grouped(*.budget as u64))]
    NoRoom {
        /// Bytes a packet may have.
        budget: usize,
    },
    /// An entity that would not fit into a packet of its own: it could never be delivered.
    #[error("entity {entity} needs a packet of {}, the budget is {}", Bytes(*.needed as u64), Grouped(*.budget as u64))]
    BudgetTooSmall {
        /// Id of the entity that is too large.
        entity: u32,
        /// Bytes of a packet with nothing else in it.
        needed: usize,
        /// Bytes a packet may have.
        budget: usize,
    },
}
