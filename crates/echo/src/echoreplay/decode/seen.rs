//! The members that objects have, so that one that is missing in a frame is noticed.

pub(super) use crate::members::bit;

/// The kinds of objects, as places in [`SeenMembers`].
pub(super) const SESSION: usize = 0;
pub(super) const PLAYSPACE: usize = 1;
pub(super) const DISC: usize = 2;
pub(super) const PAUSE: usize = 3;
pub(super) const LAST_SCORE: usize = 4;
pub(super) const LAST_THROW: usize = 5;
pub(super) const TEAM: usize = 6;
pub(super) const PLAYER: usize = 7;
pub(super) const STATS: usize = 8;
pub(super) const POSE: usize = 9;
pub(super) const BONES_ANSWER: usize = 10;
pub(super) const USER_BONES: usize = 11;
const KINDS: usize = 12;

/// For each kind of object, the members that every object of a frame has, and those that any has, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::echoreplay) struct SeenMembers {
    every: [u64; KINDS],
    any: [u64; KINDS],
}

impl SeenMembers {
    pub const NOTHING: Self = Self {
        every: [u64::MAX; KINDS],
        any: [0; KINDS],
    };

    /// Adds an object.
    #[inline]
    pub fn add(&mut self, kind: usize, has: u64) {
        if let (Some(every), Some(any)) = (self.every.get_mut(kind), self.any.get_mut(kind)) {
            *every &= has;
            *any |= has;
        }
    }

    /// Adds the members of another frame, and returns whether an object of that frame lacks one that was
    /// seen before. `required` has those that every object of its kind needs.
    #[inline]
    pub fn lacks(&mut self, frame: &Self, required: &[u64; KINDS]) -> bool {
        let mut lacks = false;
        let frame = frame.every.iter().zip(&frame.any);
        for ((seen, required), (every, any)) in self.any.iter_mut().zip(required).zip(frame) {
            *seen |= any;
            lacks |= *seen & required & !every != 0;
        }
        lacks
    }

    /// Whether any object of a kind has had a member.
    pub fn has(&self, kind: usize, bit: u64) -> bool {
        self.any.get(kind).is_some_and(|any| any & bit != 0)
    }
}
