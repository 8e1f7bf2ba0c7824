//! Real Murk worlds, against the origin's own engine.

mod canonical;
mod checkpoint;
mod commands;
mod hostile;
mod origin;
mod own;
mod second;
mod slips;
mod spaces;
mod truth;
#[cfg(feature = "tape")]
mod unsteady;
mod worlds;
mod writers;
mod writers_own;
