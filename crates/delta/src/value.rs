//! Values of fields, as a caller sees them.

use core::fmt;

/// The value of one field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum Value {
    /// For [`Codec::Bool`](crate::Codec::Bool).
    Bool(bool),
    /// For [`Codec::UInt`](crate::Codec::UInt).
    UInt(u64),
    /// For [`Codec::SInt`](crate::Codec::SInt).
    SInt(i64),
    /// For [`Codec::VarUInt`](crate::Codec::VarUInt).
    VarUInt(u32),
    /// For [`Codec::VarSInt`](crate::Codec::VarSInt).
    VarSInt(i32),
    /// For [`Codec::FixedPoint`](crate::Codec::FixedPoint): the value times the scale.
    FixedPoint(i64),
}

impl Value {
    /// The name of its codec.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "Bool",
            Self::UInt(_) => "UInt",
            Self::SInt(_) => "SInt",
            Self::VarUInt(_) => "VarUInt",
            Self::VarSInt(_) => "VarSInt",
            Self::FixedPoint(_) => "FixedPoint",
        }
    }

    /// The value as a number; `false` is 0 and `true` is 1. Fixed-point values stay quantised.
    #[must_use]
    pub const fn as_i128(&self) -> i128 {
        match *self {
            Self::Bool(value) => value as i128,
            Self::UInt(value) => value as i128,
            Self::SInt(value) | Self::FixedPoint(value) => value as i128,
            Self::VarUInt(value) => value as i128,
            Self::VarSInt(value) => value as i128,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::UInt(value) => value.fmt(f),
            Self::SInt(value) | Self::FixedPoint(value) => value.fmt(f),
            Self::VarUInt(value) => value.fmt(f),
            Self::VarSInt(value) => value.fmt(f),
        }
    }
}

/// Why a value, or a state, can't be what it is asked to be. The caller's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueError {
    /// The schema has no such component.
    UnknownComponent {
        /// The component asked for.
        component: u16,
    },
    /// The component has no such field.
    UnknownField {
        /// The component.
        component: u16,
        /// The field asked for.
        field: u16,
    },
    /// There is no such entity.
    NoEntity {
        /// The entity asked for.
        entity: u32,
    },
    /// The entity does not have the component.
    NoComponent {
        /// The entity.
        entity: u32,
        /// The component asked for.
        component: u16,
    },
    /// An entity of this id is there already.
    EntityExists {
        /// Its id.
        entity: u32,
    },
    /// A component with more or fewer values than it has fields.
    FieldCount {
        /// The component.
        component: u16,
        /// Fields it has.
        fields: usize,
        /// Values given.
        values: usize,
    },
    /// A value of another codec.
    Kind {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
        /// The field's codec.
        expected: &'static str,
        /// The value's.
        found: &'static str,
    },
    /// A value its codec can't hold.
    OutOfRange {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
        /// The value.
        value: i128,
        /// The smallest the field can hold.
        min: i128,
        /// The largest.
        max: i128,
    },
    /// A value that the type it is read as can't hold.
    Narrow {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
        /// The value.
        value: i128,
        /// The type.
        wanted: &'static str,
    },
    /// A number that can't be quantised: not a number, or beyond the bounds.
    Unquantisable {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
        /// Why.
        why: crate::QuantiseError,
    },
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownComponent { component } => {
                write!(f, "the schema has no component {component}")
            }
            Self::UnknownField { component, field } => {
                write!(f, "component {component} has no field {field}")
            }
            Self::NoEntity { entity } => write!(f, "there is no entity {entity}"),
            Self::NoComponent { entity, component } => {
                write!(f, "entity {entity} has no component {component}")
            }
            Self::EntityExists { entity } => write!(f, "entity {entity} is there already"),
            Self::FieldCount {
                component,
                fields,
                values,
            } => write!(
                f,
                "component {component} has {fields} fields, {values} values are given"
            ),
            Self::Kind {
                component,
                field,
                expected,
                found,
            } => write!(
                f,
                "field {field} of component {component} is {expected}, the value is {found}"
            ),
            Self::OutOfRange {
                component,
                field,
                value,
                min,
                max,
            } => write!(
                f,
                "field {field} of component {component} holds {min} to {max}, not {value}"
            ),
            Self::Narrow {
                component,
                field,
                value,
                wanted,
            } => write!(
                f,
                "field {field} of component {component} is {value}, which {wanted} can't hold"
            ),
            Self::Unquantisable {
                component,
                field,
                why,
            } => write!(f, "field {field} of component {component}: {why}"),
        }
    }
}

impl core::error::Error for ValueError {}
