//! The statistics that players compare.
//!
//! T is the time in seconds, Cl the number of clicks, Ce the number of clicks that changed the
//! board. In a game that was not won, "3BV" means the part that was solved, so that a lost game
//! gets no credit for cells that were never opened. ZNE and ZNT compare with a whole solution and
//! are `None` for such a game. A ratio whose divisor is 0 is `None`.

mod clicks;
mod openings;
#[cfg(feature = "tape")]
mod timeline;
mod zini;

pub use clicks::Clicks;
#[cfg(feature = "tape")]
pub(crate) use timeline::{Moment, moments};

use self::clicks::ClickCounter;
use self::openings::Openings;
use self::zini::zinis;
use crate::engine::Engine;
use crate::replay::{Observer, Replayed, replay_with};
use crate::{Cells, Game, Level, Minefield, Outcome};

/// Statistics of a board.
///
/// ```
/// use gametape_mines::{metrics::BoardMetrics, Board, Cell, Minefield};
/// let board = Board::new(8, 8, [Cell::new(0, 0)], 0)?;
/// let metrics = BoardMetrics::of(&Minefield::new(&board));
/// assert_eq!((metrics.bbbv, metrics.openings, metrics.islands), (1, 1, 0));
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardMetrics {
    /// Openings plus numbers that touch no opening: the left clicks that a game without flags
    /// needs.
    pub bbbv: u32,
    /// Connected areas of zeros.
    pub openings: u32,
    /// Connected groups of numbers outside of openings.
    pub islands: u32,
    /// A greedy estimate of the fewest clicks of any kind.
    pub zini: u32,
    /// The same for a player who opens all openings first.
    pub hzini: u32,
}

impl BoardMetrics {
    /// Measures a board.
    #[must_use]
    pub fn of(field: &Minefield) -> Self {
        Self::with(&Openings::of(field))
    }

    fn with(openings: &Openings) -> Self {
        let (zini, hzini) = zinis(openings);
        Self {
            zini,
            hzini,
            ..Self::without_zini(openings)
        }
    }

    /// Measures a board without ZiNi, whose fields are 0.
    fn without_zini(openings: &Openings) -> Self {
        Self {
            bbbv: openings.bbbv(),
            openings: openings.count(),
            islands: openings.islands(),
            zini: 0,
            hzini: 0,
        }
    }
}

/// The 3BV of a board alone.
#[must_use]
pub fn bbbv(field: &Minefield) -> u32 {
    Openings::of(field).bbbv()
}

/// The statistics of one game.
#[derive(Clone, PartialEq, Debug)]
pub struct Metrics {
    /// Statistics of the board itself.
    pub board: BoardMetrics,
    /// Counts of the player's actions.
    pub clicks: Clicks,
    /// Number of flags on the board before the game began.
    pub preflags: u32,
    /// The level that fits the board.
    pub level: Level,
    /// The outcome; `None` in a recording that was cut off.
    pub outcome: Option<Outcome>,
    /// The time in milliseconds: that of the termination event or, without one, of the last mouse
    /// event.
    pub time_ms: u32,
    /// Whether the recording and the rules part: from there on, clicks, opened cells and the solved 3BV are those of
    /// a game that the recording does not show.
    pub replay_diverges: bool,
}

impl Metrics {
    /// Replays a game and measures it.
    #[must_use]
    pub fn of(game: &Game<'_>) -> Self {
        Self::with_replay(game).0
    }

    /// Measures a game and returns the result of its replay as well, in a single pass.
    #[must_use]
    pub fn with_replay(game: &Game<'_>) -> (Self, Replayed) {
        let (played, replayed, ()) = Played::of(game, ());
        (played.metrics(), replayed)
    }

    /// Like [`Metrics::of`], without ZiNi: its fields are 0.
    #[cfg(feature = "tape")]
    pub(crate) fn without_zini(game: &Game<'_>) -> Self {
        let (played, _, ()) = Played::of(game, ());
        let board = BoardMetrics::without_zini(&played.openings);
        played.metrics_of(board)
    }

    /// Adds ZiNi to [`Metrics::without_zini`].
    #[cfg(feature = "tape")]
    pub(crate) fn with_zini(self, game: &Game<'_>) -> Self {
        let board = BoardMetrics::of(&Minefield::new(&game.board));
        Self { board, ..self }
    }

    fn seconds(&self) -> f64 {
        seconds(self.time_ms)
    }

    fn won(&self) -> bool {
        self.outcome == Some(Outcome::Win)
    }

