//! Schemas: components, their fields, and the codecs of fields.

mod compare;
mod model;
mod plan;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

pub use compare::Difference;
pub(crate) use compare::Named;
pub use model::{Change, Codec, Component, Field, MAX_MASK_BITS, SchemaError, Value};
pub(crate) use plan::{Fields, Form, Layout, Plan, full_mask, ones, unzigzag, zigzag};

struct Inner {
    components: Vec<Component>,
    hash: u64,
    layout: Layout,
}

/// Valid components in the order of the wire. Schemas are cheap to clone.
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
    /// Checks the components and computes their hash.
    pub fn new(components: impl Into<Vec<Component>>) -> Result<Self, SchemaError> {
        let components = components.into();
        model::check(&components)?;
        let hash = hash(&components);
        let layout = Layout::new(&components);
        Ok(Self {
            inner: Arc::new(Inner {
                components,
                hash,
                layout,
            }),
        })
    }

    /// Returns a schema without components. Its entities only exist or do not exist.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            inner: Arc::new(Inner {
                components: Vec::new(),
                hash: hash(&[]),
                layout: Layout::new(&[]),
            }),
        }
    }

    /// Returns the components in the order of the wire.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.inner.components
    }

    /// Returns the component with this id, and its index in the order of the wire.
    #[must_use]
    pub fn component(&self, id: u16) -> Option<(usize, &Component)> {
        self.components()
            .iter()
            .enumerate()
            .find(|(_, component)| component.id == id)
    }

    /// Returns the hash that packets contain: the first 8 bytes of a BLAKE3 digest of ids, codecs
    /// and change policies, as a little-endian number. Names are not included.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.inner.hash
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// Returns all differences from `other` except names; empty if the hashes are the same.
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

/// A schema in JSON: the form of the origin implementation, with names added.
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

/// Returns the first 8 bytes of the BLAKE3 digest of the components, in the byte layout of the
/// origin.
fn hash(components: &[Component]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(components.len() as u32).to_le_bytes());
    for component in components {
        hasher.update(&component.id.to_le_bytes());
        hasher.update(&(component.fields.len() as u32).to_le_bytes());
        for field in &component.fields {
            hasher.update(&field.id.to_le_bytes());
            match field.codec {
                Codec::Bool => hasher.update(&[0]),
                Codec::UInt { bits } => hasher.update(&[1, bits]),
                Codec::SInt { bits } => hasher.update(&[2, bits]),
                Codec::VarUInt => hasher.update(&[3]),
                Codec::VarSInt => hasher.update(&[4]),
                Codec::FixedPoint {
                    min_q,
                    max_q,
                    scale,
                } => hasher
                    .update(&[5])
                    .update(&min_q.to_le_bytes())
                    .update(&max_q.to_le_bytes())
                    .update(&scale.to_le_bytes()),
            };
            match field.change {
                Change::Always => hasher.update(&[0]),
                Change::Threshold { threshold_q } => {
                    hasher.update(&[1]).update(&threshold_q.to_le_bytes())
                }
            };
        }
    }
    let digest = hasher.finalize();
    let first = digest.as_bytes().first_chunk::<8>();
    u64::from_le_bytes(first.copied().unwrap_or_default())
}
