//! The path of the mouse, from click to click.

use super::board::{CERTAIN, Signs, mix, mix_all, turns};
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

/// The number of pieces that are kept of a path. If two paths share a third of their pieces, nine
/// times out of ten they have one of the kept ones in common; if they differ in one click in a
/// hundred, nearly always.
const KEPT: usize = 6;
/// The least number of different elements in a piece: clicking along a row looks the same for
/// everyone.
const DIFFERENT: usize = 6;
/// The base of the rolling hash of a piece.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The pieces of `LONG` consecutive elements.
pub(super) struct Pieces<const LONG: usize> {
    last: [u64; LONG],
    at: usize,
    seen: u64,
    hash: u64,
    /// The smallest hashes in ascending order. Which hashes these are does not depend on the rest
    /// of the sequence.
    kept: [u64; KEPT],
}

impl<const LONG: usize> Pieces<LONG> {
    pub const fn new() -> Self {
        Self {
            last: [0; LONG],
            at: 0,
            seen: 0,
            hash: 0,
            kept: [u64::MAX; KEPT],
        }
    }

    /// Takes the next element, hashed to 64 bits.
    pub fn push(&mut self, thing: u64) {
        let Some(oldest) = self.last.get_mut(self.at) else {
            return;
        };
        let gone = oldest.wrapping_mul(const { BASE.wrapping_pow(LONG as u32) });
        self.hash = (self.hash.wrapping_mul(BASE).wrapping_add(thing)).wrapping_sub(gone);
        *oldest = thing;
        self.at += 1;
        if self.at == LONG {
            self.at = 0;
        }
        self.seen += 1;
        if self.seen >= LONG as u64 {
            self.keep(mix(self.hash));
        }
    }

    fn keep(&mut self, hash: u64) {
        let most = self.kept.last().copied().unwrap_or_default();
        if hash >= most || self.kept.contains(&hash) || !self.is_varied() {
            return;
        }
        let at = self.kept.partition_point(|kept| *kept < hash);
        if let Some(above) = self.kept.get_mut(at..) {
            above.rotate_right(1);
            if let Some(slot) = above.first_mut() {
                *slot = hash;
            }
        }
    }

    fn is_varied(&self) -> bool {
        // Nearly always the first few elements are enough.
        let mut different = [0; DIFFERENT];
        let mut count = 0;
        for thing in self.last {
            let known = different.get(..count).unwrap_or_default();
            if known.contains(&thing) {
                continue;
            }
            if let Some(slot) = different.get_mut(count) {
                *slot = thing;
            }
            count += 1;
            if count == DIFFERENT {
                return true;
            }
        }
        false
    }

    /// The number of elements so far.
    pub const fn seen(&self) -> u64 {
        self.seen
    }

    /// The hash of the whole sequence, if it is not longer than a piece.
    pub const fn all(&self) -> u64 {
        mix(self.hash)
    }

    /// The hashes of the kept pieces.
    pub fn kept(&self) -> impl Iterator<Item = u64> {
        self.kept.into_iter().filter(|hash| *hash != u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(things: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut pieces = Pieces::<8>::new();
        for thing in things {
            pieces.push(mix(thing));
        }
        pieces.kept().collect()
    }

    #[test]
    fn a_piece_is_the_same_wherever_it_stands() {
        let [one, other] = [0, 1000].map(|before| kept((before..before + 30).chain(7..15)));
        assert!(one.iter().any(|hash| kept(7..15).contains(hash)) || one.len() == KEPT);
        let shared = kept(100..300);
        let within = kept((0..5).chain(100..300).chain(9000..9005));
        assert!(shared.iter().filter(|hash| within.contains(hash)).count() >= 4);
        assert!(!one.iter().any(|hash| other.contains(hash)) || one != other);
        assert!(kept(0..7).is_empty());
    }

    #[test]
    fn doing_the_same_again_and_again_says_nothing() {
        assert!(kept([1; 100]).is_empty());
        assert!(kept((0..100).map(|n| n % 5)).is_empty());
        assert_eq!(kept((0..100).map(|n| n % 8)).len(), KEPT);
    }
}
