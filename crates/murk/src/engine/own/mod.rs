//! Propagators of one's own: a program registers their kinds, and its worlds name them.
//!
//! A propagator is the origin's [`Propagator`]; all that it takes to write one is handed on here. A
//! kind is a name, and what builds a propagator of the keys that a world gives it. Worlds of such
//! kinds are recorded, verified, rolled back and minimised as any other:
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
//! # What a propagator of one's own keeps to
//!
//! It is given what it may depend on: the fields it reads, the time step, the number of the tick,
//! the space, its parameters. What it keeps beside the fields is not part of any saved state, so
//! that going back changes it: [`rollback_test`](crate::rollback_test) finds that. What differs
//! from one run to the next (the order of a `HashMap`, the time of day, the number of threads)
//! [`sync_test`](crate::sync_test()) finds, or [`verify()`](crate::verify()).
//!
//! A tick in which it gives an error fails, as the origin has it: the state is as it was. Where it
//! panics, the world stops with [`EngineError::Panicked`](super::EngineError::Panicked); going back
//! to a saved state makes it usable again.
//!
//! Its code is no part of the world's hash: only the kind's name and the keys are.

mod data;
mod kinds;
pub(in crate::engine) mod later;
mod parameters;
pub(in crate::engine) mod probed;

pub use data::Own;
pub use kinds::Kinds;
pub use murk_core::{FieldId, FieldReader, FieldSet, FieldWriter, PropagatorError};
pub use murk_propagator::{Propagator, StepContext, WriteMode};
pub use murk_space::Space;
pub(in crate::engine) use parameters::Around;
pub use parameters::{Parameter, ParameterError, Parameters};
