//! How buttons are pressed: how long each press is held, and how far apart presses are.

use super::rhythm::{Rhythm, is_press};
use super::shift;
use super::times::Clock;
use crate::rmv::deviations::at_mouse;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Board, Buttons, Game, MouseAction, MouseEvent};

/// In milliseconds. In no known game was a left click held for less than 25 ms.
const SHORT_HOLD_MS: u32 = 15;
/// A share of the mean. In the twelve games that were measured hold by hold, the spread is 0.17 to
/// 0.43.
const WILD_HOLDS: f64 = 0.6;
/// In milliseconds. A longer hold is a pause or a drag.
const LONGEST_HOLD_MS: u32 = 150;
/// With fewer clicks, the statistics of holds are not meaningful.
const FEW_HOLDS: usize = 8;
/// The spread of holds in milliseconds; 5 to 50 in known games.
const SAME_HOLD_MS: f64 = 2.0;
/// With at least this many clicks, only a program holds three quarters of them for one of two
/// durations.
const MANY_HOLDS: usize = 16;

/// The kinds of holds: a plain left click, a plain right click, a chord.
const KINDS: usize = 3;

/// Statistics of the presses.
#[derive(Default)]
pub(super) struct Presses {
    /// The time at which the left button was pressed.
    left: Option<u32>,
    /// How long it was held each time.
    lefts: Vec<(u32, f32)>,
    /// The current press: its kind and its start.
    now: Option<(usize, u32)>,
    /// For each kind, how long it was held each time, with the number of mouse events before the
    /// release.
    holds: [Vec<(u32, f32)>; KINDS],
    /// The number of button events.
    events: u32,
    rhythm: Rhythm,
}

impl Presses {
    /// Takes a button event. `before` are the buttons that were down before it, and `mouse` is the
    /// number of mouse events before it.
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

    /// The number of button events.
    pub const fn events(&self) -> u32 {
        self.events
    }

    /// Mean and spread of the holds, if no hand has such short or such different ones.
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

    /// Reports the first kind of click whose holds are too short or too equal.
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
            // On a tick, holds naturally have only few different lengths.
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

/// The median duration of the holds.
fn median(holds: &[(u32, f32)]) -> Option<u32> {
    if holds.len() < FEW_HOLDS {
        return None;
    }
    let mut holds: Vec<f32> = holds.iter().map(|&(_, held)| held).collect();
    let middle = holds.len() / 2;
    let (_, median, _) = holds.select_nth_unstable_by(middle, f32::total_cmp);
    Some(*median as u32)
}

/// Whether three quarters of the clicks were held for one of two durations, to the millisecond.
fn are_of_two(holds: &[(u32, f32)]) -> bool {
    if holds.len() < MANY_HOLDS {
        return false;
    }
    let mut counts = [0u32; LONGEST_HOLD_MS as usize];
    for &(_, held) in holds {
        // The longest holds are left out: they are pauses.
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

/// Appends a value; the first one reserves space for the clicks of most games.
fn push(list: &mut Vec<(u32, f32)>, value: (u32, f32)) {
    if list.capacity() == 0 {
        list.reserve(64);
    }
    list.push(value);
}

/// How much the holds before and after a change must differ. Known games reach 3.6 standard errors
/// with a ratio of 1.33.
const HOLD_SHIFT: shift::Bound = shift::Bound {
    errors: 6.5,
    ratio: 1.35,
    least: 10.0,
};

/// How much the shares of quick events before and after a change must differ. A 125 Hz mouse has
/// almost none of these events.
const RATE_SHIFT: shift::Bound = shift::Bound {
    errors: 8.0,
    ratio: 3.0,
    least: 0.25,
};

/// Statistics of the positions of clicks.
pub(super) struct Points {
    cell_size: i32,
    /// Columns and rows. Clicks outside of the board are not aimed, so they are ignored.
    size: (i32, i32),
    /// The cell of the last click.
    last: Option<(i32, i32)>,
    /// The number of clicks in a different cell than that of the click before.
    clicks: u32,
    /// The number of these clicks at each position within the cell.
    places: [u16; PLACES],
    /// The number of clicks within one pixel of the cell's centre, and within two.
    central: [u32; 2],
}

/// Enough for the positions of a cell of 32 pixels; in larger cells several positions share an
/// entry.
const PLACES: usize = 1024;
/// Fewer clicks at the same position are not meaningful.
const FEW_SAME: u32 = 5;
/// The least number of clicks for a finding about clicks within one pixel of the centre, and within
/// two.
const FEW_CENTRAL: [u32; 2] = [12, 20];
/// From this number on, a smaller share of clicks at the same position is enough for a finding.
const MANY_SAME: u32 = 8;

impl Points {
    pub const fn new(board: &Board<'_>, cell_size: i32) -> Self {
        Self {
            cell_size,
            size: (board.cols as i32, board.rows as i32),
            last: None,
            clicks: 0,
            places: [0; PLACES],
            central: [0; 2],
        }
    }

    pub fn take(&mut self, event: &MouseEvent) {
        let cell = (
            event.x.div_euclid(self.cell_size),
            event.y.div_euclid(self.cell_size),
        );
        if !(0..self.size.0).contains(&cell.0) || !(0..self.size.1).contains(&cell.1) {
            return;
        }
        let place = (
            event.x - cell.0 * self.cell_size,
            event.y - cell.1 * self.cell_size,
        );
        if self.last.replace(cell).is_some_and(|last| cell != last) {
            self.clicks += 1;
            let at = (place.1 * self.cell_size + place.0) as usize % PLACES;
            if let Some(count) = self.places.get_mut(at) {
                *count = count.saturating_add(1);
            }
            let off = |at: i32| (2 * at + 1 - self.cell_size).abs();
            let off = off(place.0).max(off(place.1));
            let [one, two] = &mut self.central;
            *one += u32::from(off <= 3);
            *two += u32::from(off <= 5);
        }
    }

    pub fn check(&self, findings: &mut Findings) {
        // Cells of a few pixels have few positions.
        if self.cell_size < 12 || self.clicks < FEW_SAME {
            return;
        }
        let clicks = self.clicks;
        let same = u32::from(self.places.iter().copied().max().unwrap_or_default());
        let is_half = same >= FEW_SAME && same * 2 >= clicks;
        if is_half || (same >= MANY_SAME && same * 4 >= clicks) {
            findings.push(Finding::new(Rule::SamePoint { same, clicks }));
            return;
        }
        let central = FEW_CENTRAL.into_iter().zip(self.central).zip(1..);
        for ((few, central), pixels) in central {
            if clicks >= few && central * 5 >= clicks * 4 {
                findings.push(Finding::new(Rule::HintCentre {
                    central,
                    clicks,
                    pixels,
                }));
                return;
            }
        }
    }
}
