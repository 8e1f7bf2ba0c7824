//! The fields of a world, as data.

use murk_core::{BoundaryBehavior, FieldMutability};

use super::define::{kinds, words};

words! {
    /// How long a field's values last.
    Mutability("mutability") of FieldMutability {
        /// All zeros, forever: the engine has no way to write it.
        Static = "static" => FieldMutability::Static,
        /// For one tick, unless a propagator carries them over.
        PerTick = "per_tick" => FieldMutability::PerTick,
        /// Until they are written again.
        Sparse = "sparse" => FieldMutability::Sparse,
    }

    /// The treatment of values outside of a field's bounds. (The engine does not use it.)
    Boundary("behaviour") of BoundaryBehavior {
        /// They are set to the bound.
        Clamp = "clamp" => BoundaryBehavior::Clamp,
        /// They are reflected.
        Reflect = "reflect" => BoundaryBehavior::Reflect,
        /// They are absorbed.
        Absorb = "absorb" => BoundaryBehavior::Absorb,
        /// They re-enter at the other bound.
        Wrap = "wrap" => BoundaryBehavior::Wrap,
    }
}

kinds! {
    /// The content of a field in each cell.
    FieldType by "type" {
        /// A number.
        Scalar = "scalar" {}
        /// Several numbers.
        Vector = "vector" {
            /// The number of components.
            dims: u32,
        }
        /// One of a few values, as a number.
        Categorical = "categorical" {
            /// The number of values.
            n_values: u32,
        }
    }
}

impl FieldType {
    /// Returns the number of values in each cell.
    #[must_use]
    pub const fn components(&self) -> u32 {
        match self {
            Self::Vector { dims } => *dims,
            Self::Scalar {} | Self::Categorical { .. } => 1,
        }
    }
}

/// A field of a world. Commands name it by its number in the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// The name, which is unique.
    pub name: String,
    /// The content of each cell.
    pub field_type: FieldType,
    /// How long values last.
    pub mutability: Mutability,
    /// The unit.
    pub units: Option<String>,
    /// The least and the greatest value. (The engine does not use them.)
    pub bounds: Option<(f32, f32)>,
    /// The treatment of values outside of the bounds.
    pub boundary: Boundary,
}
