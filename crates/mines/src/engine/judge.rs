//! Judges whether any program could have produced these board events from that mouse event.

use std::collections::BTreeSet;

use super::leeway::{Leeway, Missing};
use super::play::Engine;
use super::surface::{Cover, Surface};
use crate::minefield::{MINE, neighbours};
use crate::{BoardEvent, Face};

/// The most cells that one mouse event presses: nine where the cursor arrives, and nine again
/// where a button is pressed there.
const MOST_PRESSES: usize = 18;

/// Judges the board events of one mouse event that is in doubt.
///
/// Some rules hold in every program:
///
/// - A cell shows its own number, and an open cell stays open.
/// - An opened mine ends the game.
/// - The right button sets flags, under the cursor.
/// - An opening leaves no neighbour of a 0 closed.
/// - A chord opens all of its cells or none, and only if the number of flags equals the cell's
///   number.
///
/// In modes in which chords and flags continue by themselves, more cells may chord, under the
/// same rules. Within these bounds the judge accepts what is recorded, and the engine's board
/// follows it.
#[derive(Debug)]
pub(crate) struct Judge {
    leeway: Leeway,
    /// Cells that are still pressed according to the standard rules.
    standard: Vec<u32>,
    /// Cells that must end with this cover, regardless of the doubt.
    required: Vec<(u32, Cover)>,
    /// Presses, releases and flags that are not in doubt and have not been recorded yet.
    owed: Vec<BoardEvent>,
    /// Cells that are pressed.
    pressed: Vec<u32>,
    presses: usize,
    /// Cells that were opened by this mouse event.
    opened: BTreeSet<u32>,
    /// Whether the cell under the cursor got or lost a flag.
    flagged: bool,
    /// Cells that got a flag.
    flags: BTreeSet<u32>,
    /// Whether a mine was opened.
    blast: bool,
    /// The board events recorded so far.
    recorded: Vec<BoardEvent>,
}

impl Judge {
    /// The board events recorded so far.
    pub(crate) fn recorded(&self) -> &[BoardEvent] {
        &self.recorded
    }

    /// Why the event is in doubt.
    pub(crate) const fn leeway(&self) -> Leeway {
        self.leeway
    }

    /// Whether a cell may open: because of the mouse, because a 0 beside it opened, or because a
    /// number beside it chords by itself.
    fn reaches(&self, surface: &Surface, at: usize) -> bool {
        let mut around = neighbours(at, surface.field().stride()).into_iter();
        self.is_root(surface, at)
            || around.any(|n| self.is_opened_zero(surface, n) || self.goes_on(surface, n))
    }

    fn is_opened_zero(&self, surface: &Surface, at: usize) -> bool {
        surface.field().at(at) == 0 && self.opened.contains(&(at as u32))
    }

    /// Whether a number may open its neighbours by itself.
    fn goes_on(&self, surface: &Surface, at: usize) -> bool {
        self.leeway.opens_on && self.is_touched(surface, at) && surface.chords_at(at)
    }

    /// Whether a number may flag the closed cells around it by itself: there are exactly as many
    /// of them as the number says.
    fn forces_flags(&self, surface: &Surface, at: usize) -> bool {
        let number = surface.field().at(at);
        let closed = neighbours(at, surface.field().stride())
            .into_iter()
            .filter(|&n| {
                matches!(
                    surface.cover(n),
                    Cover::Closed | Cover::Question | Cover::Flag
                )
            });
        self.leeway.flags_on
            && surface.cover(at) == Cover::Open
            && (self.leeway.cursor == Some(at) || self.is_touched(surface, at))
            && closed.count() == usize::from(number)
    }

    /// Whether this mouse event opened the cell or flagged a neighbour of it.
    fn is_touched(&self, surface: &Surface, at: usize) -> bool {
        self.opened.contains(&(at as u32))
            || !self.flags.is_empty()
                && neighbours(at, surface.field().stride())
                    .into_iter()
                    .any(|n| self.flags.contains(&(n as u32)))
    }

    /// Whether the mouse may open the cell directly.
    fn is_root(&self, surface: &Surface, at: usize) -> bool {
        let Some(cursor) = self.leeway.cursor else {
            return false;
        };
        let clicked = self.leeway.click && at == cursor;
        clicked || self.fires(surface, cursor) && is_beside(surface, at, cursor)
    }

    /// Whether the cell under the cursor may open its neighbours.
    fn fires(&self, surface: &Surface, cursor: usize) -> bool {
        self.leeway.chord && !self.opened.contains(&(cursor as u32)) && surface.chords_at(cursor)
    }

