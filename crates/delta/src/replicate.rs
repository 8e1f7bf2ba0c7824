//! Structs as components.

use crate::quantise::{FixedPoint, QuantiseError, SmallestThree};
use crate::schema::{Component, Plan};
use crate::snapshot::Part;
use crate::value::{Value, ValueError};

/// A struct that is a component: `#[derive(Replicate)]` (feature `derive`) writes this for you.
///
/// [`Snapshot::put`](crate::Snapshot::put) and [`Snapshot::get`](crate::Snapshot::get) take it.
pub trait Replicate: Sized {
    /// The id of the component.
    const COMPONENT: u16;

    /// The component, for a [`Schema`](crate::Schema).
    fn component() -> Component;

    /// Writes the values of all fields, in the order of [`component`](Self::component).
    fn write(&self, to: &mut ValueWriter<'_>) -> Result<(), ValueError>;

    /// Reads them back.
    fn read(from: &mut ValueReader<'_>) -> Result<Self, ValueError>;
}

/// Takes the values of a component, one field after the other.
pub struct ValueWriter<'a> {
    component: &'a Component,
    plans: &'a [Plan],
    codes: &'a mut [u64],
    at: usize,
}

impl<'a> ValueWriter<'a> {
    pub(crate) const fn new(
        component: &'a Component,
        plans: &'a [Plan],
        codes: &'a mut [u64],
    ) -> Self {
        Self {
            component,
            plans,
            codes,
            at: 0,
        }
    }

    /// The next value.
    pub fn value(&mut self, value: Value) -> Result<(), ValueError> {
        if let (Some(plan), Some(slot)) = (self.plans.get(self.at), self.codes.get_mut(self.at)) {
            *slot = plan.code(self.component, self.at, value)?;
        }
        self.at += 1;
        Ok(())
    }

    /// The next value, a real number to be quantised.
    pub fn fixed(&mut self, fixed: &FixedPoint, value: f64) -> Result<(), ValueError> {
        let value = fixed.quantise(value).map_err(|why| self.refuse(why))?;
        self.value(Value::FixedPoint(value))
    }

    /// The next value, a real number to be quantised; beyond the bounds it becomes the nearest.
    pub fn fixed_clamped(&mut self, fixed: &FixedPoint, value: f64) -> Result<(), ValueError> {
        let value = fixed
            .quantise_clamped(value)
            .map_err(|why| self.refuse(why))?;
        self.value(Value::FixedPoint(value))
    }

    /// The next four values: a unit quaternion.
    pub fn rotation(
        &mut self,
        rotation: &SmallestThree,
        quaternion: [f32; 4],
    ) -> Result<(), ValueError> {
        let values = rotation
            .quantise(quaternion)
            .map_err(|why| self.refuse(why))?;
        for value in values {
            self.value(Value::UInt(value))?;
        }
        Ok(())
    }

    fn refuse(&self, why: QuantiseError) -> ValueError {
        ValueError::Unquantisable {
            component: self.component.id,
            field: self.component.fields.get(self.at).map_or(0, |f| f.id),
            why,
        }
    }

    pub(crate) fn finish(self) -> Result<&'a [u64], ValueError> {
        if self.at != self.plans.len() {
            return Err(ValueError::FieldCount {
                component: self.component.id,
                fields: self.plans.len(),
                values: self.at,
            });
        }
        Ok(self.codes.get(..self.at).unwrap_or_default())
    }
}

/// Gives the values of a component, one field after the other.
pub struct ValueReader<'a> {
    part: Part<'a>,
    at: usize,
}

impl<'a> ValueReader<'a> {
    pub(crate) const fn new(part: Part<'a>) -> Self {
        Self { part, at: 0 }
    }

    /// The next value.
    pub fn value(&mut self) -> Result<Value, ValueError> {
        let value = self
            .part
            .values()
            .nth(self.at)
            .ok_or(ValueError::FieldCount {
                component: self.part.id(),
                fields: self.at,
                values: self.at + 1,
            })?;
        self.at += 1;
        Ok(value)
    }

    /// The next value as a number of another type; an error where that can't hold it.
    pub fn number<T: TryFrom<i128>>(&mut self) -> Result<T, ValueError> {
        let value = self.value()?;
        T::try_from(value.as_i128()).map_err(|_| ValueError::Kind {
            component: self.part.id(),
            field: self
                .part
                .definition()
                .fields
                .get(self.at - 1)
                .map_or(0, |field| field.id),
            expected: core::any::type_name::<T>(),
            found: value.kind(),
        })
    }

    /// The next value as the real number it was quantised from.
    pub fn fixed(&mut self, fixed: &FixedPoint) -> Result<f64, ValueError> {
        Ok(fixed.value(self.number()?))
    }

    /// The next four values as the unit quaternion they were quantised from.
    pub fn rotation(&mut self, rotation: &SmallestThree) -> Result<[f32; 4], ValueError> {
        let mut values = [0; 4];
        for value in &mut values {
            *value = self.number()?;
        }
        Ok(rotation.value(values))
    }
}
