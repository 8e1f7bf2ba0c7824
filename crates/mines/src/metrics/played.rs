//! A game that was replayed, before its statistics are computed.

use super::clicks::{Clicks, Counter};
use super::openings::Openings;
#[cfg(feature = "tape")]
use super::pace::{bbbv_per_s, style};
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
}

impl Played {
    /// Replays a game under an observer; also returns the result of the replay.
    pub fn of<O: Observer>(game: &Game<'_>, observer: O) -> (Self, Replayed, O) {
        let field = Minefield::new(&game.board);
        let openings = Openings::of(&field);
        let mut engine = Engine::new(field, game.square_size(), game.marks());
        if let Some(flags) = &game.preflags {
            engine.preflag(flags);
        }
        let mut observers = (Counter::new(&openings, game.marks()), observer);
        let (replayed, moves) = replay_with(game, engine, &mut observers);
        let (counter, observer) = observers;
        let played = Self {
            clicks: counter.finish(&moves),
            openings,
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
        bbbv_per_s(&self.clicks, self.time_ms)
    }

    /// [`Metrics::style`](crate::metrics::Metrics::style).
    #[cfg(feature = "tape")]
    pub const fn style(&self) -> &'static str {
        style(&self.clicks, self.preflags)
    }
}
