//! Filling a state.

use gametape_delta::{Component, MAX_MASK_BITS, Schema, Value as Coded, ValueError};

use super::state::Snapshot;
use super::value::{Number, coded_all};
use crate::error::{Error, Status, run};
use crate::pointer::{elements, needed};

/// Removes all entities, and keeps the memory and the tick.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_clear(
    state: Option<&mut Snapshot>,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        needed(state, "state")?.0.clear();
        Ok(Status::Ok)
    })
}

/// Sets the tick.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_set_tick(
    state: Option<&mut Snapshot>,
    tick: u32,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        needed(state, "state")?.0.set_tick(tick);
        Ok(Status::Ok)
    })
}

/// Adds an entity without components. To add one that is there already is an error. `gametape_snapshot_put` also adds
/// entities.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_insert(
    state: Option<&mut Snapshot>,
    entity: u32,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        needed(state, "state")?.0.insert(entity)?;
        Ok(Status::Ok)
    })
}

/// Removes an entity. Returns false if it is not there.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_remove(state: Option<&mut Snapshot>, entity: u32) -> bool {
    state.is_some_and(|state| state.0.remove(entity))
}

/// Removes a component of an entity. Returns false if it is not there.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_remove_component(
    state: Option<&mut Snapshot>,
    entity: u32,
    component: u16,
) -> bool {
    let entity = state.and_then(|state| state.0.entity_mut(entity));
    entity.is_some_and(|mut entity| entity.remove(component))
}

/// Sets all `count` fields of a component, in the order of the schema, as numbers of the wire: see `integer` of
/// `GametapeValue`. Adds entity and component if they are not there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_snapshot_put(
    state: Option<&mut Snapshot>,
    entity: u32,
    component: u16,
    values: *const i64,
    count: usize,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let state = needed(state, "state")?;
        // SAFETY: the promise of a pointer with a length.
        put(state, entity, component, unsafe {
            elements(values, count, "values")
        }?)?;
        Ok(Status::Ok)
    })
}

/// Like `gametape_snapshot_put`, as real numbers. They are rounded to the nearest number that the field can have; one
/// out of its range is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_snapshot_put_real(
    state: Option<&mut Snapshot>,
    entity: u32,
    component: u16,
    values: *const f64,
    count: usize,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        let state = needed(state, "state")?;
        // SAFETY: the promise of a pointer with a length.
        put(state, entity, component, unsafe {
            elements(values, count, "values")
        }?)?;
        Ok(Status::Ok)
    })
}

/// Sets one field of a component that is there.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_set(
    state: Option<&mut Snapshot>,
    entity: u32,
    component: u16,
    field: u16,
    value: i64,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        set(needed(state, "state")?, entity, component, field, value)?;
        Ok(Status::Ok)
    })
}

/// Like `gametape_snapshot_set`, as a real number.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_set_real(
    state: Option<&mut Snapshot>,
    entity: u32,
    component: u16,
    field: u16,
    value: f64,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        set(needed(state, "state")?, entity, component, field, value)?;
        Ok(Status::Ok)
    })
}

fn definition(schema: &Schema, component: u16) -> Result<&Component, ValueError> {
    let found = schema.component(component);
    found.map_or(Err(ValueError::UnknownComponent { component }), |found| {
        Ok(found.1)
    })
}

fn put<N: Number>(
    state: &mut Snapshot,
    entity: u32,
    component: u16,
    numbers: &[N],
) -> Result<(), ValueError> {
    let mut values = [Coded::Bool(false); MAX_MASK_BITS];
    let definition = definition(state.0.schema(), component)?;
    let values = coded_all(definition, numbers, &mut values)?;
    let is_new = state.0.entity(entity).is_none();
    if let Err(error) = state.0.entry(entity).set(component, values) {
        if is_new {
            state.0.remove(entity);
        }
        return Err(error);
    }
    Ok(())
}

fn set<N: Number>(
    state: &mut Snapshot,
    entity: u32,
    component: u16,
    field: u16,
    number: N,
) -> Result<(), ValueError> {
    let definition = definition(state.0.schema(), component)?;
    let found = definition.fields.iter().find(|other| other.id == field);
    let found = found.ok_or(ValueError::UnknownField { component, field })?;
    let value = number.coded(component, found)?;
    let found = state.0.entity_mut(entity);
    let mut found = found.ok_or(ValueError::NoEntity { entity })?;
    found.set_value(component, field, value)?;
    Ok(())
}
