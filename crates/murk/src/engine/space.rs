//! The spaces of Murk: their cells and coordinates, their layout as an array, and the origin's equivalents.

use std::borrow::Cow;

use murk_space::{
    EdgeBehavior, Fcc12, Hex2D, Line1D, ProductSpace, Ring1D, Space as OriginSpace, SpaceError,
    Square4, Square8,
};
use toml::Spanned;
use toml::de::DeValue;

use super::define::{kinds, words};
use super::value::{Keys, TableWriter, TomlValue, Wrong};

words! {
    /// The neighbours of cells at the edge of a space.
    Edge("edge") of EdgeBehavior {
        /// None: cells at the edge have fewer neighbours.
        Absorb = "absorb" => EdgeBehavior::Absorb,
        /// The cell at the edge itself.
        Clamp = "clamp" => EdgeBehavior::Clamp,
        /// The cell at the other side.
        Wrap = "wrap" => EdgeBehavior::Wrap,
    }
}

kinds! {
    /// The space of a world: its cells and their neighbours.
    ///
    /// The cells are in Murk's canonical order, in which a field's values are stored.
    Space by "kind" {
        /// A line; coordinate `[i]`.
        Line1D = "line1d" {
            /// The number of cells.
            len: u32,
            /// The edge at both ends.
            edge: Edge,
        }
        /// A ring; coordinate `[i]`.
        Ring1D = "ring1d" {
            /// The number of cells.
            len: u32,
        }
        /// Squares with 4 neighbours; coordinate `[row, column]`.
        Square4 = "square4" {
            /// The number of rows, which is the range of the first coordinate.
            rows: u32,
            /// The number of columns.
            cols: u32,
            /// The edge at all sides.
            edge: Edge,
        }
        /// Squares with 8 neighbours; coordinate `[row, column]`.
        Square8 = "square8" {
            /// The number of rows, which is the range of the first coordinate.
            rows: u32,
            /// The number of columns.
            cols: u32,
            /// The edge at all sides.
            edge: Edge,
        }
        /// Hexagons; coordinate `[q, r]`, where `q` counts columns and `r` rows.
        Hex2D = "hex2d" {
            /// The number of rows, which is the range of the second coordinate.
            rows: u32,
            /// The number of columns.
            cols: u32,
        }
        /// The face-centred cubic lattice with 12 neighbours; coordinate `[x, y, z]`. Only
        /// coordinates with an even sum are cells.
        Fcc12 = "fcc12" {
            /// Extent in x.
            w: u32,
            /// Extent in y.
            h: u32,
            /// Extent in z.
            d: u32,
            /// The edge at all sides. (`clamp` has the effect of `absorb`; `wrap` needs even
            /// extents.)
            edge: Edge,
        }
        /// The product of spaces. A coordinate consists of those of the components, one after the
        /// other.
        Product = "product" {
            /// The components. Cells that differ in the last component are neighbours in the order.
            components: Vec<Space>,
        }
    }
}

impl TomlValue for Space {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        let mut keys = Keys::of(value)?;
        let kind: String = keys.take("kind", None)?;
        let space = Self::read_keys(&kind, &mut keys)?;
        let space = space.ok_or_else(|| keys.undefined("kind", &kind, "space", Self::KINDS))?;
        keys.finish().map(|()| space)
    }

    fn write(&self, out: &mut String) {
        let mut table = TableWriter::inline(out);
        self.give_keys(&mut table);
        table.end();
    }
}

/// Returns the two alternating lengths of rows in a face-centred lattice, and of its slices: `[with
/// even start, with odd start]`.
fn fcc_shape(w: u32, h: u32) -> Option<([u64; 2], [u64; 2])> {
    let (w, h) = (u64::from(w), u64::from(h));
    let row = [w.div_ceil(2), w / 2];
    let [long, short] = row;
    let (even_rows, odd_rows) = (h.div_ceil(2), h / 2);
    let slice = |even: u64, odd: u64| {
        even_rows
            .checked_mul(even)?
            .checked_add(odd_rows.checked_mul(odd)?)
    };
    Some((row, [slice(long, short)?, slice(short, long)?]))
}

/// In a sequence whose items alternately have `sizes[0]` and `sizes[1]` cells, returns the item
/// with cell `rank`, and the cell's place in it.
fn by_turns(rank: u64, sizes: [u64; 2]) -> Option<(u64, u64)> {
    let [first, second] = sizes;
    let pair = first.checked_add(second)?;
    let (turn, rest) = (rank.checked_div(pair)?, rank.checked_rem(pair)?);
    Some(match rest.checked_sub(first) {
        None => (2 * turn, rest),
        Some(rest) => (2 * turn + 1, rest),
    })
}

impl Space {
    /// Returns the number of numbers in a coordinate.
    #[must_use]
    pub fn ndim(&self) -> usize {
        match self {
            Self::Line1D { .. } | Self::Ring1D { .. } => 1,
            Self::Square4 { .. } | Self::Square8 { .. } | Self::Hex2D { .. } => 2,
            Self::Fcc12 { .. } => 3,
            Self::Product { components } => components.iter().map(Self::ndim).sum(),
        }
    }

