//! The opening to which each cell belongs: the basis of 3BV, islands and ZiNi.

use crate::Cell;
use crate::minefield::{BORDER, MINE, Minefield, neighbours};

/// The openings of a board.
///
/// Cells are stored column by column, with a frame one cell wide: the "top left" of ZiNi means
/// first column first.
#[derive(Clone, Debug)]
pub(crate) struct Openings {
    /// Number of cells in a column, frame included.
    pub stride: usize,
    /// 0 to 8, [`MINE`] or [`BORDER`].
    pub numbers: Vec<u8>,
    /// The opening a cell belongs to or borders on, counted from 1; 0 for none.
    pub label: Vec<u16>,
    /// A second opening that a number borders on. There cannot be a third one: zeros that are two
    /// cells apart in a row or a column share all cells between them.
    pub second: Vec<u16>,
    /// The cells of all openings, borders included, opening by opening.
    members: Vec<u32>,
    /// The index in `members` at which each opening begins, and the end of the last one.
    starts: Vec<u32>,
    /// The number of numbers that touch no opening.
    pub isolated: u32,
    /// The number of safe cells.
    pub safe: u32,
}

impl Openings {
    pub fn of(field: &Minefield) -> Self {
        let stride = usize::from(field.rows()) + 2;
        let len = stride * (usize::from(field.cols()) + 2);
        let mut numbers = vec![BORDER; len];
        for (column, inner) in numbers
            .chunks_exact_mut(stride)
            .skip(1)
            .take(usize::from(field.cols()))
            .enumerate()
        {
            for (row, number) in inner
                .iter_mut()
                .skip(1)
                .take(usize::from(field.rows()))
                .enumerate()
            {
                *number = field.at((row + 1) * field.stride() + column + 1);
            }
        }
        let mut openings = Self {
            stride,
            label: vec![0; len],
            second: vec![0; len],
            numbers,
            members: Vec::with_capacity(len),
            starts: Vec::with_capacity(32),
            isolated: 0,
            safe: field.safe(),
        };
        for at in 0..len {
            if openings.number(at) == 0 && openings.label_at(at) == 0 {
                openings.unfold(at);
            }
        }
        openings.starts.push(openings.members.len() as u32);
        let cells = openings.numbers.iter().zip(&openings.label);
        let isolated = cells.filter(|(number, label)| **number < MINE && **label == 0);
        openings.isolated = isolated.count() as u32;
        openings
    }

    /// Number of openings.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    pub fn bbbv(&self) -> u32 {
        self.count() + self.isolated
    }

    #[inline]
    pub fn number(&self, at: usize) -> u8 {
        self.numbers.get(at).copied().unwrap_or(BORDER)
    }

    #[inline]
    pub fn label_at(&self, at: usize) -> u16 {
        self.label.get(at).copied().unwrap_or(0)
    }

    /// Whether the cell is a number that touches no opening, and so needs a click of its own.
    #[inline]
    pub fn is_isolated(&self, at: usize) -> bool {
        self.number(at) < MINE && self.label_at(at) == 0
    }

    #[inline]
    pub fn place(&self, cell: Cell) -> usize {
        (usize::from(cell.col) + 1) * self.stride + usize::from(cell.row) + 1
    }

    /// The cells of an opening, its border included.
    pub fn members(&self, label: u16) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).map_or(0, |&start| start as usize);
        let label = usize::from(label);
        self.members
            .get(bound(label - 1)..bound(label))
            .unwrap_or_default()
    }

    /// Labels the opening that a zero belongs to.
    fn unfold(&mut self, zero: usize) {
        let start = self.members.len();
        self.starts.push(start as u32);
        // There are at most 65,025 cells, and each opening has at least one.
        let label = self.starts.len() as u16;
        self.join(zero, label);
        let mut next = start;
        // The members found so far are the queue.
        while let Some(&at) = self.members.get(next) {
            next += 1;
            if self.number(at as usize) == 0 {
                for neighbour in neighbours(at as usize, self.stride) {
                    self.join(neighbour, label);
                }
            }
        }
    }

    fn join(&mut self, at: usize, label: u16) {
        // Most neighbours of a zero have already been visited.
        let Some(first) = self.label.get_mut(at).filter(|first| **first != label) else {
            return;
        };
        if self.numbers.get(at).is_none_or(|number| *number >= MINE) {
            return;
        }
        if *first == 0 {
            *first = label;
        } else if let Some(second) = self.second.get_mut(at).filter(|second| **second != label) {
            *second = label;
        } else {
            return;
        }
        self.members.push(at as u32);
    }

    /// The number of groups of numbers outside of openings.
    pub fn islands(&self) -> u32 {
        let cells = self.numbers.iter().zip(&self.label);
        let isolated = cells.map(|(&number, &label)| number < MINE && label == 0);
        // The cells that belong to no group yet.
        let mut left: Vec<bool> = isolated.collect();
        let mut queue = Vec::new();
        let mut islands = 0;
        let mut from = 0;
        let next = |left: &[bool], from| left.iter().skip(from).position(|&is_left| is_left);
        while let Some(start) = next(&left, from) {
            islands += 1;
            from += start;
            queue.push(from);
            while let Some(at) = queue.pop() {
                for neighbour in neighbours(at, self.stride) {
                    if let Some(is_left) = left.get_mut(neighbour)
                        && std::mem::take(is_left)
                    {
                        queue.push(neighbour);
                    }
                }
            }
            // A cell without neighbours in its group has not been removed yet.
            if let Some(is_left) = left.get_mut(from) {
                *is_left = false;
            }
        }
        islands
    }
}
