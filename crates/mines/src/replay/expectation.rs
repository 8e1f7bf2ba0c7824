//! The board events that the engine expects of a recording.

use crate::rmv::Events;
use crate::{BoardEvent, Cell, Event, Face};

/// The engine's board events that the recording has yet to confirm.
#[derive(Clone)]
pub(super) struct Expectation {
    /// Expected events: those left over from the previous mouse event, then those of the last one.
    pub events: Vec<BoardEvent>,
    /// How many of them are left over.
    pub late: usize,
    /// How many have been confirmed.
    pub met: usize,
    /// Whether a mine was among the confirmed ones.
    pub blast: bool,
    /// Index of the mouse event that caused the first of them.
    pub from: u32,
}

impl Expectation {
    /// Makes the events that are not confirmed yet those left over from the previous mouse event.
    pub fn delay(&mut self) {
        self.events.drain(..self.met);
        self.late = self.events.len();
        self.met = 0;
    }

    pub fn clear(&mut self) {
        self.events.clear();
        self.late = 0;
        self.met = 0;
    }
}

/// The number of opened cells.
pub(super) fn openings(events: &[BoardEvent]) -> u32 {
    let is_open = |event: &&BoardEvent| matches!(event.face, Face::Number(_));
    events.iter().filter(is_open).count() as u32
}

/// Whether these board events come next in a recording.
pub(super) fn comes_next(events: &Events<'_>, wanted: &[BoardEvent]) -> bool {
    let mut wanted = wanted.iter();
    for event in events.clone() {
        match event {
            Event::Board(recorded) if wanted.next().is_some_and(|&w| same(w, recorded)) => {}
            Event::Timestamp(_) => continue,
            _ => return false,
        }
        if wanted.len() == 0 {
            return true;
        }
    }
    wanted.len() == 0
}

/// A cell and the face that it shows; both codes of a blast count as the same.
pub(super) fn cell_of(event: &BoardEvent) -> (Cell, u8) {
    let face = match event.face {
        Face::Open => Face::Blast,
        face => face,
    };
    (event.cell, face.code())
}

/// Code 14 "works as `open_blast`" (specification, "`board_event_type`").
pub(super) fn same(wanted: BoardEvent, recorded: BoardEvent) -> bool {
    wanted == recorded
        || (wanted.cell == recorded.cell
            && wanted.face == Face::Blast
            && recorded.face == Face::Open)
}
