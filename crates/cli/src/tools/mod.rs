//! What gametape's own formats alone can do: here, and nowhere else, formats are known by name.

pub mod demo;
pub mod index;
pub mod minimise;
pub mod record;
pub mod schema;
pub mod sync_test;

use clap::{ArgMatches, FromArgMatches};

/// The arguments of a tool: what clap has checked already.
fn parsed<A: FromArgMatches>(matches: &ArgMatches) -> A {
    A::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}
