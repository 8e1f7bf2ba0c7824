//! The parts of a schema, and their checks.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The maximum number of components in a schema and of fields in a component, because a mask is one
/// 64-bit word. The origin's default limits are the same.
pub const MAX_MASK_BITS: usize = 64;

/// The encoding of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub enum Codec {
    /// One bit.
    Bool,
    /// An unsigned integer of `bits` bits.
    UInt {
        /// 1 to 64.
        bits: u8,
    },
    /// A signed integer of `bits` bits, two's complement.
    SInt {
        /// 1 to 64.
        bits: u8,
    },
    /// A u32 as LEB128: 1 to 5 bytes, byte-aligned.
    VarUInt,
    /// An i32, zigzag, as LEB128: 1 to 5 bytes, byte-aligned.
    VarSInt,
    /// A real number times `scale`, rounded to an integer from `min_q` to `max_q`; see
    /// [`FixedPoint`](crate::FixedPoint) for rounding.
    FixedPoint {
        /// The smallest quantised value.
        min_q: i64,
        /// The largest quantised value.
        max_q: i64,
        /// The number of units per 1.0: 100 means a resolution of 0.01. It is not on the wire, but
        /// in the hash.
        scale: u32,
    },
}

impl Codec {
    /// Returns the name: `Bool`, `UInt`, ….
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bool => "Bool",
            Self::UInt { .. } => "UInt",
            Self::SInt { .. } => "SInt",
            Self::VarUInt => "VarUInt",
            Self::VarSInt => "VarSInt",
            Self::FixedPoint { .. } => "FixedPoint",
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool | Self::VarUInt | Self::VarSInt => f.write_str(self.name()),
            Self::UInt { bits } | Self::SInt { bits } => {
                write!(f, "{} of {bits} bits", self.name())
            }
            Self::FixedPoint {
                min_q,
                max_q,
                scale,
            } => write!(f, "FixedPoint {min_q} to {max_q} at scale {scale}"),
        }
    }
}

/// The change policy of a field: when a change is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub enum Change {
    /// Whenever the value differs from the receiver's.
    #[default]
    Always,
    /// When the value differs by more than this many units, so that the receiver's value is never
    /// off by more than that. Bools ignore the threshold.
    Threshold {
        /// The threshold, in quantised units.
        threshold_q: u32,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::Threshold { threshold_q } => write!(f, "beyond {threshold_q}"),
        }
    }
}

/// One field of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Field {
    /// The id: not zero, unique in the component.
    pub id: u16,
    /// A name for people; neither on the wire nor in the hash.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub name: Option<String>,
    /// The encoding.
    pub codec: Codec,
    /// The change policy.
    #[cfg_attr(feature = "serde", serde(default))]
    pub change: Change,
}

impl Field {
    /// Creates a field that is sent whenever it changes.
    #[must_use]
    pub const fn new(id: u16, codec: Codec) -> Self {
        Self {
            id,
            name: None,
            codec,
            change: Change::Always,
        }
    }

    /// Creates a field that gets its id, and the first part of its name, from what contains it; see
    /// [`ReplicateField::fields`](crate::ReplicateField::fields).
    #[must_use]
    pub const fn part(codec: Codec) -> Self {
        Self::new(0, codec)
    }

    /// Sets the name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sends the field only when it differs by more than `threshold_q` quantised units.
    #[must_use]
    pub const fn threshold(mut self, threshold_q: u32) -> Self {
        self.change = Change::Threshold { threshold_q };
        self
    }
}

/// A component: a group of fields.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Component {
    /// The id: not zero, unique in the schema.
    pub id: u16,
    /// A name for people; neither on the wire nor in the hash.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub name: Option<String>,
    /// The fields, in the order of the wire.
    pub fields: Vec<Field>,
}

