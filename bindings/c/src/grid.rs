//! The places of entities, and which of them are near.

use gametape_delta as delta;

use crate::error::{Error, Status, free, make, run};
use crate::pointer::{elements, needed};
use crate::schema::Schema;
use crate::world::World;

/// Finds the entities near a place, for `gametape_sender_encode_near`. One grid serves the senders of all receivers.
// As with schemas, cbindgen must not see the attribute.
#[cfg_attr(not(doc), repr(transparent))]
pub struct Grid(pub(crate) delta::Grid);

/// The place of a receiver, and how far it sees. An entity that comes as near as `enter` is seen until it is farther away
/// than `leave`. All are in the units of the game.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Area {
    /// The place; if positions have two fields, the third number is ignored.
    pub centre: [f64; 3],
    /// The distance at which entities come into view.
    pub enter: f64,
    /// The distance at which they leave it. A smaller one than `enter`, such as 0, counts as `enter`.
    pub leave: f64,
}

impl From<Area> for delta::Area {
    fn from(area: Area) -> Self {
        Self {
            centre: area.centre,
            enter: area.enter,
            leave: area.leave,
        }
    }
}

/// Where entities are looked for.
pub(crate) type Place = (*const Grid, delta::Area);

/// Makes a grid over the position in 2 or 3 fields of a component, given by their ids, with cells of a size in the units of
/// the game: about half of the distance that receivers see. A fixed-point number counts as its number divided by the
/// scale. NULL after an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_grid_new(
    schema: Option<&Schema>,
    component: u16,
    fields: *const u16,
    count: usize,
    cell: f64,
    error: Option<&mut Error>,
) -> Option<Box<Grid>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        // SAFETY: the promise of a pointer with a length.
        let fields = unsafe { elements(fields, count, "fields") }?;
        Ok(Grid(delta::Grid::new(schema, component, fields, cell)?))
    })
}

/// Frees it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_grid_free(grid: Option<Box<Grid>>) {
    free(grid);
}

/// Takes the places of all entities. Call it after each `gametape_world_update`, and after `gametape_world_despawn` if
/// packets are made before the next update.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_grid_update(
    grid: Option<&mut Grid>,
    world: Option<&World>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let grid = &mut needed(grid, "grid")?.0;
        grid.update(&needed(world, "world")?.world);
        Ok(Status::Ok)
    })
}
