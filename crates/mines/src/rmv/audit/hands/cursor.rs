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
    /// The longest jump, squared, and how many mouse events are before it.
    longest: (i32, u32),
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
            longest: (0, 0),
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
            let places = xs.iter().zip(ys).map(|(&x, &y)| moves.pixel((x, y)));
            self.look(moves.pixel(first), places);
        }
        self.count += moves.len() as u32;
        self.last = xs.last().copied().zip(ys.last().copied());
    }

    /// Looks for jumps. A jump is a step that stands alone: a hand that moves fast does so before it
    /// and behind it, too. Beside what is looked at the cursor is taken to rest: a button is pressed
    /// there.
    #[cold]
    fn look(&mut self, mut last: (i16, i16), places: impl Iterator<Item = (i16, i16)>) {
        let (mut before, mut step) = (0, 0);
        let (reach, count) = (self.reach * self.reach, self.count);
        let mut see = |next: i32, at: u32| {
            if step > reach && before < step / 9 && next < step / 9 {
                self.jumps += 1;
                self.jumped += f64::from(step).sqrt();
                if step > self.longest.0 {
                    self.longest = (step, at);
                }
            }
            (before, step) = (step, next);
        };
        let mut at = count;
        for (x, y) in places {
            let (dx, dy) = (
                i32::from(x) - i32::from(last.0),
                i32::from(y) - i32::from(last.1),
            );
            // Of the step before, whose event this is not.
            see(
                dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy)),
                at.saturating_sub(1),
            );
            last = (x, y);
            at += 1;
        }
        see(0, at.saturating_sub(1));
    }

    pub fn check(
        &self,
        game: &Game<'_>,
        (path, moves): (f64, u32),
        release: Release,
        findings: &mut Findings,
    ) {
        let jumps = self.jumps;
        let (step, before) = self.longest;
        let longest = f64::from(step).sqrt();
        let share = self.jumped / path.max(1.0);
        let mean = path / f64::from(moves.max(1));
        let mean_squares = mean / f64::from(game.square_size().max(1));
        let by_jumps = jumps >= MANY_JUMPS && share >= MOSTLY;
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

/// Fewer jumps may be chance.
const MANY_JUMPS: u32 = 3;
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
