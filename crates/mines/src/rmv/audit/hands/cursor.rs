//! The way of the cursor from event to event: a mouse moves, it does not jump.

use super::release::Release;
use super::{Sample, at_mouse};
use crate::Game;
use crate::rmv::Finding;
use crate::rmv::{Findings, Rule};

/// What is known of how the cursor moves.
pub(super) struct Cursor {
    /// A step of no more than this is no jump.
    reach: i64,
    /// Mouse events so far.
    count: u32,
    last: Option<Sample>,
    /// The squares of the last two steps.
    steps: (i64, i64),
    jumps: u32,
    /// Pixels that were jumped.
    jumped: f64,
    /// The longest jump, squared, and how many mouse events are before it.
    longest: (i64, u32),
}

impl Cursor {
    pub const fn new(square: i32) -> Self {
        // 12 pixels of squares of 16: the longest step of all known games but two is 11.
        let reach = square as i64 * 3 / 4;
        Self {
            reach: reach * reach,
            count: 0,
            last: None,
            steps: (0, 0),
            jumps: 0,
            jumped: 0.0,
            longest: (0, 0),
        }
    }

    pub fn take(&mut self, samples: &[Sample]) {
        let Some(&first) = samples.first() else {
            return;
        };
        let mut last = self.last.unwrap_or(first);
        for sample in samples {
            let (dx, dy) = (i64::from(sample.x - last.x), i64::from(sample.y - last.y));
            self.step(dx * dx + dy * dy);
            last = *sample;
        }
        self.last = Some(last);
    }

    /// One more step, squared. A jump is a step that stands alone: a hand that moves fast does so
    /// before and behind it, too.
    #[inline(always)]
    fn step(&mut self, next: i64) {
        let (before, step) = self.steps;
        if step > self.reach && before * 9 < step && next * 9 < step {
            self.jump(step);
        }
        self.steps = (step, next);
        self.count += 1;
    }

    #[cold]
    fn jump(&mut self, step: i64) {
        self.jumps += 1;
        self.jumped += (step as f64).sqrt();
        if step > self.longest.0 {
            self.longest = (step, self.count.saturating_sub(1));
        }
    }

    /// No event comes any more.
    pub fn end(&mut self) {
        self.step(0);
        self.count -= 1;
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
        let longest = (step as f64).sqrt();
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
