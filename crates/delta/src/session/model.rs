//! Options, results and errors of both sides.

use core::fmt;

use gametape_core::text::Grouped;

use crate::error::EncodeError;
use crate::limits::{Limit, Limits};
use crate::wire::HEADER_BYTES;

/// The default number of packets that can be under way, and of states that a receiver keeps: two
/// seconds at 30 packets per second.
pub const DEFAULT_WINDOW: usize = 64;

/// Acknowledgements reach this many ticks back. In merged mode, all packets under way lie within them.
pub(super) const REACH: u32 = 64;

/// The meaning of the state "of a tick" on which a delta builds. Both sides must use the same mode; they
/// agree on it when they connect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// All that has arrived up to that tick. A lost packet costs only its own content. Only the
    /// receiver of the session can follow, because others lost other packets.
    #[default]
    Merged,
    /// The result of the packet of that tick, applied to its own baseline. Every delta builds on
    /// the newest state that was sent, so after a loss the receiver has to wait until the sender
    /// goes back to an acknowledged state. Any strict [`Decoder`](crate::Decoder) that has the
    /// packets can follow: use it for taps and recorders.
    Strict,
}

/// Options of a [`Sender`](crate::Sender).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SenderOptions {
    /// The maximum size of a packet in bytes. Packets of the default size, 1200, are not split on
    /// any path of the Internet.
    pub budget: usize,
    /// The smallest budget, if it is to follow the loss of packets: `budget` is then the largest. `None`
    /// if it stays as it is.
    ///
    /// After each round trip and at least ten verdicts, the budget grows by a twentieth if less than
    /// 2 % of the packets were lost, and shrinks by half of the loss if more than 10 % were.
    pub min_budget: Option<usize>,
    /// The number of packets that can be under way without an acknowledgement (at least 2). In
    /// merged mode they also lie within 64 ticks, as far as an acknowledgement reaches.
    pub window: usize,
    /// The limits of the receiver.
    pub limits: Limits,
    /// The states that deltas build on.
    pub mode: Mode,
}

impl Default for SenderOptions {
    fn default() -> Self {
        Self {
            budget: 1200,
            min_budget: None,
            window: DEFAULT_WINDOW,
            limits: Limits::DEFAULT,
            mode: Mode::Merged,
        }
    }
}

/// Options of a [`Receiver`](crate::Receiver).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceiverOptions {
    /// The sender's window, or more: so many states are kept, and two. Then a full snapshot is
    /// needed only at the start.
    pub window: usize,
    /// The limits on packets and states.
    pub limits: Limits,
    /// The states that deltas build on.
    pub mode: Mode,
}

impl Default for ReceiverOptions {
    fn default() -> Self {
        Self {
            window: DEFAULT_WINDOW,
            limits: Limits::DEFAULT,
            mode: Mode::Merged,
        }
    }
}

/// The content of a sent packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    /// The tick of the packet. It is the world's, or an earlier one if the packet only keeps the
    /// session alive: see [`Sent::stalled`].
    pub tick: u32,
    /// The tick of the baseline; `None` for a full snapshot.
    pub baseline: Option<u32>,
    /// The length of the packet including its header; at most the budget.
    pub bytes: usize,
    /// The number of entities that the packet creates or updates.
    pub named: usize,
    /// The number of entities whose changes must wait.
    pub waiting: usize,
    /// The first entity that fits into no packet, if there is one. It waits, and the others go on.
    pub held_back: Option<HeldBack>,
    /// Whether the packet has no content because too many packets are without an acknowledgement.
    /// It asks for one.
    pub stalled: bool,
}

/// The numbers of a sender since it was created.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// Packets that were made.
    pub packets: u64,
    /// Their bytes, including the headers.
    pub bytes: u64,
    /// Entities that they create. One that is replaced is created and destroyed.
    pub created: u64,
    /// Entities that they update.
    pub updated: u64,
    /// Entities that they destroy.
    pub destroyed: u64,
    /// Packets that were lost, or came too late. In strict mode, one for each time that the sender
    /// has to go back.
    pub lost: u64,
}

