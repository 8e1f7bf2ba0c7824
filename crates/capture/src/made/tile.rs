//! Arranges the cells of a grid in tiles.

/// The most cells of a tile, which are the fields of a component.
pub(super) const CELLS: u32 = 64;

/// The arrangement of a grid's cells in tiles along its keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tiling {
    /// The smallest coordinates.
    origin: Vec<i64>,
    /// The number of cells of a tile along each key. Their product is at most [`CELLS`].
    edges: Vec<u32>,
}

impl Tiling {
    /// The tiling for these numbers of cells along each key: tiles of 8 x 8, of 4 x 4 x 4, or of 64
    /// in a row; fewer in a narrow grid.
    pub fn new(origin: Vec<i64>, extents: &[u64]) -> Self {
        let mut edges = vec![1_u32; extents.len()];
        for _ in 0..CELLS.ilog2() {
            let wants = edges.iter_mut().zip(extents);
            let mut wants: Vec<&mut u32> = wants
                .filter(|(edge, extent)| u64::from(**edge) < **extent)
                .map(|(edge, _)| edge)
                .collect();
            if let Some(edge) = wants.iter_mut().rev().min_by_key(|edge| ***edge) {
                **edge *= 2;
            }
        }
        Self { origin, edges }
    }

    /// The tiling that a reader finds; `None` if it is invalid.
    pub fn found(origin: &[i64], edges: &[u32]) -> Option<Self> {
        let cells = edges
            .iter()
            .try_fold(1_u32, |cells, edge| cells.checked_mul(*edge))?;
        let sound = origin.len() == edges.len() && (1..=CELLS).contains(&cells);
        sound.then(|| Self {
            origin: origin.to_vec(),
            edges: edges.to_vec(),
        })
    }

    pub fn origin(&self) -> &[i64] {
        &self.origin
    }

    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The number of cells in a tile.
    pub fn cells(&self) -> usize {
        self.edges.iter().product::<u32>() as usize
    }

    /// The tile of a cell, and the index of the cell in it; the last key varies fastest.
    /// Coordinates must not be below the origin.
    pub fn place(&self, cell: &[i128], tile: &mut Vec<u64>) -> usize {
        tile.clear();
        let mut number = 0;
        for ((at, origin), edge) in cell.iter().zip(&self.origin).zip(&self.edges) {
            let from_origin = u64::try_from(at - i128::from(*origin)).unwrap_or_default();
            let edge = u64::from(*edge);
            tile.push(from_origin / edge);
            number = number * edge + from_origin % edge;
        }
        number as usize
    }

    /// The coordinates of a cell of a tile.
    pub fn cell(&self, tile: &[u64], mut number: usize, cell: &mut Vec<i128>) {
        cell.clear();
        for ((at, origin), edge) in tile.iter().zip(&self.origin).zip(&self.edges).rev() {
            let edge = *edge as usize;
            let within = (number % edge) as i128;
            number /= edge;
            cell.push(i128::from(*origin) + i128::from(*at) * edge as i128 + within);
        }
        cell.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tiles_are_as_square_as_may_be() {
        let edges = |extents: &[u64]| Tiling::new(vec![0; extents.len()], extents).edges;
        assert_eq!(edges(&[100]), [64]);
        assert_eq!(edges(&[64, 64]), [8, 8]);
        assert_eq!(edges(&[9, 9, 9]), [4, 4, 4]);
        assert_eq!(edges(&[1, 500]), [1, 64]);
        assert_eq!(edges(&[3, 3]), [4, 4]);
        assert_eq!(edges(&[2, 2, 2, 2, 2, 2, 2, 2]), [1, 1, 2, 2, 2, 2, 2, 2]);
        assert!(edges(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn a_cell_is_found_where_it_was_put(
            sizes in proptest::collection::vec((1..300_u64, -500..500_i64), 0..5),
            at in proptest::collection::vec(0..300_u64, 5),
        ) {
            let (extents, origin): (Vec<u64>, Vec<i64>) = sizes.into_iter().unzip();
            let cell: Vec<i128> = extents.iter().zip(&origin).zip(at)
                .map(|((extent, origin), at)| i128::from(*origin) + i128::from(at % extent))
                .collect();
            let tiling = Tiling::new(origin, &extents);
            prop_assert!(tiling.cells() <= CELLS as usize);
            let (mut tile, mut back) = (Vec::new(), Vec::new());
            let number = tiling.place(&cell, &mut tile);
            prop_assert!(number < tiling.cells());
            tiling.cell(&tile, number, &mut back);
            prop_assert_eq!(back, cell);
        }
    }
}