    /// The 3BV that counts for the player: all of it in a won game, otherwise the solved part.
    fn earned(&self) -> f64 {
        earned(self.outcome, self.board.bbbv, &self.clicks)
    }

    /// 3BV / T.
    #[must_use]
    pub fn bbbv_per_s(&self) -> Option<f64> {
        ratio(self.earned(), self.seconds())
    }

    /// T · 3BV of the board / 3BV: the time that the whole board would have taken, in seconds.
    #[must_use]
    pub fn estimated_time(&self) -> Option<f64> {
        let whole = self.seconds() * f64::from(self.board.bbbv);
        ratio(whole, self.earned())
    }

    /// Index of efficiency: 3BV / Cl.
    #[must_use]
    pub fn ioe(&self) -> Option<f64> {
        ratio(self.earned(), f64::from(self.clicks.total()))
    }

    /// Correctness: Ce / Cl.
    #[must_use]
    pub fn correctness(&self) -> Option<f64> {
        let effective = f64::from(self.clicks.effective());
        ratio(effective, f64::from(self.clicks.total()))
    }

    /// Throughput: 3BV / Ce.
    #[must_use]
    pub fn throughput(&self) -> Option<f64> {
        ratio(self.earned(), f64::from(self.clicks.effective()))
    }

    /// Rapport qualité prix: T² / 3BV.
    #[must_use]
    pub fn rqp(&self) -> Option<f64> {
        ratio(self.seconds().powi(2), self.earned())
    }

    /// T^1.7 / 3BV.
    #[must_use]
    pub fn qg(&self) -> Option<f64> {
        ratio(self.seconds().powf(1.7), self.earned())
    }

    /// Index of speed: log 3BV / log T.
    #[must_use]
    pub fn ios(&self) -> Option<f64> {
        ratio(self.earned().ln(), self.seconds().ln()).filter(|_| self.earned() > 0.0)
    }

    /// K · solved / T^1.7 · √(solved / 3BV), K = 36, 162, 435; `None` on other boards.
    #[must_use]
    pub fn stnb(&self) -> Option<f64> {
        let k = match self.level {
            Level::Beginner => 36.0,
            Level::Intermediate => 162.0,
            Level::Expert => 435.0,
            Level::Custom => return None,
        };
        let solved = self.earned();
        let share = ratio(solved, f64::from(self.board.bbbv))?;
        ratio(k * solved * share.sqrt(), self.seconds().powf(1.7))
    }

    /// ZiNi / Cl; only for a won game.
    #[must_use]
    pub fn zne(&self) -> Option<f64> {
        let zini = f64::from(self.board.zini);
        ratio(zini, f64::from(self.clicks.total())).filter(|_| self.won())
    }

    /// ZiNi / Ce; only for a won game.
    #[must_use]
    pub fn znt(&self) -> Option<f64> {
        let zini = f64::from(self.board.zini);
        ratio(zini, f64::from(self.clicks.effective())).filter(|_| self.won())
    }

    /// `NF` if no flag was ever on the board, otherwise `FL`.
    #[must_use]
    pub const fn style(&self) -> &'static str {
        style(&self.clicks, self.preflags)
    }
}

impl Played {
    /// Computes the statistics.
    pub fn metrics(self) -> Metrics {
        let board = BoardMetrics::with(&self.openings);
        self.metrics_of(board)
    }

    fn metrics_of(self, board: BoardMetrics) -> Metrics {
        Metrics {
            board,
            clicks: self.clicks,
            preflags: self.preflags,
            level: self.level,
            outcome: self.outcome,
            time_ms: self.time_ms,
            replay_diverges: self.diverges,
        }
    }
}

/// The input of the statistics. ZiNi takes as long as everything else together, so it is computed
/// only by [`Played::metrics`]; the audit's checks do not need it.
pub(crate) struct Played {
    openings: Openings,
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

fn seconds(ms: u32) -> f64 {
    f64::from(ms) / 1000.0
}

/// The 3BV that counts for the player: all of it in a won game, otherwise the solved part.
fn earned(outcome: Option<Outcome>, bbbv: u32, clicks: &Clicks) -> f64 {
    f64::from(if outcome == Some(Outcome::Win) {
        bbbv
    } else {
        clicks.solved_bbbv
    })
}

const fn style(clicks: &Clicks, preflags: u32) -> &'static str {
    if clicks.flags == 0 && preflags == 0 {
        "NF"
    } else {
        "FL"
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    let value = part / whole;
    (whole != 0.0 && value.is_finite()).then_some(value)
}
