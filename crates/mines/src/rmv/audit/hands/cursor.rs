//! The path of the cursor from event to event: a real mouse moves, it does not jump.

use super::times::ReleaseClock;
use crate::replay::Moves;
use crate::rmv::deviations::at_mouse;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Board, Game};

/// Statistics of the cursor's steps.
pub(super) struct Cursor {
    /// The longest step, in pixels, that is not examined as a jump.
    reach: i32,
    /// Width and height of the board in pixels.
    board: (i32, i32),
    /// The number of mouse events so far.
    count: u32,
    /// The last position, relative to the format's origin.
    last: Option<(u16, u16)>,
    jumps: u32,
    /// The total length of all jumps, in pixels.
    jumped: f64,
    /// The length of the longest jump, and the number of mouse events before it.
    longest: (f64, u32),
}

/// A run of consecutive steps, each longer than [`Cursor::reach`].
#[derive(Default)]
struct LongSteps {
    steps: u32,
    pixels: f64,
    /// The number of mouse events before the first step.
    at: u32,
    /// The squared lengths of the first step, of the last step, and of the step before the run.
    first: i32,
    last: i32,
    before: i32,
    /// The start of the first step and the end of the last one.
    from_ms: u32,
    to_ms: u32,
}

impl LongSteps {
    fn add(&mut self, step: i32, at: u32, (before, before_ms): (i32, u32), time_ms: u32) {
        if self.steps == 0 {
            (self.at, self.first) = (at, step);
            (self.before, self.from_ms) = (before, before_ms);
        }
        self.steps += 1;
        self.pixels += f64::from(step).sqrt();
        (self.last, self.to_ms) = (step, time_ms);
    }

    /// Whether the run is faster than a hand over several steps.
    fn is_faster_than_hands(&self, reach: i32) -> bool {
        let ms = match self.to_ms.saturating_sub(self.from_ms) {
            // At most one tick of Windows may be between them.
            0 => TICK_MS,
            ms => f64::from(ms),
        };
        self.steps <= MOST_STEPS && self.pixels > ms * f64::from(reach) * FAST
    }
}

impl Cursor {
    pub fn new(board: &Board<'_>, cell_size: i32) -> Self {
        Self {
            // 12 pixels for cells of 16 pixels: in nearly all known games, no step is longer.
            reach: cell_size * 3 / 4,
            board: (
                i32::from(board.cols) * cell_size,
                i32::from(board.rows) * cell_size,
            ),
            count: 0,
            last: None,
            jumps: 0,
            jumped: 0.0,
            longest: (0.0, 0),
        }
    }

    pub fn take(&mut self, moves: &Moves) {
        let (xs, ys) = moves.places();
        let (Some(&x), Some(&y)) = (xs.first(), ys.first()) else {
            return;
        };
        let first = self.last.unwrap_or((x, y));
        let far = farthest(first.0, xs).max(farthest(first.1, ys));
        // Nearly all moves of nearly all games are too short for a jump.
        if far > self.reach {
            let first_ms = moves.times().first().copied().unwrap_or_default();
            self.look(
                (moves.pixel(first), moves.before_ms().unwrap_or(first_ms)),
                moves,
            );
        }
        self.count += moves.len() as u32;
        self.last = xs.last().copied().zip(ys.last().copied());
    }

