//! Entities of a state, and their components.

use core::fmt;

use super::Snapshot;
use crate::replicate::ValueWriter;
use crate::schema::{Component, Plan, ones};
use crate::value::{Value, ValueError};

/// One entity of a [`Snapshot`].
#[derive(Clone, Copy)]
pub struct Entity<'a> {
    pub(super) state: &'a Snapshot,
    pub(super) at: usize,
}

impl<'a> Entity<'a> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.state.ids.get(self.at).copied().unwrap_or_default()
    }

    /// Its components, in the order of the schema.
    pub fn components(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let (state, at) = (self.state, self.at);
        ones(state.mask(at)).filter_map(move |index| Part::new(state, at, index))
    }

    /// The component of this id, if the entity has it.
    #[must_use]
    pub fn component(&self, id: u16) -> Option<Part<'a>> {
        let (index, _) = self.state.schema.component(id)?;
        Part::new(self.state, self.at, index)
    }

    /// A value, by component and field id.
    #[must_use]
    pub fn value(&self, component: u16, field: u16) -> Option<Value> {
        self.component(component)?.value(field)
    }

    /// True if `other` has the same components with the same values.
    #[must_use]
    pub fn same_values(&self, other: &Entity<'_>) -> bool {
        match (self.state.row(self.at), other.state.row(other.at)) {
            (Some(a), Some(b)) => a.mask == b.mask && a.codes == b.codes,
            _ => false,
        }
    }
}

impl fmt::Debug for Entity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.id())?;
        f.debug_map()
            .entries(self.components().map(|part| {
                let values = fmt::from_fn(move |f| f.debug_list().entries(part.values()).finish());
                (part.id(), values)
            }))
            .finish()
    }
}

/// One component of an entity.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    component: &'a Component,
    plans: &'a [Plan],
    codes: &'a [u64],
}

impl<'a> Part<'a> {
    fn new(state: &'a Snapshot, at: usize, index: usize) -> Option<Self> {
        let row = state.row(at)?;
        if row.mask >> index & 1 == 0 {
            return None;
        }
        let layout = state.schema.layout();
        let plans = layout.fields(index);
        let from = layout.offset(row.mask, index);
        Some(Self {
            component: state.schema.components().get(index)?,
            plans,
            codes: row.codes.get(from..from + plans.len())?,
        })
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> u16 {
        self.component.id
    }

    /// What the schema says of it.
    #[must_use]
    pub const fn definition(&self) -> &'a Component {
        self.component
    }

    /// Its values, in the order of the schema.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value> + use<'a> {
        self.plans
            .iter()
            .zip(self.codes)
            .map(|(plan, code)| plan.value(*code))
    }

    /// The value of a field.
    #[must_use]
    pub fn value(&self, field: u16) -> Option<Value> {
        let at = self.component.fields.iter().position(|f| f.id == field)?;
        self.value_at(at)
    }

    /// The value at a place in the order of the schema.
    #[inline]
    pub(crate) fn value_at(&self, at: usize) -> Option<Value> {
        Some(self.plans.get(at)?.value(*self.codes.get(at)?))
    }
}

/// One entity of a [`Snapshot`], to change it.
pub struct EntityMut<'a> {
    pub(super) state: &'a mut Snapshot,
    pub(super) at: usize,
}

impl EntityMut<'_> {
    /// Sets all values of a component, in the order of the schema; it is added if it is not there.
    ///
    /// On an error the entity is as it was before.
    pub fn set(&mut self, component: u16, values: &[Value]) -> Result<&mut Self, ValueError> {
        let schema = self.state.schema.clone();
        let (index, definition) = schema
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let mut codes = [0; crate::MAX_MASK_BITS];
        let mut writer = ValueWriter::new(definition, schema.layout().fields(index), &mut codes);
        for value in values {
            writer.value(*value)?;
        }
        let codes = writer.finish()?;
        self.set_codes(index, codes);
        Ok(self)
    }

    /// Sets one value of a component that is there.
    pub fn set_value(
        &mut self,
        component: u16,
        field: u16,
        value: Value,
    ) -> Result<&mut Self, ValueError> {
        let schema = self.state.schema.clone();
        let (index, definition) = schema
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let unknown = ValueError::UnknownField { component, field };
        let at = definition
            .fields
            .iter()
            .position(|f| f.id == field)
            .ok_or(unknown)?;
        let mask = self.state.mask(self.at);
        if mask >> index & 1 == 0 {
            let entity = self.state.ids.get(self.at).copied().unwrap_or_default();
            return Err(ValueError::NoComponent { entity, component });
        }
        let layout = schema.layout();
        if let Some(plan) = layout.fields(index).get(at) {
            let code = plan.code(definition, at, value)?;
            let slot = layout.offset(mask, index) + at;
            if let Some(slot) = self.state.codes_mut(self.at).get_mut(slot) {
                *slot = code;
            }
        }
        Ok(self)
    }

    /// Takes a component away; false if it is not there.
    pub fn remove(&mut self, component: u16) -> bool {
        let mask = self.state.mask(self.at);
        let Some((index, definition)) = self.state.schema.component(component) else {
            return false;
        };
        if mask >> index & 1 == 0 {
            return false;
        }
        let count = definition.fields.len();
        let from =
            self.state.values_of(self.at).start + self.state.schema.layout().offset(mask, index);
        self.state.resize(self.at, from..from + count, 0);
        if let Some(mask) = self.state.masks.get_mut(self.at) {
            *mask &= !(1 << index);
        }
        true
    }

    pub(super) fn set_codes(&mut self, index: usize, codes: &[u64]) {
        let mask = self.state.mask(self.at);
        let offset = self.state.schema.layout().offset(mask, index);
        if mask >> index & 1 == 0 {
            let from = self.state.values_of(self.at).start + offset;
            self.state.resize(self.at, from..from, codes.len());
            if let Some(mask) = self.state.masks.get_mut(self.at) {
                *mask |= 1 << index;
            }
        }
        let slots = self.state.codes_mut(self.at).get_mut(offset..);
        for (slot, code) in slots.unwrap_or_default().iter_mut().zip(codes) {
            *slot = *code;
        }
    }
}
