//! Entities of a state, for reading and for changing.

use core::fmt;

use super::rows::{Row, Rows};
use crate::error::ValueError;
use crate::replicate::ValueWriter;
use crate::schema::{Component, MAX_MASK_BITS, Plan, Schema, Value, ones};

/// One entity of a [`Snapshot`](crate::Snapshot).
#[derive(Clone, Copy)]
pub struct Entity<'a> {
    pub(super) schema: &'a Schema,
    pub(super) row: Row<'a>,
}

impl<'a> Entity<'a> {
    /// Returns the id, which is unique in the state.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.row.id
    }

    /// Returns the components, in the order of the schema.
    pub fn components(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let (schema, row) = (self.schema, self.row);
        ones(row.mask).filter_map(move |index| Part::new(schema, index, row.mask, row.codes))
    }

    /// Returns the component with this id, if the entity has it.
    #[must_use]
    pub fn component(&self, id: u16) -> Option<Part<'a>> {
        let (index, _) = self.schema.component(id)?;
        Part::new(self.schema, index, self.row.mask, self.row.codes)
    }

    /// Returns a value, by component and field id.
    #[must_use]
    pub fn value(&self, component: u16, field: u16) -> Option<Value> {
        self.component(component)?.value(field)
    }

    /// Returns true if `other` has the same components with the same values.
    #[must_use]
    pub fn same_values(&self, other: &Entity<'_>) -> bool {
        self.row.mask == other.row.mask && self.row.codes == other.row.codes
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

/// One entity of a [`Snapshot`](crate::Snapshot), for changing it.
pub struct EntityMut<'a> {
    pub(super) schema: &'a Schema,
    pub(super) rows: &'a mut Rows,
    pub(super) at: usize,
}

impl EntityMut<'_> {
    /// Sets all values of a component, in the order of the schema. The component is added if the
    /// entity lacks it.
    ///
    /// After an error the entity is unchanged.
    pub fn set(&mut self, component: u16, values: &[Value]) -> Result<&mut Self, ValueError> {
        let mut codes = [0; MAX_MASK_BITS];
        let (index, codes) = ValueWriter::codes(self.schema, component, &mut codes, |to| {
            values.iter().try_for_each(|value| to.value(*value))
        })?;
        self.set_codes(index, codes);
        Ok(self)
    }

    /// Sets one value of an existing component.
    pub fn set_value(
        &mut self,
        component: u16,
        field: u16,
        value: Value,
    ) -> Result<&mut Self, ValueError> {
        let (index, definition) = self
            .schema
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let unknown = ValueError::UnknownField { component, field };
        let at = definition
            .fields
            .iter()
            .position(|f| f.id == field)
            .ok_or(unknown)?;
        let mask = self.rows.mask(self.at);
        if mask >> index & 1 == 0 {
            let entity = self.rows.ids().get(self.at).copied().unwrap_or_default();
            return Err(ValueError::NoComponent { entity, component });
        }
        let layout = self.schema.layout();
        if let Some(plan) = layout.fields(index).get(at) {
            let code = plan.code(definition, at, value)?;
            let slot = layout.offset(mask, index) + at;
            if let Some(slot) = self.rows.codes_mut(self.at).get_mut(slot) {
                *slot = code;
            }
        }
        Ok(self)
    }

    /// Removes a component; returns false if the entity lacks it.
    pub fn remove(&mut self, component: u16) -> bool {
        let mask = self.rows.mask(self.at);
        let Some((index, definition)) = self.schema.component(component) else {
            return false;
        };
        if mask >> index & 1 == 0 {
            return false;
        }
        let offset = self.schema.layout().offset(mask, index);
        let count = definition.fields.len();
        self.rows.remove_component(self.at, index, offset, count);
        true
    }

    pub(super) fn set_codes(&mut self, index: usize, codes: &[u64]) {
        let mask = self.rows.mask(self.at);
        let offset = self.schema.layout().offset(mask, index);
        self.rows.set_component(self.at, index, offset, codes);
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
    /// Returns the component at `index` of the schema, from an entity with these components and
    /// values.
    pub(crate) fn new(
        schema: &'a Schema,
        index: usize,
        mask: u64,
        codes: &'a [u64],
    ) -> Option<Self> {
        if mask >> index & 1 == 0 {
            return None;
        }
        let layout = schema.layout();
        let plans = layout.fields(index);
        let from = layout.offset(mask, index);
        Some(Self {
            component: schema.components().get(index)?,
            plans,
            codes: codes.get(from..from + plans.len())?,
        })
    }

    /// Returns the id of the component, which is not its index in the schema; never 0.
    #[must_use]
    pub const fn id(&self) -> u16 {
        self.component.id
    }

    /// Returns the definition in the schema.
    #[must_use]
    pub const fn definition(&self) -> &'a Component {
        self.component
    }

    /// Returns the values, in the order of the schema.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value> + use<'a> {
        self.plans
            .iter()
            .zip(self.codes)
            .map(|(plan, code)| plan.value(*code))
    }

    /// Returns the value of a field.
    #[must_use]
    pub fn value(&self, field: u16) -> Option<Value> {
        let at = self.component.fields.iter().position(|f| f.id == field)?;
        self.value_at(at)
    }

    /// Returns the value at an index, in the order of the schema.
    #[inline]
    pub(crate) fn value_at(&self, at: usize) -> Option<Value> {
        Some(self.plans.get(at)?.value(*self.codes.get(at)?))
    }
}
