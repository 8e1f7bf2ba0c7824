//! Registered propagators: a program registers kinds of its own, and its worlds name them.
//!
//! A propagator implements the origin's [`Propagator`]; everything needed to write one is
//! re-exported here. A kind is a name and a function that builds a propagator from the keys in a
//! world. Worlds with such kinds are recorded, verified, rolled back and minimised like any other:
//!
//! ```
//! use gametape_murk::engine::World;
//! use gametape_murk::engine::own::{
//!     FieldId, FieldSet, Kinds, ParameterError, Parameters, Propagator, PropagatorError,
//!     StepContext, WriteMode,
//! };
//!
//! /// Each tick it rains into every cell.
//! struct Rain { water: FieldId, rate: f32 }
//!
//! impl Propagator for Rain {
//!     fn name(&self) -> &str { "rain" }
//!     fn reads(&self) -> FieldSet { FieldSet::empty() }
//!     fn writes(&self) -> Vec<(FieldId, WriteMode)> { vec![(self.water, WriteMode::Incremental)] }
//!     fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
//!         let fallen = self.rate * ctx.dt() as f32;
//!         for cell in ctx.writes().write(self.water).into_iter().flatten() {
//!             *cell += fallen;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! fn rain(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
//!     let water = keys.field("water")?;
//!     Ok(Box::new(Rain { water, rate: keys.take_or("rate", 0.5)? }))
//! }
//!
//! let kinds = Kinds::new().with("rain", rain);
//! let world = World::from_toml_with(r#"
//!     dt = 0.5
//!     space = { kind = "line1d", len = 4, edge = "wrap" }
//!     [[field]]
//!     name = "water"
//!     type = "scalar"
//!     mutability = "per_tick"
//!     [[propagator]]
//!     kind = "rain"
//!     water = "water"
//!     rate = 2.0
//! "#, &kinds)?;
//! # use gametape_murk::{CommandBuf, Simulation};
//! let mut running = world.build()?;
//! for tick in 1..=3 {
//!     running.step(tick, CommandBuf::new().as_commands())?;
//! }
//! assert_eq!(running.field(0).unwrap(), [3.0; 4]);
//! // Any program reads what the recording says of its world; this one builds it, too.
//! assert_eq!(World::from_descriptor_with(&world.canonical(), &kinds).unwrap()?, world);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Requirements on a propagator
//!
//! A propagator may depend on the fields it reads, the time step, the number of the tick, the space
//! and its parameters. State that it keeps beside the fields is not part of saved states, so that
//! going back changes it: [`rollback_test`](crate::rollback_test) finds that. Dependence on
//! anything that differs from one run to the next (the order of a `HashMap`, the time of day, the
//! number of threads) is found by [`sync_test`](crate::sync_test()) or
//! [`verify()`](crate::verify()).
//!
//! If it returns an error, the tick fails as in the origin: the state stays as it was. If it
//! panics, the world stops with [`EngineError::Panicked`](super::EngineError::Panicked); restoring
//! a saved state makes it usable again.
//!
//! Its code is not part of the world's hash: only the kind's name and the keys are.

mod kinds;
mod parameters;
pub(in crate::engine) mod running;

pub use kinds::{Kinds, Own};
pub use murk_core::{FieldId, FieldReader, FieldSet, FieldWriter, PropagatorError};
pub use murk_propagator::{Propagator, StepContext, WriteMode};
pub use murk_space::Space;
pub(in crate::engine) use parameters::Around;
pub use parameters::{Parameter, ParameterError, Parameters};
