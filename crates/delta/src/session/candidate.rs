//! Entities that have something to say.

use alloc::vec::Vec;

use super::budget::{Budget, DESTROY_BYTES};
use super::lane::Keyed;
use super::options::{SendError, SenderOptions};
use crate::error::EncodeError;
use crate::limits::Limit;
use crate::wire::Tag;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Create,
    /// Destroy and create: another set of components.
    Replace,
    Update,
    Destroy,
}

/// An entity that has something to say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub id: u32,
    pub what: What,
    /// Its bytes in `Sender::bits`.
    pub from: usize,
    pub to: usize,
    /// It came or went after the baseline, and the receiver may have seen that: first of all it
    /// is said again, so that what was seen does not change back.
    pub sticky: bool,
    pub priority: u64,
    pub chosen: bool,
}

impl Candidate {
    const fn parts(&self) -> ([(Tag, usize); 2], usize) {
        let bytes = self.to - self.from;
        match self.what {
            What::Create => ([(Tag::Create, bytes), (Tag::Create, 0)], 1),
            What::Replace => ([(Tag::Create, bytes), (Tag::Destroy, DESTROY_BYTES)], 2),
            What::Update => ([(Tag::Update, bytes), (Tag::Update, 0)], 1),
            What::Destroy => ([(Tag::Destroy, DESTROY_BYTES), (Tag::Destroy, 0)], 1),
        }
    }

    /// True for an entity that went after the baseline and is back. If its new values don't fit
    /// it has to be destroyed once more: it must not be seen as it was.
    pub const fn is_back(&self) -> bool {
        self.sticky && matches!(self.what, What::Update | What::Replace)
    }

    /// In place of its being destroyed once more.
    pub fn fit_for_destroy(&self, budget: &mut Budget) -> bool {
        let (parts, count) = self.parts();
        budget.take_for_destroy(parts.get(..count).unwrap_or_default())
    }

    /// It has to fit into a packet of its own.
    pub fn check_alone(&self, options: &SenderOptions) -> Result<(), SendError> {
        let (parts, count) = self.parts();
        let more = usize::from(self.what == What::Create);
        let mut alone = Budget::new(options.budget, &options.limits, 0);
        alone.force(parts.get(..count).unwrap_or_default(), more);
        match alone.exceeded() {
            None => Ok(()),
            Some((Limit::PacketBytes, budget, needed)) if budget == options.budget => {
                Err(SendError::BudgetTooSmall {
                    entity: self.id,
                    needed,
                    budget,
                })
            }
            Some((limit, max, found)) => {
                Err(SendError::Encode(EncodeError::Limit { limit, max, found }))
            }
        }
    }

    pub fn fit(&self, budget: &mut Budget) -> bool {
        let (parts, count) = self.parts();
        let more = usize::from(self.what == What::Create);
        budget.take(parts.get(..count).unwrap_or_default(), more)
    }
}

impl Keyed for Candidate {
    fn id(&self) -> u32 {
        self.id
    }
}

/// Puts a chosen entity into its sections.
pub(super) fn put(bodies: &mut [(u32, Vec<u8>); 3], bytes: &[u8], candidate: &Candidate) {
    let (parts, count) = candidate.parts();
    for (tag, _) in parts.get(..count).unwrap_or_default() {
        let Some((count, body)) = bodies.get_mut(*tag as usize - 1) else {
            continue;
        };
        *count += 1;
        if *tag == Tag::Destroy {
            body.extend_from_slice(&candidate.id.to_le_bytes());
        } else {
            let bytes = bytes.get(candidate.from..candidate.to);
            body.extend_from_slice(bytes.unwrap_or_default());
        }
    }
}
