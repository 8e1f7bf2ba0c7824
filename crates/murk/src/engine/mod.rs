//! Real Murk worlds: the simulation of a recording, built from its description.
//!
//! A [`World`] describes the space, the fields and the propagators. It is read from a TOML file,
//! and its canonical text is stored in the header of each of its recordings, so that a recording
//! can be verified without other files. [`World::build`] makes an [`EngineWorld`] from it. This is
//! a [`Simulation`](crate::Simulation) that runs the origin's own engine (`murk-engine` 0.1.9).
//! [`World::checker`] finds the commands that are never applied, without simulating.
//!
//! ```
//! use gametape_murk::engine::World;
//!
//! let world = World::from_toml(gametape_samples::murk::HEAT)?;
//! let header = world.header();
//! assert_eq!(header.config_hash, world.config_hash());
//! assert_eq!(World::from_descriptor(&header.space_descriptor).unwrap()?, world);
//! # Ok::<(), gametape_murk::engine::WorldError>(())
//! ```
//!
//! # Registered propagators
//!
//! A world may name propagators that a program registers: see [`own`].
//!
//! # Untrusted descriptions
//!
//! A description may come from any recording. Its size is limited before anything is allocated
//! (`validate.rs` has the limits), and descriptions that would make the origin panic are refused.
//!
//! # Behaviour of the origin
//!
//! Some of it is surprising. A world here does the same, because recordings depend on it:
//! - `set_field` writes the element with the cell's number, even in vector fields. It reaches only
//!   their first values, which belong to other cells than the one it names.
//! - Commands are applied before propagators run. A command that writes into a field that a
//!   propagator writes, too, is overwritten in the same tick and has no effect ([`World::writer`]).
//!   In other fields it has, and propagators see it in the next tick, because they read the values
//!   of the last tick. (With stock propagators a `wave_propagation` thus stays at rest forever.)
//! - Static fields are zeros forever. Values are not clamped to bounds. The seed is not used.
//! - Stock propagators fail in every tick or in none, depending on the shapes of their fields. A
//!   world whose ticks fail publishes nothing; its sparse fields may still show values that a
//!   failed tick wrote, even into another field.
//! - `normal`, `exp` and others come from the platform, so noise and decay may differ in some bits
//!   on another platform.

mod commands;
mod define;
mod error;
mod guard;
pub mod own;
mod parameters;
pub mod propagator;
mod read;
mod run;
mod space;
mod validate;
mod value;
mod world;
mod writer;

pub use commands::{Checker, Outcome, Receipts};
pub use error::{EngineError, Place, WorldError, WorldFault};
pub use propagator::Propagator;
pub use run::{EngineWorld, SavedWorld};
pub use space::{Edge, Layout, Space};
pub use world::{Boundary, Field, FieldType, MURK_VERSION, Mutability, World};
