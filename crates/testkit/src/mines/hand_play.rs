//! A hand that plays random games on the [`simulator`](super::simulator).
//!
//! It does all that is known of ViennaSweeper, the rare things often: it presses both buttons in any order on
//! closed, open and flagged cells, moves with buttons held, leaves the board and the window and returns,
//! presses right again after a chord, presses at a new pixel, and presses outside the window. It never does
//! what is [an open question](Simulator::is_open_question), nor presses left beside the board while right is
//! down. It mostly avoids mines, so that games last and many of them are won.

use gametape_mines::{Buttons, Cell, Face, Game, MouseAction, MouseEvent};

use super::simulator::{Grip, Simulator, place};

/// The window around the board, in pixels: to the left, above, to the right and below.
const MARGINS: [i32; 4] = [12, 56, 8, 8];

/// The mouse events of a random game on the board of `game`, which need not have events of its own. The board
/// must have a safe cell.
pub(super) fn hand_play(game: &Game<'_>, rng: &mut fastrand::Rng) -> Vec<MouseEvent> {
    let size = i32::from(game.cell_size());
    let (cols, rows) = (i32::from(game.board.cols), i32::from(game.board.rows));
    let cells = (0..game.board.rows)
        .flat_map(|row| (0..game.board.cols).map(move |col| Cell::new(col, row)));
    let mut hand = Hand {
        simulator: Simulator::of(game),
        cells: cells.collect(),
        size,
        board: (cols * size, rows * size),
        at: (0, 0),
        time_ms: 0,
        buttons: Buttons::NONE,
        mouse: Vec::new(),
        rng,
    };
    let most = 100 + hand.cells.len() * hand.rng.usize(2..30);
    hand.begin();
    while !hand.simulator.is_over() && hand.mouse.len() < most {
        hand.act();
    }
    hand.mouse
}

/// A hand in play.
struct Hand<'r> {
    simulator: Simulator,
    /// All cells of the board.
    cells: Vec<Cell>,
    /// The side of a cell in pixels.
    size: i32,
    /// The board's width and height in pixels.
    board: (i32, i32),
    /// The pixel under the cursor.
    at: (i32, i32),
    time_ms: u32,
    /// The buttons that the mouse events state; the game may not know of some of them (law D).
    buttons: Buttons,
    mouse: Vec<MouseEvent>,
    rng: &'r mut fastrand::Rng,
}

