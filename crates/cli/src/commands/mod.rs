//! One file a command.

pub mod convert;
pub mod demo;
pub mod diff;
pub mod dump;
pub mod generate;
pub mod index;
pub mod inspect;
pub mod minimise;
pub mod record;
pub mod repair;
pub mod schema;
pub mod stats;
pub mod sync_test;
pub mod verify;