    /// Returns the names of the numbers in a coordinate, and the number of values of each: `i`;
    /// `row` and `col`; `q` and `r`; `x`, `y` and `z`. In a product, the number of the component is
    /// appended: `row_0`.
    #[must_use]
    pub fn axes(&self) -> Vec<(String, u32)> {
        let axes: &[(&str, u32)] = match self {
            Self::Line1D { len, .. } | Self::Ring1D { len } => &[("i", *len)],
            Self::Square4 { rows, cols, .. } | Self::Square8 { rows, cols, .. } => {
                &[("row", *rows), ("col", *cols)]
            }
            Self::Hex2D { rows, cols } => &[("q", *cols), ("r", *rows)],
            Self::Fcc12 { w, h, d, .. } => &[("x", *w), ("y", *h), ("z", *d)],
            Self::Product { components } => {
                let axes = components.iter().enumerate().flat_map(|(at, space)| {
                    let axes = space.axes().into_iter();
                    axes.map(move |(name, size)| (format!("{name}_{at}"), size))
                });
                return axes.collect();
            }
        };
        axes.iter()
            .map(|(name, size)| ((*name).to_owned(), *size))
            .collect()
    }

    /// Returns the number of cells; `None` if 64 bits can't count them.
    #[must_use]
    pub fn cell_count(&self) -> Option<u64> {
        match self {
            Self::Line1D { len, .. } | Self::Ring1D { len } => Some(u64::from(*len)),
            Self::Square4 { rows, cols, .. }
            | Self::Square8 { rows, cols, .. }
            | Self::Hex2D { rows, cols } => u64::from(*rows).checked_mul(u64::from(*cols)),
            Self::Fcc12 { w, h, d, .. } => {
                let (_, [even, odd]) = fcc_shape(*w, *h)?;
                let d = u64::from(*d);
                let even = d.div_ceil(2).checked_mul(even)?;
                even.checked_add((d / 2).checked_mul(odd)?)
            }
            Self::Product { components } => components
                .iter()
                .try_fold(1_u64, |cells, space| cells.checked_mul(space.cell_count()?)),
        }
    }

    /// Returns true for squares with four neighbours, for which the origin has separate code.
    pub(super) const fn has_squares(&self) -> bool {
        matches!(self, Self::Square4 { .. })
    }

    /// Returns the largest number of neighbours of a cell.
    pub(super) fn degree(&self) -> u64 {
        match self {
            Self::Line1D { .. } | Self::Ring1D { .. } => 2,
            Self::Square4 { .. } => 4,
            Self::Hex2D { .. } => 6,
            Self::Square8 { .. } => 8,
            Self::Fcc12 { .. } => 12,
            Self::Product { components } => components.iter().map(Self::degree).sum(),
        }
    }

    /// Returns the coordinate of a cell by its number in the canonical order; `None` after the
    /// last.
    ///
    /// ```
    /// use gametape_murk::engine::Space;
    /// let space = Space::Hex2D { rows: 3, cols: 4 };
    /// assert_eq!(space.coord(5), Some(vec![1, 1]));
    /// assert_eq!(space.coord(12), None);
    /// ```
    #[must_use]
    pub fn coord(&self, cell: u64) -> Option<Vec<i32>> {
        let mut coord = Vec::with_capacity(self.ndim());
        (cell < self.cell_count()?)
            .then(|| self.push_coord(cell, &mut coord))
            .flatten()?;
        Some(coord)
    }

    fn push_coord(&self, cell: u64, coord: &mut Vec<i32>) -> Option<()> {
        let mut push = |number: u64| i32::try_from(number).map(|number| coord.push(number)).ok();
        match self {
            Self::Line1D { .. } | Self::Ring1D { .. } => push(cell)?,
            Self::Square4 { cols, .. } | Self::Square8 { cols, .. } => {
                push(cell.checked_div(u64::from(*cols))?)?;
                push(cell.checked_rem(u64::from(*cols))?)?;
            }
            Self::Hex2D { cols, .. } => {
                push(cell.checked_rem(u64::from(*cols))?)?;
                push(cell.checked_div(u64::from(*cols))?)?;
            }
            Self::Fcc12 { w, h, .. } => {
                let ([long, short], slices) = fcc_shape(*w, *h)?;
                let (z, rest) = by_turns(cell, slices)?;
                let rows = if z % 2 == 0 {
                    [long, short]
                } else {
                    [short, long]
                };
                let (y, rest) = by_turns(rest, rows)?;
                push(2 * rest + (y + z) % 2)?;
                push(y)?;
                push(z)?;
            }
            Self::Product { components } => {
                let mut stride = self.cell_count()?;
                let mut rest = cell;
                for space in components {
                    stride = stride.checked_div(space.cell_count()?)?;
                    space.push_coord(rest.checked_div(stride)?, coord)?;
                    rest = rest.checked_rem(stride)?;
                }
            }
        }
        Some(())
    }

    /// Builds the origin's space.
    pub(super) fn build(&self) -> Result<Box<dyn OriginSpace>, SpaceError> {
        Ok(match self {
            Self::Line1D { len, edge } => Box::new(Line1D::new(*len, edge.origin())?),
            Self::Ring1D { len } => Box::new(Ring1D::new(*len)?),
            Self::Square4 { rows, cols, edge } => {
                Box::new(Square4::new(*rows, *cols, edge.origin())?)
            }
            Self::Square8 { rows, cols, edge } => {
                Box::new(Square8::new(*rows, *cols, edge.origin())?)
            }
            Self::Hex2D { rows, cols } => Box::new(Hex2D::new(*rows, *cols)?),
            Self::Fcc12 { w, h, d, edge } => Box::new(Fcc12::new(*w, *h, *d, edge.origin())?),
            Self::Product { components } => {
                let components = components
                    .iter()
                    .map(Self::build)
                    .collect::<Result<_, _>>()?;
                Box::new(ProductSpace::new(components)?)
            }
        })
    }
}

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
