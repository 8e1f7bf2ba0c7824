//! Schemas, and the state at a tick: its handle, filling it, reading it.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;

use gametape_delta as delta;
use gametape_delta::{Component, MAX_MASK_BITS, Value as Coded, ValueError};

use crate::error::{Error, Fault, Status, elements, free, make, needed, room, run};
use crate::value::{Number, Value, coded_all};

/// The components of a game and the encoding of their fields. Both sides of a session need the same.
///
/// Handles that are made from a schema keep what they need of it: the schema may be freed at once.
// cbindgen would show the library's own type in place of a transparent one, so that it must not see the attribute.
#[cfg_attr(not(doc), repr(transparent))]
pub struct Schema(pub(crate) delta::Schema);

impl Schema {
    pub(crate) const fn of(schema: &delta::Schema) -> *const Self {
        ptr::from_ref(schema).cast()
    }
}

/// Makes a schema from its JSON, `size` bytes in UTF-8. NULL if they are no valid schema.
///
/// `{"components":[{"id":1,"fields":[{"id":1,"codec":{"FixedPoint":{"min_q":-51200,"max_q":51200,"scale":100}}}]}]}`
/// has one component with one field; other codecs are `"Bool"`, `{"UInt":{"bits":7}}`, `{"SInt":{"bits":7}}`,
/// `"VarUInt"` and `"VarSInt"`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_schema_from_json(
    json: *const c_char,
    size: usize,
    error: Option<&mut Error>,
) -> Option<Box<Schema>> {
    make(error, || {
        // SAFETY: the promise of a pointer with a length.
        let json = unsafe { elements(json.cast::<u8>(), size, "json") }?;
        let json = std::str::from_utf8(json).map_err(|_| Fault::Utf8("json"))?;
        Ok(Schema(serde_json::from_str(json).map_err(Fault::Schema)?))
    })
}

/// Frees it.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_schema_free(schema: Option<Box<Schema>>) {
    free(schema);
}

/// Returns the hash of ids, codecs and thresholds, which all packets of the schema contain. Compare it when a client
/// connects.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_schema_hash(schema: Option<&Schema>) -> u64 {
    schema.map_or(0, |schema| schema.0.hash())
}

/// The state at a tick: entities, their components and values.
///
/// Entities are in ascending order of their ids. Adding them in that order is fast.
// cbindgen would show the library's own type in place of a transparent one, so that it must not see the attribute.
#[cfg_attr(not(doc), repr(transparent))]
pub struct Snapshot(pub(crate) delta::Snapshot);

impl Snapshot {
    pub(crate) const fn of(state: &delta::Snapshot) -> *const Self {
        ptr::from_ref(state).cast()
    }
}

/// Makes a state without entities. NULL if the schema is.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_new(
    schema: Option<&Schema>,
    tick: u32,
    error: Option<&mut Error>,
) -> Option<Box<Snapshot>> {
    make(error, || {
        let schema = &needed(schema, "schema")?.0;
        Ok(Snapshot(delta::Snapshot::new(schema, tick)))
    })
}

/// Frees it. A state that was borrowed, such as a view, must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn gametape_snapshot_free(state: Option<Box<Snapshot>>) {
    free(state);
}

/// Makes `to` a copy of `from`, for keeping a view. Memory of `to` is used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gametape_snapshot_copy(
    to: *mut Snapshot,
    from: *const Snapshot,
    error: Option<&mut Error>,
) -> Status {
    run(error, || {
        if ptr::eq(to, from) {
            return if to.is_null() {
                Err(Fault::Null("to"))
            } else {
                Ok(Status::Ok)
            };
        }
        // SAFETY: two handles, which are not the same.
        let (to, from) = unsafe { (to.as_mut(), from.as_ref()) };
        needed(to, "to")?.0.clone_from(&needed(from, "from")?.0);
        Ok(Status::Ok)
    })
}

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

fn definition(schema: &delta::Schema, component: u16) -> Result<&Component, ValueError> {
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
