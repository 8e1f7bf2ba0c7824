//! The edits of a log in the order in which a search tries them.

use super::candidates;
use super::edit::Edit;
use super::search::{Base, Search};
use crate::explain::explain;
use crate::payload::Payload;
use crate::simulation::Checkpoint;
use crate::state::State;

impl<S: Checkpoint> Search<'_, '_, S> {
    /// Tries edits until this share of the time has passed.
    pub fn edits(&mut self, edits: impl Iterator<Item = Edit>, share: f64) {
        for edit in edits {
            if !self.lasts(share) {
                self.complete = false;
                return;
            }
            self.edit(&edit);
        }
    }

    /// Tries the likely candidates: each command left out or aimed elsewhere, then the others.
    pub fn near(&mut self, base: &Base, share: f64) {
        let window = self.window;
        let gives: Vec<Edit> = self.gives(base).collect();
        self.edits(gives.into_iter(), share);
        self.drops(share);
        self.edits(candidates::near(window), share);
    }

    /// Tries each command of the tick left out. The result also shows where else the command may
    /// have been aimed, so that a tick with many commands is processed once for both.
    fn drops(&mut self, share: f64) {
        let at = self.window.at();
        for command in 0..self.window.commands(at).len() {
            if !self.lasts(share) {
                self.complete = false;
                return;
            }
            let drop = Edit::Drop { frame: at, command };
            if self.edit(&drop) == Some(false) {
                let aims = self.aims(command).unwrap_or_default();
                self.edits(aims.into_iter(), share);
            }
        }
    }

    /// Tries the unlikely candidates while time is left.
    pub fn far(&mut self, share: f64) {
        let window = self.window;
        self.edits(candidates::far(window), share);
        self.edits(candidates::frames(window), share);
        // In a simulation without hidden state, an edit that changes no earlier hash changes no
        // later one either.
        if !self.simulation.shows_all() {
            for frame in (0..window.at()).rev() {
                self.edits(candidates::back(window, frame), share);
            }
        }
        self.edits(candidates::cells(window, self.elements()), share);
    }

    /// Returns every element of every field, with the coordinate that a command needs to write it.
    fn elements(&self) -> Vec<(u32, usize, Vec<i32>)> {
        let window = self.window;
        // The cells of a large world are not listed for a tick without commands.
        if window.commands(window.at()).is_empty() {
            return Vec::new();
        }
        let elements = (0..self.fields).flat_map(|field| {
            let count = self.simulation.field(field).unwrap_or_default().len();
            (0..count).filter_map(move |element| {
                Some((field, element, self.simulation.coord_of(field, element)?))
            })
        });
        elements.take(candidates::MOST_CELLS).collect()
    }

    /// Returns the commands that write a differing value, with the recorded value instead.
    fn gives(&self, base: &Base) -> impl Iterator<Item = Edit> {
        let at = self.window.at();
        base.values.iter().flat_map(move |value| {
            let target = Some((value.field, value.element));
            let commands = self.window.commands(at).iter().enumerate();
            commands
                .filter(move |(_, command)| self.simulation.target(command) == target)
                .map(move |(command, _)| Edit::Give {
                    frame: at,
                    command,
                    value: value.recorded,
                })
        })
    }

    /// Returns the other places that a command may have been aimed at. The tick without the command
    /// was just made; a single change of its state, to the value that the command sets, must
    /// explain the hash.
    fn aims(&self, command: usize) -> Option<Vec<Edit>> {
        let at = self.window.at();
        let stored = self.window.commands(at).iter().nth(command)?;
        let Ok(Payload::SetField { value, .. }) = stored.payload() else {
            return None;
        };
        let state = State::of(self.simulation, self.fields);
        let found = explain(&state, self.window.hash(at)?);
        let same = found
            .into_iter()
            .filter(|found| found.recorded.to_bits() == value.to_bits());
        let aims = same.filter_map(|found| {
            Some(Edit::Aim {
                frame: at,
                command,
                field: found.field,
                element: found.element,
                coord: self.simulation.coord_of(found.field, found.element)?,
            })
        });
        Some(aims.collect())
    }
}
