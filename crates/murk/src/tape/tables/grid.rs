//! The cells of a field.

use std::ops::ControlFlow;

use gametape_core::table::Value;
use gametape_core::tape::Error;

use crate::Location;
use crate::Simulation;
use crate::engine::EngineWorld;

/// The grid of a field of a world.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub field: u32,
    /// The number of columns that are coordinates.
    pub ndim: usize,
    /// Whether each component of a value has a row of its own.
    pub long: bool,
}

impl Grid {
    /// Returns the values of all cells, cell by cell.
    pub fn values(self, world: &EngineWorld) -> &[f32] {
        world.field(self.field).unwrap_or_default()
    }

    /// Visits the cells whose values differ, bit for bit, from those `shown` before; all cells if nothing was
    /// shown.
    pub fn cells(
        self,
        world: &EngineWorld,
        shown: &[f32],
        mut each: impl FnMut(&Location, &[f32]) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let checker = world.checker();
        let components = checker.locate(self.field, 0);
        let components = components.map_or(1, |location| location.components as usize);
        let cells = self.values(world).chunks(components.max(1));
        for (at, values) in (0..).step_by(components.max(1)).zip(cells) {
            let same = |(old, new): (&f32, &f32)| old.to_bits() == new.to_bits();
            let shown = shown.get(at..at + values.len());
            if shown.is_some_and(|shown| shown.iter().zip(values).all(same)) {
                continue;
            }
            let Some(location) = checker.locate(self.field, at) else {
                continue;
            };
            if each(&location, values)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Visits the rows of a cell. A row is a function from a column to its value.
    pub fn rows(
        self,
        location: &Location,
        values: &[f32],
        mut row: impl FnMut(&dyn Fn(usize) -> Value<'static>) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let coord = |column: usize| location.coord.get(column).copied().into();
        if !self.long {
            return row(&|column| match column.checked_sub(self.ndim) {
                None => coord(column),
                Some(component) => values.get(component).copied().into(),
            });
        }
        for (component, value) in (0_i64..).zip(values) {
            let given = row(&|column| match column.checked_sub(self.ndim) {
                None => coord(column),
                Some(0) => component.into(),
                Some(_) => (*value).into(),
            })?;
            if given.is_break() {
                return Ok(given);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
