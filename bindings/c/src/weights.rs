//! The weights of a world's entities, for one packet.

/// They are asked of the caller before the packet is made, so that the callback runs while nothing is borrowed.
#[derive(Default)]
pub(crate) struct Weights {
    /// Ascending.
    ids: Vec<u32>,
    given: Vec<u32>,
    /// Where the next one is probably.
    next: usize,
}

impl Weights {
    /// Takes the ids of the entities, whose weights are asked for next.
    pub fn set_ids(&mut self, ids: &[u32]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
    }

    pub fn ask(&mut self, ask: impl FnMut(&u32) -> u32) {
        self.next = 0;
        self.given.clear();
        self.given.extend(self.ids.iter().map(ask));
    }

    /// The weight of an entity; 0 if it was not asked for. Fast in ascending order.
    pub fn of(&mut self, id: u32) -> u32 {
        if self.ids.get(self.next) != Some(&id) {
            self.next = self.ids.partition_point(|other| *other < id);
        }
        let at = self.next;
        let is_known = self.ids.get(at) == Some(&id);
        self.next += usize::from(is_known);
        let weight = self.given.get(at).filter(|_| is_known);
        weight.copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_found_in_any_order() {
        let mut weights = Weights::default();
        weights.set_ids(&[2, 5, 9]);
        weights.ask(|id| id * 10);
        let asked = [2, 5, 9, 9, 2, 7, 10, 1, 5];
        assert_eq!(
            asked.map(|id| weights.of(id)),
            [20, 50, 90, 90, 20, 0, 0, 0, 50]
        );
    }
}
