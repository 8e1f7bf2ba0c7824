//! Migrates states from one schema to another.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use gametape_core::text::Hash;

use crate::schema::{Codec, Difference, Named, Schema, Value};
use crate::snapshot::Snapshot;

/// A field that cannot be migrated, because no value fits the new codec.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("component {component}, field {field}: no value of {from} fits {to}")]
pub struct Incompatible {
    /// The id of the component, the same in both schemas.
    pub component: u16,
    /// The id of the field within its component, the same in both schemas.
    pub field: u16,
    /// The old codec.
    pub from: Codec,
    /// The new codec.
    pub to: Codec,
}

/// Data that a migration loses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// The new schema lacks a component.
    Component {
        /// The id of the component.
        component: u16,
        /// The name of the component, if it has one.
        name: Option<String>,
    },
    /// The new schema lacks a field.
    Field {
        /// The id of the component, which both schemas have.
        component: u16,
        /// The id of the field.
        field: u16,
        /// The name of the field, if it has one.
        name: Option<String>,
    },
    /// The values of a field are rounded to nearest, halves away from zero.
    Rounding {
        /// The id of the component, the same in both schemas.
        component: u16,
        /// The id of the field within its component, the same in both schemas.
        field: u16,
        /// The number of units per 1.0 in the old schema.
        from: u32,
        /// The number of units per 1.0 in the new schema.
        to: u32,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component { component, name } => Named(*component, None, name).fmt(f),
            Self::Field {
                component,
                field,
                name,
            } => Named(*component, Some(*field), name).fmt(f),
            Self::Rounding {
                component,
                field,
                from,
                to,
            } => write!(
                f,
                "component {component}, field {field}: what multiples of 1/{from} have beyond multiples of 1/{to}"
            ),
        }
    }
}

/// Why a state cannot be migrated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The state does not have the old schema of the migration.
    #[error("the state has schema {found}, the migration starts from {expected}")]
    Schema {
        /// The migration's schema hash.
        expected: Hash,
        /// The state's schema hash.
        found: Hash,
    },
    /// A value does not fit the new codec.
    #[error(
        "entity {entity}, component {component}, field {field}: {value} does not fit {to}, which holds {min} to {max}"
    )]
    Value {
        /// The id of the entity.
        entity: u32,
        /// The id of the component, the same in both schemas.
        component: u16,
        /// The id of the field within its component, the same in both schemas.
        field: u16,
        /// The value before the migration, in the old codec.
        value: Value,
        /// The new codec.
        to: Codec,
        /// The smallest value of the new codec, as it is stored.
        min: i128,
        /// The largest value of the new codec, as it is stored.
        max: i128,
    },
}

/// The range of a codec: integers from `min` to `max`, with `scale` units per 1.0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct NumberRange {
    min: i128,
    max: i128,
    scale: u32,
}

impl NumberRange {
    const fn of(codec: Codec) -> Self {
        let (min, max, scale) = match codec {
            Codec::Bool => (0, 1, 1),
            Codec::UInt { bits } => (0, (1_i128 << bits) - 1, 1),
            Codec::SInt { bits } => {
                let half = 1_i128 << (bits - 1);
                (-half, half - 1, 1)
            }
            Codec::VarUInt => (0, u32::MAX as i128, 1),
            Codec::VarSInt => (i32::MIN as i128, i32::MAX as i128, 1),
            Codec::FixedPoint {
                min_q,
                max_q,
                scale,
            } => (min_q as i128, max_q as i128, scale),
        };
        Self { min, max, scale }
    }

    /// Converts a number of this range to another scale: to nearest, halves away from zero.
    const fn rescale(&self, value: i128, to: u32) -> i128 {
        // 65 bits times 32 bits.
        let scaled = value * to as i128;
        let by = self.scale as i128;
        let (whole, rest) = (scaled / by, scaled % by);
        if rest.abs() * 2 >= by {
            whole + scaled.signum()
        } else {
            whole
        }
    }
}

