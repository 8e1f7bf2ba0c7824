//! The changes of a log that are tried, the likely ones first.

use super::edit::{AimedCell, Edit};
use super::search::{Base, Search};
use super::window::Window;
use crate::divergence::explain;
use crate::model::payload::Payload;
use crate::simulation::Checkpoint;
use crate::simulation::hash::State;

/// The most ticks that may be missing.
const MISSING: usize = 8;
/// The most ticks that a command may have been moved by.
const FAR: usize = 8;

/// The candidates that are tried after the dropped commands: at the divergence and in the ticks
/// around it.
pub(super) fn near(window: &Window) -> impl Iterator<Item = Edit> + '_ {
    let at = window.at();
    let count = move |place: usize| window.commands(place).len();
    let here = count(at);
    let before = at.checked_sub(1);
    let frames = (1..=MISSING)
        .map(move |ticks| Edit::Insert(at, ticks))
        .chain([Edit::Remove(at), Edit::Exchange(at)])
        // If two exchanged frames both match in either order, the state after them is another one.
        .chain((1..=2).filter_map(move |back| at.checked_sub(back).map(Edit::Exchange)));
    let swaps = (1..here).map(move |with| Edit::Swap((at, with - 1), with));
    let again = (0..here).map(move |command| Edit::Double((at, command), at));
    let beside = before.into_iter().chain([at + 1]);
    let also = beside.clone().flat_map(move |frame| {
        (0..count(frame)).map(move |command| Edit::Double((frame, command), at))
    });
    let moves = beside
        .clone()
        .flat_map(move |other| between(window, other, at));
    let across = before.into_iter().chain([at]).map(Edit::SwapTicks);
    // A queue that leaves out a single command is the same as dropping that command.
    let cuts = (0..here.saturating_sub(1)).map(move |taken| Edit::Take(at, taken));
    frames
        .chain(moves)
        .chain(swaps)
        .chain(across)
        .chain(also)
        .chain(again)
        .chain(cuts)
}

/// The commands of two ticks, each moved to the other tick.
fn between(window: &Window, one: usize, other: usize) -> impl Iterator<Item = Edit> + '_ {
    [(one, other), (other, one)]
        .into_iter()
        .flat_map(move |(frame, to)| {
            (0..window.commands(frame).len()).flat_map(move |command| {
                [true, false].map(|first| Edit::Move((frame, command), to, first))
            })
        })
}

/// The candidates that are tried if time is left: commands moved by several ticks, and any two
/// commands of a tick swapped.
pub(super) fn far(window: &Window) -> impl Iterator<Item = Edit> + '_ {
    let at = window.at();
    let here = window.commands(at).len();
    let moves = (2..=FAR).flat_map(move |ticks| {
        let beside = at.checked_sub(ticks).into_iter().chain([at + ticks]);
        beside.flat_map(move |other| between(window, other, at))
    });
    let swaps = (0..here).flat_map(move |command| {
        (command + 2..here).map(move |with| Edit::Swap((at, command), with))
    });
    moves.chain(swaps)
}

/// Frames that were left out or doubled before the divergence. A world at rest shows them only if
/// something counts its ticks, such as the expiry of commands.
pub(super) fn frames(window: &Window) -> impl Iterator<Item = Edit> {
    (0..window.at()).rev().flat_map(|frame| {
        (1..=MISSING)
            .map(move |ticks| Edit::Insert(frame, ticks))
            .chain([Edit::Remove(frame)])
    })
}

/// The candidates at a frame before the divergence, for a simulation that may have hidden state.
pub(super) fn back(window: &Window, frame: usize) -> impl Iterator<Item = Edit> + '_ {
    let here = window.commands(frame).len();
    let drops = (0..here).map(move |command| Edit::Drop((frame, command)));
    let moves = between(window, frame, frame + 1);
    let swaps = (1..here).map(move |with| Edit::Swap((frame, with - 1), with));
    let doubles = [frame, frame + 1]
        .into_iter()
        .flat_map(move |into| (0..here).map(move |command| Edit::Double((frame, command), into)));
    let cuts = (0..here.saturating_sub(1)).map(move |taken| Edit::Take(frame, taken));
    drops
        .chain(moves)
        .chain(swaps)
        .chain(std::iter::once(Edit::SwapTicks(frame)))
        .chain(doubles)
        .chain(cuts)
}

/// The most cells that a command is aimed at one by one, if the hash does not determine the cell.
pub(super) const MOST_CELLS: usize = 1 << 16;

/// Each command aimed at each cell.
pub(super) fn cells(window: &Window, elements: Vec<AimedCell>) -> impl Iterator<Item = Edit> + '_ {
    let at = window.at();
    let commands = window.commands(at).iter().enumerate();
    let sets = commands
        .filter(|(_, command)| matches!(command.payload(), Ok(Payload::SetField { .. })))
        .map(|(command, _)| command);
    sets.flat_map(move |command| {
        let elements = elements.clone().into_iter();
        elements.map(move |cell| Edit::Aim((at, command), cell))
    })
}

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
        self.edits(near(window), share);
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
            if self.edit(&Edit::Drop((at, command))) == Some(false) {
                let aims = self.aims(command).unwrap_or_default();
                self.edits(aims.into_iter(), share);
            }
        }
    }

    /// Tries the unlikely candidates while time is left.
    pub fn far(&mut self, share: f64) {
        let window = self.window;
        self.edits(far(window), share);
        self.edits(frames(window), share);
        // In a simulation without hidden state, an edit that changes no earlier hash changes no
        // later one either.
        if !self.simulation.shows_all() {
            for frame in (0..window.at()).rev() {
                self.edits(back(window, frame), share);
            }
        }
        self.edits(cells(window, self.elements()), share);
    }

    /// Returns every element of every field, with the coordinate that a command needs to write it.
    fn elements(&self) -> Vec<AimedCell> {
        let window = self.window;
        // The cells of a large world are not listed for a tick without commands.
        if window.commands(window.at()).is_empty() {
            return Vec::new();
        }
        let elements = (0..self.fields).flat_map(|field| {
            let count = self.simulation.field(field).unwrap_or_default().len();
            (0..count).filter_map(move |element| self.aimed(field, element))
        });
        elements.take(MOST_CELLS).collect()
    }

    fn aimed(&self, field: u32, element: usize) -> Option<AimedCell> {
        let coord = self.simulation.coord_of(field, element)?;
        Some(AimedCell {
            field,
            element,
            coord,
        })
    }

    /// Returns the commands that write a differing value, with the recorded value instead.
    fn gives(&self, base: &Base) -> impl Iterator<Item = Edit> {
        let at = self.window.at();
        base.values.iter().flat_map(move |value| {
            let target = Some((value.field, value.element));
            let commands = self.window.commands(at).iter().enumerate();
            commands
                .filter(move |(_, command)| self.simulation.target(command) == target)
                .map(move |(command, _)| Edit::Give((at, command), value.recorded))
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
            let cell = self.aimed(found.field, found.element)?;
            Some(Edit::Aim((at, command), cell))
        });
        Some(aims.collect())
    }
}
