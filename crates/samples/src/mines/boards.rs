//! Boards for games, generated as each mode requires, as far as its rules are known.

use gametape_mines::engine::{Engine, Status};
use gametape_mines::rmv::WriteError;
use gametape_mines::{Board, Buttons, Cell, Cells, Minefield, Mode, MouseAction, MouseEvent};

use super::solver::{Knowledge, Solver};

/// The board of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BoardSpec {
    /// Random mines.
    Random {
        /// Columns.
        cols: u32,
        /// Rows, 1 to 255 for RMV.
        rows: u32,
        /// The number of mines.
        mines: u32,
    },
    /// Rings of eight and of seven mines, for the highest numbers.
    Ring,
}

impl BoardSpec {
    /// 8 × 8, 10 mines.
    pub const BEGINNER: Self = Self::random(8, 8, 10);
    /// 16 × 16, 40 mines.
    pub const INTERMEDIATE: Self = Self::random(16, 16, 40);
    /// 30 × 16, 99 mines.
    pub const EXPERT: Self = Self::random(30, 16, 99);

    /// A board with mines at random.
    #[must_use]
    pub const fn random(cols: u32, rows: u32, mines: u32) -> Self {
        Self::Random { cols, rows, mines }
    }
}

/// How many boards are tried before a mode's requirement of a solvable board is dropped.
const TRIES: u32 = 500;

/// A board for a mode, and the cell in which the game begins. This cell never has a mine; if the
/// mode requires it, it is in an opening from which the board can be solved without guessing.
pub fn board_for(
    spec: &BoardSpec,
    mode: Mode,
    rng: &mut fastrand::Rng,
) -> Result<(Board<'static>, Cell), WriteError> {
    let timestamp = 1_700_000_000 + rng.u32(0..50_000_000);
    if *spec == BoardSpec::Ring {
        let ring = Cell::new(2, 2);
        let eight = [
            (1, 1),
            (2, 1),
            (3, 1),
            (1, 2),
            (3, 2),
            (1, 3),
            (2, 3),
            (3, 3),
        ];
        let seven = [(7, 2), (8, 2), (9, 2), (7, 3), (9, 3), (7, 4), (8, 4)];
        let mut mines: Vec<(u8, u8)> = eight.into_iter().chain(seven).collect();
        mines.sort_unstable_by_key(|&(col, row)| (row, col));
        let mines = mines.into_iter().map(|(col, row)| Cell::new(col, row));
        return Ok((Board::new(12, 7, mines, timestamp)?, ring));
    }
    let &BoardSpec::Random { cols, rows, mines } = spec else {
        return Board::new(0, 0, [], 0).map(|board| (board, Cell::new(0, 0)));
    };
    // Checks the size before coordinates are converted to bytes.
    Board::new(cols, rows, [], timestamp)?;
    let cells = cols * rows;
    let mut last = None;
    for _ in 0..TRIES {
        let mut at: Vec<u32> = rng.choose_multiple(0..cells, mines.min(cells - 1) as usize);
        at.sort_unstable();
        let mines = at
            .iter()
            .map(|at| Cell::new((at % cols) as u8, (at / cols) as u8));
        let board = Board::new(cols, rows, mines, timestamp)?;
        let field = Minefield::new(&board);
        let Some(first) = first_cell(&field, mode, rng) else {
            continue;
        };
        let good = !wants_solvable(mode) || is_solvable(&field, first);
        last = Some((board, first));
        if good {
            break;
        }
    }
    last.ok_or_else(|| WriteError::Invalid("no cell to begin in".into()))
}

fn wants_solvable(mode: Mode) -> bool {
    matches!(
        mode,
        Mode::CompetitiveSolvable | Mode::StrongSolvable | Mode::WeakSolvable
    )
}

/// A cell for the first click. In Windows 7 mode and the solvable modes it is in an opening.
fn first_cell(field: &Minefield, mode: Mode, rng: &mut fastrand::Rng) -> Option<Cell> {
    let opening = mode >= Mode::Win7 && mode <= Mode::ToBeSolvable;
    let cells: Vec<Cell> = field
        .cells()
        .filter(|&cell| !field.is_mine(cell) && (!opening || field.number(cell) == 0))
        .collect();
    rng.choice(&cells).copied()
}

/// Whether the board can be solved by deduction alone.
fn is_solvable(field: &Minefield, first: Cell) -> bool {
    let mut engine = Engine::new(field.clone(), 1, false);
    let mut shown = Vec::new();
    let mut click = |engine: &mut Engine, cell: Cell| {
        for action in [MouseAction::LeftDown, MouseAction::LeftUp] {
            let event = MouseEvent {
                action,
                time_ms: 0,
                buttons: Buttons::NONE,
                x: i32::from(cell.col),
                y: i32::from(cell.row),
                reduced: false,
            };
            engine.apply(&event, &mut shown);
        }
        shown.clear();
    };
    click(&mut engine, first);
    let mut solver = Solver::new(field.cols(), field.rows());
    while engine.status() == Status::Playing {
        solver.look(&engine);
        let safe: Vec<Cell> = solver.cells(Knowledge::Safe).collect();
        if safe.is_empty() {
            return false;
        }
        for cell in safe {
            click(&mut engine, cell);
        }
    }
    engine.status() == Status::Won
}

/// Flags on every third mine that is not next to the first cell.
pub(super) fn preflags(field: &Minefield, first: Cell) -> Cells<'static> {
    field
        .cells()
        .filter(|&cell| {
            let near = cell.col.abs_diff(first.col) <= 1 && cell.row.abs_diff(first.row) <= 1;
            field.is_mine(cell) && !near
        })
        .step_by(3)
        .collect()
}