    /// Accepts an event that the standard rules give and that the recording has too.
    fn agree(&mut self, surface: &mut Surface, at: usize, event: BoardEvent) {
        self.recorded.push(event);
        if let Some(paid) = self.owed.iter().position(|&owed| owed == event) {
            self.owed.swap_remove(paid);
        }
        match event.face {
            Face::Pressed | Face::PressedQuestion => {
                self.let_go(at);
                self.pressed.push(at as u32);
                self.presses += 1;
            }
            Face::Closed | Face::Question | Face::Flag => {
                let released = self.let_go(at);
                self.flagged |= !released && self.leeway.cursor == Some(at);
                if event.face == Face::Flag {
                    self.flags.insert(at as u32);
                }
            }
            Face::Number(_) => self.open(at),
            Face::Open | Face::Blast => {
                self.open(at);
                self.blast = true;
            }
        }
        surface.follow(at, event.face);
    }

    fn open(&mut self, at: usize) {
        self.let_go(at);
        self.opened.insert(at as u32);
    }

    /// Releases a cell; returns whether it was pressed.
    fn let_go(&mut self, at: usize) -> bool {
        let before = self.pressed.len();
        self.pressed.retain(|&pressed| pressed != at as u32);
        self.pressed.len() < before
    }

    /// Takes the next recorded event, if it is possible; returns whether it is.
    fn takes(&mut self, surface: &mut Surface, event: BoardEvent) -> bool {
        let Some(at) = surface.field().index(event.cell) else {
            return false;
        };
        let possible = self.allows(surface, at, event);
        if possible {
            self.agree(surface, at, event);
        }
        possible
    }

    /// Whether a cell is under the cursor or beside it.
    fn is_near(&self, surface: &Surface, at: usize) -> bool {
        let cursor = self.leeway.cursor;
        cursor.is_some_and(|place| at == place || is_beside(surface, at, place))
    }

    /// Whether the next event is possible after the events before it.
    fn allows(&self, surface: &Surface, at: usize, event: BoardEvent) -> bool {
        let face = event.face;
        let by_itself = face == Face::Flag && self.leeway.flags_on;
        let in_doubt = match self.leeway.missing {
            Missing::All => true,
            _ if is_open(face) || by_itself => true,
            Missing::Questions if surface.cover(at) == Cover::Question => true,
            _ => self.owed.contains(&event),
        };
        in_doubt && self.is_possible(surface, at, face)
    }

    fn is_possible(&self, surface: &Surface, at: usize, face: Face) -> bool {
        let (cover, number) = (surface.cover(at), surface.field().at(at));
        let is_pressed = self.pressed.contains(&(at as u32));
        let at_cursor = self.leeway.cursor == Some(at);
        let may_flag = self.leeway.flag && at_cursor && !self.flagged;
        let closed = matches!(cover, Cover::Closed | Cover::Question);
        match face {
            Face::Pressed | Face::PressedQuestion => {
                let near = self.is_near(surface, at);
                let fits = match cover {
                    Cover::Closed => face == Face::Pressed,
                    Cover::Question => true,
                    _ => false,
                };
                let more = self.presses < MOST_PRESSES;
                let again = self.leeway.press_again && at_cursor;
                self.leeway.press && near && fits && more && (!is_pressed || again)
            }
            Face::Closed if is_pressed => cover == Cover::Closed,
            Face::Closed => may_flag && matches!(cover, Cover::Flag | Cover::Question),
            Face::Question if is_pressed => cover == Cover::Question,
            Face::Question => may_flag && cover == Cover::Flag && surface.marks(),
            Face::Flag => {
                let mut around = neighbours(at, surface.field().stride()).into_iter();
                let mut forced = || around.any(|n| self.forces_flags(surface, n));
                cover == Cover::Closed && (may_flag || self.leeway.flags_on && forced())
            }
            Face::Number(shown) => closed && shown == number && self.reaches(surface, at),
            Face::Open | Face::Blast => closed && number == MINE && self.reaches(surface, at),
        }
    }

    /// Whether the recorded events are complete and consistent.
    fn is_whole(&self, surface: &Surface) -> bool {
        // After a mine no further events are needed.
        self.blast || self.holds_well(surface) && self.opens_well(surface)
    }

    /// Whether all pressed cells are under or around the cursor, and a button holds them.
    fn holds_well(&self, surface: &Surface) -> bool {
        let near = |at: u32| self.is_near(surface, at as usize);
        let question = |at: &u32| surface.cover(*at as usize) == Cover::Question;
        let standard = match self.leeway.missing {
            Missing::All => true,
            Missing::Nothing => {
                let all = |a: &[u32], b: &[u32]| a.iter().all(|at| b.contains(at));
                all(&self.standard, &self.pressed) && all(&self.pressed, &self.standard)
            }
            Missing::Questions => {
                let other = |a: &[u32], b: &[u32]| {
                    let mut only_a = a.iter().filter(|at| !b.contains(at));
                    only_a.all(question)
                };
                other(&self.standard, &self.pressed) && other(&self.pressed, &self.standard)
            }
        };
        let held = self.leeway.hold || self.pressed.is_empty();
        self.owed.is_empty() && standard && held && self.pressed.iter().all(|&at| near(at))
    }

