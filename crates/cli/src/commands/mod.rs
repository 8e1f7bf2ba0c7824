//! One file a command.

pub mod convert;
pub mod demo;
pub mod dump;
pub mod generate;
pub mod inspect;
pub mod repair;
pub mod stats;
pub mod verify;
