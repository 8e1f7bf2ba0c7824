//! The cells of a space as an array.

use std::borrow::Cow;

use super::space::Space;

/// The most places of an array per cell. In a larger one nearly all would be empty.
const MOST_PLACES: usize = 16;

/// The place of each cell in an array, which is indexed by the cells' coordinates.
///
/// ```
/// use gametape_murk::engine::Space;
/// // Cells are stored row by row, and a coordinate is [column, row].
/// let layout = Space::Hex2D { rows: 2, cols: 3 }.layout();
/// assert_eq!(layout.shape(), [3, 2]);
/// assert_eq!(*layout.array(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    shape: Vec<usize>,
    /// The place of each cell; `None` if the cells have the order of the array.
    places: Option<Vec<usize>>,
}

impl Space {
    /// Returns the layout of its cells as an array. It has an axis for each number of a coordinate; if
    /// nearly all of its places would be empty, it has one axis, with the cells in their order.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let cells = self.cell_count().unwrap_or(u64::MAX);
        let flat = usize::try_from(cells).unwrap_or(usize::MAX);
        self.array_layout(flat).unwrap_or(Layout {
            shape: vec![flat],
            places: None,
        })
    }

    fn array_layout(&self, cells: usize) -> Option<Layout> {
        let axes = self.axes().into_iter();
        let shape: Option<Vec<usize>> = axes.map(|(_, size)| usize::try_from(size).ok()).collect();
        let shape = shape?;
        let mut edges = shape.iter().copied();
        let size = edges.try_fold(1_usize, usize::checked_mul)?;
        if size > cells.checked_mul(MOST_PLACES)? {
            return None;
        }
        let place = |cell: usize| {
            let mut place = 0_usize;
            for (at, edge) in self.coord(cell as u64)?.into_iter().zip(&shape) {
                place = place
                    .checked_mul(*edge)?
                    .checked_add(usize::try_from(at).ok()?)?;
            }
            (place < size).then_some(place)
        };
        let places: Option<Vec<usize>> = (0..cells).map(place).collect();
        let places = places?;
        let in_order = size == cells && places.iter().copied().eq(0..cells);
        Some(Layout {
            shape,
            places: (!in_order).then_some(places),
        })
    }
}

impl Layout {
    /// Returns the number of places along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the values of a field as an array, in which the last axis changes the fastest, and the `components` of
    /// a value are one more axis. Places without a cell are NaN.
    #[must_use]
    pub fn array<'v>(&self, values: &'v [f32], components: usize) -> Cow<'v, [f32]> {
        let Some(places) = &self.places else {
            return Cow::Borrowed(values);
        };
        let size: usize = self.shape.iter().product();
        let mut array = vec![f32::NAN; size * components];
        for (value, place) in values.chunks(components.max(1)).zip(places) {
            let start = place * components;
            if let Some(slot) = array.get_mut(start..start + value.len()) {
                slot.copy_from_slice(value);
            }
        }
        Cow::Owned(array)
    }
}
