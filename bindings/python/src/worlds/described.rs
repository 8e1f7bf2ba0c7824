//! Worlds. What they do is beside, because runs have worlds, too.

use std::sync::Arc;

use gametape::murk::engine::World as Described;
use pyo3::prelude::*;

/// A Murk world: a space of cells, their fields, and the propagators that change them in each tick.
///
/// >>> world = gametape.World.from_toml(open("heat.toml").read())
/// >>> world
/// <World of 16 x 16 cells: stove, smoke, haze, heat, gradient>
/// >>> run = world.run(ticks=50, commands=[{"tick": 1, "field": "stove", "coord": [3, 4], "value": 1}])
/// >>> run["haze"].shape, bool(run["haze"].max() > 0)
/// ((16, 16), True)
#[pyclass(frozen, eq, module = "gametape")]
#[derive(PartialEq)]
pub struct World {
    pub inner: Arc<Described>,
}
