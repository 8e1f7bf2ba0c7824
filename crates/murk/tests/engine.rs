//! Real Murk worlds, against the origin's own engine.

#![cfg(feature = "engine")]

#[path = "engine/canonical.rs"]
mod canonical;
#[path = "engine/checkpoint.rs"]
mod checkpoint;
#[path = "engine/commands.rs"]
mod commands;
#[path = "engine/hostile.rs"]
mod hostile;
#[path = "engine/origin.rs"]
mod origin;
#[path = "engine/panics.rs"]
mod panics;
#[path = "engine/random.rs"]
mod random;
#[path = "engine/recipes.rs"]
mod recipes;
#[path = "engine/spaces.rs"]
mod spaces;
#[path = "engine/worlds.rs"]
mod worlds;
