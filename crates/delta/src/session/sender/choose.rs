//! Chooses the changes that go into the packet.

use core::cmp::Reverse;

use super::draft::Draft;
use crate::session::budget::{Budget, DESTROY_BYTES};
use crate::session::candidate::{Candidate, What};
use crate::session::options::SenderOptions;
use crate::wire::Tag;

impl Draft {
    /// Chooses the candidates for the packet. `held` is the number of entities in the baseline.
    /// Returns the number of candidates that must wait.
    pub fn choose(&mut self, held: usize, options: &SenderOptions) -> usize {
        let mut budget = Budget::new(options.budget, &options.limits, held);
        let candidates = &mut self.candidates;
        self.order.extend(0..candidates.len());
        self.order.sort_unstable_by_key(|at| {
            candidates
                .get(*at)
                .map(|c| (!c.sticky, Reverse(c.priority), c.id))
        });
        // Reserve room for repeated destroys first: they need the least, and an entity that is back
        // can be reduced to one.
        let again = |c: &Candidate| c.is_back() || c.sticky && c.what == What::Destroy;
        for candidate in candidates.iter_mut().filter(|candidate| again(candidate)) {
            candidate.chosen = budget.take(&[(Tag::Destroy, DESTROY_BYTES)], 0);
        }
        let mut queue = Queue::default();
        for at in &self.order {
            if let Some(candidate) = candidates.get_mut(*at) {
                queue.admit(candidate, &mut budget);
            }
        }
        queue.waiting
    }
}

/// The candidates that must wait.
#[derive(Default)]
struct Queue {
    waiting: usize,
    /// The number of waiting creates that must wait until another entity is destroyed.
    crowded: usize,
}

impl Queue {
    /// Accepts the next candidate if it fits; otherwise it waits.
    fn admit(&mut self, candidate: &mut Candidate, budget: &mut Budget) {
        if candidate.chosen {
            if candidate.is_back() && !candidate.fit_for_destroy(budget) {
                candidate.what = What::Destroy;
                self.waiting += 1;
            }
            return;
        }
        // A create or destroy stays in each packet until it is acknowledged. If it were accepted
        // before a candidate that waits for room, that room might never become free. Creates that
        // wait for the number of entities are an exception, because only a destroy helps them.
        let before = match candidate.what {
            What::Create => self.waiting,
            What::Destroy => self.waiting - self.crowded,
            What::Update | What::Replace => 0,
        };
        let blocked = before > 0 && !candidate.sticky;
        let no_room = candidate.what == What::Create && budget.is_crowded();
        candidate.chosen = !blocked && candidate.fit(budget);
        if !candidate.chosen {
            self.waiting += 1;
            self.crowded += usize::from(no_room);
        }
    }
}
