//! The cells of a field.

use std::ops::ControlFlow;

use gametape_core::table::Value;
use gametape_core::tape::Error;

use crate::Location;
use crate::Simulation;
use crate::engine::EngineWorld;

/// Which field of a world a grid is of, and how many of its columns are coordinates.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub field: u32,
    pub ndim: usize,
}

impl Grid {
    /// The values of its cells, cell after cell.
    pub fn values(self, world: &EngineWorld) -> &[f32] {
        world.field(self.field).unwrap_or_default()
    }

    /// Gives the cells whose values are not, bit for bit, those that were `shown` before; all where
    /// nothing was.
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

    /// What stands in a column of a cell's row.
    pub fn value(self, location: &Location, values: &[f32], column: usize) -> Value<'static> {
        match column.checked_sub(self.ndim) {
            None => location.coord.get(column).copied().into(),
            Some(component) => values.get(component).copied().into(),
        }
    }
}
