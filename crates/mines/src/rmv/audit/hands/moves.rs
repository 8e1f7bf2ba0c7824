//! Mouse events that wait to be measured, each figure by itself, so that many are measured at once.

use super::Sample;
use crate::MouseEvent;

/// Mouse events that wait.
pub(super) const WAITING: usize = 256;

pub(super) struct Moves {
    times: [u32; WAITING],
    xs: [i16; WAITING],
    ys: [i16; WAITING],
    count: usize,
}

impl Moves {
    pub const fn new() -> Self {
        Self {
            times: [0; WAITING],
            xs: [0; WAITING],
            ys: [0; WAITING],
            count: 0,
        }
    }

    pub const fn is_full(&self) -> bool {
        self.count >= WAITING
    }

    /// One more; it is lost where there is no room.
    #[inline(always)]
    pub fn push(&mut self, event: &MouseEvent) {
        let at = self.count;
        let (Some(time), Some(x), Some(y)) = (
            self.times.get_mut(at),
            self.xs.get_mut(at),
            self.ys.get_mut(at),
        ) else {
            return;
        };
        *time = event.time_ms;
        // Version 1 has room for a screen of 65,000 pixels: a step there is as long as it was.
        *x = event.x as i16;
        *y = event.y as i16;
        self.count = at + 1;
    }

    pub const fn clear(&mut self) {
        self.count = 0;
    }

    pub fn times(&self) -> &[u32] {
        self.times.get(..self.count).unwrap_or_default()
    }

    pub fn xs(&self) -> &[i16] {
        self.xs.get(..self.count).unwrap_or_default()
    }

    pub fn ys(&self) -> &[i16] {
        self.ys.get(..self.count).unwrap_or_default()
    }

    pub const fn len(&self) -> usize {
        self.count
    }

    pub fn get(&self, at: usize) -> Option<Sample> {
        Some(Sample {
            time_ms: *self.times().get(at)?,
            x: i32::from(*self.xs.get(at)?),
            y: i32::from(*self.ys.get(at)?),
        })
    }
}
