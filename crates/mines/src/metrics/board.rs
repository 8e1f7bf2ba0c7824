//! Statistics of a board itself, independent of any game on it.

use super::openings::Openings;
use super::zini::zinis;
use crate::Minefield;

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

    pub(super) fn with(openings: &Openings) -> Self {
        let (zini, hzini) = zinis(openings);
        Self {
            zini,
            hzini,
            ..Self::without_zini(openings)
        }
    }

    /// Measures a board without ZiNi, whose fields are 0.
    pub(super) fn without_zini(openings: &Openings) -> Self {
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