    /// Whether each opening and each chord is complete, and each opened cell has a cause.
    fn opens_well(&self, surface: &Surface) -> bool {
        let stride = surface.field().stride();
        let is_done = |at: usize| {
            let mut around = neighbours(at, stride).into_iter();
            around.all(|n| surface.cover(n) != Cover::Closed)
        };
        let opened = || self.opened.iter().map(|&at| at as usize);
        let openings = opened().all(|at| surface.field().at(at) != 0 || is_done(at));
        let chord = self.leeway.cursor.is_none_or(|cursor| {
            let fired =
                self.fires(surface, cursor) && opened().any(|at| is_beside(surface, at, cursor));
            !fired || is_done(cursor)
        });
        let mut by_itself = opened().filter(|&at| !self.is_root(surface, at));
        let reached = by_itself.all(|at| {
            let mut around = neighbours(at, stride).into_iter();
            around
                .any(|n| self.is_opened_zero(surface, n) || self.goes_on(surface, n) && is_done(n))
        });
        let mut required = self.required.iter();
        openings
            && chord
            && reached
            && required.all(|&(at, cover)| surface.cover(at as usize) == cover)
    }

    /// Notes those events of the standard rules that are beyond doubt. The board is in the state
    /// before them.
    fn require(&mut self, surface: &Surface, standard: &[BoardEvent]) {
        if self.leeway.missing == Missing::All {
            return;
        }
        for event in standard {
            let Some(at) = surface.field().index(event.cell) else {
                continue;
            };
            let before = surface.cover(at);
            if !is_open(event.face) && before != Cover::Question {
                self.owed.push(*event);
            }
            let cover = match event.face {
                Face::Pressed | Face::PressedQuestion => continue,
                // A cell that opens out of the mouse's direct reach follows from the 0 beside it.
                Face::Number(_) | Face::Open | Face::Blast => {
                    let follows = before != Cover::Closed || !self.is_root(surface, at);
                    if follows && self.leeway.missing == Missing::Questions {
                        continue;
                    }
                    Cover::Open
                }
                Face::Flag => Cover::Flag,
                Face::Question => Cover::Question,
                Face::Closed => Cover::Closed,
            };
            self.required.retain(|&(place, _)| place != at as u32);
            self.required.push((at as u32, cover));
        }
    }
}

pub(super) const fn is_open(face: Face) -> bool {
    matches!(face, Face::Number(_) | Face::Open | Face::Blast)
}

fn is_beside(surface: &Surface, at: usize, centre: usize) -> bool {
    neighbours(centre, surface.field().stride()).contains(&at)
}

impl Engine {
    /// Takes back the engine's result for the last event: from here on the board follows the
    /// recording. `standard` contains the engine's events; the recording has the first `met` of
    /// them too.
    pub(crate) fn judge(&mut self, leeway: Leeway, standard: &[BoardEvent], met: usize) -> Judge {
        let mut judge = Judge {
            leeway,
            standard: self.surface.pressed().collect(),
            required: Vec::new(),
            owed: Vec::new(),
            pressed: Vec::new(),
            presses: 0,
            opened: BTreeSet::new(),
            flagged: false,
            flags: BTreeSet::new(),
            blast: false,
            recorded: Vec::new(),
        };
        self.surface.rewind();
        judge.pressed.extend(self.surface.pressed());
        judge.require(&self.surface, standard);
        for &event in standard.iter().take(met) {
            if let Some(at) = self.surface.field().index(event.cell) {
                judge.agree(&mut self.surface, at, event);
            }
        }
        judge
    }

    /// Takes the next recorded board event; returns whether it is possible.
    pub(crate) fn judge_event(&mut self, judge: &mut Judge, event: BoardEvent) -> bool {
        judge.takes(&mut self.surface, event)
    }

    /// The recorded events of the mouse event are complete. If they are possible, the engine
    /// continues from the recorded board; returns whether they are.
    pub(crate) fn accepts(&mut self, judge: &Judge) -> bool {
        let whole = judge.is_whole(&self.surface);
        if whole {
            self.surface.hold(judge.pressed.iter().copied());
        }
        whole
    }

    /// The recording is rejected: the engine continues from its own result.
    pub(crate) fn overrule(&mut self, judge: &Judge, standard: &[BoardEvent]) {
        self.surface.rewind();
        for event in standard {
            if let Some(at) = self.surface.field().index(event.cell) {
                self.surface.follow(at, event.face);
            }
        }
        self.surface.hold(judge.standard.iter().copied());
    }
}
