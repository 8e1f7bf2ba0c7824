//! Schemas: which components there are, which fields they have, and how each is written.

mod compare;
mod hash;
mod plan;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

pub use compare::Difference;
pub(crate) use plan::{Form, Layout, Plan, full_mask, ones, unzigzag, zigzag};

/// Most components of a schema, and most fields of a component: a mask is one 64-bit word. The
/// origin's default limits are the same.
pub const MAX_MASK_BITS: usize = 64;

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
        /// The largest.
        max_q: i64,
        /// Units per 1.0: 100 has a resolution of 0.01. Not on the wire, but in the hash.
        scale: u32,
    },
}

impl Codec {
    /// Its name: `Bool`, `UInt`, ….
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

/// When a changed field is sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Change {
    /// Whenever it differs from what the receiver holds.
    #[default]
    Always,
    /// When it differs by more than this many units: the receiver's value is never further off.
    /// Bools ignore it.
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
    /// Not zero, unique in the component.
    pub id: u16,
    /// For people; neither on the wire nor in the hash.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub name: Option<String>,
    /// How it is written.
    pub codec: Codec,
    /// When it is sent.
    #[cfg_attr(feature = "serde", serde(default))]
    pub change: Change,
}

impl Field {
    /// A field that is sent whenever it changes.
    #[must_use]
    pub const fn new(id: u16, codec: Codec) -> Self {
        Self {
            id,
            name: None,
            codec,
            change: Change::Always,
        }
    }

    /// With a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sent when it differs by more than `threshold_q` quantised units.
    #[must_use]
    pub const fn threshold(mut self, threshold_q: u32) -> Self {
        self.change = Change::Threshold { threshold_q };
        self
    }
}

/// One component: fields that are replicated together.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Component {
    /// Not zero, unique in the schema.
    pub id: u16,
    /// For people; neither on the wire nor in the hash.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub name: Option<String>,
    /// In the order of the wire.
    pub fields: Vec<Field>,
}

impl Component {
    /// A component of these fields.
    #[must_use]
    pub fn new(id: u16, fields: impl Into<Vec<Field>>) -> Self {
        Self {
            id,
            name: None,
            fields: fields.into(),
        }
    }

    /// With a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// Why components do not make a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchemaError {
    /// A component or field has the id 0.
    ZeroId {
        /// The component it is in, where it is a field.
        component: Option<u16>,
    },
    /// Two components have one id.
    DuplicateComponent {
        /// The id.
        component: u16,
    },
    /// Two fields of a component have one id.
    DuplicateField {
        /// The component.
        component: u16,
        /// The id.
        field: u16,
    },
    /// More than [`MAX_MASK_BITS`] components.
    TooManyComponents {
        /// How many.
        components: usize,
    },
    /// More than [`MAX_MASK_BITS`] fields.
    TooManyFields {
        /// The component.
        component: u16,
        /// How many.
        fields: usize,
    },
    /// An integer of no bits, or of more than 64.
    BitWidth {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
        /// Its bits.
        bits: u8,
    },
    /// Fixed point whose smallest value exceeds the largest.
    Range {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
        /// The smallest value.
        min_q: i64,
        /// The largest.
        max_q: i64,
    },
    /// Fixed point of scale 0.
    ZeroScale {
        /// The component.
        component: u16,
        /// The field.
        field: u16,
    },
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroId { component: None } => f.write_str("a component has the id 0"),
            Self::ZeroId {
                component: Some(component),
            } => write!(f, "a field of component {component} has the id 0"),
            Self::DuplicateComponent { component } => {
                write!(f, "two components have the id {component}")
            }
            Self::DuplicateField { component, field } => {
                write!(f, "two fields of component {component} have the id {field}")
            }
            Self::TooManyComponents { components } => {
                write!(f, "{components} components, {MAX_MASK_BITS} are possible")
            }
            Self::TooManyFields { component, fields } => write!(
                f,
                "component {component} has {fields} fields, {MAX_MASK_BITS} are possible"
            ),
            Self::BitWidth {
                component,
                field,
                bits,
            } => write!(
                f,
                "field {field} of component {component} has {bits} bits, 1 to 64 are possible"
            ),
            Self::Range {
                component,
                field,
                min_q,
                max_q,
            } => write!(
                f,
                "field {field} of component {component} goes from {min_q} to {max_q}"
            ),
            Self::ZeroScale { component, field } => {
                write!(f, "field {field} of component {component} has the scale 0")
            }
        }
    }
}

impl core::error::Error for SchemaError {}

struct Inner {
    components: Vec<Component>,
    hash: u64,
    layout: Layout,
}

/// Components in the order of the wire, checked; cheap to clone.
///
/// ```
/// use gametape_delta::{Codec, Component, Field, Schema};
///
/// let schema = Schema::new([Component::new(1, [
///     Field::new(1, Codec::FixedPoint { min_q: -51_200, max_q: 51_200, scale: 100 }).named("x"),
///     Field::new(2, Codec::UInt { bits: 7 }).named("hull"),
/// ]).named("ship")])?;
/// assert_eq!(schema.hash(), 0xe2e6_7e68_b8a5_c351);
/// # Ok::<(), gametape_delta::SchemaError>(())
/// ```
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize),
    serde(try_from = "SchemaForm")
)]
pub struct Schema {
    inner: Arc<Inner>,
}

impl Schema {
    /// Checks the components and works out their hash.
    pub fn new(components: impl Into<Vec<Component>>) -> Result<Self, SchemaError> {
        let components = components.into();
        check(&components)?;
        let hash = hash::hash(&components);
        let layout = Layout::new(&components);
        Ok(Self {
            inner: Arc::new(Inner {
                components,
                hash,
                layout,
            }),
        })
    }

    /// Without components: entities that are there, or not.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            inner: Arc::new(Inner {
                components: Vec::new(),
                hash: hash::hash(&[]),
                layout: Layout::new(&[]),
            }),
        }
    }

    /// In the order of the wire.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.inner.components
    }

    /// The component of this id, and its place in the order of the wire.
    #[must_use]
    pub fn component(&self, id: u16) -> Option<(usize, &Component)> {
        self.components()
            .iter()
            .enumerate()
            .find(|(_, component)| component.id == id)
    }

    /// What a packet says of its schema: the first 8 bytes of a BLAKE3 digest over ids, codecs and
    /// change policies in their order, little-endian. Names are not part of it.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.inner.hash
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// Everything that differs from `other`, names aside; nothing if their hashes are the same.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        compare::differences(self.components(), other.components())
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.components() == other.components()
    }
}

impl Eq for Schema {}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("hash", &format_args!("{:016x}", self.hash()))
            .field("components", &self.components())
            .finish()
    }
}

fn check(components: &[Component]) -> Result<(), SchemaError> {
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

/// A schema as JSON has it: that of the origin, with names added.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaForm<C = Vec<Component>> {
    components: C,
}

#[cfg(feature = "serde")]
impl TryFrom<SchemaForm> for Schema {
    type Error = SchemaError;

    fn try_from(form: SchemaForm) -> Result<Self, SchemaError> {
        Self::new(form.components)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SchemaForm {
            components: self.components(),
        }
        .serialize(serializer)
    }
}
