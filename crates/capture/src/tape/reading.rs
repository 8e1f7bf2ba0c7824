//! Reads the rows of a component's table from states.

use gametape_core::Stamp;
use gametape_core::table::{Scanning, Value};
use gametape_delta::{Component, Entity, FixedPoint, Part, Snapshot, Value as Wire};

/// Reads the values of a component as columns; fixed-point numbers in their unit.
pub(super) struct Reading {
    component: Component,
    fixed: Vec<Option<FixedPoint>>,
}

impl Reading {
    pub fn of(component: &Component) -> Self {
        let fields = component.fields.iter();
        let fixed = fields.map(|field| FixedPoint::of(field.codec)).collect();
        Self {
            component: component.clone(),
            fixed,
        }
    }

    /// The value of a column: first the entity, then the fields.
    pub fn value(&self, entity: u32, values: &[Wire], column: usize) -> Value<'static> {
        let Some(at) = column.checked_sub(1) else {
            return entity.into();
        };
        let fixed = self.fixed.get(at).copied().flatten();
        match values.get(at).copied() {
            None => Value::Null,
            Some(Wire::Bool(value)) => value.into(),
            Some(Wire::UInt(value)) => value.into(),
            Some(Wire::SInt(value)) => value.into(),
            Some(Wire::VarUInt(value)) => value.into(),
            Some(Wire::VarSInt(value)) => value.into(),
            Some(Wire::FixedPoint(value)) => fixed.map(|fixed| fixed.value(value)).into(),
        }
    }

    /// The component of an entity in a state.
    fn part<'s>(&self, state: &'s Snapshot, entity: u32) -> Option<Part<'s>> {
        state.entity(entity)?.component(self.component.id)
    }

    /// The entities of a state that have the component.
    pub fn entities<'s>(&self, state: &'s Snapshot) -> impl Iterator<Item = (u32, Part<'s>)> + 's {
        let id = self.component.id;
        let of = move |entity: Entity<'s>| Some((entity.id(), entity.component(id)?));
        state.iter().filter_map(of)
    }
}

/// Adds rows for the changes of a state.
pub(super) fn show(
    reading: &Reading,
    stamp: Stamp,
    before: Option<&Snapshot>,
    state: &Snapshot,
    rows: &mut Scanning,
) {
    let mut values = Vec::new();
    for (entity, part) in reading.entities(state) {
        let held = before.and_then(|before| reading.part(before, entity));
        if held.is_some_and(|held| held.values().eq(part.values())) {
            continue;
        }
        values.clear();
        values.extend(part.values());
        if !rows.row(stamp, |column| reading.value(entity, &values, column)) {
            return;
        }
    }
    let before = before
        .into_iter()
        .flat_map(|before| reading.entities(before));
    for (entity, _) in before.filter(|(entity, _)| reading.part(state, *entity).is_none()) {
        if !rows.ended(stamp, |column| reading.value(entity, &[], column)) {
            return;
        }
    }
}
