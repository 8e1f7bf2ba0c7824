//! The path of the mouse, from click to click.

use super::board::{CERTAIN, Signs, mix, mix_all, turns};
use super::pieces::Pieces;
use crate::replay::PlayedEvent;
use crate::{BoardEvent, Event, Face, Game, MouseAction, MouseEvent};

/// The length of a piece in opening clicks, if it is identified by the cells between them: a few
/// bits each.
const BY_CELLS: usize = 20;
/// The length of a piece in clicks, if it is identified by the pixels between them.
const BY_PIXELS: usize = 14;
/// The length of a piece in clicks, if it is identified by the milliseconds between them: some
/// clocks have steps of 16 ms.
const BY_TIMES: usize = 16;
/// A path with too few clicks for a piece is identified as a whole, if it has at least this many
/// turns.
const FEW: u64 = 3;
/// A conservative estimate of the bits of information per turn.
const BITS: u64 = 5;

/// The position of a button press, in pixels or cells.
type Spot = (i64, i64);

/// Two consecutive movements, described by values that do not change if the board is moved,
/// mirrored or rotated.
#[derive(Clone, Copy, Default)]
struct Turn {
    last: Option<Spot>,
    /// The movement from the point before the last one to the last one.
    came: Option<Spot>,
}

impl Turn {
    /// Takes the next point; returns a hash of the turn there, including the button.
    fn go(&mut self, to: Spot, button: u8) -> Option<u64> {
        let from = self.last.replace(to)?;
        let goes = (to.0 - from.0, to.1 - from.1);
        let came = self.came.replace(goes)?;
        let along = came.0 * goes.0 + came.1 * goes.1;
        let aside = came.0 * goes.1 - came.1 * goes.0;
        let far = goes.0 * goes.0 + goes.1 * goes.1;
        Some(mix_all([along, aside.abs(), far, i64::from(button)]))
    }
}

/// The hash of a path that goes on with a button event at a point.
fn with(path: u64, event: &MouseEvent, (x, y): Spot) -> u64 {
    let (action, time) = (i64::from(event.action.code()), i64::from(event.time_ms));
    mix(path ^ mix_all([action, time, x, y]))
}

/// The key of a game's path: the same wherever all buttons go down and up at the same times in the
/// same places, on the board as it is, mirrored or rotated. `None` if there are no such events, or
/// not all of them, because the recording is cut off.
pub(in crate::tape) fn key(game: &Game<'_>) -> Option<u64> {
    game.ending?;
    let size = i64::from(game.cell_size());
    let (width, height) = (
        i64::from(game.board.cols) * size,
        i64::from(game.board.rows) * size,
    );
    let mut paths = [0; 8];
    for event in &game.events {
        let Event::Mouse(event) = event else { continue };
        if event.action == MouseAction::Move {
            continue;
        }
        let (x, y) = (i64::from(event.x), i64::from(event.y));
        let across = (width - 1 - x, height - 1 - y);
        for (path, point) in paths.iter_mut().zip(turns((x, y), across)) {
            *path = with(*path, &event, point);
        }
    }
    paths.into_iter().min().filter(|path| *path != 0)
}

/// The path of the mouse in a game, from button event to button event.
///
/// The moves in between are ignored: more, fewer or different ones do not change the path.
pub(super) struct ClickPath {
    cell_size: u8,
    /// A hash of all button events, unchanged.
    whole: u64,
    clicks: u8,
    cells: (Turn, Pieces<BY_CELLS>),
    pixels: (Turn, Pieces<BY_PIXELS>),
    last_ms: Option<u32>,
    times: Pieces<BY_TIMES>,
}

impl ClickPath {
    pub fn new(cell_size: u8) -> Self {
        Self {
            cell_size,
            whole: 0,
            clicks: 0,
            cells: (Turn::default(), Pieces::new()),
            pixels: (Turn::default(), Pieces::new()),
            last_ms: None,
            times: Pieces::new(),
        }
    }

    /// Takes the next mouse event.
    pub fn follow(&mut self, step: &PlayedEvent<'_>) {
        let is_button = |event: &MouseEvent| event.action != MouseAction::Move;
        let opens = |shown: &BoardEvent| matches!(shown.face, Face::Number(_) | Face::Open);
        if let Some(acts) = step.acts.filter(|event| is_button(event))
            && step.shown.iter().any(opens)
        {
            // How the cell was opened does not matter; flags and clicks without an effect are
            // ignored.
            let (col, row) = acts.cell(self.cell_size);
            if let Some(turn) = self.cells.0.go((col.into(), row.into()), 0) {
                self.cells.1.push(turn);
            }
        }
        let event = step.event;
        if !is_button(event) {
            return;
        }
        let action = event.action;
        let (x, y) = (i64::from(event.x), i64::from(event.y));
        self.whole = with(self.whole, event, (x, y));
        let is_down = matches!(
            action,
            MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
        );
        // The press of the first click is not recorded, so its release counts.
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

    /// The hash of all button events with their times and positions, and the number of clicks.
    pub const fn whole(&self) -> (u64, u8) {
        (self.whole, self.clicks)
    }

    /// The hashes of pieces of the path, with the bits of information of each. If the path is
    /// shorter than a piece, this includes a hash of all of it by pixels, and one by cells
    /// together with the board.
    pub fn pieces(&self, board: &Signs) -> impl Iterator<Item = (u64, u8)> {
        let (cells, pixels, times) = (&self.cells.1, &self.pixels.1, &self.times);
        let pieces = (cells.kept().map(|hash| hash ^ 1))
            .chain(pixels.kept().map(|hash| hash ^ 2))
            .chain(times.kept().map(|hash| hash ^ 3));
        let is_short = |turns: u64, long: usize| (FEW..long as u64).contains(&turns);
        let turns = pixels.seen();
        let by_pixels = (pixels.all() ^ 4, (turns * BITS) as u8);
        let by_pixels = is_short(turns, BY_PIXELS).then_some(by_pixels);
        let turns = cells.seen();
        let by_cells = mix(cells.all() ^ board.turned);
        let by_cells = (by_cells, board.bits.saturating_add(turns as u8));
        let by_cells = is_short(turns, BY_CELLS).then_some(by_cells);
        let pieces = pieces.map(|hash| (hash, CERTAIN));
        pieces.chain(by_pixels).chain(by_cells)
    }
}
