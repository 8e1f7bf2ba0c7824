//! Values of a state, as arrays.

use std::borrow::Cow;

use crate::Simulation as _;
use crate::engine::{Checker, EngineWorld, Layout, World};

/// Cells of a state to look at: one, `heat@3,4`, or those of a whole field, `heat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    name: String,
    field: u32,
    cell: Option<Vec<i32>>,
}

impl Watch {
    /// Parses `FIELD@CELL`, with commas in the cell's coordinate; `FIELD` alone stands for all its
    /// cells. The field is given by its name or number.
    ///
    /// # Errors
    /// A sentence, if there is no such field or no such cell.
    pub fn parse(text: &str, world: &World, checker: &Checker) -> Result<Self, String> {
        let (name, cell) = match text.rsplit_once('@') {
            Some((name, cell)) => (name, Some(cell)),
            None => (text, None),
        };
        let whole = Self::field(name, world)?;
        let coord = |cell: &str| {
            let numbers = cell.split(',').map(|number| number.trim().parse().ok());
            numbers.collect::<Option<Vec<i32>>>()
        };
        let cell = cell.map(|cell| {
            let coord = coord(cell);
            let coord = coord.filter(|coord| checker.cell(coord).is_some());
            coord.ok_or_else(|| {
                format!("{cell:?} is not a cell of the world: its coordinate, with commas between")
            })
        });
        Ok(Self {
            name: text.to_owned(),
            cell: cell.transpose()?,
            ..whole
        })
    }

    /// Returns all cells of a field, which is given by its name or number.
    ///
    /// # Errors
    /// A sentence, if there is no such field.
    pub fn field(name: &str, world: &World) -> Result<Self, String> {
        let numbered = || name.parse().ok().filter(|at| *at < world.field_count());
        let field = world.field_number(name).or_else(numbered).ok_or_else(|| {
            let fields = world.fields.iter().map(|field| &*field.name);
            let fields: Vec<&str> = fields.take(32).collect();
            format!(
                "the world has no field {name:?}; it has {}",
                fields.join(", ")
            )
        })?;
        Ok(Self {
            name: name.to_owned(),
            field,
            cell: None,
        })
    }

    /// Returns its name, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    const fn is_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Returns the values in a state, in the order of the cells.
    #[must_use]
    pub fn values<'w>(&self, world: &'w EngineWorld) -> &'w [f32] {
        let values = world.field(self.field).unwrap_or_default();
        let Some(cell) = &self.cell else {
            return values;
        };
        let components = self.components(world.checker());
        let start = world.checker().cell(cell).unwrap_or_default() * components;
        values.get(start..start + components).unwrap_or_default()
    }

    /// Returns the shape of [`Watch::array`]: an axis for each number of a cell's coordinate, and one more for the
    /// components if there are several. One number has none.
    #[must_use]
    pub fn shape(&self, layout: &Layout, checker: &Checker) -> Vec<usize> {
        let cells = if self.is_cell() { &[] } else { layout.shape() };
        let components = self.components(checker);
        let components = (components != 1).then_some(components);
        cells.iter().copied().chain(components).collect()
    }

    /// Returns the values in a state as an array, whose last axis changes the fastest. `layout` is that of the
    /// world's space. Places without a cell are NaN.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    /// use gametape_murk::tools::Watch;
    ///
    /// let world = World::from_toml(gametape_samples::murk::HEAT)?;
    /// let (checker, layout) = (world.checker()?, world.space.layout());
    /// let gradient = Watch::field("gradient", &world)?;
    /// assert_eq!(gradient.shape(&layout, &checker), [16, 16, 2]);
    /// assert_eq!(gradient.array(&layout, &world.build()?).len(), 16 * 16 * 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn array<'w>(&self, layout: &Layout, world: &'w EngineWorld) -> Cow<'w, [f32]> {
        let values = self.values(world);
        if self.is_cell() {
            return Cow::Borrowed(values);
        }
        layout.array(values, self.components(world.checker()))
    }

    fn components(&self, checker: &Checker) -> usize {
        checker.components(self.field).unwrap_or(1) as usize
    }
}
