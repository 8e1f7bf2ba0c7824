//! Where what is to be read lies until somebody reads it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use gametape::AnyFinding;

use super::news::Wish;

/// Where the show puts what it wants to see.
#[derive(Default)]
pub struct Desk {
    slot: Mutex<Slot>,
    bell: Condvar,
}

/// What is to be done.
#[derive(Default)]
pub struct Slot {
    pub wish: Option<Wish>,
    /// All findings: the stamps of their moments have to be found.
    pub findings: Option<Vec<AnyFinding>>,
}

impl Desk {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A wish, in the place of one that nobody has begun with.
    pub fn wish(&self, wish: Wish) {
        let mut slot = self.slot();
        slot.wish = Some(match slot.wish.take() {
            Some(before) => wish.after(&before),
            None => wish,
        });
        self.bell.notify_one();
    }

    /// The search is over, and found these.
    pub fn mark(&self, findings: Vec<AnyFinding>) {
        self.slot().findings = Some(findings);
        self.bell.notify_one();
    }

    /// What is to be done next, as soon as something is.
    pub fn next(&self) -> Slot {
        let slot = self.slot();
        let idle = |slot: &mut Slot| slot.wish.is_none() && slot.findings.is_none();
        let slot = self.bell.wait_while(slot, idle);
        std::mem::take(&mut *slot.unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use gametape::At;

    use super::*;

    #[test]
    fn the_newest_wish_counts_and_steps_add_up() {
        let desk = Desk::default();
        let wish = |number, to, steps| Wish {
            number,
            to,
            steps,
            ..Wish::default()
        };
        desk.wish(wish(1, Some(At::Step(3)), 0));
        desk.wish(wish(2, Some(At::Step(9)), 0));
        desk.wish(wish(3, None, 1));
        desk.wish(wish(4, None, 1));
        assert_eq!(desk.next().wish, Some(wish(4, Some(At::Step(9)), 2)));
        desk.wish(wish(5, None, -1));
        assert_eq!(desk.next().wish, Some(wish(5, None, -1)));
    }
}
