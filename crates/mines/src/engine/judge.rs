//! Judges whether any program could have produced these board events from that mouse event.

use std::collections::BTreeSet;

use super::leeway::{Leeway, Missing};
use super::play::Engine;
use super::squares::{Cover, Squares};
use crate::minefield::{MINE, neighbours};
use crate::{BoardEvent, Face};

/// The most squares that one mouse event presses: nine where the cursor arrives, and nine again
/// where a button is pressed there.
const MOST_PRESSES: usize = 18;

/// Judges the board events of one mouse event that is in doubt.
///
/// Some rules hold in every program:
///
/// - A square shows its own number, and an open square stays open.
/// - An opened mine ends the game.
/// - The right button sets flags, under the cursor.
/// - An opening leaves no neighbour of a 0 closed.
/// - A chord opens all of its squares or none, and only if the number of flags equals the square's
///   number.
///
/// In modes in which chords and flags continue by themselves, more squares may chord, under the
/// same rules. Within these bounds the judge accepts what is recorded, and the engine's board
/// follows it.
#[derive(Debug)]
pub(crate) struct Judge {
    leeway: Leeway,
    /// Squares that are still pressed according to the standard rules.
    standard: Vec<u32>,
    /// Squares that must end with this cover, regardless of the doubt.
    required: Vec<(u32, Cover)>,
    /// Presses, releases and flags that are not in doubt and have not been recorded yet.
    owed: Vec<BoardEvent>,
    /// Squares that are pressed.
    pressed: Vec<u32>,
    presses: usize,
    /// Squares that were opened by this mouse event.
    opened: BTreeSet<u32>,
    /// Whether the square under the cursor got or lost a flag.
    flagged: bool,
    /// Squares that got a flag.
    flags: BTreeSet<u32>,
    /// Whether a mine was opened.
    blast: bool,
    /// The board events recorded so far.
    recorded: Vec<BoardEvent>,
    /// Whether the previous position of the cursor is taken for the current one.
    went_back: bool,
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

    /// Whether a square may open: because of the mouse, because a 0 beside it opened, or because a
    /// number beside it chords by itself.
    fn reaches(&self, squares: &Squares, at: usize) -> bool {
        let mut around = neighbours(at, squares.field().stride()).into_iter();
        self.is_root(squares, at)
            || around.any(|n| self.is_opened_zero(squares, n) || self.goes_on(squares, n))
    }

    fn is_opened_zero(&self, squares: &Squares, at: usize) -> bool {
        squares.field().at(at) == 0 && self.opened.contains(&(at as u32))
    }

    /// Whether a number may open its neighbours by itself.
    fn goes_on(&self, squares: &Squares, at: usize) -> bool {
        self.leeway.opens_on && self.is_touched(squares, at) && squares.chords_at(at)
    }

    /// Whether a number may flag the closed squares around it by itself: there are exactly as many
    /// of them as the number says.
    fn forces_flags(&self, squares: &Squares, at: usize) -> bool {
        let number = squares.field().at(at);
        let closed = neighbours(at, squares.field().stride())
            .into_iter()
            .filter(|&n| {
                matches!(
                    squares.cover(n),
                    Cover::Closed | Cover::Question | Cover::Flag
                )
            });
        self.leeway.flags_on
            && squares.cover(at) == Cover::Open
            && (self.leeway.cursor == Some(at) || self.is_touched(squares, at))
            && closed.count() == usize::from(number)
    }

    /// Whether this mouse event opened the square or flagged a neighbour of it.
    fn is_touched(&self, squares: &Squares, at: usize) -> bool {
        self.opened.contains(&(at as u32))
            || !self.flags.is_empty()
                && neighbours(at, squares.field().stride())
                    .into_iter()
                    .any(|n| self.flags.contains(&(n as u32)))
    }

    /// Whether the mouse may open the square directly.
    fn is_root(&self, squares: &Squares, at: usize) -> bool {
        let Some(cursor) = self.leeway.cursor else {
            return false;
        };
        let clicked = self.leeway.click && at == cursor;
        clicked || self.fires(squares, cursor) && is_beside(squares, at, cursor)
    }

    /// Whether the square under the cursor may open its neighbours.
    fn fires(&self, squares: &Squares, cursor: usize) -> bool {
        self.leeway.chord && !self.opened.contains(&(cursor as u32)) && squares.chords_at(cursor)
    }

