//! Cells, and lists of cells as recordings store them.

use std::borrow::Cow;
use std::fmt;

/// One cell of the board, zero-based from the top left corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// Column, counted from the left.
    pub col: u8,
    /// Row, counted from the top.
    pub row: u8,
}

impl Cell {
    /// The cell in column `col` and row `row`.
    #[must_use]
    pub const fn new(col: u8, row: u8) -> Self {
        Self { col, row }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.col, self.row)
    }
}

/// A cell's area in pixels, on the board or beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellArea {
    pub left: i32,
    pub top: i32,
    pub size: u32,
}

impl CellArea {
    /// No cell: the cursor's cell before the first event.
    pub const NONE: Self = Self {
        left: 0,
        top: 0,
        size: 0,
    };

    /// The area of the cell in this column and row.
    pub const fn of((col, row): (i32, i32), size: u8) -> Self {
        let size = if size == 0 { 1 } else { size as i32 };
        Self {
            left: col.wrapping_mul(size),
            top: row.wrapping_mul(size),
            size: size as u32,
        }
    }

    #[inline]
    pub const fn contains(&self, x: i32, y: i32) -> bool {
        // Positions to the left of or above the cell wrap around to large numbers.
        (x.wrapping_sub(self.left) as u32) < self.size
            && (y.wrapping_sub(self.top) as u32) < self.size
    }
}

/// A list of cells in its stored form: two bytes per cell, column first.
///
/// Borrowed from the file it was read from, or owned.
///
/// ```
/// use gametape_mines::{Cell, Cells};
/// let cells: Cells = [Cell::new(2, 0), Cell::new(4, 2)].into_iter().collect();
/// assert_eq!(cells.len(), 2);
/// assert_eq!(cells.iter().last(), Some(Cell::new(4, 2)));
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Cells<'a>(Cow<'a, [u8]>);

impl<'a> Cells<'a> {
    /// `bytes` must hold whole pairs; an odd last byte is ignored.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Cow::Borrowed(bytes))
    }

    /// The pairs as stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / 2
    }

    /// True if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells in stored order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cell> + Clone + '_ {
        self.0
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[col, row]| Cell { col, row })
    }

    /// The same list, independent of the buffer it was read from.
    #[must_use]
    pub fn into_owned(self) -> Cells<'static> {
        Cells(Cow::Owned(self.0.into_owned()))
    }
}

impl FromIterator<Cell> for Cells<'static> {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        Cells(Cow::Owned(
            cells.into_iter().flat_map(|c| [c.col, c.row]).collect(),
        ))
    }
}

impl fmt::Debug for Cells<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|c| (c.col, c.row)))
            .finish()
    }
}
