//! Remembers the effects of mouse events by the rules.

use crate::metrics::{Clicks, Moment, moments};
use crate::{BoardEvent, Game};

/// The most bytes of remembered moments. The moments of a game take about four times as much memory
/// as its recording, so those of any real game fit. But in a forged recording three bytes can make
/// the rules change eighteen cells.
const MOST: usize = 16 << 20;

/// The moments of a part of a game, usually of all of it. If they do not fit, a part is kept, and
/// the game is played again when another part is needed.
#[derive(Debug)]
pub(super) struct Window {
    most: usize,
    /// The first event of the part; the part ends where the limit was reached.
    from: u32,
    full: Option<u32>,
    kept: Vec<Kept>,
    shown: Vec<BoardEvent>,
}

#[derive(Debug)]
struct Kept {
    step: u32,
    /// The end of its board events; they begin where those of the previous moment end.
    end: usize,
    clicks: Clicks,
}

impl Default for Window {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl Window {
    /// An empty window of at most `most` bytes.
    pub const fn of(most: usize) -> Self {
        Self {
            most,
            from: 0,
            full: None,
            kept: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Its size in bytes.
    pub const fn size(&self) -> usize {
        self.kept.len() * size_of::<Kept>() + self.shown.len() * size_of::<BoardEvent>()
    }

    /// Adds the next moment if there is space. The first one always fits.
    pub fn push(&mut self, moment: &Moment) {
        if self.full.is_some() || moment.step < self.from {
            return;
        }
        let more = size_of::<Kept>() + moment.shown.len() * size_of::<BoardEvent>();
        if self.size() + more > self.most && !self.kept.is_empty() {
            self.full = Some(moment.step);
            return;
        }
        self.shown.extend_from_slice(&moment.shown);
        self.kept.push(Kept {
            step: moment.step,
            end: self.shown.len(),
            clicks: moment.clicks.clone(),
        });
    }

    /// The effect of an event by the rules: the counts and the board events.
    pub fn moment(&mut self, game: &Game<'_>, step: u32) -> Option<(&Clicks, &[BoardEvent])> {
        if step < self.from || self.full.is_some_and(|full| step >= full) {
            self.kept.clear();
            self.shown.clear();
            (self.from, self.full) = (step, None);
            moments(game, |moment| self.push(moment));
        }
        let at = self.kept.partition_point(|kept| kept.step < step);
        let kept = self.kept.get(at).filter(|kept| kept.step == step)?;
        let before = at.checked_sub(1).and_then(|at| self.kept.get(at));
        let start = before.map_or(0, |kept| kept.end);
        Some((&kept.clicks, self.shown.get(start..kept.end)?))
    }
}
