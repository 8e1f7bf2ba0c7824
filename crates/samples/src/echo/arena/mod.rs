//! An arena match: its statuses, its clock, its score. Blue plays towards +z.

mod contest;
mod course;
mod court;
mod disc;
mod pause;
mod players;
mod state;
mod write;

pub(super) use state::Arena;
