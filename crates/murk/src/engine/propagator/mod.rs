//! The propagators of a world, as data: the stock ones of Murk, and their equivalents in the
//! origin.
//!
//! Keys and defaults are those of the origin's builders. A field is named by its name. Each
//! propagator has a line in the list below.

mod cells;
mod neighbours;
mod reference;
mod stock;

pub use cells::{
    AgentEmission, Emission, IdentityCopy, Noise, NoiseInjection, Regrowth, ResourceField,
};
pub use neighbours::{
    FlowField, GradientCompute, MorphologicalOp, Morphology, ScalarDiffusion, WavePropagation,
};
pub use reference::{AgentMovement, Diffusion, Reward};
pub(super) use stock::{Costs, Ids, Named, Rebuild, Stock, Surroundings, Use};

use super::own::{Kinds, Own};
use super::value::{Keys, Sink, TableWriter, Wrong, known};

macro_rules! propagators {
    ($($name:ident,)*) => {
        /// A propagator, which runs in each tick. All are stock ones except [`Own`].
        ///
        /// [`Diffusion`], [`AgentMovement`] and [`Reward`] are the origin's reference pipeline:
        /// they do not take field names, but work on fields with fixed numbers (0 heat, 1 velocity,
        /// 2 agents, 3 gradient of the heat, 4 reward).
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum Propagator {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name),)*
            /// A registered propagator: see [`own`](crate::engine::own).
            Own(Own),
        }

        impl Propagator {
            /// The names of the stock kinds in a description.
            pub const KINDS: &'static [&'static str] = &[$($name::KIND),*];

            /// Returns the kind's name.
            #[must_use]
            pub const fn kind(&self) -> &str {
                match self {
                    $(Self::$name(_) => $name::KIND,)*
                    Self::Own(own) => own.kind(),
                }
            }

            /// Reads the keys of a table of this kind; `None` if there is no such stock kind.
            pub(super) fn read_keys(
                kind: &str,
                keys: &mut Keys<'_>,
            ) -> Result<Option<Self>, Wrong> {
                match kind {
                    $($name::KIND => $name::read_keys(keys).map(|read| Some(read.into())),)*
                    _ => Ok(None),
                }
            }

            /// Passes the keys of a stock propagator to a sink.
            pub(super) fn give_keys(&self, to: &mut impl Sink) {
                match self {
                    $(Self::$name(parameters) => parameters.give_keys(to),)*
                    Self::Own(_) => {}
                }
            }

            /// Appends the canonical text: the kind and the keys, one per line.
            pub(super) fn write(&self, out: &mut String) {
                if let Self::Own(own) = self {
                    return own.write(out);
                }
                let mut table = TableWriter::lines(out);
                table.key("kind", &self.kind().to_owned());
                self.give_keys(&mut table);
            }

            /// Returns the stock propagator; `None` for a registered one.
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

/// Returns the known kinds, for a message.
pub(super) fn known_kinds(kinds: &Kinds) -> String {
    let stock = Propagator::KINDS.iter().copied();
    known("kind", &stock.chain(kinds.names()).collect::<Vec<_>>())
}