const fn value_of(codec: Codec, number: i128) -> Value {
    match codec {
        Codec::Bool => Value::Bool(number != 0),
        Codec::UInt { .. } => Value::UInt(number as u64),
        Codec::SInt { .. } => Value::SInt(number as i64),
        Codec::VarUInt => Value::VarUInt(number as u32),
        Codec::VarSInt => Value::VarSInt(number as i32),
        Codec::FixedPoint { .. } => Value::FixedPoint(number as i64),
    }
}

/// The source of a new field's value.
#[derive(Clone, Copy, Debug)]
enum FieldSource {
    /// A new field.
    Default(Value),
    /// A field of the old component, by index.
    Field { at: usize, span: NumberRange },
}

#[derive(Clone, Debug)]
struct MigratedFields {
    component: u16,
    fields: Vec<(u16, Codec, FieldSource)>,
}

/// A migration from one schema to another. Components and fields are matched by id.
///
/// Each value becomes the same number in its new codec: booleans are 0 and 1, and fixed-point
/// numbers are adjusted to the new scale. A value that does not fit the new codec is an error. New
/// components are absent; new fields are 0, or the bound nearest to 0.
///
/// ```
/// use gametape_delta::{Codec, Component, Field, Migration, Schema, Snapshot, Value};
///
/// let field = |codec| Schema::new([Component::new(1, [Field::new(1, codec)])]);
/// let old = field(Codec::FixedPoint { min_q: -1000, max_q: 1000, scale: 10 })?;
/// let new = field(Codec::FixedPoint { min_q: -10_000, max_q: 10_000, scale: 100 })?;
/// let migration = Migration::new(&old, &new).unwrap();
/// assert!(migration.losses().is_empty());
///
/// let mut state = Snapshot::new(&old, 1);
/// state.insert(7)?.set(1, &[Value::FixedPoint(-25)])?;
/// let state = migration.state(&state)?;
/// assert_eq!(state.entity(7).and_then(|e| e.value(1, 1)), Some(Value::FixedPoint(-250)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Migration {
    old: Schema,
    new: Schema,
    /// The components that both schemas have, in the order of the new schema.
    components: Vec<MigratedFields>,
    losses: Vec<Loss>,
}

impl Migration {
    /// Prepares a migration between two schemas.
    ///
    /// # Errors
    /// All fields that cannot be migrated.
    pub fn new(old: &Schema, new: &Schema) -> Result<Self, Vec<Incompatible>> {
        let mut migration = Self {
            old: old.clone(),
            new: new.clone(),
            components: Vec::new(),
            losses: Vec::new(),
        };
        let mut incompatible = Vec::new();
        for component in new.components() {
            let Some((_, before)) = old.component(component.id) else {
                continue;
            };
            let mut fields = Vec::with_capacity(component.fields.len());
            for field in &component.fields {
                let mut places = before.fields.iter().enumerate();
                let to = NumberRange::of(field.codec);
                let Some((at, was)) = places.find(|(_, was)| was.id == field.id) else {
                    let default = value_of(field.codec, 0.clamp(to.min, to.max));
                    fields.push((field.id, field.codec, FieldSource::Default(default)));
                    continue;
                };
                let span = NumberRange::of(was.codec);
                let lowest = span.rescale(span.min, to.scale);
                let highest = span.rescale(span.max, to.scale);
                if highest < to.min || lowest > to.max {
                    incompatible.push(Incompatible {
                        component: component.id,
                        field: field.id,
                        from: was.codec,
                        to: field.codec,
                    });
                }
                if !to.scale.is_multiple_of(span.scale) {
                    migration.losses.push(Loss::Rounding {
                        component: component.id,
                        field: field.id,
                        from: span.scale,
                        to: to.scale,
                    });
                }
                fields.push((field.id, field.codec, FieldSource::Field { at, span }));
            }
            migration.components.push(MigratedFields {
                component: component.id,
                fields,
            });
        }
        migration.losses.extend(lost(old, new));
        if incompatible.is_empty() {
            Ok(migration)
        } else {
            Err(incompatible)
        }
    }

