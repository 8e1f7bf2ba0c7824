//! The way of the cursor from event to event: a mouse moves, it does not jump.

use super::place::at_mouse;
use super::release::Release;
use crate::Game;
use crate::replay::Moves;
use crate::rmv::Finding;
use crate::rmv::{Findings, Rule};

/// What is known of how the cursor moves.
pub(super) struct Cursor {
    /// A step of no more than this, to the side and up or down, is no jump.
    reach: i32,
    /// Mouse events so far.
    count: u32,
    /// Counted from somewhere.
    last: Option<(u16, u16)>,
    jumps: u32,
    /// Pixels that were jumped.
    jumped: f64,
    /// The longest jump, and how many mouse events are before it.
    longest: (f64, u32),
}

/// Steps that follow each other, each longer than those of hands.
#[derive(Default)]
struct Run {
    steps: u32,
    pixels: f64,
    /// How many mouse events are before the first.
    at: u32,
    /// The first step, the last one, and the one before them, squared.
    first: i32,
    last: i32,
    before: i32,
    /// When the first began and the last ended.
    from_ms: u32,
    to_ms: u32,
}

impl Run {
    fn add(&mut self, step: i32, at: u32, (before, before_ms): (i32, u32), time_ms: u32) {
        if self.steps == 0 {
            (self.at, self.first) = (at, step);
            (self.before, self.from_ms) = (before, before_ms);
        }
        self.steps += 1;
        self.pixels += f64::from(step).sqrt();
        (self.last, self.to_ms) = (step, time_ms);
    }

    /// Several steps of one hand are known to be slower than this by far.
    fn is_faster_than_hands(&self, reach: i32) -> bool {
        let ms = match self.to_ms.saturating_sub(self.from_ms) {
            // As much as a tick of Windows may be between them.
            0 => TICK_MS,
            ms => f64::from(ms),
        };
        self.steps <= MOST_STEPS && self.pixels > ms * f64::from(reach) * FAST
    }
}

impl Cursor {
    pub const fn new(square: i32) -> Self {
        Self {
            // 12 pixels of squares of 16: the longest step of all known games but two is 11.
            reach: square * 3 / 4,
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
        // Nearly all moves of nearly all games are no jumps.
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

    /// Looks for jumps. A jump is a step that stands alone: a hand that moves fast does so before it
    /// and behind it, too. A few steps that are faster than hands stand for one. Beside what is looked
    /// at the cursor is taken to rest: a button is pressed there.
    #[cold]
    fn look(&mut self, (mut last, mut last_ms): ((i16, i16), u32), moves: &Moves) {
        let reach = self.reach * self.reach;
        let mut before = 0;
        let mut run = Run::default();
        let (xs, ys) = moves.places();
        let places = xs.iter().zip(ys).map(|(&x, &y)| moves.pixel((x, y)));
        let steps = (self.count..).zip(places.zip(moves.times()));
        for (at, ((x, y), &time_ms)) in steps {
            let (dx, dy) = (
                i32::from(x) - i32::from(last.0),
                i32::from(y) - i32::from(last.1),
            );
            let step = dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy));
            if step > reach {
                run.add(step, at, (before, last_ms), time_ms);
            } else {
                self.end(&run, step);
                run = Run::default();
            }
            (before, last, last_ms) = (step, (x, y), time_ms);
        }
        self.end(&run, 0);
    }

    /// A run of long steps has ended, with this step behind it.
    fn end(&mut self, run: &Run, behind: i32) {
        let stands_alone = run.before < run.first / 9 && behind < run.last / 9;
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
        release: Release,
        findings: &mut Findings,
    ) {
        let jumps = self.jumps;
        let (longest, before) = self.longest;
        let share = self.jumped / path.max(1.0);
        let mean = path / f64::from(moves.max(1));
        let mean_squares = mean / f64::from(game.square_size().max(1));
        // A cursor that stirs between jumps goes a long way, and jumps as often.
        let each_way = f64::from(jumps) >= EACH_WAY * f64::from(far);
        let by_count = jumps >= MOST_JUMPS && each_way && share >= A_PART;
        let by_jumps = jumps >= MANY_JUMPS && share >= MOSTLY || by_count;
        let by_steps = moves >= MANY_JUMPS && mean_squares >= LONG_STEPS;
        if release.is_vienna() && (by_jumps || by_steps) {
            findings.push(Finding::new(Rule::CursorJumps {
                mean,
                moves,
                jumps,
                percent: share * 100.0,
            }));
            return;
        }
        let far = longest > LONGEST_SQUARES * f64::from(game.square_size());
        if far || (jumps >= MANY_JUMPS && share >= OFTEN) {
            let rule = Rule::HintJump {
                jumps,
                longest,
                percent: share * 100.0,
            };
            findings.push(at_mouse(game, before, rule));
        }
        if release.is_vienna() && moves >= MANY_MOVES && mean_squares >= WIDE_STEPS {
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

/// Of the reach, in a millisecond, for several steps: 4 pixels, where a hand goes 1.
const FAST: f64 = 1.0 / 3.0;
/// More steps than these are a way.
const MOST_STEPS: u32 = 8;
/// Milliseconds.
const TICK_MS: f64 = 16.0;
/// Fewer jumps may be chance.
const MANY_JUMPS: u32 = 3;
/// So many, so many of each way as long as one, and so large a share of all that the cursor
/// goes, are no mishap.
const MOST_JUMPS: u32 = 10;
const EACH_WAY: f64 = 0.6;
const A_PART: f64 = 0.1;
/// The share of the way that known games have in jumps is next to nothing.
const OFTEN: f64 = 0.05;
/// Squares of a step that is worth a word by itself: the longest known one is 43 pixels of 16.
const LONGEST_SQUARES: f64 = 3.0;
/// The share of the way from which on a cursor is one that jumps.
const MOSTLY: f64 = 0.5;
/// Squares from event to event, on average. In known games they are 0.04 to 0.18.
const LONG_STEPS: f64 = 0.75;
/// Twice the longest steps of known games.
const WIDE_STEPS: f64 = 0.36;
/// Fewer moves say nothing of an average.
const MANY_MOVES: u32 = 50;
