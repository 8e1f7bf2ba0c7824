//! Structs as components.

use crate::error::{QuantiseError, ValueError};
use crate::part::Part;
use crate::quantise::{FixedPoint, SmallestThree};
use crate::schema::{Codec, Component, MAX_MASK_BITS, Plan, Schema};
use crate::value::Value;

/// A struct that is a component. `#[derive(Replicate)]` (feature `derive`) implements it.
///
/// [`Snapshot::put`](crate::Snapshot::put) and [`Snapshot::get`](crate::Snapshot::get) use it.
///
/// ```
/// # #[cfg(feature = "derive")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use gametape_delta::{Replicate, Schema, Snapshot};
///
/// #[derive(Replicate)]
/// #[replicate(component = 1)]
/// struct Ship {
///     #[replicate(fixed(min = -512.0, max = 512.0, step = 0.01))]
///     x: f32,
///     #[replicate(bits = 7)]
///     hull: u8,
/// }
///
/// let schema = Schema::new([Ship::component()])?;
/// let mut state = Snapshot::new(&schema, 1);
/// state.put(7, &Ship { x: 1.5, hull: 100 })?;
/// assert_eq!(state.get::<Ship>(7)?.hull, 100);
/// assert!(state.put(7, &Ship { x: 513.0, hull: 100 }).is_err()); // beyond `max`
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "derive"))]
/// # fn main() {}
/// ```
///
/// Encodings that the derive does not support can be implemented by hand. For example, an angle
/// that wraps around:
///
/// ```
/// use gametape_delta::{
///     Codec, Component, Field, Replicate, Schema, Snapshot, Value, ValueError, ValueReader,
///     ValueWriter,
/// };
///
/// /// In degrees; any angle will do.
/// struct Heading(f64);
///
/// impl Replicate for Heading {
///     const COMPONENT: u16 = 2;
///
///     fn component() -> Component {
///         Component::new(2, [Field::new(1, Codec::UInt { bits: 8 }).named("turn")])
///     }
///
///     fn write(&self, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
///         let step = (self.0 / 360.0 * 256.0).round() as i64;
///         to.value(Value::UInt(step.rem_euclid(256) as u64))
///     }
///
///     fn read(from: &mut ValueReader<'_>) -> Result<Self, ValueError> {
///         Ok(Self(f64::from(from.number::<u8>()?) / 256.0 * 360.0))
///     }
/// }
///
/// let schema = Schema::new([Heading::component()])?;
/// let mut state = Snapshot::new(&schema, 1);
/// state.put(7, &Heading(-90.0))?;
/// assert_eq!(state.get::<Heading>(7)?.0, 270.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Replicate: Sized {
    /// The id of the component.
    const COMPONENT: u16;

    /// Returns the component, for a [`Schema`](crate::Schema).
    fn component() -> Component;

    /// Writes the values of all fields, in the order of [`component`](Self::component).
    fn write(&self, to: &mut ValueWriter<'_>) -> Result<(), ValueError>;

    /// Reads the values back.
    fn read(from: &mut ValueReader<'_>) -> Result<Self, ValueError>;
}

/// Receives the values of a component, one field after the other.
pub struct ValueWriter<'a> {
    component: &'a Component,
    plans: &'a [Plan],
    codes: &'a mut [u64],
    at: usize,
}

impl<'a> ValueWriter<'a> {
    /// Returns the index of a component in the schema, and the codes that `write` produces for it.
    pub(crate) fn codes(
        schema: &'a Schema,
        component: u16,
        codes: &'a mut [u64; MAX_MASK_BITS],
        write: impl FnOnce(&mut Self) -> Result<(), ValueError>,
    ) -> Result<(usize, &'a [u64]), ValueError> {
        let (index, definition) = schema
            .component(component)
            .ok_or(ValueError::UnknownComponent { component })?;
        let mut writer = Self {
            component: definition,
            plans: schema.layout().fields(index),
            codes,
            at: 0,
        };
        write(&mut writer)?;
        Ok((index, writer.finish()?))
    }

    /// Adds the next value.
    pub fn value(&mut self, value: Value) -> Result<(), ValueError> {
        if let (Some(plan), Some(slot)) = (self.plans.get(self.at), self.codes.get_mut(self.at)) {
            *slot = plan.code(self.component, self.at, value)?;
        }
        self.at += 1;
        Ok(())
    }

    /// Adds the next value, a real number to be quantised.
    ///
    /// Returns an error if the schema has another scale, which would change the number.
    pub fn fixed(&mut self, fixed: &FixedPoint, value: f64) -> Result<(), ValueError> {
        same_scale(self.component, self.at, fixed)?;
        let value = fixed.quantise(value).map_err(|why| self.refuse(why))?;
        self.value(Value::FixedPoint(value))
    }

    /// Adds the next value, a real number to be quantised and clamped to its range.
    ///
    /// Returns an error if the schema has another scale, which would change the number.
    pub fn fixed_clamped(&mut self, fixed: &FixedPoint, value: f64) -> Result<(), ValueError> {
        same_scale(self.component, self.at, fixed)?;
        let value = fixed
            .quantise_clamped(value)
            .map_err(|why| self.refuse(why))?;
        self.value(Value::FixedPoint(value))
    }

