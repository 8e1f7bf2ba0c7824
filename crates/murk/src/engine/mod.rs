//! Real Murk worlds: what a recording was made of, to make it again.
//!
//! A [`World`] describes one: its space, its fields, its propagators. It is read from a TOML file,
//! and its canonical text travels in the header of each recording of it, so that verifying needs
//! nothing but the recording. [`World::build`] makes an [`EngineWorld`] of it, driven by the
//! origin's own engine (`murk-engine` 0.1.9), which is a [`Simulation`](crate::Simulation) to
//! verify recordings against. [`World::checker`] tells, without simulating, which commands are
//! never applied.
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
//! # Worlds of one's own
//!
//! A world may name propagators that a program brings: see [`own`].
//!
//! # Of unknown origin
//!
//! A description may come out of anybody's recording. It is bounded before anything is allocated
//! ([`MAX_VALUES`], [`MAX_MEMORY`] and others), and what makes the origin panic is refused.
//!
//! # What the origin does
//!
//! Some of it may surprise; a world here does the same, since recordings were made so:
//! - `set_field` writes the element whose index is the cell's, in vector fields too: it reaches
//!   only their first values, those of other cells than it names.
//! - Commands come before propagators: what one writes into a field that a propagator writes too
//!   is overwritten in the same tick, as if it had never come ([`World::writer`]). Into other
//!   fields it comes, and propagators see it in the tick after, as they read what the last tick
//!   left. (With stock propagators a `wave_propagation` thus stays at rest for ever.)
//! - Static fields are zeros for ever. Values are not held to bounds. The seed is not used.
//! - Stock propagators fail in every tick or in none, by the shape of their fields. A world whose
//!   ticks fail publishes nothing; its sparse fields can show what a failed tick wrote all the
//!   same, and even into another field.
//! - `normal`, `exp` and the like come from the platform: noise and decay need not be the same,
//!   bit by bit, on another one.

mod check;
mod checker;
mod config;
mod cost;
mod define;
mod error;
mod field;
mod guard;
pub mod own;
mod owner;
pub mod propagator;
mod read;
mod receipts;
mod run;
mod set;
mod space;
mod value;
mod variants;
mod world;
mod writer;

pub use check::{
    MAX_COMPONENTS, MAX_DESCRIPTION, MAX_DIMENSIONS, MAX_FIELD_VALUES, MAX_FIELDS,
    MAX_INGRESS_QUEUE, MAX_MEMORY, MAX_NAME, MAX_NESTING, MAX_PROPAGATORS, MAX_SPARSE_VALUES,
    MAX_VALUES, MAX_VISITS,
};
pub use checker::Checker;
pub use error::{EngineError, Fault, Place, WorldError};
pub use field::{Boundary, Field, FieldType, Mutability};
pub use propagator::Propagator;
pub use receipts::{Outcome, Receipts};
pub use run::{EngineWorld, State};
pub use space::{Edge, Space};
pub use world::{MURK_VERSION, World};
