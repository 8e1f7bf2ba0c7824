//! The board events that the engine expects of a recording.

use crate::{BoardEvent, Cell, Face};

/// The engine's board events that the recording has yet to confirm.
pub(super) struct Expectation {
    /// The expected events of the last mouse event.
    pub events: Vec<BoardEvent>,
    /// How many have been confirmed.
    pub met: usize,
    /// Whether a mine was among the confirmed ones.
    pub blast: bool,
    /// Index of the mouse event that caused them.
    pub from: u32,
}

impl Expectation {
    pub fn clear(&mut self) {
        self.events.clear();
        self.met = 0;
    }
}

/// The number of opened cells.
pub(super) fn openings(events: &[BoardEvent]) -> u32 {
    let is_open = |event: &&BoardEvent| matches!(event.face, Face::Number(_));
    events.iter().filter(is_open).count() as u32
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
