//! The header of a recording, and its commands, as plain data.

pub mod command;
pub mod list;
pub mod payload;

use std::borrow::Cow;
use std::fmt;

use gametape_core::{Datum, ToDatum};

/// The first bytes of every recording.
pub const MAGIC: [u8; 4] = *b"MURK";

/// The version of the format that is read and written.
pub const VERSION: u8 = 3;

/// The header: the build of the recording program, and the world in which the recording starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header<'a> {
    /// The build of the program that recorded.
    pub build: Build<'a>,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The hash of the world's configuration, see [`config_hash`](crate::config_hash); 0 if the
    /// recorder did not set it.
    pub config_hash: u64,
    /// The number of fields of the world; each frame's hash covers as many.
    pub field_count: u32,
    /// The number of cells of the world.
    pub cell_count: u64,
    /// The recorder's description of the world's space. The format defines no encoding: any bytes
    /// are valid, and most recorders leave it empty.
    pub space_descriptor: Cow<'a, [u8]>,
}

/// The build of the program that recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Build<'a> {
    /// The version of the compiler, such as `1.78.0`.
    pub toolchain: Cow<'a, str>,
    /// The target of the build, such as `x86_64-unknown-linux-gnu`.
    pub target_triple: Cow<'a, str>,
    /// The version of the engine.
    pub murk_version: Cow<'a, str>,
    /// The compiler's flags, such as `release`.
    pub compile_flags: Cow<'a, str>,
}

impl Header<'_> {
    /// Returns the header with its own copy of the bytes.
    #[must_use]
    pub fn into_owned(self) -> Header<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Header {
            build: Build {
                toolchain: owned(self.build.toolchain),
                target_triple: owned(self.build.target_triple),
                murk_version: owned(self.build.murk_version),
                compile_flags: owned(self.build.compile_flags),
            },
            seed: self.seed,
            config_hash: self.config_hash,
            field_count: self.field_count,
            cell_count: self.cell_count,
            space_descriptor: Cow::Owned(self.space_descriptor.into_owned()),
        }
    }
}

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