    /// Adds the next four values: a unit quaternion.
    ///
    /// Returns an error if the schema has other widths, which would change the rotation.
    pub fn rotation(
        &mut self,
        rotation: &SmallestThree,
        quaternion: [f32; 4],
    ) -> Result<(), ValueError> {
        same_widths(self.component, self.at, rotation)?;
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

    fn finish(self) -> Result<&'a [u64], ValueError> {
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

/// Returns an error if the schema has another scale than the struct.
fn same_scale(component: &Component, at: usize, fixed: &FixedPoint) -> Result<(), ValueError> {
    let Some(field) = component.fields.get(at) else {
        return Ok(()); // The count is checked at the end.
    };
    let expected = match (field.codec, fixed.codec()) {
        (Codec::FixedPoint { scale, .. }, Codec::FixedPoint { scale: own, .. }) => {
            if scale == own {
                return Ok(());
            }
            "FixedPoint of another scale"
        }
        (other, _) => other.name(),
    };
    Err(ValueError::Kind {
        component: component.id,
        field: field.id,
        expected,
        found: "FixedPoint",
    })
}

/// Returns an error if the schema has other widths than the struct.
fn same_widths(
    component: &Component,
    at: usize,
    rotation: &SmallestThree,
) -> Result<(), ValueError> {
    let fields = component.fields.iter().skip(at);
    match fields
        .zip(rotation.codecs())
        .find(|(field, codec)| field.codec != *codec)
    {
        None => Ok(()),
        Some((field, _)) => Err(ValueError::Kind {
            component: component.id,
            field: field.id,
            expected: match field.codec {
                Codec::UInt { .. } => "UInt of another width",
                other => other.name(),
            },
            found: "UInt",
        }),
    }
}

/// Reads the values of a component, one field after the other.
pub struct ValueReader<'a> {
    part: Part<'a>,
    at: usize,
}

impl<'a> ValueReader<'a> {
    /// Reads all values of a component with `read`.
    pub(crate) fn all<T>(
        part: Part<'a>,
        read: impl FnOnce(&mut Self) -> Result<T, ValueError>,
    ) -> Result<T, ValueError> {
        let mut reader = Self { part, at: 0 };
        let value = read(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }

    /// Returns the next value.
    pub fn value(&mut self) -> Result<Value, ValueError> {
        let value = self.part.value_at(self.at).ok_or(ValueError::FieldCount {
            component: self.part.id(),
            fields: self.at,
            values: self.at + 1,
        })?;
        self.at += 1;
        Ok(value)
    }

    /// Returns the next value as a bool.
    pub fn bool(&mut self) -> Result<bool, ValueError> {
        match self.value()? {
            Value::Bool(value) => Ok(value),
            value => Err(self.refuse("bool", value)),
        }
    }

    /// Returns the next value, an integer, as a number of another type; an error if it does not
    /// fit. A bool is 0 or 1. For real numbers, see [`fixed`](Self::fixed).
    pub fn number<T: TryFrom<i128>>(&mut self) -> Result<T, ValueError> {
        let value = self.value()?;
        match value {
            Value::FixedPoint(_) => Err(self.refuse(core::any::type_name::<T>(), value)),
            _ => T::try_from(value.as_i128()).map_err(|_| ValueError::Narrow {
                component: self.part.id(),
                field: self.field_id(),
                value: value.as_i128(),
                wanted: core::any::type_name::<T>(),
            }),
        }
    }

    /// Returns the next value as a real number.
    ///
    /// Returns an error if the schema has another scale.
    pub fn fixed(&mut self, fixed: &FixedPoint) -> Result<f64, ValueError> {
        same_scale(self.part.definition(), self.at, fixed)?;
        match self.value()? {
            Value::FixedPoint(value) => Ok(fixed.value(value)),
            value => Err(self.refuse("FixedPoint", value)),
        }
    }

    /// Returns the next four values as a unit quaternion.
    ///
    /// Returns an error if the schema has other widths.
    pub fn rotation(&mut self, rotation: &SmallestThree) -> Result<[f32; 4], ValueError> {
        same_widths(self.part.definition(), self.at, rotation)?;
        let mut values = [0; 4];
        for value in &mut values {
            *value = self.number()?;
        }
        Ok(rotation.value(values))
    }

    /// Creates an error: the struct's type for the last value differs from the schema's.
    fn refuse(&self, expected: &'static str, found: Value) -> ValueError {
        ValueError::Kind {
            component: self.part.id(),
            field: self.field_id(),
            expected,
            found: found.kind(),
        }
    }

    /// Returns the id of the field of the last value.
    fn field_id(&self) -> u16 {
        let field = self.at.checked_sub(1);
        let field = field.and_then(|at| self.part.definition().fields.get(at));
        field.map_or(0, |field| field.id)
    }

    /// Returns an error if the component has more values than were read.
    fn finish(&self) -> Result<(), ValueError> {
        let fields = self.part.definition().fields.len();
        if self.at == fields {
            return Ok(());
        }
        Err(ValueError::FieldCount {
            component: self.part.id(),
            fields,
            values: self.at,
        })
    }
}
