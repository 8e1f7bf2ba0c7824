//! Changes of entities: when they happen, and what a packet makes of them.

use super::audience::{Audience, Stamp};
use super::known::Known;
use crate::wire::Tag;
use alloc::vec::Vec;

/// The size of a destroyed entity: its id.
pub(super) const DESTROY_BYTES: usize = 4;

/// The history of an entity of the world, beside its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// Since when the entity exists with these components. An entity that is older at the receiver
    /// has to be destroyed and created.
    pub born: u32,
    /// When any of its values last changed.
    pub changed: u32,
    /// Where the ticks of its values begin.
    pub from: u32,
    /// Since when the entity that had its id before existed with its components, if packets that
    /// name that one may be under way still; otherwise 0.
    pub heir_of: u32,
}

impl Head {
    /// Returns the entity as everybody sees it.
    #[inline]
    pub const fn stamp(&self) -> Stamp {
        Stamp {
            born: self.born,
            changed: self.changed,
            face: Audience::All,
            heir_of: self.heir_of,
        }
    }
}

/// A range of the bytes that a world has encoded.
pub(super) type Span = (u32, u32);

/// The effect of a packet on an entity.
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
    /// `at` is the index in what the sender knows, in 28 bits.
    pub const fn new(priority: u32, at: u32, what: What, face: Audience) -> Self {
        let low = at << 4 | (face as u32) << 2 | what as u32;
        Self((!priority as u64) << 32 | low as u64)
    }

    pub const fn at(self) -> u32 {
        self.0 as u32 >> 4
    }

    pub const fn face(self) -> Audience {
        match self.0 >> 2 & 3 {
            0 => Audience::All,
            1 => Audience::Team,
            _ => Audience::Owner,
        }
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
    pub face: Audience,
    pub span: Span,
    /// Whether it is there for its own sake, and not only for its group's.
    pub waited: bool,
    /// Whether the receiver has one entity more, perhaps.
    pub is_new: bool,
}

impl Chosen {
    /// Returns what it adds to sections, in bytes.
    pub const fn parts(&self) -> [Option<(Tag, usize)>; 2] {
        let bytes = (self.span.1 - self.span.0) as usize;
        let destroy = Some((Tag::Destroy, DESTROY_BYTES));
        match self.what {
            What::Create => [Some((Tag::Create, bytes)), None],
            What::Replace => [Some((Tag::Create, bytes)), destroy],
            What::Update => [Some((Tag::Update, bytes)), None],
            What::Destroy => [destroy, None],
        }
    }
}

/// An entity of a group that has to be in a packet with any other of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub group: u32,
    /// The change; `None` if the group has to wait for what becomes of a packet under way.
    pub change: Option<Waiting>,
    pub at: u32,
    /// Whether its change waits for its own sake.
    pub waits: bool,
    /// Whether the group was tried already. It counts at the first member.
    pub tried: bool,
}

/// Senders of one world take turns, so one of each list serves them all.
#[derive(Clone, Default, Debug)]
pub(super) struct Scratch {
    /// The knowledge of the sender after the packet.
    pub known: Vec<Known>,
    /// The entities with changes.
    pub order: Vec<Waiting>,
    /// The entities that are in the packet, by their index in `known`.
    pub chosen: Vec<Chosen>,
    /// The members of groups with changes, by group and then by index; empty if there are no groups.
    pub members: Vec<Member>,
    /// The index and the group of each member, by index.
    pub grouped: Vec<(u32, u32)>,
    /// The id and the group of each member that the receiver may have.
    pub groups: Vec<(u32, u32)>,
    /// The entities that may be near, as bits.
    pub bits: Vec<u64>,
    /// The body of a section.
    pub body: Vec<u8>,
}
