//! ZiNi: a greedy estimate of the fewest clicks a board needs.
//!
//! Every square has a premium: what a click, the flags around it and a chord there save over
//! opening its neighbours one by one — adjacent 3BV, less adjacent unflagged mines, less one
//! if it is still closed, less one for the chord. The best square is taken, the first one down
//! the columns where several are equal; where no premium is left, the first square that is
//! still a click of its own is opened.

use super::openings::Openings;
use crate::minefield::{BORDER, MINE, neighbours};

/// Who solves the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Solver {
    /// Any safe square may be taken.
    Free,
    /// All openings are opened first; after that only open squares are taken.
    OpeningsFirst,
}

/// Keeps a square out of the running: premiums are −10 to 20.
const OUT: i8 = -100;
/// Keeps a closed square out of the running until it is opened.
const NOT_YET: i8 = -50;

struct Board<'a> {
    openings: &'a Openings,
    /// What is added to the premium of a closed square.
    handicap: i8,
    premium: Vec<i8>,
    open: Vec<bool>,
    flagged: Vec<bool>,
    closed: u32,
    clicks: u32,
}

pub(super) fn zini(openings: &Openings, solver: Solver) -> u32 {
    let len = openings.numbers.len();
    let handicap = match solver {
        Solver::Free => 0,
        Solver::OpeningsFirst => NOT_YET,
    };
    let mut board = Board {
        openings,
        handicap,
        premium: (0..len)
            .map(|at| match openings.number(at) {
                MINE | BORDER => OUT,
                number => adjacent_bbbv(openings, at) - number as i8 - 2 + handicap,
            })
            .collect(),
        open: vec![false; len],
        flagged: vec![false; len],
        closed: openings.safe,
        clicks: 0,
    };
    if solver == Solver::OpeningsFirst {
        for opening in 1..=openings.count() {
            board.open_opening(opening as u16);
            board.clicks += 1;
        }
    }
    let mut searched = 0;
    while board.closed > 0 {
        if let Some(at) = board.best() {
            if !board.is_open(at) {
                board.reveal(at);
                board.clicks += 1;
            }
            board.flag_around(at);
            for neighbour in neighbours(at, openings.stride) {
                board.reveal(neighbour);
            }
            board.clicks += 1;
        } else {
            // Squares do not close again, so the search goes on where it ended.
            searched = board.next_click(searched);
            board.reveal(searched);
            board.clicks += 1;
        }
    }
    board.clicks
}

/// 3BV among a square and its neighbours: isolated numbers, and the openings it touches.
fn adjacent_bbbv(openings: &Openings, at: usize) -> i8 {
    if openings.number(at) == 0 {
        return 1;
    }
    let isolated = neighbours(at, openings.stride)
        .into_iter()
        .chain([at])
        .filter(|&n| openings.is_isolated(n))
        .count() as i8;
    isolated + i8::from(openings.label_at(at) != 0) + i8::from(openings.second_at(at) != 0)
}

impl Board<'_> {
    fn is_open(&self, at: usize) -> bool {
        self.open.get(at).copied().unwrap_or(true)
    }

    /// The first square with the highest premium, if that is not negative.
    fn best(&self) -> Option<usize> {
        let best = self.premium.iter().copied().fold(OUT, i8::max);
        if best < 0 {
            return None;
        }
        self.premium.iter().position(|&premium| premium == best)
    }

    /// The first closed square from `from` on that takes a click of its own. There is one as
    /// long as a square is closed: the border of an opening opens with it.
    fn next_click(&self, from: usize) -> usize {
        (from..self.open.len())
            .find(|&at| {
                !self.is_open(at)
                    && (self.openings.number(at) == 0 || self.openings.is_isolated(at))
            })
            .unwrap_or(from)
    }

    fn raise(&mut self, at: usize, by: i8) {
        if let Some(premium) = self.premium.get_mut(at) {
            *premium += by;
        }
    }

    /// Raises the premium of a square and of those around it.
    fn raise_around(&mut self, at: usize, by: i8) {
        for neighbour in neighbours(at, self.openings.stride) {
            self.raise(neighbour, by);
        }
        self.raise(at, by);
    }

    fn reveal(&mut self, at: usize) {
        if self.openings.number(at) >= MINE || self.is_open(at) {
            return;
        }
        if self.openings.number(at) == 0 {
            self.open_opening(self.openings.label_at(at));
        } else {
            self.open_square(at);
        }
    }

    fn open_opening(&mut self, label: u16) {
        let openings = self.openings;
        for &at in openings.members(label) {
            if !self.is_open(at as usize) {
                self.open_square(at as usize);
            }
            self.raise(at as usize, -1);
        }
    }

    fn open_square(&mut self, at: usize) {
        if let Some(open) = self.open.get_mut(at) {
            *open = true;
        }
        self.raise(at, 1 - self.handicap);
        if self.openings.is_isolated(at) {
            self.raise_around(at, -1);
        }
        self.closed -= 1;
    }

    fn flag_around(&mut self, at: usize) {
        for neighbour in neighbours(at, self.openings.stride) {
            if self.openings.number(neighbour) == MINE
                && let Some(flagged) = self.flagged.get_mut(neighbour)
                && !*flagged
            {
                *flagged = true;
                self.clicks += 1;
                self.raise_around(neighbour, 1);
            }
        }
    }
}
