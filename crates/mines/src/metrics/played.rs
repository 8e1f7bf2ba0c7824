//! A game that was replayed, before its statistics are computed, and the statistics that need only
//! its counts.

use super::clicks::{ClickCounter, Clicks};
use super::openings::Openings;
use crate::engine::Engine;
use crate::replay::{Observer, Replayed, replay_with};
use crate::{Cells, Game, Level, Minefield, Outcome};

/// The input of the statistics. ZiNi takes as long as everything else together, so it is computed
/// only by [`Played::metrics`]; the audit's checks do not need it.
pub(crate) struct Played {
    pub(super) openings: Openings,
    pub clicks: Clicks,
    pub preflags: u32,
    pub level: Level,
    pub outcome: Option<Outcome>,
    pub time_ms: u32,
    pub diverges: bool,
}

impl Played {
    /// Replays a game under an observer; also returns the result of the replay.
    pub fn of<O: Observer>(game: &Game<'_>, observer: O) -> (Self, Replayed, O) {
        let field = Minefield::new(&game.board);
        let openings = Openings::of(&field);
        let mut engine = Engine::new(field, game.cell_size(), game.marks());
        if let Some(flags) = &game.preflags {
            engine.preflag(flags);
        }
        let mut observers = (ClickCounter::new(&openings, game.marks()), observer);
        let (replayed, moves) = replay_with(game, engine, &mut observers);
        let (counter, observer) = observers;
        let played = Self {
            clicks: counter.finish(&moves),
            openings,
            diverges: replayed.fault.is_some(),
            preflags: game.preflags.as_ref().map_or(0, Cells::len) as u32,
            level: Level::of(game.board.cols, game.board.rows, game.board.mines.len()),
            outcome: game.ending.map(|ending| ending.outcome),
            time_ms: game
                .ending
                .map_or_else(|| game.events.last_time_ms(), |ending| ending.time_ms),
        };
        (played, replayed, observer)
    }

    /// [`BoardMetrics::bbbv`](crate::metrics::BoardMetrics::bbbv).
    pub fn bbbv(&self) -> u32 {
        self.openings.bbbv()
    }

    /// [`Metrics::bbbv_per_s`](crate::metrics::Metrics::bbbv_per_s).
    #[cfg(feature = "tape")]
    pub fn bbbv_per_s(&self) -> Option<f64> {
        ratio(
            earned(self.outcome, self.bbbv(), &self.clicks),
            seconds(self.time_ms),
        )
    }

    /// [`Metrics::style`](crate::metrics::Metrics::style).
    #[cfg(feature = "tape")]
    pub const fn style(&self) -> &'static str {
        style(&self.clicks, self.preflags)
    }
}

pub(super) fn seconds(ms: u32) -> f64 {
    f64::from(ms) / 1000.0
}

/// The 3BV that counts for the player: all of it in a won game, otherwise the solved part.
pub(super) fn earned(outcome: Option<Outcome>, bbbv: u32, clicks: &Clicks) -> f64 {
    f64::from(if outcome == Some(Outcome::Win) {
        bbbv
    } else {
        clicks.solved_bbbv
    })
}

pub(super) const fn style(clicks: &Clicks, preflags: u32) -> &'static str {
    if clicks.flags == 0 && preflags == 0 {
        "NF"
    } else {
        "FL"
    }
}

pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    let value = part / whole;
    (whole != 0.0 && value.is_finite()).then_some(value)
}
