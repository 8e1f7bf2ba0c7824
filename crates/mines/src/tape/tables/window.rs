//! What mouse events do by the rules, remembered.

use crate::metrics::{Clicks, Moment, moments};
use crate::{BoardEvent, Game};

/// Bytes of moments that are remembered. Those of a game by the rules take some four times what the
/// recording does, and fit for any game that was ever played; but a forged recording can have the
/// rules show eighteen squares for three bytes.
const MOST: usize = 16 << 20;

/// The moments of a part of a game: mostly of all of it. Where they are too many, a part is kept, and
/// the game is played once more where another part is needed.
#[derive(Debug)]
pub(super) struct Window {
    most: usize,
    /// From this event on, up to where it was full.
    from: u32,
    full: Option<u32>,
    kept: Vec<Kept>,
    shown: Vec<BoardEvent>,
}

#[derive(Debug)]
struct Kept {
    step: u32,
    /// Where what it shows ends; it starts where that of the one before ends.
    end: usize,
    clicks: Clicks,
}

impl Default for Window {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl Window {
    /// Of at most so many bytes.
    pub const fn of(most: usize) -> Self {
        Self {
            most,
            from: 0,
            full: None,
            kept: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Bytes that it takes.
    pub const fn size(&self) -> usize {
        self.kept.len() * size_of::<Kept>() + self.shown.len() * size_of::<BoardEvent>()
    }

    /// Takes the next moment, if there is space; the first one always has some.
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

    /// What an event does by the rules: what is counted, and what the board shows.
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
