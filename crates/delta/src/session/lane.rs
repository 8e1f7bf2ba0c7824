//! Iterating over several lists in ascending order of ids at once.

use core::mem;

use crate::snapshot::Row;

/// An item of a list that is sorted by id.
pub(super) trait Keyed {
    fn id(&self) -> u32;
}

impl Keyed for u32 {
    fn id(&self) -> u32 {
        *self
    }
}

impl<T: Keyed> Keyed for &T {
    fn id(&self) -> u32 {
        (**self).id()
    }
}

impl<T: Keyed> Keyed for &mut T {
    fn id(&self) -> u32 {
        (**self).id()
    }
}

impl Keyed for Row<'_> {
    fn id(&self) -> u32 {
        self.id
    }
}

/// An item with additional data.
impl<T: Keyed, U> Keyed for (T, U) {
    fn id(&self) -> u32 {
        self.0.id()
    }
}

/// One of the lists; it must be asked for ascending ids.
pub(super) struct Lane<I: Iterator> {
    next: Option<I::Item>,
    rest: I,
}

impl<I: Iterator<Item: Keyed>> Lane<I> {
    pub fn new(items: impl IntoIterator<IntoIter = I>) -> Self {
        let mut rest = items.into_iter();
        let next = rest.next();
        Self { next, rest }
    }

    /// Returns the id of the next item.
    #[inline(always)]
    pub fn next_id(&self) -> Option<u32> {
        self.next.as_ref().map(Keyed::id)
    }

    /// Returns the item with this id, if there is one; skips the items before it.
    #[inline(always)]
    pub fn at(&mut self, id: u32) -> Option<I::Item> {
        while self.next_id()? < id {
            self.next = self.rest.next();
        }
        if self.next_id()? == id {
            mem::replace(&mut self.next, self.rest.next())
        } else {
            None
        }
    }
}

/// Returns the smallest of the next ids; `None` if all lists have ended.
#[inline(always)]
pub(super) fn soonest<const N: usize>(ids: [Option<u32>; N]) -> Option<u32> {
    ids.into_iter().fold(None, |least, id| match (least, id) {
        (Some(least), Some(id)) => Some(least.min(id)),
        (least, id) => least.or(id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn lanes_side_by_side_name_each_id_once_with_all_that_is_known_of_it() {
        let mut numbers = [(1_u32, 'a'), (3, 'b'), (7, 'c')];
        let (mut ids, mut letters) = (Lane::new([2_u32, 3, 9]), Lane::new(&mut numbers));
        let mut seen = Vec::new();
        while let Some(id) = soonest([ids.next_id(), letters.next_id()]) {
            let letter = letters.at(id).map(|(_, letter)| *letter);
            seen.push((id, ids.at(id).is_some(), letter));
        }
        let expected = [
            (1, false, Some('a')),
            (2, true, None),
            (3, true, Some('b')),
            (7, false, Some('c')),
            (9, true, None),
        ];
        assert_eq!(seen, expected);
        // Items that are not asked for are skipped.
        let mut ids = Lane::new([2_u32, 3, 9]);
        assert_eq!((ids.at(4), ids.at(9), ids.at(9)), (None, Some(9), None));
    }
}
