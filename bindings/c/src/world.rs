//! The log of a world that all senders share, its grid, and the limits, modes and audiences of sessions.

use std::ptr;

use gametape_delta::{self as delta, SendError};

use crate::error::{Error, Fault, Status, elements, free, make, needed, run};
use crate::relevance::Relevances;
use crate::snapshot::{Schema, Snapshot};

/// Limits of packets and states. Both sides need the same. A limit of 0 is the default one.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Bytes in a packet with its header; 65,536.
    pub packet_bytes: usize,
    /// Sections in a packet; 16.
    pub sections: usize,
    /// Bytes in a section; 32,768.
    pub section_bytes: usize,
    /// Entities that a packet creates; 1,024.
    pub creates: usize,
    /// Entities that a packet updates; 2,048.
    pub updates: usize,
    /// Entities that a packet destroys; 1,024.
    pub destroys: usize,
    /// Entities in a state; 4,096.
    pub entities: usize,
}

impl Limits {
    pub(crate) fn get(self) -> delta::Limits {
        let or = |limit, default| if limit == 0 { default } else { limit };
        let default = delta::Limits::DEFAULT;
        delta::Limits {
            max_packet_bytes: or(self.packet_bytes, default.max_packet_bytes),
            max_sections: or(self.sections, default.max_sections),
            max_section_bytes: or(self.section_bytes, default.max_section_bytes),
            max_entities_create: or(self.creates, default.max_entities_create),
            max_entities_update: or(self.updates, default.max_entities_update),
            max_entities_destroy: or(self.destroys, default.max_entities_destroy),
            max_entities: or(self.entities, default.max_entities),
            ..default
        }
    }
}

/// The states that deltas build on. Both sides need the same; no packet says it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// All that has arrived: a lost packet costs only its own content.
    Merged = 0,
    /// The newest packet that was sent: any strict decoder can follow, as taps and recorders have to.
    Strict = 1,
}

/// A mode as C gives it: it may be any number.
pub(crate) fn mode(number: u32) -> Result<delta::Mode, Fault> {
    match number {
        n if n == Mode::Merged as u32 => Ok(delta::Mode::Merged),
        n if n == Mode::Strict as u32 => Ok(delta::Mode::Strict),
        other => Err(Fault::Mode(other)),
    }
}

/// As whom a receiver sees an entity, from the least rights to the most.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Everybody, if nothing else is said.
    All = 0,
    /// The owner's team.
    Team = 1,
    /// The owner.
    Owner = 2,
}

/// An audience as C gives it.
pub(crate) fn audience(number: u32) -> Result<delta::Audience, Fault> {
    match number {
        n if n == Audience::All as u32 => Ok(delta::Audience::All),
        n if n == Audience::Team as u32 => Ok(delta::Audience::Team),
        n if n == Audience::Owner as u32 => Ok(delta::Audience::Owner),
        other => Err(Fault::Audience(other)),
    }
}

/// The state of the world and when each of its values last changed. One world serves the senders of all receivers.
pub struct World {
    pub(crate) world: delta::World,
    /// Kept to reuse their memory.
    pub(crate) relevances: Relevances,
}

/// Makes an empty world. NULL if the schema is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_world_new(
    schema: Option<&Schema>,
    error: Option<&mut Error>,
) -> Option<Box<World>> {
    make(error, || {
        Ok(World {
            world: delta::World::new(&needed(schema, "schema")?.0),
            relevances: Relevances::default(),
        })
    })
}

/// Frees it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_world_free(world: Option<Box<World>>) {
    free(world);
}

/// Hides a component, in all entities, from receivers that see them as less than `least`, a `GametapeAudience`. To be called
/// before the first state. A `GametapeRelevance` says as whom a receiver sees an entity.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_world_restrict(
    world: Option<&mut World>,
    component: u16,
    least: u32,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let world = &mut needed(world, "world")?.world;
        world.restrict(component, audience(least)?)?;
        Ok(Status::Ok)
    })
}

/// Puts an entity into a group, in place of the one that it was in; 0 is none. It stays there until it ends; one that is
/// to come with the next state can be in a group already. All changes of a group travel together: a receiver sees its
/// entities as they were at one tick, or none of them.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_world_group(
    world: Option<&mut World>,
    entity: u32,
    group: u32,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let world = &mut needed(world, "world")?.world;
        world.group(entity, (group != 0).then_some(group));
        Ok(Status::Ok)
    })
}

/// Takes the state of a new tick. Ticks ascend, from 1 on. An entity that the last state lacks is new, and one that is
/// absent now has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_world_update(
    world: Option<&mut World>,
    state: *const Snapshot,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let world = &mut needed(world, "world")?.world;
        if ptr::eq(state, Snapshot::of(world.state())) {
            // The world's own state, which nothing else may refer to while the world changes.
            let tick = world.tick();
            return Err(Fault::Send(SendError::TickOrder { tick, last: tick }));
        }
        // SAFETY: a handle, and not a part of this world.
        let state = unsafe { state.as_ref() };
        world.update(&needed(state, "state")?.0)?;
        Ok(Status::Ok)
    })
}

/// Ends an entity. If the next state has one with this id, it is another one. Returns false if there is no such entity.
/// To end an entity and leave its id unused, it is enough that the next state lacks it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_world_despawn(world: Option<&mut World>, entity: u32) -> bool {
    world.is_some_and(|world| world.world.despawn(entity))
}

/// Returns the last state, with the values that thresholds have kept: what receivers come to see. It is valid until
/// the world changes. NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_world_state(world: Option<&World>) -> *const Snapshot {
    world.map_or(ptr::null(), |world| Snapshot::of(world.world.state()))
}

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
