//! Mouse events that wait to be measured, each figure by itself, so that many are measured at once.

use crate::MouseEvent;

/// Where the cursor was, and when.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Sample {
    pub time_ms: u32,
    pub x: i32,
    pub y: i32,
}

/// Mouse events that wait.
pub(super) const WAITING: usize = 256;

pub(super) struct Moves {
    /// Time, x and y of each in one number: one store is all that a quiet move costs.
    packed: [u64; WAITING],
    count: usize,
    way: usize,
    /// The way began before what waits.
    is_cut: bool,
    ends: [u16; WAITING],
    buttons: usize,
}

impl Moves {
    pub const fn new() -> Self {
        Self {
            packed: [0; WAITING],
            count: 0,
            way: 0,
            is_cut: false,
            ends: [0; WAITING],
            buttons: 0,
        }
    }

    pub const fn is_full(&self) -> bool {
        self.count >= WAITING
    }

    /// One more; it is lost where there is no room.
    #[inline(always)]
    pub fn push(&mut self, event: &MouseEvent) {
        if let Some(slot) = self.packed.get_mut(self.count) {
            // Version 1 has room for a screen of 65,000 pixels: a step there is as long as it was.
            let [x, y] = [event.x, event.y].map(|at| u64::from(at as u16));
            *slot = u64::from(event.time_ms) << 32 | x << 16 | y;
            self.count += 1;
        }
    }

    pub const fn clear(&mut self) {
        self.is_cut = self.way != self.count;
        self.count = 0;
        self.way = 0;
        self.buttons = 0;
    }

    /// The last one is of a button: its way ends there, and another begins behind it.
    #[inline(always)]
    pub fn end_way(&mut self) {
        self.way = self.count;
        self.is_cut = false;
        if let Some(slot) = self.ends.get_mut(self.buttons) {
            *slot = self.count.saturating_sub(1) as u16;
            self.buttons += 1;
        }
    }

    /// Where the button events are.
    pub fn ends(&self) -> &[u16] {
        self.ends.get(..self.buttons).unwrap_or_default()
    }

    /// Where the way began that goes on, if all of it waits.
    pub fn way(&self) -> Option<usize> {
        (!self.is_cut).then_some(self.way)
    }

    pub fn packed(&self) -> &[u64] {
        self.packed.get(..self.count).unwrap_or_default()
    }

    pub const fn len(&self) -> usize {
        self.count
    }

    pub fn get(&self, at: usize) -> Option<Sample> {
        let packed = *self.packed().get(at)?;
        Some(Sample {
            time_ms: time(packed),
            x: i32::from(x(packed)),
            y: i32::from(y(packed)),
        })
    }
}

pub(super) const fn time(packed: u64) -> u32 {
    (packed >> 32) as u32
}

pub(super) const fn x(packed: u64) -> i16 {
    (packed >> 16) as i16
}

pub(super) const fn y(packed: u64) -> i16 {
    packed as i16
}
