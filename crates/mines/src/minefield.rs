//! The board as the game sees it: the mines and the number of each other cell.

use crate::rmv::WriteError;
use crate::{Board, Cell, Cells};

/// The value of a mine in a [`Minefield`]'s grid.
pub(crate) const MINE: u8 = 9;
/// The value of the cells in the frame around the board.
pub(crate) const BORDER: u8 = 10;

impl Board<'static> {
    /// A board of `cols` × `rows` with mines in the given cells, in the given order.
    ///
    /// # Errors
    /// The board has no cells or is larger than 255 × 255; a mine lies outside of it; two mines
    /// lie in the same cell; or there are more than 32,763 mines, the most that the format can
    /// list.
    pub fn new(
        cols: u32,
        rows: u32,
        mines: impl IntoIterator<Item = Cell>,
        timestamp: u32,
    ) -> Result<Self, WriteError> {
        let size = |n: u32| u8::try_from(n).ok().filter(|&n| n > 0);
        let (Some(cols), Some(rows)) = (size(cols), size(rows)) else {
            return Err(WriteError::BoardSize { cols, rows });
        };
        let mines: Cells<'static> = mines.into_iter().collect();
        // The size of the board section is a 16-bit number, and 8 of its bytes are not mines.
        let max = (usize::from(u16::MAX) - 8) / 2;
        if mines.len() > max {
            return Err(WriteError::TooMany {
                what: "mines",
                count: mines.len(),
                max,
            });
        }
        let mut seen = vec![false; usize::from(cols) * usize::from(rows)];
        for cell in mines.iter() {
            if cell.col >= cols || cell.row >= rows {
                return Err(WriteError::Invalid(
                    format!("a mine in cell {cell} of a {cols} x {rows} board").into(),
                ));
            }
            let at = usize::from(cell.row) * usize::from(cols) + usize::from(cell.col);
            if seen.get(at) == Some(&true) {
                return Err(WriteError::Invalid(
                    format!("two mines in cell {cell}").into(),
                ));
            }
            if let Some(seen) = seen.get_mut(at) {
                *seen = true;
            }
        }
        Ok(Board {
            timestamp,
            cols,
            rows,
            mines,
        })
    }
}

/// The mines of a board and the number of every other cell.
///
/// ```
/// use gametape_mines::{Board, Cell, Minefield};
/// let board = Board::new(3, 2, [Cell::new(0, 0)], 0)?;
/// let field = Minefield::new(&board);
/// assert!(field.is_mine(Cell::new(0, 0)));
/// assert_eq!(field.number(Cell::new(1, 1)), 1);
/// assert_eq!(field.number(Cell::new(2, 1)), 0);
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Minefield {
    cols: u8,
    rows: u8,
    mines: u32,
    /// One byte per cell, with a frame of [`BORDER`], so that looking at neighbours needs no
    /// bounds checks.
    grid: Vec<u8>,
    /// Factor that turns a place into its row: 2³² divided by the length of a row, plus 1.
    per_row: u64,
}

impl Minefield {
    /// Builds the minefield of a board. Mines outside of the board are ignored; a mine that is
    /// listed twice counts once.
    #[must_use]
    pub fn new(board: &Board<'_>) -> Self {
        let stride = usize::from(board.cols) + 2;
        let mut grid = vec![BORDER; stride * (usize::from(board.rows) + 2)];
        for row in grid
            .chunks_exact_mut(stride)
            .skip(1)
            .take(usize::from(board.rows))
        {
            if let Some(cells) = row.get_mut(1..=usize::from(board.cols)) {
                cells.fill(0);
            }
        }
        let mut field = Self {
            cols: board.cols,
            rows: board.rows,
            mines: 0,
            grid,
            per_row: (1 << 32_u64) / stride as u64 + 1,
        };
        for cell in board.mines.iter() {
            let Some(at) = field.index(cell) else {
                continue;
            };
            if field.at(at) == MINE {
                continue;
            }
            field.mines += 1;
            for neighbour in neighbours(at, stride) {
                if let Some(number) = field.grid.get_mut(neighbour)
                    && *number < MINE
                {
                    *number += 1;
                }
            }
            if let Some(number) = field.grid.get_mut(at) {
                *number = MINE;
            }
        }
        field
    }

    /// Number of columns, 1 to 255.
    #[must_use]
    pub const fn cols(&self) -> u8 {
        self.cols
    }

    /// Number of rows, 1 to 255.
    #[must_use]
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// Number of mines.
    #[must_use]
    pub const fn mines(&self) -> u32 {
        self.mines
    }

    /// Number of cells without a mine.
    #[must_use]
    pub const fn safe(&self) -> u32 {
        self.cols as u32 * self.rows as u32 - self.mines
    }

