//! The way of a mouse, from click to click.

use super::board::Signs;
use super::hash::{CERTAIN, mix, mix_all};
use super::pieces::Pieces;
use crate::{BoardEvent, Face, MouseAction, MouseEvent};

/// Clicks of a piece that open something, by the squares between them: a few bits each.
const BY_SQUARES: usize = 20;
/// By the pixels between them.
const BY_PIXELS: usize = 14;
/// By the milliseconds between them: some clocks have steps of 16.
const BY_TIMES: usize = 16;
/// Of fewer clicks the pixels between all of them tell a way, if they are so many.
const FEW: u64 = 3;
/// What one of those tells, carefully.
const BITS: u64 = 5;

/// A point that a button went down at, in some unit.
type Point = (i64, i64);

/// From where to where, twice: what does not change when the board is moved, mirrored or rotated.
#[derive(Clone, Copy, Default)]
struct Turn {
    last: Option<Point>,
    /// From the point before to the last.
    came: Option<Point>,
}

impl Turn {
    /// The next point; what it looks like from the last ones, with this button.
    fn go(&mut self, to: Point, button: u8) -> Option<u64> {
        let from = self.last.replace(to)?;
        let goes = (to.0 - from.0, to.1 - from.1);
        let came = self.came.replace(goes)?;
        let along = came.0 * goes.0 + came.1 * goes.1;
        let aside = came.0 * goes.1 - came.1 * goes.0;
        let far = goes.0 * goes.0 + goes.1 * goes.1;
        Some(mix_all([along, aside.abs(), far, i64::from(button)]))
    }
}

/// The way of the mouse in a game, as far as buttons are pressed.
///
/// The moves in between are left out: some more or less, or other ones, make no other way.
pub(super) struct Way {
    square: u8,
    /// All clicks, as they are.
    whole: u64,
    clicks: u8,
    squares: (Turn, Pieces<BY_SQUARES>),
    pixels: (Turn, Pieces<BY_PIXELS>),
    last_ms: Option<u32>,
    times: Pieces<BY_TIMES>,
}

impl Way {
    pub fn new(square: u8) -> Self {
        Self {
            square,
            whole: 0,
            clicks: 0,
            squares: (Turn::default(), Pieces::new()),
            pixels: (Turn::default(), Pieces::new()),
            last_ms: None,
            times: Pieces::new(),
        }
    }

    /// The next event, and what the board did.
    pub fn follow(&mut self, event: &MouseEvent, shown: &[BoardEvent]) {
        let action = event.action;
        if action == MouseAction::Move {
            return;
        }
        let opens = |shown: &BoardEvent| matches!(shown.face, Face::Number(_) | Face::Open);
        if shown.iter().any(opens) {
            // Whichever way it was opened: what flags and idle clicks there are is no matter.
            let (col, row) = event.square(self.square);
            if let Some(turn) = self.squares.0.go((col.into(), row.into()), 0) {
                self.squares.1.push(turn);
            }
        }
        let (x, y) = (i64::from(event.x), i64::from(event.y));
        let time = i64::from(event.time_ms);
        self.whole = mix(self.whole ^ mix_all([i64::from(action.code()), time, x, y]));
        let is_down = matches!(
            action,
            MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
        );
        // The press of the first click is not recorded.
        if !is_down && self.last_ms.is_some() {
            return;
        }
        self.clicks = self.clicks.saturating_add(1);
        if let Some(turn) = self.pixels.0.go((x, y), action.code()) {
            self.pixels.1.push(turn);
        }
        if let Some(last) = self.last_ms.replace(event.time_ms) {
            let since = i64::from(event.time_ms) - i64::from(last);
            self.times.push(mix_all([since]));
        }
    }

    /// All that buttons did, at its time and in its place, and how many clicks that were.
    pub const fn whole(&self) -> (u64, u8) {
        (self.whole, self.clicks)
    }

    /// Hashes of pieces of the way, and how much each tells; where it is short of all of it, by the
    /// squares on this board.
    pub fn pieces(&self, board: &Signs) -> impl Iterator<Item = (u64, u8)> {
        let (squares, pixels, times) = (&self.squares.1, &self.pixels.1, &self.times);
        let pieces = (squares.kept().map(|hash| hash ^ 1))
            .chain(pixels.kept().map(|hash| hash ^ 2))
            .chain(times.kept().map(|hash| hash ^ 3));
        let is_short = |turns: u64, long: usize| (FEW..long as u64).contains(&turns);
        let turns = pixels.seen();
        let by_pixels = (pixels.all() ^ 4, (turns * BITS) as u8);
        let by_pixels = is_short(turns, BY_PIXELS).then_some(by_pixels);
        let turns = squares.seen();
        let by_squares = mix(squares.all() ^ board.turned);
        let by_squares = (by_squares, board.bits.saturating_add(turns as u8));
        let by_squares = is_short(turns, BY_SQUARES).then_some(by_squares);
        let pieces = pieces.map(|hash| (hash, CERTAIN));
        pieces.chain(by_pixels).chain(by_squares)
    }
}