    /// Accepts an event that the standard rules give and that the recording has too.
    fn agree(&mut self, squares: &mut Squares, at: usize, event: BoardEvent) {
        self.recorded.push(event);
        if let Some(paid) = self.owed.iter().position(|&owed| owed == event) {
            self.owed.swap_remove(paid);
        }
        match event.face {
            Face::Pressed | Face::PressedQuestion => {
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
        squares.follow(at, event.face);
    }

    fn open(&mut self, at: usize) {
        self.let_go(at);
        self.opened.insert(at as u32);
    }

    /// Releases a square; returns whether it was pressed.
    fn let_go(&mut self, at: usize) -> bool {
        let before = self.pressed.len();
        self.pressed.retain(|&pressed| pressed != at as u32);
        self.pressed.len() < before
    }

    /// Takes the cursor's previous square for its current one; returns whether the events recorded
    /// so far are possible there.
    ///
    /// Up to here they were possible in the current square too: a square may be near both.
    fn goes_back(&mut self, squares: &mut Squares) -> bool {
        if self.went_back || self.leeway.elsewhere.is_none() {
            return false;
        }
        self.went_back = true;
        std::mem::swap(&mut self.leeway.cursor, &mut self.leeway.elsewhere);
        squares.rewind();
        self.pressed.clear();
        self.pressed.extend(squares.pressed());
        self.presses = 0;
        self.opened.clear();
        self.flagged = false;
        self.flags.clear();
        self.blast = false;
        let mut recorded = std::mem::take(&mut self.recorded).into_iter();
        recorded.all(|event| self.takes(squares, event))
    }

    /// Takes the next recorded event, if it is possible; returns whether it is.
    fn takes(&mut self, squares: &mut Squares, event: BoardEvent) -> bool {
        let Some(at) = squares.field().index(event.cell) else {
            return false;
        };
        let possible = self.allows(squares, at, event);
        if possible {
            self.agree(squares, at, event);
        }
        possible
    }

    /// Whether a square is under the cursor or beside it, at its current or its previous position.
    fn is_near(&self, squares: &Squares, at: usize) -> bool {
        let mut places = [self.leeway.cursor, self.leeway.elsewhere]
            .into_iter()
            .flatten();
        places.any(|place| at == place || is_beside(squares, at, place))
    }

    /// Whether the next event is possible after the events before it.
    fn allows(&self, squares: &Squares, at: usize, event: BoardEvent) -> bool {
        let face = event.face;
        let by_itself = face == Face::Flag && self.leeway.flags_on;
        let in_doubt = match self.leeway.missing {
            Missing::All => true,
            _ if is_open(face) || by_itself => true,
            Missing::Questions if squares.cover(at) == Cover::Question => true,
            _ => self.owed.contains(&event),
        };
        in_doubt && self.is_possible(squares, at, face)
    }

    fn is_possible(&self, squares: &Squares, at: usize, face: Face) -> bool {
        let (cover, number) = (squares.cover(at), squares.field().at(at));
        let is_pressed = self.pressed.contains(&(at as u32));
        let at_cursor = self.leeway.cursor == Some(at);
        let may_flag = self.leeway.flag && at_cursor && !self.flagged;
        let closed = matches!(cover, Cover::Closed | Cover::Question);
        match face {
            Face::Pressed | Face::PressedQuestion => {
                let near = self.is_near(squares, at);
                let fits = match cover {
                    Cover::Closed => face == Face::Pressed,
                    Cover::Question => true,
                    _ => false,
                };
                let more = self.presses < MOST_PRESSES;
                self.leeway.press && near && fits && more && !is_pressed
            }
            Face::Closed if is_pressed => cover == Cover::Closed,
            Face::Closed => may_flag && matches!(cover, Cover::Flag | Cover::Question),
            Face::Question if is_pressed => cover == Cover::Question,
            Face::Question => may_flag && cover == Cover::Flag && squares.marks(),
            Face::Flag => {
                let mut around = neighbours(at, squares.field().stride()).into_iter();
                let mut forced = || around.any(|n| self.forces_flags(squares, n));
                cover == Cover::Closed && (may_flag || self.leeway.flags_on && forced())
            }
            Face::Number(shown) => closed && shown == number && self.reaches(squares, at),
            Face::Open | Face::Blast => closed && number == MINE && self.reaches(squares, at),
        }
    }

    /// Whether the recorded events are complete and consistent.
    fn is_whole(&self, squares: &Squares) -> bool {
        // After a mine no further events are needed.
        self.blast || self.holds_well(squares) && self.opens_well(squares)
    }

    /// Whether all pressed squares are under or around the cursor, and a button holds them.
    fn holds_well(&self, squares: &Squares) -> bool {
        let near = |at: u32| self.is_near(squares, at as usize);
        let question = |at: &u32| squares.cover(*at as usize) == Cover::Question;
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

    /// Whether each opening and each chord is complete, and each opened square has a cause.
    fn opens_well(&self, squares: &Squares) -> bool {
        let stride = squares.field().stride();
        let is_done = |at: usize| {
            let mut around = neighbours(at, stride).into_iter();
            around.all(|n| squares.cover(n) != Cover::Closed)
        };
        let opened = || self.opened.iter().map(|&at| at as usize);
        let openings = opened().all(|at| squares.field().at(at) != 0 || is_done(at));
        let chord = self.leeway.cursor.is_none_or(|cursor| {
            let fired =
                self.fires(squares, cursor) && opened().any(|at| is_beside(squares, at, cursor));
            !fired || is_done(cursor)
        });
        let mut by_itself = opened().filter(|&at| !self.is_root(squares, at));
        let reached = by_itself.all(|at| {
            let mut around = neighbours(at, stride).into_iter();
            around
                .any(|n| self.is_opened_zero(squares, n) || self.goes_on(squares, n) && is_done(n))
        });
        let mut required = self.required.iter();
        openings
            && chord
            && reached
            && required.all(|&(at, cover)| squares.cover(at as usize) == cover)
    }

    /// Notes those events of the standard rules that are beyond doubt. The board is in the state
    /// before them.
    fn require(&mut self, squares: &Squares, standard: &[BoardEvent]) {
        if self.leeway.missing == Missing::All {
            return;
        }
        for event in standard {
            let Some(at) = squares.field().index(event.cell) else {
                continue;
            };
            let before = squares.cover(at);
            if !is_open(event.face) && before != Cover::Question {
                self.owed.push(*event);
            }
            let cover = match event.face {
                Face::Pressed | Face::PressedQuestion => continue,
                // A square that opens out of the mouse's direct reach follows from the 0 beside it.
                Face::Number(_) | Face::Open | Face::Blast => {
                    let follows = before != Cover::Closed || !self.is_root(squares, at);
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

fn is_beside(squares: &Squares, at: usize, centre: usize) -> bool {
    neighbours(centre, squares.field().stride()).contains(&at)
}

impl Engine {
    /// Takes back the engine's result for the last event: from here on the board follows the
    /// recording. `standard` contains the engine's events; the recording has the first `met` of
    /// them too.
    pub(crate) fn judge(&mut self, leeway: Leeway, standard: &[BoardEvent], met: usize) -> Judge {
        let mut judge = Judge {
            leeway,
            standard: self.squares.pressed().collect(),
            required: Vec::new(),
            owed: Vec::new(),
            pressed: Vec::new(),
            presses: 0,
            opened: BTreeSet::new(),
            flagged: false,
            flags: BTreeSet::new(),
            blast: false,
            recorded: Vec::new(),
            went_back: false,
        };
        self.squares.rewind();
        judge.pressed.extend(self.squares.pressed());
        judge.require(&self.squares, standard);
        for &event in standard.iter().take(met) {
            if let Some(at) = self.squares.field().index(event.cell) {
                judge.agree(&mut self.squares, at, event);
            }
        }
        judge
    }

    /// Takes the next recorded board event; returns whether it is possible.
    pub(crate) fn judge_event(&mut self, judge: &mut Judge, event: BoardEvent) -> bool {
        judge.takes(&mut self.squares, event)
            || judge.goes_back(&mut self.squares) && judge.takes(&mut self.squares, event)
    }

    /// The recorded events of the mouse event are complete. If they are possible, the engine
    /// continues from the recorded board; returns whether they are.
    pub(crate) fn accepts(&mut self, judge: &mut Judge) -> bool {
        let whole = judge.is_whole(&self.squares)
            || judge.goes_back(&mut self.squares) && judge.is_whole(&self.squares);
        if whole {
            self.squares.hold(judge.pressed.iter().copied());
        }
        whole
    }

    /// The recording is rejected: the engine continues from its own result.
    pub(crate) fn overrule(&mut self, judge: &Judge, standard: &[BoardEvent]) {
        self.squares.rewind();
        for event in standard {
            if let Some(at) = self.squares.field().index(event.cell) {
                self.squares.follow(at, event.face);
            }
        }
        self.squares.hold(judge.standard.iter().copied());
    }
}
