//! Sessions: replicate a world to receivers over transports that lose, repeat and reorder packets.
//!
//! A [`World`] is the log that all senders share: the values of the newest tick, and when each
//! changed. A [`Sender`] (one for each receiver) knows which tick of each entity its receiver has,
//! and sends what changed since. A [`Receiver`] merges what arrives, and acknowledges it. None does
//! I/O: the caller transports packets and [`Feedback`].
//!
//! **Merged state.** The state of a tick at a receiver is all that has arrived up to that tick. An
//! acknowledgement (a tick, and bits for the 64 before it) tells the sender exactly which packets
//! these were, because the receiver takes no packet that is older than its newest. So the sender
//! knows the state without keeping it: for each entity, the tick of the newest packet with it that
//! arrived.
//!
//! **What is sent.** An entity is named if it changed after the tick that is acknowledged or under
//! way. A packet that was lost is no longer under way. An update contains the fields that changed
//! after the acknowledged tick, and so is complete, whatever becomes of the packets under way.
//! Creates, destroys and updates share one priority, which grows while they wait.
//!
//! **What a receiver sees.** [`Receiver::view`] has for each entity the newest values that have
//! arrived, all of one tick. An entity leaves it only through a destroy, or when a full snapshot
//! begins again.
//!
//! [`Receiver::events`] says what a packet changed in it, and a [`Playout`] shows it evenly.
//!
//! **Strict mode** ([`Mode::Strict`]) is for those who must follow the wire, packet by packet.

mod audience;
mod bytes;
mod change;
mod grid;
mod known;
mod lane;
mod model;
mod playout;
mod receiver;
mod sender;
mod world;

pub use audience::{Audience, Relevance, RestrictError};
pub use grid::{Area, Grid, GridError, Near};
pub use model::{
    DEFAULT_WINDOW, Feedback, HeldBack, Mode, ReceiverOptions, SendError, SenderOptions, Sent,
    Totals,
};
pub use playout::{Between, Blend, BlendError, Playout, PlayoutOptions, Timing};
pub use receiver::{Confirmed, ReceiveError, Received, Receiver, ViewEvent};
pub use sender::{Estimates, Sender};
pub use world::World;
