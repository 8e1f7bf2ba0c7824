//! The memory in which senders make their packets.

use alloc::vec::Vec;

use super::sender::Known;
use super::world::Span;

/// Senders of one world take turns, so one of each list serves them all.
#[derive(Clone, Default, Debug)]
pub(super) struct Scratch {
    /// What the sender knows after the packet.
    pub known: Vec<Known>,
    /// The entities with changes.
    pub order: Vec<Waiting>,
    /// The entities that are in the packet, by their index in `known`.
    pub chosen: Vec<Chosen>,
    /// The body of a section.
    pub body: Vec<u8>,
}

/// What a packet does to an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Create,
    /// Destroy and create: at the receiver is an entity of the same id that has ended, or has other
    /// components.
    Replace,
    Update,
    Destroy,
}

/// An entity with a change to send. The most urgent is the least, and among equals the one with the
/// lowest id. It is one word, because all of them are sorted for each receiver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Waiting(u64);

impl Waiting {
    /// `at` is the index in [`Scratch::known`].
    pub const fn new(priority: u32, at: u32, what: What) -> Self {
        Self((!priority as u64) << 32 | (at as u64) << 2 | what as u64)
    }

    pub const fn at(self) -> u32 {
        self.0 as u32 >> 2
    }

    pub const fn what(self) -> What {
        match self.0 & 3 {
            0 => What::Create,
            1 => What::Replace,
            2 => What::Update,
            _ => What::Destroy,
        }
    }
}

/// An entity that is in the packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    /// Its index in `known`.
    pub at: u32,
    pub what: What,
    pub span: Span,
}
