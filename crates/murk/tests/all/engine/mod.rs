//! Real Murk worlds, against the origin's own engine.

mod canonical;
mod checkpoint;
mod commands;
mod hostile;
mod origin;
mod panics;
mod random;
mod recipes;
mod slips;
mod spaces;
mod worlds;
