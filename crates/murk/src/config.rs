//! The forms of `config_hash`: what a recording's hash says about its simulation.

use std::fmt;

use gametape_core::{Datum, ToDatum};

/// The inputs of a recording's `config_hash`, if it is the hash of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ConfigForm {
    /// Nothing: it is 0 (unset), or the simulation has no hash to compare it with.
    Unset,
    /// The whole configuration of the simulation, as the simulation describes it.
    Whole,
    /// The seed, the length of a tick, and the numbers of fields and cells. The origin hashes these
    /// for a world without a space descriptor.
    Counts,
    /// The same as [`Counts`](Self::Counts), and the recording's own space descriptor.
    Descriptor,
}

impl ConfigForm {
    /// Returns `unset`, `whole`, `counts` or `descriptor`.
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

/// The covered parts, in words.
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
