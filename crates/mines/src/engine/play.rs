//! A game in progress: buttons, cursor, clicks.

use super::doubt::Doubt;
use super::surface::{Status, Surface};
use crate::cell::CellArea;
use crate::{BoardEvent, Cell, Cells, Face, Game, Minefield, MouseAction, MouseEvent};

/// A kind of click, as players count them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClickKind {
    /// A left release that is not part of a chord.
    Left,
    /// A right press that is not part of a chord.
    Right,
    /// A chord.
    Double,
}

/// A click that a mouse event completed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Click {
    /// The kind.
    pub kind: ClickKind,
    /// Whether the click changed the board.
    pub effective: bool,
    /// Whether the right button of this chord had placed a flag just before: "1.5 click".
    pub one_and_a_half: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Left {
    Up,
    Down,
    /// Held, but without effect until it is pressed again, or until the right button makes both a
    /// chord again.
    Dead,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Right {
    Up,
    /// Down. It has already had its effect, or it no longer counts as a click of its own.
    Down,
    /// Down on a cell that it could not change: a wasted click, unless a chord follows.
    DownIdle,
    /// Down, and it placed a flag.
    DownFlagged,
}

/// The cells that the held buttons press: none, the one under the cursor, or also its neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grip {
    None,
    One,
    Area,
}

/// A game of Minesweeper in progress.
///
/// ```
/// use gametape_mines::{Board, Buttons, Cell, Engine, Face, Minefield, MouseAction, MouseEvent};
/// let board = Board::new(2, 1, [Cell::new(1, 0)], 0)?;
/// let mut engine = Engine::new(Minefield::new(&board), 16, false);
/// let mut shown = Vec::new();
/// let release = MouseEvent {
///     action: MouseAction::LeftUp, time_ms: 0, buttons: Buttons::NONE, x: 3, y: 3, reduced: false,
/// };
/// engine.apply(&release, &mut shown);
/// assert_eq!(shown.last().map(|event| event.face), Some(Face::Number(1)));
/// assert_eq!(engine.status(), gametape_mines::engine::Status::Won);
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Engine {
    pub(super) surface: Surface,
    cell_size: u8,
    pub(super) left: Left,
    pub(super) right: Right,
    pub(super) middle: bool,
    /// The area of the cell under the cursor.
    under_cursor: CellArea,
    pub(super) place: Option<usize>,
    pub(super) started: bool,
    /// The open question on which the effect of the next events depends.
    pub(super) question: Option<Doubt>,
}

impl Engine {
    /// A new game on a minefield, with cells of `cell_size` pixels; `marks` enables question
    /// marks.
    #[must_use]
    pub fn new(field: Minefield, cell_size: u8, marks: bool) -> Self {
        Self {
            surface: Surface::new(field, marks),
            cell_size,
            left: Left::Up,
            right: Right::Up,
            middle: false,
            under_cursor: CellArea::NONE,
            place: None,
            started: false,
            question: None,
        }
    }

    /// The engine at the start of a recorded game, with the preflags placed.
    #[must_use]
    pub fn of(game: &Game<'_>) -> Self {
        let mut engine = Self::new(Minefield::new(&game.board), game.cell_size(), game.marks());
        if let Some(flags) = &game.preflags {
            engine.preflag(flags);
        }
        engine
    }

    /// Places flags before the game begins.
    pub fn preflag(&mut self, cells: &Cells<'_>) {
        for cell in cells.iter() {
            self.surface.preflag(cell);
        }
    }

    /// The field the game is played on.
    #[must_use]
    pub const fn field(&self) -> &Minefield {
        self.surface.field()
    }