    /// Every cell, row by row.
    ///
    /// ```
    /// use gametape_mines::{Board, Cell, Minefield};
    /// let field = Minefield::new(&Board::new(2, 2, [Cell::new(1, 0)], 0)?);
    /// let safe: Vec<Cell> = field.cells().filter(|&cell| !field.is_mine(cell)).collect();
    /// assert_eq!(safe, [Cell::new(0, 0), Cell::new(0, 1), Cell::new(1, 1)]);
    /// # Ok::<(), gametape_mines::rmv::WriteError>(())
    /// ```
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (cols, rows) = (self.cols, self.rows);
        (0..rows).flat_map(move |row| (0..cols).map(move |col| Cell::new(col, row)))
    }

    /// True if the cell has a mine.
    #[must_use]
    pub fn is_mine(&self, cell: Cell) -> bool {
        self.index(cell).is_some_and(|at| self.at(at) == MINE)
    }

    /// Number of mines around a cell; 0 for a mine and for cells outside of the board.
    #[must_use]
    pub fn number(&self, cell: Cell) -> u8 {
        self.index(cell)
            .map(|at| self.at(at))
            .filter(|&number| number < MINE)
            .unwrap_or(0)
    }

    /// Length of a row in the framed grid, in bytes.
    pub(crate) const fn stride(&self) -> usize {
        self.cols as usize + 2
    }

    /// Number of cells of the framed grid.
    pub(crate) const fn grid_len(&self) -> usize {
        self.grid.len()
    }

    /// The value at a place of the framed grid: 0 to 8, [`MINE`] or [`BORDER`].
    #[inline]
    pub(crate) fn at(&self, at: usize) -> u8 {
        self.grid.get(at).copied().unwrap_or(BORDER)
    }

    /// The place of a cell in the framed grid.
    #[inline]
    pub(crate) fn index(&self, cell: Cell) -> Option<usize> {
        (cell.col < self.cols && cell.row < self.rows)
            .then(|| (usize::from(cell.row) + 1) * self.stride() + usize::from(cell.col) + 1)
    }

    /// The cell at a place of the framed grid.
    #[inline]
    pub(crate) fn cell(&self, at: usize) -> Cell {
        // A division would take as long as everything else that opening a cell costs. Places
        // are below 2¹⁷; for these the product gives the exact row.
        let at = at as u64;
        let row = at.wrapping_mul(self.per_row) >> 32;
        let col = at.wrapping_sub(row.wrapping_mul(self.stride() as u64));
        Cell::new(col.wrapping_sub(1) as u8, row.wrapping_sub(1) as u8)
    }

    /// The places of all cells, row by row.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let (stride, cols) = (self.stride(), usize::from(self.cols));
        (1..=usize::from(self.rows))
            .flat_map(move |row| (1..=cols).map(move |col| row * stride + col))
    }
}

/// The eight places around a place, in row-major order.
#[inline]
pub(crate) const fn neighbours(at: usize, stride: usize) -> [usize; 8] {
    let (above, below) = (at.wrapping_sub(stride), at + stride);
    [
        above.wrapping_sub(1),
        above,
        above.wrapping_add(1),
        at.wrapping_sub(1),
        at + 1,
        below.wrapping_sub(1),
        below,
        below + 1,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_their_cells_on_boards_of_any_width() {
        for cols in 1..=255 {
            let field = Minefield::new(&Board::new(cols, 255, [], 0).unwrap());
            for row in 0..=254 {
                for col in [0, cols as u8 / 2, cols as u8 - 1] {
                    let cell = Cell::new(col, row);
                    assert_eq!(
                        field.cell(field.index(cell).unwrap()),
                        cell,
                        "{cols} columns"
                    );
                }
            }
        }
    }

    #[test]
    fn numbers_count_mines_across_edges_but_not_around_them() {
        let mines = [Cell::new(0, 0), Cell::new(2, 2), Cell::new(2, 0)];
        let field = Minefield::new(&Board::new(3, 3, mines, 0).unwrap());
        let row = |row| {
            (0..3)
                .map(|col| field.number(Cell::new(col, row)))
                .collect::<Vec<_>>()
        };
        assert_eq!(row(0), [0, 2, 0]);
        assert_eq!(row(1), [1, 3, 2]);
        assert_eq!(row(2), [0, 1, 0]);
        assert_eq!((field.mines(), field.safe()), (3, 6));
    }

    #[test]
    fn impossible_boards_are_refused() {
        assert!(matches!(
            Board::new(256, 1, [], 0),
            Err(WriteError::BoardSize { cols: 256, rows: 1 })
        ));
        assert!(Board::new(0, 5, [], 0).is_err());
        assert!(Board::new(2, 2, [Cell::new(2, 0)], 0).is_err());
        assert!(Board::new(2, 2, [Cell::new(1, 1), Cell::new(1, 1)], 0).is_err());
    }
}
