//! What a recording's `config_hash` says of the simulation that it is of.

use std::fmt;

use gametape_core::{Datum, ToDatum};

/// What a recording's `config_hash` covers, where it is that of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ConfigForm {
    /// Nothing: it is 0, unset, or the simulation has none to compare it with.
    Unset,
    /// All of the simulation's configuration, as it tells it itself.
    Whole,
    /// The seed, the length of a tick, and how many fields and cells there are: what the origin hashes
    /// where it has no space descriptor.
    Counts,
    /// The same, and the recording's own space descriptor.
    Descriptor,
}

impl ConfigForm {
    /// `unset`, `whole`, `counts` or `descriptor`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unset => "unset",
            Self::Whole => "whole",
            Self::Counts => "counts",
            Self::Descriptor => "descriptor",
        }
    }
}

/// What it covers, in words.
impl fmt::Display for ConfigForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unset => "nothing",
            Self::Whole => "the whole world",
            Self::Counts => "the seed, dt, and how many fields and cells there are",
            Self::Descriptor => {
                "the seed, dt, how many fields and cells there are, and the recording's space descriptor"
            }
        })
    }
}

impl ToDatum for ConfigForm {
    fn to_datum(&self) -> Datum {
        self.name().to_datum()
    }
}
