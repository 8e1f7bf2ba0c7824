//! How much of what there is to say goes into the packet.

use core::cmp::Reverse;

use super::draft::Draft;
use crate::session::budget::{Budget, DESTROY_BYTES};
use crate::session::candidate::{Candidate, What};
use crate::session::options::SenderOptions;
use crate::wire::Tag;

impl Draft {
    /// Chooses the candidates for the packet, whose baseline has so many entities; how many have to
    /// wait.
    pub fn choose(&mut self, held: usize, options: &SenderOptions) -> usize {
        let mut budget = Budget::new(options.budget, &options.limits, held);
        let candidates = &mut self.candidates;
        self.order.extend(0..candidates.len());
        self.order.sort_unstable_by_key(|at| {
            candidates
                .get(*at)
                .map(|c| (!c.sticky, Reverse(c.priority), c.id))
        });
        // Destroys that are said again take the least, and whatever is back can be one of them.
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

/// Candidates that have to wait.
#[derive(Default)]
struct Queue {
    waiting: usize,
    /// Of those: creates that wait for an entity to go.
    crowded: usize,
}

impl Queue {
    /// Lets the next candidate in, or has it wait.
    fn admit(&mut self, candidate: &mut Candidate, budget: &mut Budget) {
        if candidate.chosen {
            if candidate.is_back() && !candidate.fit_for_destroy(budget) {
                candidate.what = What::Destroy;
                self.waiting += 1;
            }
            return;
        }
        // What comes or goes stays in each packet until it is acknowledged. Were it let in before
        // something that waits for room, that room might never come. Only what goes makes room for
        // what waits for an entity to go.
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
