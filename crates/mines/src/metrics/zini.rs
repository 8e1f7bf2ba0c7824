//! ZiNi: a greedy estimate of the fewest clicks that a board needs.
//!
//! Every cell has a premium: the number of clicks saved by clicking it, flagging the mines around
//! it and chording there, compared with opening its neighbours one by one. The premium is the
//! adjacent 3BV, less the adjacent unflagged mines, less one if the cell is still closed, less
//! one for the chord. The cell with the highest premium is solved next; among equal ones, the
//! first one column by column. If no premium is left, the first cell that still needs a click of
//! its own is opened.

use super::openings::Openings;
use crate::minefield::{MINE, neighbours};

/// How the board is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Solver {
    /// Any safe cell may be next.
    Free,
    /// All openings are opened first; after that only open cells may be next.
    OpeningsFirst,
}

/// The stored value of a premium of 0. Premiums are stored as unsigned bytes, for which every
/// processor has a vector maximum. They range from −10 to 20.
const ZERO: u8 = 128;
/// The value of mines and of the frame, so low that they are never chosen.
const OUT: u8 = 28;
/// Subtracted from the premium of a closed cell so that it is not chosen before it is opened.
const NOT_YET: u8 = 50;
/// The number of cells that are searched at a time.
const LANES: usize = 32;

struct ZiniBoard<'a> {
    openings: &'a Openings,
    /// The number that is subtracted from the premium of a closed cell.
    handicap: u8,
    /// The length is a multiple of [`LANES`], filled up with [`OUT`] after the last cell.
    premium: Vec<u8>,
    open: Vec<bool>,
    flagged: Vec<bool>,
    closed: u32,
    clicks: u32,
}

/// ZiNi and HZiNi.
pub(super) fn zinis(openings: &Openings) -> (u32, u32) {
    let premium = first_premiums(openings);
    let zini = solve(openings, premium.clone(), Solver::Free);
    (zini, solve(openings, premium, Solver::OpeningsFirst))
}

/// The premiums at the start, before any click.
fn first_premiums(openings: &Openings) -> Vec<u8> {
    let len = openings.numbers.len();
    let mut premium = vec![OUT; len.next_multiple_of(LANES)];
    // The 3BV of a cell and its neighbours: the openings it touches, plus isolated numbers.
    let labels = openings.label.iter().zip(&openings.second);
    for (premium, (&label, &second)) in premium.iter_mut().zip(labels) {
        *premium = u8::from(label != 0) + u8::from(second != 0);
    }
    let mut raise = |at: usize| {
        if let Some(premium) = premium.get_mut(at) {
            *premium += 1;
        }
    };
    for at in (0..len).filter(|&at| openings.is_isolated(at)) {
        raise(at);
        neighbours(at, openings.stride)
            .into_iter()
            .for_each(&mut raise);
    }
    for (premium, &number) in premium.iter_mut().zip(&openings.numbers) {
        *premium = if number < MINE {
            ZERO + *premium - number - 2
        } else {
            OUT
        };
    }
    premium
}

fn solve(openings: &Openings, premium: Vec<u8>, solver: Solver) -> u32 {
    let len = openings.numbers.len();
    let mut board = ZiniBoard {
        openings,
        handicap: 0,
        premium,
        open: vec![false; len],
        flagged: vec![false; len],
        closed: openings.safe,
        clicks: 0,
    };
    if solver == Solver::OpeningsFirst {
        board.handicap = NOT_YET;
        for (premium, &number) in board.premium.iter_mut().zip(&openings.numbers) {
            *premium -= if number < MINE { NOT_YET } else { 0 };
        }
        for opening in 1..=openings.count() {
            board.open_opening(opening as u16);
            board.clicks += 1;
        }
    }
    let mut searched = 0;
    let mut best = board.best();
    while board.closed > 0 {
        if let Some(at) = best {
            if !board.is_open(at) {
                board.reveal(at);
                board.clicks += 1;
            }
            board.flag_around(at);
            for neighbour in neighbours(at, openings.stride) {
                board.reveal(neighbour);
            }
            best = board.best();
        } else {
            // Cells never close again, so the search continues where it ended.
            searched = board.next_click(searched);
            board.reveal(searched);
            // A single click raises no premium except that of its own cell.
            let premium = board.premium.get(searched).copied().unwrap_or(OUT);
            best = Some(searched).filter(|_| premium >= ZERO);
        }
        board.clicks += 1;
    }
    board.clicks
}

impl ZiniBoard<'_> {
    fn is_open(&self, at: usize) -> bool {
        self.open.get(at).copied().unwrap_or(true)
    }

    /// The first cell with the highest premium, unless that premium is negative.
    fn best(&self) -> Option<usize> {
        let (lanes, _) = self.premium.as_chunks::<LANES>();
        let mut best = ZERO - 1;
        let mut found = None;
        for (at, lane) in lanes.iter().enumerate() {
            let most = lane.iter().copied().fold(0, u8::max);
            if most > best {
                best = most;
                found = Some((at, lane));
            }
        }
        let (at, lane) = found?;
        let within = lane.iter().position(|&premium| premium == best)?;
        Some(at * LANES + within)
    }

    /// The first closed cell at or after `from` that needs a click of its own. While any cell
    /// is closed there is one, because the border of an opening opens together with it.
    fn next_click(&self, from: usize) -> usize {
        (from..self.open.len())
            .find(|&at| {
                !self.is_open(at)
                    && (self.openings.number(at) == 0 || self.openings.is_isolated(at))
            })
            .unwrap_or(from)
    }

    fn raise(&mut self, at: usize, by: u8) {
        if let Some(premium) = self.premium.get_mut(at) {
            *premium += by;
        }
    }

    fn lower(&mut self, at: usize) {
        if let Some(premium) = self.premium.get_mut(at) {
            *premium -= 1;
        }
    }

    fn reveal(&mut self, at: usize) {
        if self.openings.number(at) >= MINE || self.is_open(at) {
            return;
        }
        if self.openings.number(at) == 0 {
            self.open_opening(self.openings.label_at(at));
        } else {
            self.open_cell(at);
        }
    }

    fn open_opening(&mut self, label: u16) {
        let openings = self.openings;
        for &at in openings.members(label) {
            if !self.is_open(at as usize) {
                self.open_cell(at as usize);
            }
            self.lower(at as usize);
        }
    }

    fn open_cell(&mut self, at: usize) {
        if let Some(open) = self.open.get_mut(at) {
            *open = true;
        }
        self.raise(at, 1 + self.handicap);
        if self.openings.is_isolated(at) {
            for neighbour in neighbours(at, self.openings.stride) {
                self.lower(neighbour);
            }
            self.lower(at);
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
                for around in neighbours(neighbour, self.openings.stride) {
                    self.raise(around, 1);
                }
                self.raise(neighbour, 1);
            }
        }
    }
}
