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
    /// largest one counts.
    #[must_use]
    pub const fn max_memory(&self, entities: usize) -> usize {
        // Lists have up to twice the room that they need. An id takes 4 bytes of a packet, or more.
        let entity = size_of::<Known>() + size_of::<(u32, u32)>();
        let ids = self.budget / 4;
        let ids = if entities < ids { entities } else { ids };
        let flight = ids * size_of::<u32>() + size_of::<Flight>() + size_of::<Vec<u32>>();
        2 * (entities + 4) * entity + 2 * (self.window + 4) * flight
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