impl Hand<'_> {
    /// The first click, of which only the release is recorded.
    fn begin(&mut self) {
        let cell = self.cell(|hand, cell| !hand.is_mine(cell) && hand.shows(cell, Face::Closed));
        self.at = self.pixel_of(cell);
        self.push(MouseAction::LeftUp, self.at, 0);
    }

    /// Does something that fits the buttons that are down.
    fn act(&mut self) {
        if self.one_in(6) {
            self.wander();
        }
        let (left, right) = (self.simulator.holds_left(), self.simulator.holds_right());
        let unknown_left = self.buttons.left() && !left;
        let unknown_right = self.buttons.right() && !right;
        if (unknown_left || unknown_right) && self.one_in(3) {
            let pixel = self.any_pixel();
            let action = if unknown_left {
                MouseAction::LeftUp
            } else {
                MouseAction::RightUp
            };
            return self.button(action, pixel);
        }
        match (left, right) {
            (false, false) => self.press_one(),
            (true, false) => self.with_left_down(),
            (false, true) => self.with_right_down(),
            (true, true) => {
                let pixel = self.end_of_chord();
                let action = if self.rng.bool() {
                    MouseAction::LeftUp
                } else {
                    MouseAction::RightUp
                };
                self.button(action, pixel);
            }
        }
    }

    fn press_one(&mut self) {
        if self.one_in(25) {
            return self.press_outside();
        }
        let pixel = match self.rng.u8(..12) {
            0 => self.beside(),
            1..=5 => self.pixel(Self::fires),
            _ => self.pixel(|_, _| true),
        };
        if self.rng.bool() {
            self.button(MouseAction::LeftDown, pixel);
        } else {
            let pixel = self.place_for_right();
            self.button(MouseAction::RightDown, pixel);
        }
    }

    fn with_left_down(&mut self) {
        let is_chord_over = self.simulator.grip() == Grip::Nothing;
        let pixel = match self.rng.u8(..12) {
            0..=4 => self.pixel(Self::fires),
            5..=7 => self.pixel(|hand, cell| hand.shows(cell, Face::Closed)),
            _ => self.pixel(|_, _| true),
        };
        let again = if is_chord_over { 2 } else { 4 };
        if self.one_in(again) {
            return self.button(MouseAction::RightDown, pixel);
        }
        let pixel = if is_chord_over {
            self.any_pixel()
        } else {
            self.end_of_click()
        };
        self.button(MouseAction::LeftUp, pixel);
    }

    fn with_right_down(&mut self) {
        let pixel = match self.rng.u8(..12) {
            0 => self.beside(),
            1..=5 => self.pixel(Self::fires),
            _ => self.pixel(|_, _| true),
        };
        if self.one_in(2) && self.is_on_board(pixel) {
            self.button(MouseAction::LeftDown, pixel);
        } else {
            self.button(MouseAction::RightUp, pixel);
        }
    }

    /// Where to press right alone: mostly, it sets a flag on a mine or removes one from a safe cell.
    fn place_for_right(&mut self) -> (i32, i32) {
        match self.rng.u8(..20) {
            0 => self.beside(),
            1 => self.pixel(|hand, cell| hand.shows(cell, Face::Flag)),
            2 => self.pixel(|hand, cell| hand.shows(cell, Face::Closed)),
            3..=5 => self.pixel(|hand, cell| matches!(hand.simulator.face(cell), Face::Number(_))),
            6..=9 => self.pixel(|hand, cell| hand.shows(cell, Face::Flag) && !hand.is_mine(cell)),
            _ => self.pixel(|hand, cell| hand.shows(cell, Face::Closed) && hand.is_mine(cell)),
        }
    }

    /// Where to release a left button that presses one cell: seldom on a mine.
    fn end_of_click(&mut self) -> (i32, i32) {
        match self.rng.u16(..600) {
            0..=1 => self.pixel(|hand, cell| hand.is_closed(cell) && hand.is_mine(cell)),
            2..=50 => self.any_pixel(),
            51..=150 => self.pixel(|hand, cell| !hand.is_closed(cell)),
            _ => self.pixel(|hand, cell| hand.is_closed(cell) && !hand.is_mine(cell)),
        }
    }

    /// Where to end a chord: seldom where it opens a mine.
    fn end_of_chord(&mut self) -> (i32, i32) {
        match self.rng.u16(..600) {
            0..=5 => self.pixel(Self::is_deadly),
            6..=50 => self.beside(),
            51..=200 => self.pixel(|hand, cell| !hand.is_deadly(cell)),
            _ => self.pixel(Self::fires),
        }
    }

    /// Moves somewhere: on the board, beside it, or out of the window while left is captured.
    fn wander(&mut self) {
        for _ in 0..self.rng.usize(1..4) {
            let pixel = match self.rng.u8(..4) {
                0 => self.beside(),
                1 if self.simulator.holds_left() => self.outside(),
                _ => self.pixel(|_, _| true),
            };
            self.go(pixel);
        }
    }

    /// Presses a button outside the window, which is not recorded: the next move states it (law D).
    fn press_outside(&mut self) {
        let pixel = self.beside();
        self.go(pixel);
        let action = if self.rng.bool() {
            MouseAction::LeftDown
        } else {
            MouseAction::RightDown
        };
        // Changes nothing if the button is down outside the window already.
        self.buttons = self.buttons.after(action);
        let pixel = self.any_pixel();
        let gap = self.rng.u32(20..400);
        self.push(MouseAction::Move, pixel, gap);
    }

    /// Presses or releases a button: at the pixel where the cursor is, or at a new one, where it brings a move
    /// (law C).
    fn button(&mut self, action: MouseAction, pixel: (i32, i32)) {
        let is_press = matches!(action, MouseAction::LeftDown | MouseAction::RightDown);
        if is_press && self.buttons.after(action) == self.buttons {
            // It is down already, although the game does not know (law D).
            return;
        }
        let comes_with_move = self.one_in(4);
        if comes_with_move {
            let (x, y) = pixel;
            let near = (x + self.rng.i32(-3..=3), y + self.rng.i32(-3..=3));
            if self.is_in_window(near) {
                self.go(near);
            }
        } else {
            self.go(pixel);
        }
        let is_new = self.at != pixel;
        let event = self.event(action, pixel);
        if self.simulator.is_over() || self.simulator.is_open_question(&event) {
            // The cursor is there already, or will come there by other moves.
            return;
        }
        let gap = self.gap();
        self.push(action, pixel, gap);
        if is_new {
            let gap = self.rng.u32(0..=1);
            self.push(MouseAction::Move, pixel, gap);
        }
    }

    /// Moves to a pixel in a few steps.
    fn go(&mut self, pixel: (i32, i32)) {
        let from = self.at;
        // Beyond the window, moves are seen only while left is held.
        let steps = if self.is_in_window(from) || self.simulator.holds_left() {
            self.rng.i32(1..=4)
        } else {
            1
        };
        for step in 1..=steps {
            let part = |from: i32, to: i32| from + (to - from) * step / steps;
            let next = (part(from.0, pixel.0), part(from.1, pixel.1));
            if next != self.at {
                let gap = self.gap();
                self.push(MouseAction::Move, next, gap);
            }
        }
    }

    fn push(&mut self, action: MouseAction, pixel: (i32, i32), gap: u32) {
        self.time_ms += gap;
        let event = self.event(action, pixel);
        (self.at, self.buttons) = (pixel, event.buttons);
        self.simulator.step(&event);
        self.mouse.push(event);
    }

    /// What a recording would store if this happened now.
    fn event(&self, action: MouseAction, (x, y): (i32, i32)) -> MouseEvent {
        MouseEvent {
            action,
            time_ms: self.time_ms,
            buttons: self.buttons.after(action),
            x,
            y,
            reduced: false,
        }
    }

    fn gap(&mut self) -> u32 {
        match self.rng.u8(..4) {
            0 => 0,
            1 => self.rng.u32(0..=2),
            _ => self.rng.u32(1..60),
        }
    }

    fn one_in(&mut self, cases: u8) -> bool {
        self.rng.u8(..cases) == 0
    }

    fn is_mine(&self, cell: Cell) -> bool {
        self.simulator.is_mine(cell)
    }

    fn shows(&self, cell: Cell, face: Face) -> bool {
        self.simulator.face(cell) == face
    }

    /// Whether a click opens the cell.
    fn is_closed(&self, cell: Cell) -> bool {
        self.shows(cell, Face::Closed) || self.shows(cell, Face::Pressed)
    }

    /// The closed neighbours of a number that has as many flags around it.
    fn opened_by_chord(&self, cell: Cell) -> Vec<Cell> {
        if !matches!(self.simulator.face(cell), Face::Number(1..)) {
            return Vec::new();
        }
        let mut around = self.simulator.neighbours(place(cell));
        let flags = around.iter().filter(|&&cell| self.shows(cell, Face::Flag));
        if self.shows(cell, Face::Number(flags.count() as u8)) {
            around.retain(|&cell| self.is_closed(cell));
        } else {
            around.clear();
        }
        around
    }

    /// Whether a chord opens a mine.
    fn is_deadly(&self, cell: Cell) -> bool {
        let opened = self.opened_by_chord(cell);
        opened.into_iter().any(|cell| self.is_mine(cell))
    }

    /// Whether a chord opens safe cells only.
    fn fires(&self, cell: Cell) -> bool {
        let opened = self.opened_by_chord(cell);
        !opened.is_empty() && !opened.into_iter().any(|cell| self.is_mine(cell))
    }

    /// A random cell that is wanted; where none is, a safe one that is open or has a flag; else, any.
    fn cell(&mut self, is_wanted: impl Fn(&Self, Cell) -> bool) -> Cell {
        // The search begins anywhere.
        let (behind, first) = self.cells.split_at(self.rng.usize(..self.cells.len()));
        let mut cells = first.iter().chain(behind).copied();
        let harmless = |&cell: &Cell| !self.is_closed(cell) && !self.is_deadly(cell);
        let wanted = cells.clone().find(|&cell| is_wanted(self, cell));
        let found = wanted.or_else(|| cells.find(harmless));
        found.unwrap_or(self.cells[0])
    }

    /// A random pixel of such a cell.
    fn pixel(&mut self, is_wanted: impl Fn(&Self, Cell) -> bool) -> (i32, i32) {
        let cell = self.cell(is_wanted);
        self.pixel_of(cell)
    }

    fn pixel_of(&mut self, cell: Cell) -> (i32, i32) {
        let (col, row) = place(cell);
        let mut within = |at: i32| at * self.size + self.rng.i32(0..self.size);
        (within(col), within(row))
    }

    /// A pixel of the board or beside it.
    fn any_pixel(&mut self) -> (i32, i32) {
        if self.one_in(4) {
            self.beside()
        } else {
            self.pixel(|hand, cell| !hand.is_closed(cell))
        }
    }

    /// A pixel beside the board, but inside the window.
    fn beside(&mut self) -> (i32, i32) {
        self.around(MARGINS, 0)
    }

    /// A pixel outside the window.
    fn outside(&mut self) -> (i32, i32) {
        self.around([40; 4], 1)
    }

    /// A pixel within a margin around the board, or around the window.
    fn around(&mut self, margins: [i32; 4], windows: i32) -> (i32, i32) {
        let [left, above, right, below] = MARGINS.map(|margin| margin * windows);
        let (width, height) = self.board;
        let (x, y) = (self.rng.i32(0..width), self.rng.i32(0..height));
        let side = self.rng.usize(..4);
        let distance = self.rng.i32(0..margins[side]);
        match side {
            0 => (-left - 1 - distance, y),
            1 => (x, -above - 1 - distance),
            2 => (width + right + distance, y),
            _ => (x, height + below + distance),
        }
    }

    fn is_on_board(&self, (x, y): (i32, i32)) -> bool {
        (0..self.board.0).contains(&x) && (0..self.board.1).contains(&y)
    }

    fn is_in_window(&self, (x, y): (i32, i32)) -> bool {
        let [left, above, right, below] = MARGINS;
        (-left..self.board.0 + right).contains(&x) && (-above..self.board.1 + below).contains(&y)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gametape_mines::Version;

    use super::super::simulator::brings_its_move;
    use super::super::{mouse_of, random_game};
    use super::*;

    /// Random games of both versions.
    fn games() -> impl Iterator<Item = Game<'static>> {
        (0..60).map(|seed| {
            let version = [Version::V1, Version::V2][seed as usize % 2];
            random_game(version, &mut fastrand::Rng::with_seed(seed))
        })
    }

    /// What happens in a game.
    fn events_of_note(game: &Game<'_>) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut simulator = Simulator::of(game);
        let mouse = mouse_of(game);
        for (at, event) in mouse.iter().enumerate() {
            let (col, row) = event.cell(game.cell_size());
            let is_on_board = (0..game.board.cols.into()).contains(&col)
                && (0..game.board.rows.into()).contains(&row);
            let face = is_on_board.then(|| simulator.face(Cell::new(col as u8, row as u8)));
            let action = event.action.name();
            if brings_its_move(&mouse, at) {
                seen.insert(format!("{action} with its move"));
            }
            if event.action == MouseAction::Move
                && event.buttons != mouse[at.saturating_sub(1)].buttons
            {
                seen.insert("press outside".to_owned());
            }
            if event.action == MouseAction::RightDown && simulator.holds_left() {
                let face = match face {
                    Some(Face::Closed | Face::Pressed) => "a closed cell",
                    Some(Face::Flag) => "a flag",
                    _ => "an open cell",
                };
                let again = match simulator.grip() {
                    Grip::Nothing => " again",
                    Grip::Single | Grip::Chord => "",
                };
                seen.insert(format!("both{again} on {face}"));
            }
            if simulator.grip() == Grip::Chord && event.action != MouseAction::Move {
                let place = if is_on_board { "on" } else { "beside" };
                seen.insert(format!("{action} ends a chord {place} the board"));
            }
            if simulator.grip() == Grip::Single && event.action == MouseAction::LeftUp {
                seen.insert(format!(
                    "left released on {}",
                    face.map_or("nothing", Face::name)
                ));
            }
            simulator.step(event);
        }
        let outcome = game.ending.map_or("no end", |ending| ending.outcome.name());
        seen.insert(outcome.to_owned());
        seen
    }

    #[test]
    fn hands_do_all_that_is_known() {
        let seen: BTreeSet<String> = games().flat_map(|game| events_of_note(&game)).collect();
        let wanted = [
            "both again on a closed cell",
            "both again on an open cell",
            "both on a closed cell",
            "both on a flag",
            "both on an open cell",
            "blast",
            "left released on flag",
            "left released on nothing",
            "left released on pressed",
            "lmb_down with its move",
            "lmb_up ends a chord beside the board",
            "lmb_up ends a chord on the board",
            "lmb_up with its move",
            "other",
            "press outside",
            "rmb_down with its move",
            "rmb_up ends a chord beside the board",
            "rmb_up ends a chord on the board",
            "rmb_up with its move",
            "win",
        ];
        for wanted in wanted {
            assert!(seen.contains(wanted), "{wanted} is not in {seen:#?}");
        }
        assert!(!seen.contains("both again on a flag"), "an open question");
    }
}
