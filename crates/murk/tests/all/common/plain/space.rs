//! The place of a cell in a field, and the neighbours of a cell.

/// The neighbours of cells at an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Edge {
    Absorb,
    Clamp,
    Wrap,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Space {
    Line(i32, Edge),
    Ring(i32),
    /// Rows and columns, with four neighbours each.
    Square4(i32, i32, Edge),
    Square8(i32, i32),
    /// Rows and columns; a coordinate names the column first.
    Hex(i32, i32),
    /// Width, height and depth; only coordinates with an even sum are cells.
    Fcc(i32, i32, i32),
    /// Cells that differ in the last component follow each other.
    Product(Vec<Self>),
}

impl Space {
    /// Returns all coordinates, in the order of a field's values.
    pub fn cells(&self) -> Vec<Vec<i32>> {
        match self {
            Self::Line(len, _) | Self::Ring(len) => (0..*len).map(|i| vec![i]).collect(),
            Self::Square4(rows, cols, _) | Self::Square8(rows, cols) => {
                let row = |row| (0..*cols).map(move |col| vec![row, col]);
                (0..*rows).flat_map(row).collect()
            }
            Self::Hex(rows, cols) => {
                let row = |r| (0..*cols).map(move |q| vec![q, r]);
                (0..*rows).flat_map(row).collect()
            }
            Self::Fcc(w, h, d) => {
                let mut cells = Vec::new();
                for z in 0..*d {
                    for y in 0..*h {
                        cells.extend((0..*w).map(|x| vec![x, y, z]));
                    }
                }
                cells.retain(|cell| cell.iter().sum::<i32>() % 2 == 0);
                cells
            }
            Self::Product(parts) => {
                let mut cells = vec![Vec::new()];
                for part in parts {
                    let inner = part.cells();
                    let beside = |head: Vec<i32>| {
                        let tails = inner.iter();
                        let joined = tails.map(move |tail| [head.as_slice(), tail].concat());
                        joined.collect::<Vec<_>>()
                    };
                    cells = cells.into_iter().flat_map(beside).collect();
                }
                cells
            }
        }
    }

    /// Returns the place of a coordinate among [`Space::cells`].
    pub fn rank(&self, coord: &[i32]) -> Option<usize> {
        self.cells().iter().position(|cell| cell == coord)
    }

    /// Returns true if [`Space::neighbours`] knows them.
    pub fn has_neighbours(&self) -> bool {
        matches!(self, Self::Line(..) | Self::Ring(_) | Self::Square4(..))
    }

    /// Returns the places of a cell's neighbours, in the origin's order.
    pub fn neighbours(&self, cell: usize) -> Vec<usize> {
        let cell = cell as i32;
        let found: Vec<i32> = match *self {
            Self::Line(len, edge) => {
                let sides = [cell - 1, cell + 1].into_iter();
                sides.filter_map(|i| along(i, len, edge)).collect()
            }
            Self::Ring(len) => {
                let sides = [cell - 1, cell + 1].into_iter();
                sides.filter_map(|i| along(i, len, Edge::Wrap)).collect()
            }
            Self::Square4(rows, cols, edge) => {
                let (row, col) = (cell / cols, cell % cols);
                let sides = [
                    (row - 1, col),
                    (row + 1, col),
                    (row, col - 1),
                    (row, col + 1),
                ];
                let inside = sides.into_iter().filter_map(|(row, col)| {
                    Some(along(row, rows, edge)? * cols + along(col, cols, edge)?)
                });
                inside.collect()
            }
            _ => unreachable!("no propagator here asks for these"),
        };
        found.into_iter().map(|cell| cell as usize).collect()
    }

    pub fn toml(&self) -> String {
        let edge = |edge: &Edge| match edge {
            Edge::Absorb => "absorb",
            Edge::Clamp => "clamp",
            Edge::Wrap => "wrap",
        };
        match self {
            Self::Line(len, at) => format!("kind = 'line1d', len = {len}, edge = '{}'", edge(at)),
            Self::Ring(len) => format!("kind = 'ring1d', len = {len}"),
            Self::Square4(rows, cols, at) => {
                let at = edge(at);
                format!("kind = 'square4', rows = {rows}, cols = {cols}, edge = '{at}'")
            }
            Self::Square8(rows, cols) => {
                format!("kind = 'square8', rows = {rows}, cols = {cols}, edge = 'absorb'")
            }
            Self::Hex(rows, cols) => format!("kind = 'hex2d', rows = {rows}, cols = {cols}"),
            Self::Fcc(w, h, d) => {
                format!("kind = 'fcc12', w = {w}, h = {h}, d = {d}, edge = 'absorb'")
            }
            Self::Product(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|p| format!("{{ {} }}", p.toml()))
                    .collect();
                format!("kind = 'product', components = [{}]", parts.join(", "))
            }
        }
    }
}

/// Returns a place on an axis, if there is one.
fn along(at: i32, len: i32, edge: Edge) -> Option<i32> {
    match edge {
        _ if (0..len).contains(&at) => Some(at),
        Edge::Absorb => None,
        Edge::Clamp => Some(at.clamp(0, len - 1)),
        Edge::Wrap => Some(at.rem_euclid(len)),
    }
}
