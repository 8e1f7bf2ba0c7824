//! The memory in which senders make their packets.

use alloc::vec::Vec;

use super::change::{Chosen, Member, Waiting};
use super::known::Known;

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