    /// Looks for jumps. A jump is a long step between much shorter ones: a hand that moves fast
    /// also moves fast before and after it. A few steps that are faster than a hand count as one
    /// jump. The cursor is taken to rest before and after these moves, because a button is pressed
    /// there.
    #[cold]
    fn look(&mut self, (mut last, mut last_ms): ((i32, i32), u32), moves: &Moves) {
        let reach = self.reach * self.reach;
        let mut before = 0;
        let mut run = LongSteps::default();
        let (xs, ys) = moves.places();
        let places = xs.iter().zip(ys).map(|(&x, &y)| moves.pixel((x, y)));
        let steps = (self.count..).zip(places.zip(moves.times()));
        for (at, ((x, y), &time_ms)) in steps {
            let (dx, dy) = (x - last.0, y - last.1);
            let step = dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy));
            // The cursor may leave the window and return elsewhere.
            let on_board = self.is_on_board(last) && self.is_on_board((x, y));
            if step > reach && on_board {
                run.add(step, at, (before, last_ms), time_ms);
            } else {
                self.end(&run, step);
                run = LongSteps::default();
            }
            (before, last, last_ms) = (step, (x, y), time_ms);
        }
        self.end(&run, 0);
    }

    const fn is_on_board(&self, (x, y): (i32, i32)) -> bool {
        let (width, height) = self.board;
        0 <= x && x < width && 0 <= y && y < height
    }

    /// Ends a run of long steps; `after` is the squared length of the step after it.
    fn end(&mut self, run: &LongSteps, after: i32) {
        let stands_alone = run.before < run.first / 9 && after < run.last / 9;
        if !stands_alone || !(run.steps == 1 || run.is_faster_than_hands(self.reach)) {
            return;
        }
        self.jumps += 1;
        self.jumped += run.pixels;
        if run.pixels > self.longest.0 {
            self.longest = (run.pixels, run.at);
        }
    }

    pub fn check(
        &self,
        game: &Game<'_>,
        (path, moves, far): (f64, u32, u32),
        release: ReleaseClock,
        findings: &mut Findings,
    ) {
        let jumps = self.jumps;
        let (longest, before) = self.longest;
        let share = self.jumped / path.max(1.0);
        let mean = path / f64::from(moves.max(1));
        let mean_cells = mean / f64::from(game.cell_size().max(1));
        // Small movements between jumps make the path long, and so the share of the jumps small;
        // but there are still almost as many jumps as long paths.
        let per_path = f64::from(jumps) >= PER_PATH * f64::from(far);
        let by_count = jumps >= MOST_JUMPS && per_path && share >= A_PART;
        let by_jumps = jumps >= MANY_JUMPS && share >= MOSTLY || by_count;
        let by_steps = moves >= MANY_JUMPS && mean_cells >= LONG_STEPS;
        if release.is_vienna() && (by_jumps || by_steps) {
            findings.push(Finding::new(Rule::CursorJumps {
                mean,
                moves,
                jumps,
                percent: share * 100.0,
            }));
            return;
        }
        let far = longest > LONGEST_CELLS * f64::from(game.cell_size());
        if far || (jumps >= MANY_JUMPS && share >= OFTEN) {
            let rule = Rule::HintJump {
                jumps,
                longest,
                percent: share * 100.0,
            };
            findings.push(at_mouse(game, before, rule));
        }
        if release.is_vienna() && moves >= MANY_MOVES && mean_cells >= WIDE_STEPS {
            findings.push(Finding::new(Rule::HintSteps { mean, moves }));
        }
    }
}

/// The longest step along one axis.
#[inline(always)]
fn farthest(first: u16, places: &[u16]) -> i32 {
    let of = |a: u16, b: u16| b.wrapping_sub(a).cast_signed();
    let start = places.first().map_or(0, |&place| of(first, place));
    let steps = places.iter().zip(places.get(1..).unwrap_or_default());
    let (mut least, mut most) = (start, start);
    for (&a, &b) in steps {
        let step = of(a, b);
        least = least.min(step);
        most = most.max(step);
    }
    i32::from(most).max(-i32::from(least))
}

/// The speed limit for several steps, as a share of the reach per millisecond: 4 pixels, where known
/// hands reach 3.1 in 8 to 12 ms.
const FAST: f64 = 1.0 / 3.0;
/// A run of more steps than this is a normal path.
const MOST_STEPS: u32 = 8;
/// One tick of Windows in milliseconds.
const TICK_MS: f64 = 16.0;
/// Fewer jumps may be chance.
const MANY_JUMPS: u32 = 3;
/// Jumps are no accident if there are at least this many, if they make up this share of the paths
/// that are long enough for one, and if they cover this share of the cursor's whole path.
const MOST_JUMPS: u32 = 10;
const PER_PATH: f64 = 0.6;
const A_PART: f64 = 0.1;
/// A share of the path. In known games next to nothing of the path consists of jumps.
const OFTEN: f64 = 0.05;
/// Cells. A single step longer than this is reported; the longest known one is 43 pixels with
/// cells of 16.
const LONGEST_CELLS: f64 = 3.0;
/// If jumps cover at least this share of the path, the cursor jumps rather than moves.
const MOSTLY: f64 = 0.5;
/// The mean step from event to event, in cells. Known games have 0.04 to 0.18.
const LONG_STEPS: f64 = 0.75;
/// In cells: twice the largest mean step of known games.
const WIDE_STEPS: f64 = 0.36;
/// With fewer moves the mean is not meaningful.
const MANY_MOVES: u32 = 50;
