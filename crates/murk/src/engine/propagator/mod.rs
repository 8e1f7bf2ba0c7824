//! The stock propagators of Murk, as data; and what the origin builds from it.
//!
//! Keys and defaults are those of the origin's builders. A field is named by its name. All that
//! there is to say of one propagator is in one place: its file, and a line of the list below.

mod copy;
mod diffusion;
mod emission;
mod gradient;
mod morphology;
mod noise;
mod reference;
mod resource;
mod stock;
mod wave;

pub use copy::IdentityCopy;
pub use diffusion::ScalarDiffusion;
pub use emission::{AgentEmission, Emission};
pub use gradient::{FlowField, GradientCompute};
pub use morphology::{MorphologicalOp, Morphology};
pub use noise::{Noise, NoiseInjection};
pub use reference::{AgentMovement, Diffusion, Reward};
pub use resource::{Regrowth, ResourceField};
pub(super) use stock::{Costs, Ids, Named, Rebuild, Stock, Surroundings, Use};
pub use wave::WavePropagation;

use super::error::WorldError;
use super::value::{At, Keys, Sink};

macro_rules! propagators {
    ($($name:ident,)*) => {
        /// A stock propagator: what happens in each tick.
        ///
        /// [`Diffusion`], [`AgentMovement`] and [`Reward`] are the origin's reference pipeline:
        /// they take no field names, but work on the fields of fixed numbers (0 heat, 1 velocity,
        /// 2 agents, 3 gradient of the heat, 4 reward).
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum Propagator {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name),)*
        }

        impl Propagator {
            /// The kinds by name, as a description gives them.
            pub const KINDS: &'static [&'static str] = &[$($name::KIND),*];

            /// The kind's name.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $name::KIND,)* }
            }

            /// Reads the keys of a table of this kind; `None` where there is no such kind.
            pub(super) fn read_keys(
                kind: &str,
                keys: &mut Keys<'_>,
                at: &At<'_>,
            ) -> Result<Option<Self>, WorldError> {
                match kind {
                    $($name::KIND => $name::read_keys(keys, at).map(|read| Some(read.into())),)*
                    _ => Ok(None),
                }
            }

            /// Hands on the kind and the keys.
            pub(super) fn give_keys(&self, to: &mut impl Sink) {
                to.key("kind", &self.kind().to_owned());
                match self { $(Self::$name(parameters) => parameters.give_keys(to),)* }
            }

            pub(super) fn stock(&self) -> &dyn Stock {
                match self { $(Self::$name(parameters) => parameters,)* }
            }
        }

        $(impl From<$name> for Propagator {
            fn from(parameters: $name) -> Self {
                Self::$name(parameters)
            }
        })*
    };
}

propagators! {
    ScalarDiffusion,
    GradientCompute,
    IdentityCopy,
    MorphologicalOp,
    NoiseInjection,
    ResourceField,
    WavePropagation,
    FlowField,
    AgentEmission,
    Diffusion,
    AgentMovement,
    Reward,
}
