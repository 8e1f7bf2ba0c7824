//! Options, results and errors of a sender.

use gametape_core::text::{Bytes, Grouped};

use crate::error::EncodeError;
use crate::limits::Limits;
use crate::wire::HEADER_BYTES;

/// The default number of states that sender and receiver keep: two seconds at 30 packets per
/// second.
pub const DEFAULT_WINDOW: usize = 64;

/// Options of a [`Sender`](crate::Sender).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SenderOptions {
    /// The maximum size of a packet in bytes. Packets of the default size, 1200, are not split on
    /// any path of the Internet.
    pub budget: usize,
    /// The number of states that can still be acknowledged (at least 2); the receiver should keep
    /// as many.
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

/// The content of a sent packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    /// The tick of the state that was sent.
    pub tick: u32,
    /// The acknowledged tick used as the baseline; `None` for a full snapshot.
    pub baseline: Option<u32>,
    /// The length of the packet including its header; at most the budget.
    pub bytes: usize,
    /// The number of entities that the packet creates or updates.
    pub named: usize,
    /// The number of entities whose changes must wait.
    pub waiting: usize,
}

/// Why a state was not sent. The sender is unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The state cannot be encoded.
    #[error("{0}")]
    Encode(EncodeError),
    /// The tick is 0, which cannot be a baseline.
    #[error("a session starts at tick 1 or later")]
    TickZero,
    /// The tick is not after the last one sent.
    #[error("tick {} is not after tick {}, the last one sent", Grouped((*.tick).into()), Grouped((*.last).into()))]
    TickOrder {
        /// The tick of the state that was to be sent.
        tick: u32,
        /// The last tick sent.
        last: u32,
    },
    /// The budget is smaller than a header.
    #[error("a packet has a header of {HEADER_BYTES} bytes, the budget is {}", Grouped(*.budget as u64))]
    NoRoom {
        /// The budget in bytes.
        budget: usize,
    },
    /// An entity does not fit into a packet of its own, so it could never be delivered.
    #[error("entity {entity} needs a packet of {}, the budget is {}", Bytes(*.needed as u64), Grouped(*.budget as u64))]
    BudgetTooSmall {
        /// The id of the entity.
        entity: u32,
        /// The size in bytes of a packet with only this entity.
        needed: usize,
        /// The budget in bytes.
        budget: usize,
    },
}
