//! One component of an entity, with its definition.

use crate::schema::{Component, Plan, Schema};
use crate::value::Value;

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
