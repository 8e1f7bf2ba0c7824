//! How buttons are pressed: how long each is held, and how far apart presses are.

use super::place::at_mouse;
use super::rhythm::{Rhythm, is_press};
use super::shift;
use super::times::Clock;
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
/// Milliseconds by which holds spread: 5 to 50 in known games.
const SAME_HOLD_MS: f64 = 2.0;
/// Of so many clicks, three quarters are held for one of two times by a program alone.
const MANY_HOLDS: usize = 16;

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
    /// How many events of buttons there were.
    events: u32,
    rhythm: Rhythm,
}

impl Presses {
    /// A button event: what was down before it, and how many mouse events are before it.
    pub fn take(&mut self, before: Buttons, event: &MouseEvent, mouse: u32) {
        self.events += 1;
        let time_ms = event.time_ms;
        let held = |since: u32| time_ms.saturating_sub(since).min(LONGEST_HOLD_MS) as f32;
        match event.action {
            MouseAction::LeftDown => self.left = Some(time_ms),
            MouseAction::LeftUp => {
                if let Some(since) = self.left.take() {
                    push(&mut self.lefts, (mouse, held(since)));
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
            push(holds, (mouse, held(since)));
        }
        self.rhythm.take(before, event);
    }

    /// How many events of buttons there were.
    pub const fn events(&self) -> u32 {
        self.events
    }

    /// Mean and spread of the holds, where they are as short or as different as none of a hand.
    pub fn wild_holds(&self) -> Option<(f64, f64)> {
        let median = median(&self.lefts)?;
        let (mean, spread) = shift::mean_and_spread(&self.lefts);
        let is_wild = median < SHORT_HOLD_MS || spread > WILD_HOLDS * mean;
        is_wild.then_some((mean, spread))
    }

    pub fn check(
        &self,
        game: &Game<'_>,
        clock: Clock,
        shares: &[(u32, f32)],
        findings: &mut Findings,
    ) {
        self.rhythm.check(findings);
        self.held(clock, findings);
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
            let shift = shift::find(shares, RATE_SHIFT)?;
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

    /// Clicks that are held too short, or all the same: of the first kind of which that is so.
    fn held(&self, clock: Clock, findings: &mut Findings) {
        let [left, right, chord] = &self.holds;
        let kinds = [
            ("left click", &self.lefts),
            ("left click", left),
            ("right click", right),
            ("chord", chord),
        ];
        let short = kinds.into_iter().find_map(|(what, holds)| {
            let median = median(holds).filter(|&median| median < SHORT_HOLD_MS)?;
            let is_short = |&&(_, held): &&(u32, f32)| held < SHORT_HOLD_MS as f32;
            Some(Rule::HintHold {
                what,
                short: holds.iter().filter(is_short).count() as u32,
                clicks: holds.len() as u32,
                median,
            })
        });
        let same = || {
            // A tick gives holds few different lengths by itself.
            let mut kinds = kinds.into_iter().filter(|_| clock == Clock::Millisecond);
            kinds.find_map(|(what, holds)| {
                let (mean, spread) = shift::mean_and_spread(holds);
                let is_same = holds.len() >= FEW_HOLDS && spread < SAME_HOLD_MS;
                (is_same || are_of_two(holds)).then_some(Rule::HintSameHold {
                    what,
                    mean,
                    spread,
                    clicks: holds.len() as u32,
                })
            })
        };
        findings.extend(short.or_else(same).map(Finding::new));
    }
}

/// How long buttons are held: as many clicks longer as shorter.
fn median(holds: &[(u32, f32)]) -> Option<u32> {
    if holds.len() < FEW_HOLDS {
        return None;
    }
    let mut holds: Vec<f32> = holds.iter().map(|&(_, held)| held).collect();
    let middle = holds.len() / 2;
    let (_, median, _) = holds.select_nth_unstable_by(middle, f32::total_cmp);
    Some(*median as u32)
}

/// Whether three quarters of the clicks are held for one of two times, to the millisecond.
fn are_of_two(holds: &[(u32, f32)]) -> bool {
    if holds.len() < MANY_HOLDS {
        return false;
    }
    let mut counts = [0u32; LONGEST_HOLD_MS as usize];
    for &(_, held) in holds {
        // The longest of all are cut off: they are rests.
        if let Some(count) = counts.get_mut(held as usize) {
            *count += 1;
        }
    }
    let (mut most, mut second) = (0, 0);
    for count in counts {
        (most, second) = if count > most {
            (count, most)
        } else {
            (most, second.max(count))
        };
    }
    (most + second) as usize * 4 >= holds.len() * 3
}

/// Room for the clicks of many a game at once.
fn push(list: &mut Vec<(u32, f32)>, value: (u32, f32)) {
    if list.capacity() == 0 {
        list.reserve(64);
    }
    list.push(value);
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
