//! A packet under construction.

use alloc::vec::Vec;

use super::memory::Memory;
use crate::bits::BitWriter;
use crate::encode::Changed;
use crate::schema::Schema;
use crate::session::candidate::Candidate;
use crate::snapshot::Snapshot;

/// All fields keep their memory between packets; [`Draft::clear`] starts a new packet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// The sender's memory after the packet.
    pub next: Memory,
    /// The entities that the receiver may see, with the values that it should have.
    pub target: Snapshot,
    /// Candidates, ascending by id.
    pub candidates: Vec<Candidate>,
    /// The indices of the candidates, the most urgent first.
    pub order: Vec<usize>,
    /// The bytes of all candidates.
    pub bits: BitWriter,
    pub changed: Vec<Changed>,
    /// The number of entities and the bytes of each section, by tag.
    pub bodies: [(u32, Vec<u8>); 3],
}

impl Draft {
    pub fn new(schema: &Schema) -> Self {
        Self {
            next: Memory::new(schema),
            target: Snapshot::new(schema, 0),
            candidates: Vec::new(),
            order: Vec::new(),
            bits: BitWriter::new(),
            changed: Vec::new(),
            bodies: [(0, Vec::new()), (0, Vec::new()), (0, Vec::new())],
        }
    }

    pub fn clear(&mut self) {
        self.next.clear();
        self.target.clear();
        self.candidates.clear();
        self.order.clear();
        self.bits.clear();
        for (count, body) in &mut self.bodies {
            *count = 0;
            body.clear();
        }
    }
}
