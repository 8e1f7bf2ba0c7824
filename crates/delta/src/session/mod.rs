//! Sessions: states to a receiver over a transport that loses, repeats and reorders packets.
//!
//! A [`Sender`] (one for each receiver) knows what its receiver has acknowledged and codes
//! against that; a [`Receiver`] keeps the states later packets may build on and says what it has.
//! Neither does I/O: packets and [`Feedback`] travel as the caller likes.
//!
//! **Budget.** A packet never exceeds [`SenderOptions::budget`] bytes. What does not fit waits;
//! its priority grows by its weight every time, so all is delivered in the end.
//!
//! **What a receiver sees.** On the wire, a delta is based on an acknowledged state, some packets
//! back. With a tight budget, packets sent in between named other entities, so the bare state of
//! the newest packet would let entities jump back and forth. Hence [`Receiver::view`]: of each
//! entity the newest values that arrived. They are always those the sender had at one tick (within
//! the thresholds of the schema), never older than what was seen before.
//!
//! **How both agree in the end.** The sender remembers for each entity which values it sent last,
//! and whether a packet that carried them was acknowledged. Until then it names the entity again,
//! even if the receiver's baseline has the right values: an update without components, 4 bytes and
//! a mask, which says "as in the baseline". What came or went since the baseline is said again in
//! each packet, first of all, so that nothing that was seen vanishes, and nothing that went comes
//! back. Where even that does not fit (a budget that shrank, entities that grew, limits of few
//! entities a section), new entities may be away for a while, and those that went may be seen
//! once more.

mod budget;
mod candidate;
mod feedback;
mod lane;
mod options;
mod receiver;
mod sender;

pub use feedback::Feedback;
pub use options::{DEFAULT_WINDOW, SendError, SenderOptions, Sent};
pub use receiver::{ReceiveError, Received, Receiver};
pub use sender::Sender;
