//! The memory of a sender, and its bound.

use alloc::vec::Vec;
use core::mem;

use super::flights::Flight;
use crate::session::known::Known;
use crate::session::options::SenderOptions;

impl SenderOptions {
    /// Returns the most bytes of memory that a sender with these options takes beside itself, for a
    /// receiver that sees, or has not yet destroyed, so many entities at once. So many receivers fit
    /// into the memory of a server, whatever their networks do:
    ///
    /// ```
    /// # use gametape_delta::SenderOptions;
    /// let options = SenderOptions { window: 32, ..SenderOptions::default() };
    /// let receivers = 64_000_000 / options.max_memory(1000);
    /// assert_eq!(receivers, 434);
    /// ```
    ///
    /// A sender of a fixed budget takes much less if its packets are small, or few are under way:
    /// [`Sender::memory`](crate::Sender::memory) has what it takes now. If the budget was changed, the
    /// largest one counts. A number that does not fit is `usize::MAX`.
    #[must_use]
    pub const fn max_memory(&self, entities: usize) -> usize {
        // Lists have up to twice the room that they need. An id takes 4 bytes of a packet, or more.
        let entity = size_of::<Known>() + size_of::<(u32, u32)>();
        let ids = self.budget / 4;
        let ids = if entities < ids { entities } else { ids };
        let flight = ids.saturating_mul(size_of::<u32>());
        let flight = flight.saturating_add(size_of::<Flight>() + size_of::<Vec<u32>>());
        let known = entities.saturating_add(4).saturating_mul(2 * entity);
        let flights = self.window.saturating_add(4).saturating_mul(2);
        known.saturating_add(flights.saturating_mul(flight))
    }
}

/// Takes a list out of the shared memory. Lists are exchanged if the other one is of a like size;
/// otherwise a sender of few entities would come to hold the memory of one of many.
pub(super) fn keep<T: Copy>(own: &mut Vec<T>, list: &mut Vec<T>) {
    if list.capacity() <= 2 * list.len() {
        mem::swap(own, list);
    } else {
        own.clear();
        own.extend_from_slice(list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_does_not_fit_is_the_largest_number() {
        let options = SenderOptions::default();
        assert_eq!(options.max_memory(usize::MAX), usize::MAX);
        let options = SenderOptions {
            window: usize::MAX,
            budget: usize::MAX,
            ..options
        };
        assert_eq!(options.max_memory(9), usize::MAX);
    }
}