    /// Returns the data that the migration loses. Where values are rounded, those that are exact in
    /// the new scale stay exact.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Migrates a state.
    pub fn state(&self, state: &Snapshot) -> Result<Snapshot, MigrateError> {
        if state.schema().hash() != self.old.hash() {
            return Err(MigrateError::Schema {
                expected: Hash(self.old.hash()),
                found: Hash(state.schema().hash()),
            });
        }
        let mut migrated = Snapshot::new(&self.new, state.tick());
        let (mut before, mut values) = (Vec::new(), Vec::new());
        for entity in state.iter() {
            let mut to = migrated.entry(entity.id());
            for MigratedFields { component, fields } in &self.components {
                let Some(part) = entity.component(*component) else {
                    continue;
                };
                before.clear();
                before.extend(part.values());
                values.clear();
                for (field, codec, from) in fields {
                    values.push(match from {
                        FieldSource::Default(value) => *value,
                        FieldSource::Field { at, span } => {
                            let value = before.get(*at).copied().unwrap_or(Value::Bool(false));
                            convert(value, span, *codec).ok_or_else(|| {
                                let to = NumberRange::of(*codec);
                                MigrateError::Value {
                                    entity: entity.id(),
                                    component: *component,
                                    field: *field,
                                    value,
                                    to: *codec,
                                    min: to.min,
                                    max: to.max,
                                }
                            })?
                        }
                    });
                }
                // Every value was converted for its codec, so this cannot fail.
                let set = to.set(*component, &values);
                debug_assert!(set.is_ok());
            }
        }
        Ok(migrated)
    }
}

/// Returns the components and fields that the new schema lacks.
fn lost(old: &Schema, new: &Schema) -> impl Iterator<Item = Loss> {
    let differences = old.differences(new).into_iter();
    differences.filter_map(|difference| match difference {
        Difference::ComponentMissing { component, name } => {
            Some(Loss::Component { component, name })
        }
        Difference::FieldMissing {
            component,
            field,
            name,
        } => Some(Loss::Field {
            component,
            field,
            name,
        }),
        _ => None,
    })
}

