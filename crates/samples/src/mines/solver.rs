//! Deductions from the numbers on the board.

use gametape_mines::{Cell, Engine, Face};

/// The knowledge about a closed cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    Unknown,
    Safe,
    Mine,
}

/// Examines a board as a player sees it, and deduces from single numbers and from pairs of numbers
/// whose closed cells overlap.
pub(super) struct Solver {
    cols: u8,
    rows: u8,
    faces: Vec<Face>,
    knowledge: Vec<Knowledge>,
}

/// The closed cells of a number about which nothing is known, and the number of mines among them.
struct Constraint {
    cells: Vec<usize>,
    mines: usize,
}

impl Solver {
    pub fn new(cols: u8, rows: u8) -> Self {
        let len = usize::from(cols) * usize::from(rows);
        Self {
            cols,
            rows,
            faces: vec![Face::Closed; len],
            knowledge: vec![Knowledge::Unknown; len],
        }
    }

    fn index(&self, cell: Cell) -> usize {
        usize::from(cell.row) * usize::from(self.cols) + usize::from(cell.col)
    }

    fn cell(&self, at: usize) -> Cell {
        let cols = usize::from(self.cols);
        Cell::new((at % cols) as u8, (at / cols) as u8)
    }

    pub fn face(&self, cell: Cell) -> Face {
        self.faces
            .get(self.index(cell))
            .copied()
            .unwrap_or(Face::Closed)
    }

    pub fn knows(&self, cell: Cell) -> Knowledge {
        let at = self.index(cell);
        self.knowledge
            .get(at)
            .copied()
            .unwrap_or(Knowledge::Unknown)
    }

    /// The neighbours of a cell.
    pub fn around(&self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        let (cols, rows) = (i32::from(self.cols), i32::from(self.rows));
        let (col, row) = (i32::from(cell.col), i32::from(cell.row));
        (-1..=1)
            .flat_map(move |dy| (-1..=1).map(move |dx| (col + dx, row + dy)))
            .filter(move |&(c, r)| {
                (c, r) != (col, row) && (0..cols).contains(&c) && (0..rows).contains(&r)
            })
            .map(|(c, r)| Cell::new(c as u8, r as u8))
    }

    /// The closed cells with this state of knowledge.
    pub fn cells(&self, what: Knowledge) -> impl Iterator<Item = Cell> + '_ {
        (0..self.faces.len())
            .filter(move |&at| {
                !matches!(self.faces.get(at), Some(Face::Number(_) | Face::Blast))
                    && self.knowledge.get(at) == Some(&what)
            })
            .map(|at| self.cell(at))
    }

    /// The open numbers.
    pub fn numbers(&self) -> impl Iterator<Item = (Cell, u8)> + '_ {
        (0u16..)
            .zip(&self.faces)
            .filter_map(|(at, face)| match face {
                Face::Number(number) => Some((self.cell(usize::from(at)), *number)),
                _ => None,
            })
    }

    /// Reads the board and makes all possible deductions.
    pub fn look(&mut self, engine: &Engine) {
        for at in 0..self.faces.len() {
            if let (Some(face), Some(slot)) = (engine.face(self.cell(at)), self.faces.get_mut(at)) {
                *slot = face;
            }
        }
        while self.deduce() {}
    }

    fn learn(&mut self, cells: &[usize], knowledge: Knowledge) -> bool {
        let mut new = false;
        for &at in cells {
            if let Some(slot) = self.knowledge.get_mut(at) {
                new |= *slot != knowledge;
                *slot = knowledge;
            }
        }
        new
    }

    fn deduce(&mut self) -> bool {
        let constraints = self.constraints();
        let mut new = false;
        for constraint in &constraints {
            if constraint.mines == 0 {
                new |= self.learn(&constraint.cells, Knowledge::Safe);
            } else if constraint.mines == constraint.cells.len() {
                new |= self.learn(&constraint.cells, Knowledge::Mine);
            }
        }
        if new {
            return true;
        }
        for (at, small) in constraints.iter().enumerate() {
            for large in constraints.iter().skip(at.saturating_sub(64)).take(128) {
                let rest: Vec<usize> = large
                    .cells
                    .iter()
                    .copied()
                    .filter(|cell| !small.cells.contains(cell))
                    .collect();
                let overlap = large.cells.len() - rest.len();
                if overlap == 0 || rest.is_empty() {
                    continue;
                }
                // The rest of the large one has at least this many mines.
                let least = large.mines.saturating_sub(small.mines.min(overlap));
                if least == rest.len() {
                    new |= self.learn(&rest, Knowledge::Mine);
                } else if overlap == small.cells.len() && large.mines == small.mines {
                    new |= self.learn(&rest, Knowledge::Safe);
                }
            }
        }
        new
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.numbers()
            .filter_map(|(cell, number)| {
                let mut cells = Vec::new();
                let mut mines = usize::from(number);
                for neighbour in self.around(cell) {
                    match (self.face(neighbour), self.knows(neighbour)) {
                        (Face::Number(_), _) | (_, Knowledge::Safe) => {}
                        (Face::Blast, _) | (_, Knowledge::Mine) => mines = mines.saturating_sub(1),
                        (_, Knowledge::Unknown) => cells.push(self.index(neighbour)),
                    }
                }
                (!cells.is_empty()).then_some(Constraint { cells, mines })
            })
            .collect()
    }
}
