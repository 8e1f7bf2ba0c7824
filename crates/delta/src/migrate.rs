//! States of one schema as states of another.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use gametape_core::text::Hash;

use crate::schema::{Codec, Difference, Named, Schema};
use crate::snapshot::Snapshot;
use crate::value::Value;

/// A field whose values can't be carried over, whatever they are.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("component {component}, field {field}: no value of {from} fits {to}")]
pub struct Incompatible {
    /// Id of the component that the field is in, the same in both schemas.
    pub component: u16,
    /// Id of the field within its component, the same in both schemas.
    pub field: u16,
    /// How it was written.
    pub from: Codec,
    /// How it is to be.
    pub to: Codec,
}

/// What a migration does not carry over.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// The new schema lacks a component.
    Component {
        /// Its id.
        component: u16,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// The new schema lacks a field.
    Field {
        /// Id of the component, which both schemas have.
        component: u16,
        /// Its id.
        field: u16,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// Values of a field are rounded, to nearest, halves away from zero.
    Rounding {
        /// Id of the component that the field is in, the same in both schemas.
        component: u16,
        /// Id of the field within its component, the same in both schemas.
        field: u16,
        /// Units per 1.0 before.
        from: u32,
        /// Units per 1.0 behind.
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

/// Why a state can't be carried over.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The state has another schema than the migration starts from.
    #[error("the state has schema {found}, the migration starts from {expected}")]
    Schema {
        /// The migration's.
        expected: Hash,
        /// The state's.
        found: Hash,
    },
    /// A value does not fit.
    #[error(
        "entity {entity}, component {component}, field {field}: {value} does not fit {to}, which holds {min} to {max}"
    )]
    Value {
        /// Id of the entity that has the value.
        entity: u32,
        /// Id of the component that the field is in, the same in both schemas.
        component: u16,
        /// Id of the field within its component, the same in both schemas.
        field: u16,
        /// The value before the migration, in the codec of the old schema.
        value: Value,
        /// What it does not fit.
        to: Codec,
        /// The smallest value that does, as it is stored.
        min: i128,
        /// The largest.
        max: i128,
    },
}

/// What a codec holds: integers from `min` to `max`, `scale` of which are 1.0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    min: i128,
    max: i128,
    scale: u32,
}

impl Span {
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

    /// A number of this span as one of another scale: to nearest, halves away from zero.
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

/// Where the value of a field comes from.
#[derive(Clone, Copy, Debug)]
enum From {
    /// The field is new.
    Default(Value),
    /// From a field of the old component, by its place.
    Field { at: usize, span: Span },
}

#[derive(Clone, Debug)]
struct Fields {
    component: u16,
    fields: Vec<(u16, Codec, From)>,
}

/// From one schema to another: components and fields are matched by their ids.
///
/// Values become the same number in their new codec: booleans are 0 and 1, fixed point is divided
/// by its scale. What a narrower codec can't hold is an error when it is met. New components are
/// absent; new fields are 0, or the bound nearest to it.
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
    /// Components that both have, in the order of the new schema.
    components: Vec<Fields>,
    losses: Vec<Loss>,
}

impl Migration {
    /// Matches two schemas.
    ///
    /// # Errors
    /// Every field of which no value can be carried over.
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
                let to = Span::of(field.codec);
                let Some((at, was)) = places.find(|(_, was)| was.id == field.id) else {
                    let default = value_of(field.codec, 0.clamp(to.min, to.max));
                    fields.push((field.id, field.codec, From::Default(default)));
                    continue;
                };
                let span = Span::of(was.codec);
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
                fields.push((field.id, field.codec, From::Field { at, span }));
            }
            migration.components.push(Fields {
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

    /// The schema it starts from.
    #[must_use]
    pub const fn old(&self) -> &Schema {
        &self.old
    }

    /// The schema it leads to.
    #[must_use]
    pub const fn new_schema(&self) -> &Schema {
        &self.new
    }

    /// What is not carried over. Where it is rounded, values that are multiples all the same are
    /// exact.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// A state in the new schema.
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
            for Fields { component, fields } in &self.components {
                let Some(part) = entity.component(*component) else {
                    continue;
                };
                before.clear();
                before.extend(part.values());
                values.clear();
                for (field, codec, from) in fields {
                    values.push(match from {
                        From::Default(value) => *value,
                        From::Field { at, span } => {
                            let value = before.get(*at).copied().unwrap_or(Value::Bool(false));
                            convert(value, span, *codec).ok_or_else(|| {
                                let to = Span::of(*codec);
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
                // Every value was made for its codec.
                let set = to.set(*component, &values);
                debug_assert!(set.is_ok());
            }
        }
        Ok(migrated)
    }
}

/// What the new schema lacks.
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

fn convert(value: Value, span: &Span, codec: Codec) -> Option<Value> {
    let to = Span::of(codec);
    let number = span.rescale(value.as_i128(), to.scale);
    (to.min..=to.max)
        .contains(&number)
        .then(|| value_of(codec, number))
}

#[cfg(test)]
mod tests;
