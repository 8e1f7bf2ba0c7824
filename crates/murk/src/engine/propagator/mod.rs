//! The propagators of a world, as data: the stock ones of Murk, and what the origin builds from it.
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
use super::own::{Kinds, Own};
use super::value::{At, Keys, Sink, Table, known};

macro_rules! propagators {
    ($($name:ident,)*) => {
        /// A propagator: what happens in each tick. They are stock, but for [`Own`].
        ///
        /// [`Diffusion`], [`AgentMovement`] and [`Reward`] are the origin's reference pipeline:
        /// they take no field names, but work on the fields of fixed numbers (0 heat, 1 velocity,
        /// 2 agents, 3 gradient of the heat, 4 reward).
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum Propagator {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name),)*
            /// One of a program's own: see [`own`](crate::engine::own).
            Own(Own),
        }

        impl Propagator {
            /// The stock kinds by name, as a description gives them.
            pub const KINDS: &'static [&'static str] = &[$($name::KIND),*];

            /// The kind's name.
            #[must_use]
            pub const fn kind(&self) -> &str {
                match self {
                    $(Self::$name(_) => $name::KIND,)*
                    Self::Own(own) => own.kind(),
                }
            }

            /// Reads the keys of a table of this kind; `None` where no stock one is of it.
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

            /// Hands on the keys of a stock one.
            pub(super) fn give_keys(&self, to: &mut impl Sink) {
                match self {
                    $(Self::$name(parameters) => parameters.give_keys(to),)*
                    Self::Own(_) => {}
                }
            }

            /// Its canonical text: the kind and the keys, a line each.
            pub(super) fn write(&self, out: &mut String) {
                if let Self::Own(own) = self {
                    return own.write(out);
                }
                let mut table = Table::lines(out);
                table.key("kind", &self.kind().to_owned());
                self.give_keys(&mut table);
            }

            /// None for one of one's own.
            pub(super) fn stock(&self) -> Option<&dyn Stock> {
                match self {
                    $(Self::$name(parameters) => Some(parameters),)*
                    Self::Own(_) => None,
                }
            }
        }

        impl From<Own> for Propagator {
            fn from(own: Own) -> Self {
                Self::Own(own)
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

/// What a propagator's kind may be, for a message.
pub(super) fn known_kinds(kinds: &Kinds) -> String {
    let stock = Propagator::KINDS.iter().copied();
    known("kind", &stock.chain(kinds.names()).collect::<Vec<_>>())
}
