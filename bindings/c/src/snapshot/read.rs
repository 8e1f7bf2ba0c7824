//! Reading a state, which may be a view.

use std::mem::MaybeUninit;
use std::ptr;

use gametape_delta::ValueError;

use super::state::Snapshot;
use super::value::Value;
use crate::error::{Error, Fault, Status, run};
use crate::pointer::{needed, room};

/// Returns the tick.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_tick(state: Option<&Snapshot>) -> u32 {
    state.map_or(0, |state| state.0.tick())
}

/// Returns the number of entities. If `ids` is not NULL, it is pointed to their ids in ascending order, which are valid
/// until the state changes.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_entities(
    state: Option<&Snapshot>,
    ids: Option<&mut MaybeUninit<*const u32>>,
) -> usize {
    let found = state.map(|state| state.0.ids());
    if let Some(ids) = ids {
        ids.write(found.map_or(ptr::null(), <[u32]>::as_ptr));
    }
    found.map_or(0, <[u32]>::len)
}

/// Returns whether the state has an entity.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_has(state: Option<&Snapshot>, entity: u32) -> bool {
    state.is_some_and(|state| state.0.entity(entity).is_some())
}

/// Returns whether the state has an entity with this component.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_has_component(
    state: Option<&Snapshot>,
    entity: u32,
    component: u16,
) -> bool {
    let entity = state.and_then(|state| state.0.entity(entity));
    entity.is_some_and(|entity| entity.component(component).is_some())
}

/// Writes the ids of an entity's components to `ids`, which has room for `capacity`, in the order of the schema, and
/// their number to `count`. There are never more than 64. With `ids` NULL, only the number is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_snapshot_components(
    state: Option<&Snapshot>,
    entity: u32,
    ids: *mut u16,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let found = needed(state, "state")?.0.entity(entity);
        let found = found.ok_or(ValueError::NoEntity { entity })?;
        let parts = || found.components().map(|part| part.id());
        let needed = parts().count();
        // SAFETY: the promise of a pointer with a length.
        unsafe { fill("components", ids, capacity, count, needed, parts()) }
    })
}

/// Writes the values of a component to `values`, which has room for `capacity`, in the order of the schema, and their
/// number to `count`, which may be NULL. With `values` NULL, only the number is written. It is an error if the entity
/// lacks the component.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_snapshot_values(
    state: Option<&Snapshot>,
    entity: u32,
    component: u16,
    values: *mut Value,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let state = &needed(state, "state")?.0;
        let (_, definition) = state
            .schema()
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let found = state.entity(entity);
        let found = found.ok_or(ValueError::NoEntity { entity })?;
        let part = found.component(component);
        let part = part.ok_or(ValueError::NoComponent { entity, component })?;
        let fields = definition.fields.iter();
        let all = fields
            .zip(part.values())
            .map(|(field, value)| Value::new(field.codec, value));
        // SAFETY: the promise of a pointer with a length.
        unsafe { fill("values", values, capacity, count, all.len(), all) }
    })
}

/// Returns whether both states have the same entities with the same values; their ticks may differ. False if one of
/// them is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_same_entities(
    a: Option<&Snapshot>,
    b: Option<&Snapshot>,
) -> bool {
    a.zip(b).is_some_and(|(a, b)| a.0.same_entities(&b.0))
}

/// Fills the caller's array, and says how many elements there are.
///
/// # Safety
/// If `into` is not null, it points to memory for `capacity` elements, which nobody else uses.
unsafe fn fill<T>(
    what: &'static str,
    into: *mut T,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    needed: usize,
    from: impl Iterator<Item = T>,
) -> Result<Status, Fault> {
    if let Some(count) = count {
        count.write(needed);
    }
    if into.is_null() {
        return Ok(Status::Ok);
    }
    if capacity < needed {
        let room = capacity;
        return Err(Fault::Room { what, room, needed });
    }
    // SAFETY: the caller's promise; it is not null.
    let into = unsafe { room(into, capacity, what) }?;
    for (into, from) in into.iter_mut().zip(from) {
        into.write(from);
    }
    Ok(Status::Ok)
}
