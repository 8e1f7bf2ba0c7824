//! The log of a world that all senders share.

use std::ptr;

use gametape_delta::{self as delta, SendError};

use crate::error::{Error, Fault, Status, free, make, run};
use crate::options::audience;
use crate::pointer::needed;
use crate::relevance::Relevances;
use crate::schema::Schema;
use crate::snapshot::Snapshot;

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