impl Component {
    /// Creates a component with these fields.
    #[must_use]
    pub fn new(id: u16, fields: impl Into<Vec<Field>>) -> Self {
        Self {
            id,
            name: None,
            fields: fields.into(),
        }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// Why components are not a valid schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A component or field has the id 0.
    #[error("{}", zero_id(*.component))]
    ZeroId {
        /// The component of the field; `None` if the component itself has the id 0.
        component: Option<u16>,
    },
    /// Two components have the same id.
    #[error("two components have the id {component}")]
    DuplicateComponent {
        /// The id.
        component: u16,
    },
    /// Two fields of a component have the same id.
    #[error("two fields of component {component} have the id {field}")]
    DuplicateField {
        /// The id of the component.
        component: u16,
        /// The id.
        field: u16,
    },
    /// More than [`MAX_MASK_BITS`] components.
    #[error("{components} components, {MAX_MASK_BITS} are possible")]
    TooManyComponents {
        /// The number of components.
        components: usize,
    },
    /// A component has more than [`MAX_MASK_BITS`] fields.
    #[error("component {component} has {fields} fields, {MAX_MASK_BITS} are possible")]
    TooManyFields {
        /// The id of the component.
        component: u16,
        /// The number of fields.
        fields: usize,
    },
    /// An integer has no bits, or more than 64.
    #[error("field {field} of component {component} has {bits} bits, 1 to 64 are possible")]
    BitWidth {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The requested width.
        bits: u8,
    },
    /// The smallest value of a fixed-point codec is larger than its largest.
    #[error("field {field} of component {component} goes from {min_q} to {max_q}")]
    Range {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The smallest value.
        min_q: i64,
        /// The largest value.
        max_q: i64,
    },
    /// A fixed-point codec has the scale 0.
    #[error("field {field} of component {component} has the scale 0")]
    ZeroScale {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component.
        field: u16,
    },
}

fn zero_id(component: Option<u16>) -> impl fmt::Display {
    fmt::from_fn(move |f| match component {
        None => f.write_str("a component has the id 0"),
        Some(component) => write!(f, "a field of component {component} has the id 0"),
    })
}

/// Checks ids, counts, widths and bounds.
pub(super) fn check(components: &[Component]) -> Result<(), SchemaError> {
    if components.len() > MAX_MASK_BITS {
        return Err(SchemaError::TooManyComponents {
            components: components.len(),
        });
    }
    for (at, component) in components.iter().enumerate() {
        if component.id == 0 {
            return Err(SchemaError::ZeroId { component: None });
        }
        if components.iter().take(at).any(|c| c.id == component.id) {
            return Err(SchemaError::DuplicateComponent {
                component: component.id,
            });
        }
        if component.fields.len() > MAX_MASK_BITS {
            return Err(SchemaError::TooManyFields {
                component: component.id,
                fields: component.fields.len(),
            });
        }
        for (at, field) in component.fields.iter().enumerate() {
            if component.fields.iter().take(at).any(|f| f.id == field.id) {
                return Err(SchemaError::DuplicateField {
                    component: component.id,
                    field: field.id,
                });
            }
            check_field(component.id, field)?;
        }
    }
    Ok(())
}

fn check_field(component: u16, field: &Field) -> Result<(), SchemaError> {
    if field.id == 0 {
        return Err(SchemaError::ZeroId {
            component: Some(component),
        });
    }
    match field.codec {
        Codec::UInt { bits } | Codec::SInt { bits } if !(1..=64).contains(&bits) => {
            Err(SchemaError::BitWidth {
                component,
                field: field.id,
                bits,
            })
        }
        Codec::FixedPoint { scale: 0, .. } => Err(SchemaError::ZeroScale {
            component,
            field: field.id,
        }),
        Codec::FixedPoint { min_q, max_q, .. } if min_q > max_q => Err(SchemaError::Range {
            component,
            field: field.id,
            min_q,
            max_q,
        }),
        _ => Ok(()),
    }
}

/// The value of one field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum Value {
    /// For [`Codec::Bool`].
    Bool(bool),
    /// For [`Codec::UInt`].
    UInt(u64),
    /// For [`Codec::SInt`].
    SInt(i64),
    /// For [`Codec::VarUInt`].
    VarUInt(u32),
    /// For [`Codec::VarSInt`].
    VarSInt(i32),
    /// For [`Codec::FixedPoint`]: the number multiplied by the scale.
    FixedPoint(i64),
}

impl Value {
    /// Returns the name of the codec.
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

    /// Returns the value as a number; `false` is 0 and `true` is 1. Fixed-point values stay
    /// quantised.
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
