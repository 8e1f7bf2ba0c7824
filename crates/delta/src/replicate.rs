//! Structs as components.

use crate::error::{QuantiseError, ValueError};
use crate::quantise::{Angle, FixedPoint, Range, SmallestThree};
use crate::schema::{Codec, Component, MAX_MASK_BITS, Plan, Schema, Value};
use crate::snapshot::Part;

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

    /// Returns the component, for a [`Schema`].
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
        same_codecs(self.component, self.at, rotation.codecs())?;
        let values = rotation
            .quantise(quaternion)
            .map_err(|why| self.refuse(why))?;
        for value in values {
            self.value(Value::UInt(value))?;
        }
        Ok(())
    }

    /// Adds the next value, an integer within a range.
    ///
    /// Returns an error if the schema has a scale other than 1, which would change the number.
    pub fn integer(&mut self, range: &Range, value: i128) -> Result<(), ValueError> {
        same_codec_scale(self.component, self.at, range.codec())?;
        let component = self.component.id;
        let number = i64::try_from(value).ok();
        let number = number.filter(|number| (range.min..=range.max).contains(number));
        let number = number.ok_or(ValueError::OutOfRange {
            component,
            field: self.field_id(),
            value,
            min: range.min.into(),
            max: range.max.into(),
        })?;
        self.value(Value::FixedPoint(number))
    }

    /// Adds the next value, an angle in radians.
    ///
    /// Returns an error if the schema has another width, which would change the angle.
    pub fn angle(&mut self, angle: Angle, radians: f64) -> Result<(), ValueError> {
        same_codecs(self.component, self.at, [angle.codec()])?;
        let step = angle.quantise(radians).map_err(|why| self.refuse(why))?;
        self.value(Value::UInt(step))
    }

    /// Leaves out the next `count` values, such as those of a variant that is not the current one:
    /// each becomes 0, or the bound of its field nearest to it.
    pub fn skip(&mut self, count: usize) {
        for _ in 0..count {
            if let (Some(plan), Some(slot)) = (self.plans.get(self.at), self.codes.get_mut(self.at))
            {
                *slot = plan.nothing();
            }
            self.at += 1;
        }
    }

    fn field_id(&self) -> u16 {
        self.component.fields.get(self.at).map_or(0, |f| f.id)
    }

    fn refuse(&self, why: QuantiseError) -> ValueError {
        ValueError::Unquantisable {
            component: self.component.id,
            field: self.field_id(),
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
    same_codec_scale(component, at, fixed.codec())
}

fn same_codec_scale(component: &Component, at: usize, codec: Codec) -> Result<(), ValueError> {
    let Some(field) = component.fields.get(at) else {
        return Ok(()); // The count is checked at the end.
    };
    let expected = match (field.codec, codec) {
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
fn same_codecs<const N: usize>(
    component: &Component,
    at: usize,
    codecs: [Codec; N],
) -> Result<(), ValueError> {
    let fields = component.fields.iter().skip(at);
    match fields
        .zip(codecs)
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
        if let Value::FixedPoint(_) = value {
            return Err(self.refuse(core::any::type_name::<T>(), value));
        }
        let value = value.as_i128();
        T::try_from(value).map_err(|_| self.narrow::<T>(value))
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
        same_codecs(self.part.definition(), self.at, rotation.codecs())?;
        let mut values = [0; 4];
        for value in &mut values {
            *value = self.number()?;
        }
        Ok(rotation.value(values))
    }

    /// Returns the next value, an integer within a range, as a number of another type; an error if
    /// it does not fit.
    ///
    /// Returns an error if the schema has a scale other than 1.
    pub fn integer<T: TryFrom<i128>>(&mut self, range: &Range) -> Result<T, ValueError> {
        same_codec_scale(self.part.definition(), self.at, range.codec())?;
        let value = self.value()?.as_i128();
        T::try_from(value).map_err(|_| self.narrow::<T>(value))
    }

    /// Returns the next value as an angle in radians, from −π to π.
    ///
    /// Returns an error if the schema has another width.
    pub fn angle(&mut self, angle: Angle) -> Result<f64, ValueError> {
        same_codecs(self.part.definition(), self.at, [angle.codec()])?;
        Ok(angle.value(self.number()?))
    }

    /// Returns the next value, the number of a variant out of `count`.
    pub fn variant(&mut self, count: u32) -> Result<u32, ValueError> {
        let value: u64 = self.number()?;
        let variant = u32::try_from(value).ok().filter(|variant| *variant < count);
        variant.ok_or(ValueError::OutOfRange {
            component: self.part.id(),
            field: self.field_id(),
            value: value.into(),
            min: 0,
            max: i128::from(count) - 1,
        })
    }

    /// Leaves out the next `count` values.
    pub const fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// Creates an error: there are `values` values where another number was expected.
    pub(crate) fn count_error(&self, values: usize) -> ValueError {
        ValueError::FieldCount {
            component: self.part.id(),
            fields: self.part.definition().fields.len(),
            values,
        }
    }

    fn narrow<T>(&self, value: i128) -> ValueError {
        ValueError::Narrow {
            component: self.part.id(),
            field: self.field_id(),
            value,
            wanted: core::any::type_name::<T>(),
        }
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
