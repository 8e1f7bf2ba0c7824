//! Replaying commands in a simulation: to verify a recording, to compare two, to minimise one, and
//! to test whether the simulation is deterministic.

pub mod checkpoints;
pub mod comparison;
pub mod diff;
pub mod minimise;
pub mod sync_test;
pub mod verify;
