//! The memory in which senders make their packets.

use alloc::vec::Vec;

use super::change::{Chosen, Waiting};
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
    /// The body of a section.
    pub body: Vec<u8>,
}
