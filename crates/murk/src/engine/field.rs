//! The fields of a world, as data.

use murk_core::{BoundaryBehavior, FieldMutability};

use super::define::{kinds, words};

words! {
    /// How long a field's values last.
    Mutability("mutability") of FieldMutability {
        /// All zeros, for ever: the engine gives nobody a way to write it.
        Static = "static" => FieldMutability::Static,
        /// For one tick, unless a propagator carries them over.
        PerTick = "per_tick" => FieldMutability::PerTick,
        /// Until they are written again.
        Sparse = "sparse" => FieldMutability::Sparse,
    }

    /// What should become of values beyond a field's bounds. (The engine does not look at it.)
    Boundary("behaviour") of BoundaryBehavior {
        /// They are set to the bound.
        Clamp = "clamp" => BoundaryBehavior::Clamp,
        /// They are reflected.
        Reflect = "reflect" => BoundaryBehavior::Reflect,
        /// They are absorbed.
        Absorb = "absorb" => BoundaryBehavior::Absorb,
        /// They come in at the other bound.
        Wrap = "wrap" => BoundaryBehavior::Wrap,
    }
}

kinds! {
    /// What a field has in each cell.
    FieldType by "type" {
        /// A number.
        Scalar = "scalar" {}
        /// Several numbers.
        Vector = "vector" {
            /// How many.
            dims: u32,
        }
        /// One of a few values, as a number.
        Categorical = "categorical" {
            /// How many values.
            n_values: u32,
        }
    }
}

impl FieldType {
    /// Numbers in each cell.
    #[must_use]
    pub const fn components(&self) -> u32 {
        match self {
            Self::Vector { dims } => *dims,
            Self::Scalar {} | Self::Categorical { .. } => 1,
        }
    }
}

/// A field of a world: its place in the list is the number that commands name it by.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name: no other field has it.
    pub name: String,
    /// What it has in each cell.
    pub field_type: FieldType,
    /// How long that lasts.
    pub mutability: Mutability,
    /// What it is measured in.
    pub units: Option<String>,
    /// The least and the greatest value it should have. (The engine does not look at it.)
    pub bounds: Option<(f32, f32)>,
    /// What should become of values beyond.
    pub boundary: Boundary,
}
