//! A buffer of mouse events that wait to be measured, one array per figure, so that many are
//! measured at once. In the pass itself, a quiet move then costs no more than storing it.

use super::path::{self, WAITING, distance};
use crate::rmv::{MoveSlots, Packed};
use crate::{MouseEvent, Version};

/// The cursor's position and the time.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Sample {
    pub time_ms: u32,
    pub x: i32,
    pub y: i32,
}

/// Consecutive mouse events that wait to be measured, at most [`WAITING`].
pub(crate) struct Moves {
    version: Version,
    times: [u32; WAITING],
    /// Distances from the left and from the top, measured from the [origin](Packed::origin).
    xs: [u16; WAITING],
    ys: [u16; WAITING],
    count: usize,
    /// Time and position of the event before the waiting ones.
    before: Option<(u32, (u16, u16))>,
    /// The number of events before the waiting ones.
    measured: u32,
    /// The index at which the current path began.
    path_start: usize,
    /// Whether the current path began before the waiting events.
    path_is_cut: bool,
    /// The indices of the button events; the first `buttons` are in use.
    button_events: [u16; WAITING],
    buttons: usize,
    /// The sum of the distances from event to event, in pixels, up to the waiting events.
    path_px: f64,
}

impl Moves {
    pub fn new(version: Version) -> Self {
        Self {
            version,
            times: [0; WAITING],
            xs: [0; WAITING],
            ys: [0; WAITING],
            count: 0,
            before: None,
            measured: 0,
            path_start: 0,
            path_is_cut: false,
            button_events: [0; WAITING],
            buttons: 0,
            path_px: 0.0,
        }
    }

    pub const fn is_full(&self) -> bool {
        self.count >= WAITING
    }

    /// The free slots after the waiting events.
    pub fn free_slots(&mut self) -> MoveSlots<'_> {
        MoveSlots {
            times: self.times.get_mut(self.count..).unwrap_or_default(),
            xs: self.xs.get_mut(self.count..).unwrap_or_default(),
            ys: self.ys.get_mut(self.count..).unwrap_or_default(),
        }
    }

    /// Adds the `count` events that were written to [`Self::free_slots`].
    pub const fn put(&mut self, count: usize) {
        self.count += count;
    }

    /// Adds an event. If the buffer is full, the event is dropped.
    pub fn push(&mut self, event: &MouseEvent) {
        let packed = Packed::of(self.version, event);
        let slots = self.free_slots();
        if let (Some(time), Some(x), Some(y)) = (
            slots.times.first_mut(),
            slots.xs.first_mut(),
            slots.ys.first_mut(),
        ) {
            *time = packed.time_ms();
            (*x, *y) = (packed.x(), packed.y());
            self.count += 1;
        }
    }

    /// The last event is a button event: its path ends there, and the next one begins after it.
    pub fn end_path(&mut self) {
        self.path_start = self.count;
        self.path_is_cut = false;
        if let Some(slot) = self.button_events.get_mut(self.buttons) {
            *slot = self.count.saturating_sub(1) as u16;
            self.buttons += 1;
        }
    }

    /// Empties the buffer after the waiting events have been measured.
    pub fn clear(&mut self) {
        self.follow();
        self.measured += self.count as u32;
        let (xs, ys) = self.places();
        let place = xs.last().copied().zip(ys.last().copied());
        let last = self.times().last().copied().zip(place);
        self.before = last.or(self.before);
        self.path_is_cut = self.path_start != self.count;
        self.count = 0;
        self.path_start = 0;
        self.buttons = 0;
    }

    /// Adds the length of the path up to the last event.
    fn follow(&mut self) {
        let (xs, ys) = self.places();
        let mut path_px = self.path_px;
        if let (Some((_, before)), Some(x), Some(y)) = (self.before, xs.first(), ys.first()) {
            path_px += distance(before, (*x, *y));
        }
        self.path_px = path::follow(path_px, xs, ys);
    }

    /// The number of mouse events so far, including the waiting ones.
    pub const fn events(&self) -> u32 {
        self.measured + self.count as u32
    }

    /// The length of the path up to the waiting events, in pixels.
    pub const fn path_px(&self) -> f64 {
        self.path_px
    }

    /// The indices of the button events.
    pub fn button_events(&self) -> &[u16] {
        self.button_events.get(..self.buttons).unwrap_or_default()
    }

    /// The index at which the current path began, if all of it is waiting.
    pub fn path_start(&self) -> Option<usize> {
        (!self.path_is_cut).then_some(self.path_start)
    }

    pub const fn len(&self) -> usize {
        self.count
    }

    /// The times of the waiting events.
    pub fn times(&self) -> &[u32] {
        self.times.get(..self.count).unwrap_or_default()
    }

    /// The time of the event before the first waiting one; `None` at the start of the recording.
    pub fn before_ms(&self) -> Option<u32> {
        self.before.map(|(time, _)| time)
    }

    /// The positions of the waiting events, from the left and from the top, measured from the
    /// [origin](Packed::origin).
    pub fn places(&self) -> (&[u16], &[u16]) {
        (
            self.xs.get(..self.count).unwrap_or_default(),
            self.ys.get(..self.count).unwrap_or_default(),
        )
    }

    /// Converts a [position](Self::places) to pixels.
    pub fn pixel(&self, (x, y): (u16, u16)) -> (i32, i32) {
        let (left, top) = Packed::origin(self.version);
        let from = |at: u16, origin: u16| i32::from(at) - i32::from(origin);
        (from(x, left), from(y, top))
    }

    pub fn get(&self, at: usize) -> Option<Sample> {
        let (xs, ys) = self.places();
        let (x, y) = self.pixel((*xs.get(at)?, *ys.get(at)?));
        Some(Sample {
            time_ms: *self.times().get(at)?,
            x,
            y,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Buttons, MouseAction};

    proptest! {
        /// The sum is equal, to the last bit, to adding one distance after the other, no matter how
        /// many are added at a time.
        #[test]
        fn the_path_is_added_up_in_order(
            places in prop::collection::vec((-12..3000_i32, -56..2000_i32), 0..900),
            far in prop::collection::vec((-32_780..32_755_i32, -32_800..32_711_i32), 0..20),
        ) {
            let places: Vec<(i32, i32)> = places.into_iter().chain(far).collect();
            let mut moves = Moves::new(Version::V1);
            let mut simple = 0.0;
            let mut last = None;
            for (at, &(x, y)) in places.iter().enumerate() {
                let event = MouseEvent {
                    action: MouseAction::Move,
                    time_ms: at as u32,
                    buttons: Buttons::NONE,
                    x,
                    y,
                    reduced: false,
                };
                if moves.is_full() {
                    moves.clear();
                }
                moves.push(&event);
                if let Some((left, top)) = last.replace((x, y)) {
                    let (dx, dy) = (f64::from(x - left), f64::from(y - top));
                    simple += (dx * dx + dy * dy).sqrt();
                }
            }
            moves.clear();
            prop_assert_eq!(moves.path_px().to_bits(), f64::to_bits(simple));
            prop_assert_eq!(moves.events() as usize, places.len());
        }
    }
}
