//! The recordings that are invented hold what real ones hold, and are the same for each seed.

#[cfg(feature = "echo")]
mod echo;
#[cfg(feature = "mines")]
mod mines;
#[cfg(feature = "mines")]
mod mines_golden;
#[cfg(feature = "engine")]
mod murk;
