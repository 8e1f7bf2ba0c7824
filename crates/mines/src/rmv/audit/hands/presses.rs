//! How buttons are pressed: how long each is held, and how far apart presses are.

use super::times::Clock;
use super::{at_mouse, is_press, shift};
use crate::rmv::{Finding, Findings, Rule};
use crate::{Buttons, Game, MouseAction, MouseEvent};

/// No known game has a left click that was held for less than 25 ms.
const SHORT_HOLD_MS: u32 = 15;
/// Holds spread by 0.17 to 0.43 of their mean in known games.
const WILD_HOLDS: f64 = 0.6;
/// A hold that lasts longer is a rest, or a drag.
const LONGEST_HOLD_MS: u32 = 150;
/// Fewer clicks say nothing of holds.
const FEW_HOLDS: usize = 8;
/// Fewer presses say nothing of a rhythm.
const FEW_PRESSES: u32 = 10;
/// Musicians who tap to a metronome come to a spread of 3 to 5 percent; in known games the time
/// between presses spreads by 43 to 110.
const RHYTHM: f64 = 0.025;
/// Milliseconds by which holds spread: 10 to 50 in known games.
const SAME_HOLD_MS: f64 = 2.0;
/// Mouse events from which on a way tells how fast the mouse reports.
const WAY_EVENTS: u32 = 8;

/// How long a plain click, of the left or the right button, or a chord is held: of each kind a list.
const KINDS: usize = 3;

/// What is known of the presses.
#[derive(Default)]
pub(super) struct Presses {
    /// When the left button went down.
    left: Option<u32>,
    /// How long it was held.
    lefts: Vec<(u32, f32)>,
    /// What goes on: of which kind, and since when.
    now: Option<(usize, u32)>,
    /// Of each kind how long it was held, with the mouse events before each release.
    holds: [Vec<(u32, f32)>; KINDS],
    /// Of each longer way, the share of events that came a short time after the one before.
    shares: Vec<(u32, f32)>,
    /// The mouse events, and those a short time after the one before, up to the last button event.
    shorts: (u32, u32),
    /// When the last press with no other button down was.
    last: Option<u32>,
    /// The number of times between such presses, their sum, and that of their squares.
    intervals: (u32, f64, f64),
}

impl Presses {
    /// A button event: what was down before it, and how many mouse events there were with it, and
    /// those of them that came a short time after the one before.
    pub fn take(&mut self, before: Buttons, event: &MouseEvent, shorts: (u32, u32)) {
        let mouse = shorts.0.saturating_sub(1);
        self.way(mouse, shorts);
        let time_ms = event.time_ms;
        let held = |since: u32| time_ms.saturating_sub(since).min(LONGEST_HOLD_MS) as f32;
        match event.action {
            MouseAction::LeftDown => self.left = Some(time_ms),
            MouseAction::LeftUp => {
                if let Some(since) = self.left.take() {
                    self.lefts.push((mouse, held(since)));
                }
            }
            _ => {}
        }
        if is_press(event.action) {
            let kind = match (before, event.action) {
                (Buttons::NONE, MouseAction::LeftDown) => 0,
                (Buttons::NONE, _) => 1,
                _ => 2,
            };
            self.now = Some((kind, time_ms));
        } else if let Some((kind, since)) = self.now.take()
            && let Some(holds) = self.holds.get_mut(kind)
        {
            holds.push((mouse, held(since)));
        }
        if before == Buttons::NONE && is_press(event.action) {
            if let Some(last) = self.last {
                let interval = f64::from(event.time_ms.saturating_sub(last));
                self.intervals.0 += 1;
                self.intervals.1 += interval;
                self.intervals.2 += interval * interval;
            }
            self.last = Some(event.time_ms);
        }
    }

    fn way(&mut self, mouse: u32, now: (u32, u32)) {
        let events = now.0 - self.shorts.0;
        if events > WAY_EVENTS {
            let share = (now.1 - self.shorts.1) as f32 / events as f32;
            self.shares.push((mouse, share));
        }
        self.shorts = now;
    }

    /// How long the left button is held: as many clicks longer as shorter.
    pub fn median_hold(&self) -> Option<u32> {
        let mut holds: Vec<f32> = self.lefts.iter().map(|&(_, held)| held).collect();
        let middle = holds.len() / 2;
        if holds.len() < FEW_HOLDS {
            return None;
        }
        let (_, median, _) = holds.select_nth_unstable_by(middle, f32::total_cmp);
        Some(*median as u32)
    }

    /// Mean and spread of the holds, where they are as short or as different as none of a hand.
    pub fn wild_holds(&self) -> Option<(f64, f64)> {
        let median = self.median_hold()?;
        let (mean, spread) = shift::mean_and_spread(&self.lefts);
        let is_wild = median < SHORT_HOLD_MS || spread > WILD_HOLDS * mean;
        is_wild.then_some((mean, spread))
    }

    pub fn check(&self, game: &Game<'_>, clock: Clock, findings: &mut Findings) {
        self.rhythm(findings);
        let clicks = self.lefts.len() as u32;
        if let Some(median) = self.median_hold() {
            let (mean, spread) = shift::mean_and_spread(&self.lefts);
            if median < SHORT_HOLD_MS {
                let short = |&&(_, held): &&(u32, f32)| held < SHORT_HOLD_MS as f32;
                let short = self.lefts.iter().filter(short).count() as u32;
                findings.push(Finding::new(Rule::HintHold {
                    short,
                    clicks,
                    median,
                }));
            } else if clock == Clock::Millisecond && spread < SAME_HOLD_MS {
                findings.push(Finding::new(Rule::HintSameHold {
                    mean,
                    spread,
                    clicks,
                }));
            }
        }
        let held = self
            .holds
            .iter()
            .map(|holds| shift::find(holds, HOLD_SHIFT));
        let mut held = held.zip([
            "ms that the left button is held",
            "ms that the right button is held",
            "ms that chords are held",
        ]);
        let held = held.find_map(|(shift, what)| Some((shift?, what, 1.0)));
        let shared = || {
            let shift = shift::find(&self.shares, RATE_SHIFT)?;
            Some((
                shift,
                "percent of events within 6 ms of the one before",
                100.0,
            ))
        };
        if let Some((shift, what, unit)) = held.or_else(shared) {
            let (before, after) = (shift.before * unit, shift.after * unit);
            let rule = Rule::HintHands {
                what,
                before,
                after,
            };
            findings.push(at_mouse(game, shift.mouse, rule));
        }
    }

    fn rhythm(&self, findings: &mut Findings) {
        let (count, sum, squares) = self.intervals;
        if count < FEW_PRESSES {
            return;
        }
        let mean = sum / f64::from(count);
        let spread = (squares / f64::from(count) - mean * mean).max(0.0).sqrt();
        if mean > 0.0 && spread < RHYTHM * mean {
            let percent = spread / mean * 100.0;
            findings.push(Finding::new(Rule::PressesEven {
                presses: count + 1,
                mean,
                percent,
            }));
        }
    }
}

/// How far holds have to part: known games come to 3.6 with a third more.
const HOLD_SHIFT: shift::Bound = shift::Bound {
    errors: 6.5,
    ratio: 1.35,
    least: 10.0,
};

/// How far the shares of quick events have to part: a mouse of 125 Hz has next to none of them.
const RATE_SHIFT: shift::Bound = shift::Bound {
    errors: 8.0,
    ratio: 3.0,
    least: 0.25,
};