fn convert(value: Value, span: &NumberRange, codec: Codec) -> Option<Value> {
    let to = NumberRange::of(codec);
    let number = span.rescale(value.as_i128(), to.scale);
    (to.min..=to.max)
        .contains(&number)
        .then(|| value_of(codec, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Component, Field};
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn schema(fields: impl Into<Vec<Field>>) -> Schema {
        Schema::new([Component::new(1, fields)]).unwrap()
    }

    fn one(from: Codec, to: Codec, value: Value) -> Result<Value, String> {
        let (old, new) = (schema([Field::new(1, from)]), schema([Field::new(1, to)]));
        let migration = Migration::new(&old, &new).map_err(|all| all[0].to_string())?;
        let mut state = Snapshot::new(&old, 5);
        state.insert(3).unwrap().set(1, &[value]).unwrap();
        let migrated = migration.state(&state).map_err(|error| error.to_string())?;
        assert_eq!(migrated.tick(), 5);
        Ok(migrated.entity(3).unwrap().value(1, 1).unwrap())
    }

    const fn fixed(min_q: i64, max_q: i64, scale: u32) -> Codec {
        Codec::FixedPoint {
            min_q,
            max_q,
            scale,
        }
    }

    #[test]
    fn kinds_change_where_values_fit() {
        let (uint, sint) = (Codec::UInt { bits: 7 }, Codec::SInt { bits: 4 });
        let cases = [
            (Codec::Bool, uint, Value::Bool(true), Ok(Value::UInt(1))),
            (uint, Codec::Bool, Value::UInt(1), Ok(Value::Bool(true))),
            (uint, sint, Value::UInt(7), Ok(Value::SInt(7))),
            (
                sint,
                Codec::VarSInt,
                Value::SInt(-8),
                Ok(Value::VarSInt(-8)),
            ),
            (
                uint,
                fixed(-500, 1270, 10),
                Value::UInt(127),
                Ok(Value::FixedPoint(1270)),
            ),
            (
                fixed(-999, 999, 10),
                sint,
                Value::FixedPoint(-75),
                Ok(Value::SInt(-8)),
            ),
            (
                fixed(-999, 999, 10),
                sint,
                Value::FixedPoint(74),
                Ok(Value::SInt(7)),
            ),
            (
                uint,
                sint,
                Value::UInt(8),
                Err(
                    "entity 3, component 1, field 1: 8 does not fit SInt of 4 bits, which holds -8 to 7",
                ),
            ),
            (
                uint,
                fixed(-20, -10, 1),
                Value::UInt(1),
                Err(
                    "component 1, field 1: no value of UInt of 7 bits fits FixedPoint -20 to -10 at scale 1",
                ),
            ),
        ];
        for (from, to, value, expected) in cases {
            assert_eq!(
                one(from, to, value),
                expected.map_err(str::to_owned),
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn wide_codecs_do_not_overflow() {
        let all = fixed(i64::MIN, i64::MAX, 1);
        let big = fixed(i64::MIN, i64::MAX, u32::MAX);
        assert!(one(all, big, Value::FixedPoint(i64::MIN)).is_err());
        assert_eq!(
            one(big, all, Value::FixedPoint(i64::MAX)),
            Ok(Value::FixedPoint(2_147_483_648))
        );
        let uint = Codec::UInt { bits: 64 };
        assert_eq!(
            one(uint, uint, Value::UInt(u64::MAX)),
            Ok(Value::UInt(u64::MAX))
        );
        assert!(one(uint, all, Value::UInt(u64::MAX)).is_err());
    }

    #[test]
    fn added_fields_are_absent_or_nearest_to_zero_and_removed_ones_are_reported() {
        let uint = Codec::UInt { bits: 8 };
        let old = Schema::new([
            Component::new(1, [Field::new(1, uint), Field::new(2, uint).named("hull")]),
            Component::new(2, [Field::new(1, uint)]).named("gun"),
        ])
        .unwrap();
        let new = Schema::new([
            Component::new(3, [Field::new(1, uint)]),
            Component::new(1, [Field::new(9, fixed(5, 9, 10)), Field::new(1, uint)]),
        ])
        .unwrap();
        let migration = Migration::new(&old, &new).unwrap();
        let losses: Vec<String> = migration.losses().iter().map(ToString::to_string).collect();
        assert_eq!(losses, ["component 1, field 2 (hull)", "component 2 (gun)"]);
        let mut state = Snapshot::new(&old, 1);
        let values = [Value::UInt(4), Value::UInt(5)];
        state.insert(1).unwrap().set(1, &values).unwrap();
        state.insert(2).unwrap().set(2, &values[..1]).unwrap();
        let migrated = migration.state(&state).unwrap();
        let entity = migrated.entity(1).unwrap();
        assert_eq!(entity.value(1, 9), Some(Value::FixedPoint(5)));
        assert_eq!(entity.value(1, 1), Some(Value::UInt(4)));
        // Every entity stays, even without components.
        assert_eq!(migrated.entity(2).unwrap().components().count(), 0);
    }

    proptest! {
        #[test]
        fn there_and_back_through_a_finer_scale_is_the_same(
            value in -1_000_000..1_000_000_i64, scale in 1..1000_u32, factor in 1..1000_u32,
        ) {
            let coarse = fixed(-1_000_000, 1_000_000, scale);
            let fine = fixed(i64::MIN, i64::MAX, scale * factor);
            let there = one(coarse, fine, Value::FixedPoint(value)).unwrap();
            prop_assert_eq!(one(fine, coarse, there).unwrap(), Value::FixedPoint(value));
        }

        #[test]
        fn rounding_is_that_of_the_quantiser(value in -100_000..100_000_i64, from in 1..500_u32, to in 1..500_u32) {
            let wide = |scale| fixed(-100_000_000, 100_000_000, scale);
            let got = one(wide(from), wide(to), Value::FixedPoint(value)).unwrap().as_i128();
            // |exact - got| <= 1/2 in units of 1/from, computed without floats.
            let exact = i128::from(value) * i128::from(to);
            let off = (exact - got * i128::from(from)).abs() * 2;
            prop_assert!(off <= i128::from(from));
            if off == i128::from(from) {
                prop_assert!(got.abs() * i128::from(from) > exact.abs(), "halves go away from zero");
            }
        }
    }
}