/// An entity that does not fit into a packet of its own, or a group that does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} alone needs {}, and {} are allowed: {limit}", held_back(*.entity, *.group), Grouped(*.needed as u64), Grouped(*.max as u64))]
pub struct HeldBack {
    /// The id of the entity; of a group the most urgent one.
    pub entity: u32,
    /// The [group](crate::World::group), if it is one that does not fit.
    pub group: Option<u32>,
    /// The limit that it exceeds; the budget counts as [`Limit::PacketBytes`].
    pub limit: Limit,
    /// The value of the limit.
    pub max: usize,
    /// The number that a packet with only this entity or group has, such as its bytes.
    pub needed: usize,
}

fn held_back(entity: u32, group: Option<u32>) -> impl fmt::Display {
    fmt::from_fn(move |f| match group {
        None => write!(f, "entity {entity}"),
        Some(group) => write!(f, "group {group} of entity {entity}"),
    })
}

/// Why a state was not sent. Sender and world are unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The state cannot be encoded.
    #[error("{0}")]
    Encode(EncodeError),
    /// The tick is 0, which cannot be a baseline, or the world has no state yet.
    #[error("there is no state of tick 1 or later")]
    TickZero,
    /// The tick is not after the last one.
    #[error("tick {} is not after tick {}, the last one", Grouped((*.tick).into()), Grouped((*.last).into()))]
    TickOrder {
        /// The tick of the state that was to be sent.
        tick: u32,
        /// The last tick.
        last: u32,
    },
    /// The grid does not have the places of the newest state.
    #[error("the grid is not of the newest state: update it after the world")]
    StaleGrid,
    /// The area has a centre or a radius that is not a number, or a centre at infinity.
    #[error("the area is nowhere: its centre and its radii must be numbers")]
    Nowhere,
    /// The budget is smaller than a header.
    #[error("a packet has a header of {HEADER_BYTES} bytes, the budget is {}", Grouped(*.budget as u64))]
    NoRoom {
        /// The budget in bytes.
        budget: usize,
    },
}

/// A message from a receiver to its sender, over any transport.
///
/// Messages may be lost, repeated or reordered; the newest one is sufficient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feedback {
    /// Acknowledges packets that were applied.
    Ack {
        /// The newest applied tick. The receiver keeps its state, so the sender may use it as a
        /// baseline.
        tick: u32,
        /// Earlier applied ticks: bit i is for tick `tick - 1 - i`. A packet whose bit is 0 was not
        /// applied, and never will be.
        earlier: u64,
    },
    /// The receiver lacks the baseline of a packet and needs a full snapshot.
    NeedFull {
        /// The tick of that baseline.
        baseline: u32,
    },
}

impl Feedback {
    /// The size of a message in bytes.
    pub const BYTES: usize = 13;

    /// Encodes the message for transports without a better form: a kind (1 or 2), then tick and
    /// bits in little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let (kind, tick, bits) = match *self {
            Self::Ack { tick, earlier } => (1, tick, earlier),
            Self::NeedFull { baseline } => (2, baseline, 0),
        };
        let mut bytes = [0; Self::BYTES];
        let parts = [kind]
            .into_iter()
            .chain(tick.to_le_bytes())
            .chain(bits.to_le_bytes());
        for (to, from) in bytes.iter_mut().zip(parts) {
            *to = from;
        }
        bytes
    }

    /// Decodes a message; `None` if the bytes are not one.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let (kind, rest) = bytes.split_first()?;
        let (tick, earlier) = rest.split_first_chunk::<4>()?;
        let tick = u32::from_le_bytes(*tick);
        let earlier = u64::from_le_bytes(*earlier.first_chunk()?);
        match kind {
            1 => Some(Self::Ack { tick, earlier }),
            2 if earlier == 0 => Some(Self::NeedFull { baseline: tick }),
            _ => None,
        }
    }
}
