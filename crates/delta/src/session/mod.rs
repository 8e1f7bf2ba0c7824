//! Sessions: replicate states to a receiver over a transport that loses, repeats and reorders
//! packets.
//!
//! A [`Sender`] (one for each receiver) knows which states its receiver has acknowledged, and codes
//! deltas against these. A [`Receiver`] keeps the states that later packets may use as baselines,
//! and acknowledges what it has received. Neither does I/O: the caller transports packets and
//! [`Feedback`].
//!
//! **Budget.** A packet never exceeds [`SenderOptions::budget`] bytes. Changes that do not fit
//! wait. Their priority grows by their weight with each packet, so that every change is delivered
//! eventually.
//!
//! **What a receiver sees.** On the wire, a delta is based on an acknowledged state, which is some
//! packets old. With a tight budget, the packets in between contain other entities, so the bare
//! state of the newest packet would let entities jump back and forth. [`Receiver::view`] therefore
//! shows the newest values that have arrived for each entity. These are always values that the
//! sender had at one tick (within the thresholds of the schema), and never older than values seen
//! before.
//!
//! **How both sides converge.** For each entity, the sender remembers the last values that it sent,
//! and whether a packet with these values was acknowledged. Until then it names the entity again,
//! even if the receiver's baseline has the right values: it sends an update without components, 4
//! bytes and a mask, which means "as in the baseline". Entities that were created or destroyed
//! since the baseline are repeated in each packet, before everything else. So an entity that was
//! seen does not vanish, and a destroyed one does not reappear. If even these do not fit (because
//! the budget shrank, entities grew, or a limit allows few entities per section), new entities may
//! be absent for a while, and destroyed ones may be seen once more.

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
