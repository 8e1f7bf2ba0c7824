//! The invented recordings have the properties of real ones and are the same for the same seed.

#[cfg(feature = "echo")]
mod echo;
#[cfg(feature = "mines")]
mod mines;
#[cfg(feature = "engine")]
mod murk;