    /// Whether the game is still being played, won or lost.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.surface.status()
    }

    /// True if the game is won or lost.
    #[must_use]
    #[inline]
    pub fn is_over(&self) -> bool {
        self.surface.status() != Status::Playing
    }

    /// The number of open cells.
    #[must_use]
    pub const fn opened(&self) -> u32 {
        self.surface.opened()
    }

    /// The face that a cell shows; `None` outside of the board.
    #[must_use]
    pub fn face(&self, cell: Cell) -> Option<Face> {
        self.surface.face(cell)
    }

    /// Plays a mouse event and appends the resulting board events to `shown`. Returns the click
    /// that the event completed, if any.
    ///
    /// After the game is won or lost, events have no effect.
    #[inline]
    pub fn apply(&mut self, event: &MouseEvent, shown: &mut Vec<BoardEvent>) -> Option<Click> {
        // Most events are moves within one cell, which change nothing.
        if event.action == MouseAction::Move && self.under_cursor.contains(event.x, event.y) {
            return None;
        }
        self.apply_change(event, shown)
    }

    /// The area within which moves change nothing: the cell that a held button presses. `None` if
    /// no button is held, since then no move changes anything.
    pub(crate) fn held_cell(&self) -> Option<CellArea> {
        (self.grip() != Grip::None).then_some(self.under_cursor)
    }

    /// Handles the last of several moves that change no cell, so that the cursor's position stays right.
    pub(crate) fn hover(&mut self, event: &MouseEvent) {
        if !self.under_cursor.contains(event.x, event.y) {
            self.enter_cell(event);
        }
    }

    /// The place of the cell in which the event is, if it is on the board.
    pub(super) fn place_of(&self, event: &MouseEvent) -> Option<usize> {
        self.surface.place(event.cell(self.cell_size))
    }

    fn enter_cell(&mut self, event: &MouseEvent) {
        self.under_cursor = CellArea::of(event.cell(self.cell_size), self.cell_size);
        self.place = self.place_of(event);
    }

    /// Plays an event that is not just a move within one cell.
    fn apply_change(&mut self, event: &MouseEvent, shown: &mut Vec<BoardEvent>) -> Option<Click> {
        if self.is_over() {
            return None;
        }
        if !self.under_cursor.contains(event.x, event.y) {
            let grip = self.grip();
            if grip != Grip::None {
                self.surface.release(shown);
            }
            self.enter_cell(event);
            self.press(grip, shown);
        }
        let first = !std::mem::replace(&mut self.started, true);
        let click = self.act(event.action, first, shown);
        if self.left == Left::Up && self.right == Right::Up && !self.middle {
            self.question = None;
        }
        click
    }

    #[inline(always)]
    fn act(
        &mut self,
        action: MouseAction,
        first: bool,
        shown: &mut Vec<BoardEvent>,
    ) -> Option<Click> {
        match action {
            MouseAction::Move => None,
            MouseAction::LeftDown => {
                self.left = Left::Down;
                self.regrip(shown);
                None
            }
            MouseAction::LeftUp => {
                if first && self.left == Left::Up {
                    self.left = Left::Down;
                    self.regrip(shown);
                }
                self.left_up(shown)
            }
            MouseAction::RightDown => self.right_down(shown),
            MouseAction::RightUp => self.right_up(shown),
            MouseAction::MiddleDown => {
                self.middle = true;
                self.regrip(shown);
                None
            }
            MouseAction::MiddleUp => {
                if !std::mem::replace(&mut self.middle, false) {
                    return None;
                }
                if self.left == Left::Down {
                    self.left = Left::Dead;
                }
                Some(self.chord(false, shown))
            }
        }
    }

    pub(super) const fn grip(&self) -> Grip {
        match (self.middle, self.left, self.right) {
            (true, ..) => Grip::Area,
            (_, Left::Down, Right::Up) => Grip::One,
            (_, Left::Down, _) => Grip::Area,
            _ => Grip::None,
        }
    }

    fn press(&mut self, grip: Grip, shown: &mut Vec<BoardEvent>) {
        match grip {
            Grip::None => {}
            Grip::One => self.surface.press_one(self.place, shown),
            Grip::Area => self.surface.press_area(self.place, shown),
        }
    }

    /// The buttons changed: releases the cells that they pressed and presses those that they
    /// press now.
    fn regrip(&mut self, shown: &mut Vec<BoardEvent>) {
        self.surface.release(shown);
        self.press(self.grip(), shown);
    }

    fn left_up(&mut self, shown: &mut Vec<BoardEvent>) -> Option<Click> {
        match std::mem::replace(&mut self.left, Left::Up) {
            Left::Up | Left::Dead => None,
            // The middle button still holds the area.
            Left::Down if self.middle => None,
            Left::Down if self.right != Right::Up => {
                let one_and_a_half = self.right == Right::DownFlagged;
                self.right = Right::Down;
                Some(self.chord(one_and_a_half, shown))
            }
            Left::Down => Some(Click {
                kind: ClickKind::Left,
                effective: self.surface.open_pressed(self.place, shown),
                one_and_a_half: false,
            })
            .filter(|_| self.place.is_some()),
        }
    }

    fn right_down(&mut self, shown: &mut Vec<BoardEvent>) -> Option<Click> {
        if self.middle || self.left == Left::Down && self.right != Right::Up {
            self.right = Right::Down;
            self.regrip(shown);
            return None;
        }
        if self.left != Left::Up {
            (self.left, self.right) = (Left::Down, Right::Down);
            self.surface.widen(self.place, shown);
            return None;
        }
        let flag = self
            .place
            .and_then(|at| self.surface.toggle_flag(at, shown));
        self.right = match flag {
            None => Right::DownIdle,
            Some(true) => Right::DownFlagged,
            Some(false) => Right::Down,
        };
        flag.map(|_| Click {
            kind: ClickKind::Right,
            effective: true,
            one_and_a_half: false,
        })
    }

    fn right_up(&mut self, shown: &mut Vec<BoardEvent>) -> Option<Click> {
        let right = std::mem::replace(&mut self.right, Right::Up);
        match (right, self.left) {
            (Right::Up, _) => None,
            _ if self.middle => None,
            (_, Left::Down) => {
                self.left = Left::Dead;
                Some(self.chord(right == Right::DownFlagged, shown))
            }
            (Right::DownIdle, _) => self.place.map(|_| Click {
                kind: ClickKind::Right,
                effective: false,
                one_and_a_half: false,
            }),
            _ => None,
        }
    }

    fn chord(&mut self, one_and_a_half: bool, shown: &mut Vec<BoardEvent>) -> Click {
        Click {
            kind: ClickKind::Double,
            effective: self.surface.chord(self.place, shown),
            one_and_a_half,
        }
    }
}
