//! Entities with changes to send.

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
    /// Destroy and create, because the set of components has changed.
    Replace,
    Update,
    Destroy,
}

/// An entity with changes to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub id: u32,
    pub what: What,
    /// The range of its bytes in `Draft::bits`.
    pub from: usize,
    pub to: usize,
    /// Whether the entity was created or destroyed after the baseline and the receiver may have
    /// seen that. Such changes are repeated first, so that the receiver does not see them undone.
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

    /// Returns true for an entity that was destroyed after the baseline and exists again. If its
    /// new values do not fit, it must be destroyed again, because the receiver must not see its old
    /// values.
    pub const fn is_back(&self) -> bool {
        self.sticky && matches!(self.what, What::Update | What::Replace)
    }

    /// Tries to replace its repeated destroy with its new values.
    pub fn fit_for_destroy(&self, budget: &mut Budget) -> bool {
        let (parts, count) = self.parts();
        budget.take_for_destroy(parts.get(..count).unwrap_or_default())
    }

    /// Checks that the entity fits into a packet of its own.
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

/// Adds a chosen entity to its sections.
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
