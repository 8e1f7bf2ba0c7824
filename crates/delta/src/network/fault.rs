//! The faults that a judge finds.

use crate::session::{ReceiveError, SendError};

/// A fault of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A state cannot be sent.
    #[error("tick {tick}: {error}")]
    Send {
        /// The tick of the state.
        tick: u32,
        /// The reason.
        error: SendError,
    },
    /// The receiver refuses a packet of its own sender.
    #[error("at tick {tick}: {error}")]
    Receive {
        /// The tick at which the packet arrived.
        tick: u32,
        /// The reason.
        error: ReceiveError,
    },
    /// A packet is larger than its budget.
    #[error("tick {tick}: a packet of {bytes} bytes, the budget is {budget}")]
    Budget {
        /// The tick of the packet.
        tick: u32,
        /// Its size.
        bytes: usize,
        /// The budget.
        budget: usize,
    },
    /// An entity is shown with values that it did not have, or that the receiver may not see.
    #[error("entity {entity} is shown as of tick {as_of}, and was not so")]
    Untrue {
        /// The id of the entity.
        entity: u32,
        /// The tick of its values, as the receiver says.
        as_of: u32,
    },
    /// An entity is shown with older values than before.
    #[error("entity {entity} went back from tick {before} to tick {now}")]
    Older {
        /// The id of the entity.
        entity: u32,
        /// The tick of its values before.
        before: u32,
        /// The tick of its values now.
        now: u32,
    },
    /// An entity is no longer shown, and no packet destroyed it.
    #[error("entity {entity} vanished with tick {tick}")]
    Vanished {
        /// The id of the entity.
        entity: u32,
        /// The tick of the packet.
        tick: u32,
    },
    /// The events of a packet do not lead from what was shown to what is shown.
    #[error("the events of the packet at tick {tick} do not say what became of entity {entity}")]
    Events {
        /// The id of the entity.
        entity: u32,
        /// The tick at which the packet arrived.
        tick: u32,
    },
    /// Another entity is shown as the one that had its id before, or the same one as another.
    #[error(
        "the events of the packet at tick {tick} take entity {entity} for another one, or another one for it"
    )]
    Mistaken {
        /// The id of the entity.
        entity: u32,
        /// The tick at which the packet arrived.
        tick: u32,
    },
    /// A packet destroys an entity that lives and that the receiver may see.
    #[error("entity {entity} was destroyed with tick {tick} and lives")]
    Killed {
        /// The id of the entity.
        entity: u32,
        /// The tick of the packet.
        tick: u32,
    },
}
